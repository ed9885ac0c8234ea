import { describe, expect, test } from '@jest/globals';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/objects.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { allowedFrom, type LifeCycle } from '../../shared/domain/life-cycle.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/**
 * Every state that a life cycle can reach against every verb that a client has, over HTTP: what the table has happens, and what it has
 * not is 409 and changes nothing. Payments have a test of their own beside the other tests of the Payment Hub.
 */
interface Subject {
  readonly id: string;
  readonly basketId?: string;
}
type Reach = (rehearsal: TestRehearsal) => Promise<Subject>;
type Ask = (rehearsal: TestRehearsal, subject: Subject) => ReturnType<TestRehearsal['call']>;

const basket = (rehearsal: TestRehearsal): Promise<Subject> =>
  rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
const lockedBasket: Reach = async (rehearsal) => {
  const { id } = await basket(rehearsal);
  await rehearsal.ok('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
  return { id };
};
const draftOrder = async (rehearsal: TestRehearsal) => {
  const { id: basketId } = await lockedBasket(rehearsal);
  const { id } = await rehearsal.ok('POST', '/orders', { basketId });
  return { id, basketId };
};
const authorise = (rehearsal: TestRehearsal, orderId: string) =>
  rehearsal.ok('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
/** Reaches a state, then takes one more step from there. */
const then =
  (reach: Reach, step: (rehearsal: TestRehearsal, id: string) => Promise<unknown>): Reach =>
  async (rehearsal) => {
    const subject = await reach(rehearsal);
    await step(rehearsal, subject.id);
    return subject;
  };

const confirmedOrder = then(draftOrder, async (rehearsal, id) => {
  await authorise(rehearsal, id);
  await rehearsal.ok('POST', `/orders/${id}/confirm`);
});
const fulfillmentOrdersOf = async (rehearsal: TestRehearsal, orderId: string): Promise<{ id: string }[]> =>
  (await rehearsal.ok('GET', `/orders/${orderId}`)).fulfillmentOrders;
const pick = async (rehearsal: TestRehearsal, fulfillmentOrderId: string | undefined, ...steps: object[]) => {
  const { id } = await rehearsal.ok('POST', '/picking-orders', { fulfillmentOrderId });
  for (const step of steps) await rehearsal.ok('PUT', `/picking-orders/${id}/status`, step);
};
const packed = ['started', 'picked', 'packed'].map((status) => ({ status }));

/** Its first fulfillment order leaves. */
const dispatch = async (rehearsal: TestRehearsal, orderId: string): Promise<void> => {
  const [first] = await fulfillmentOrdersOf(rehearsal, orderId);
  await pick(rehearsal, first?.id, ...packed);
  await rehearsal.ok('POST', `/fulfillment/orders/${first?.id}/dispatch`, {});
};

/** A confirmed order of two lines that two locations serve. */
const orderOfTwoNodes: Reach = async (rehearsal) => {
  await rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' });
  const lines = [
    { sku: 'mug-blue', qty: 1 },
    { sku: 'desk-two-nodes', qty: 2 },
  ];
  const { id: basketId } = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  await rehearsal.ok('POST', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
  const { id } = await rehearsal.ok('POST', '/orders', { basketId });
  await authorise(rehearsal, id);
  await rehearsal.ok('POST', `/orders/${id}/confirm`);
  return { id, basketId };
};

/** The hold of an order that goes on as told. */
const holdOfOrder =
  (goOn: (rehearsal: TestRehearsal, orderId: string) => Promise<void>): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await confirmedOrder(rehearsal);
    const { lines } = await rehearsal.ok('GET', `/orders/${orderId}`);
    await goOn(rehearsal, orderId);
    return { id: lines[0].reservationId };
  };

/** The one fulfillment order of an order that goes on as told. */
const fulfillmentOrder =
  (
    goOn: (rehearsal: TestRehearsal, subject: { readonly id: string; readonly orderId: string }) => Promise<unknown> = async () => {},
  ): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await confirmedOrder(rehearsal);
    const [first] = await fulfillmentOrdersOf(rehearsal, orderId);
    const id = first?.id ?? '';
    await goOn(rehearsal, { id, orderId });
    await rehearsal.settle();
    return { id };
  };
/** As its parcel fares with a service of the carrier in so much time. */
const fulfillmentOrderSent = (service: string, by: string): Reach =>
  fulfillmentOrder(async (rehearsal, { id }) => {
    await pick(rehearsal, id, ...packed);
    await rehearsal.ok('POST', `/fulfillment/orders/${id}/dispatch`, { service });
    await rehearsal.advance(by);
  });

const hold: Reach = (rehearsal) => rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'mug-blue', qty: 2 }] });

interface Walk {
  readonly lifeCycle: LifeCycle;
  readonly states: Readonly<Record<string, Reach>>;
  readonly verbs: Readonly<Record<string, Ask>>;
}

const walks: Readonly<Record<string, Walk>> = {
  basket: {
    lifeCycle: basketLifeCycle,
    states: {
      open: basket,
      locked: lockedBasket,
      converted: then(lockedBasket, (rehearsal, basketId) => rehearsal.ok('POST', '/orders', { basketId })),
      abandoned: then(basket, (rehearsal) => rehearsal.advance('P1DT1S')),
      merged: then(basket, (rehearsal, id) => rehearsal.ok('POST', '/baskets', { channel: 'web', mergeBasketIds: [id] })),
    },
    verbs: {
      'add-line': (rehearsal, { id }) => rehearsal.call('POST', `/baskets/${id}/lines`, { sku: 'mug-blue', qty: 1 }),
      checkout: (rehearsal, { id }) => rehearsal.call('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS }),
      convert: (rehearsal, { id }) => rehearsal.call('POST', '/orders', { basketId: id }),
      merge: (rehearsal, { id }) => rehearsal.call('POST', '/baskets', { channel: 'web', mergeBasketIds: [id] }),
    },
  },
  order: {
    lifeCycle: orderLifeCycle,
    states: {
      // Paid, so that only its state can keep it from being confirmed.
      draft: then(draftOrder, authorise),
      confirmed: confirmedOrder,
      'in-fulfilment': then(confirmedOrder, async (rehearsal, id) => {
        const [first] = await fulfillmentOrdersOf(rehearsal, id);
        await pick(rehearsal, first?.id);
        await rehearsal.settle();
      }),
      'partially-fulfilled': then(then(orderOfTwoNodes, dispatch), (rehearsal) => rehearsal.advance('P2D')),
      completed: then(then(confirmedOrder, dispatch), (rehearsal) => rehearsal.advance('P2D')),
      cancelled: then(draftOrder, (rehearsal, id) => rehearsal.ok('POST', `/orders/${id}/cancel`)),
    },
    verbs: {
      create: (rehearsal, { basketId }) => rehearsal.call('POST', '/orders', { basketId }),
      confirm: (rehearsal, { id }) => rehearsal.call('POST', `/orders/${id}/confirm`),
      cancel: (rehearsal, { id }) => rehearsal.call('POST', `/orders/${id}/cancel`),
    },
  },
  'fulfillment-order': {
    lifeCycle: fulfillmentOrderLifeCycle,
    states: {
      created: async (rehearsal) => {
        await rehearsal.fault('no-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'outage' } });
        return fulfillmentOrder()(rehearsal);
      },
      allocated: fulfillmentOrder(),
      picking: fulfillmentOrder((rehearsal, { id }) => pick(rehearsal, id)),
      packed: fulfillmentOrder((rehearsal, { id }) => pick(rehearsal, id, ...packed)),
      dispatched: fulfillmentOrderSent('STANDARD', 'PT1M'),
      delivered: fulfillmentOrderSent('STANDARD', 'P2D'),
      'failed-delivery': fulfillmentOrderSent('LOST', 'P20D'),
      'returned-to-sender': fulfillmentOrderSent('RTS', 'P4D'),
      // Before anybody picked it: the picking order of one that is being picked is answered whatever becomes of it.
      cancelled: fulfillmentOrder((rehearsal, { orderId }) => rehearsal.ok('POST', `/orders/${orderId}/cancel`)),
    },
    verbs: {
      'start-picking': (rehearsal, { id }) => rehearsal.call('POST', '/picking-orders', { fulfillmentOrderId: id }),
      dispatch: (rehearsal, { id }) => rehearsal.call('POST', `/fulfillment/orders/${id}/dispatch`, {}),
    },
  },
  reservation: {
    lifeCycle: reservationLifeCycle,
    states: {
      requested: hold,
      confirmed: then(hold, (rehearsal, id) => rehearsal.ok('POST', `/inventory/reservations/${id}/confirm`)),
      expired: then(hold, (rehearsal) => rehearsal.advance('PT15M1S')),
      fulfilled: holdOfOrder(dispatch),
      cancelled: holdOfOrder(async (rehearsal, orderId) => {
        const [first] = await fulfillmentOrdersOf(rehearsal, orderId);
        const { lines } = await rehearsal.ok('GET', `/orders/${orderId}`);
        const nothing = [{ orderLineId: lines[0].lineId, pickedQty: 0 }];
        await pick(rehearsal, first?.id, { status: 'started' }, { status: 'short', lines: nothing });
        await rehearsal.settle();
      }),
      released: then(hold, (rehearsal, id) => rehearsal.ok('DELETE', `/inventory/reservations/${id}`)),
    },
    verbs: {
      confirm: (rehearsal, { id }) => rehearsal.call('POST', `/inventory/reservations/${id}/confirm`),
      release: (rehearsal, { id }) => rehearsal.call('DELETE', `/inventory/reservations/${id}`),
      allocate: (rehearsal, { id }) =>
        rehearsal.call('POST', '/inventory/allocate', {
          ...{ orderId: 'ord_1', orderLineId: 'line_1', sku: 'mug-blue', qty: 2, reservationId: id },
        }),
    },
  },
};

describe.each(Object.entries(walks))(
  'The life cycle, every state and every verb that a client has: %s',
  (type, { lifeCycle, states, verbs }) => {
    test('is brought into every state that a row of its table leads to', () => {
      const reachable = new Set(lifeCycle.rows.flatMap(({ to }) => to));
      expect(Object.keys(states).toSorted()).toEqual([...reachable].toSorted());
    });

    const cases = Object.entries(states).flatMap(([state, reach]) =>
      Object.entries(verbs).map(([verb, ask]) => ({ state, reach, verb, ask })),
    );
    test.each(cases)('$state × $verb', async ({ state, reach, verb, ask }) => {
      await using rehearsal = await newRehearsal();
      const subject = await reach(rehearsal);
      const { id } = subject;
      const before = await rehearsal.object(type, id);
      expect(before.state).toBe(state);
      const told = async () => (await rehearsal.events({ subject: `${type}/${id}`, ext: true })).length;
      const toldBefore = await told();

      const { status, body } = await ask(rehearsal, subject);

      const after = await rehearsal.object(type, id);
      const row = lifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
      if (!row) {
        // A hold that ran out has a refusal of its own, which says what it held.
        const code = verb === 'confirm' && state === 'expired' ? 'reservation_expired' : 'invalid_state_transition';
        expect([status, body.code]).toEqual([409, code]);
        expect(body).toMatchObject({ objectType: type, id, retryable: false });
        if (code === 'invalid_state_transition')
          expect(body).toMatchObject({ currentState: state, action: verb, allowedFrom: allowedFrom(lifeCycle, verb) });
      } else {
        expect(status).toBeLessThan(300);
        expect(row.to.length > 0 ? row.to : [state]).toContain(after.state);
      }
      if (!row || row.again) {
        expect(after).toEqual(before);
        expect(await told()).toBe(toldBefore);
      } else {
        expect(after.version).toBeGreaterThan(before.version);
        expect(await told()).toBeGreaterThan(toldBefore);
      }
      await rehearsal.verify();
    });
  },
);
