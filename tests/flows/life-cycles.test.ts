import { describe, expect, test } from '@jest/globals';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
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
const hold: Reach = (rehearsal) => rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'mug-blue', qty: 2 }] });

/** Reaches a state, then takes one more step from there. */
const then =
  (reach: Reach, step: (rehearsal: TestRehearsal, id: string) => Promise<unknown>): Reach =>
  async (rehearsal) => {
    const subject = await reach(rehearsal);
    await step(rehearsal, subject.id);
    return subject;
  };

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
      confirmed: then(then(draftOrder, authorise), (rehearsal, id) => rehearsal.ok('POST', `/orders/${id}/confirm`)),
      cancelled: then(draftOrder, (rehearsal, id) => rehearsal.ok('POST', `/orders/${id}/cancel`)),
    },
    verbs: {
      create: (rehearsal, { basketId }) => rehearsal.call('POST', '/orders', { basketId }),
      confirm: (rehearsal, { id }) => rehearsal.call('POST', `/orders/${id}/confirm`),
      cancel: (rehearsal, { id }) => rehearsal.call('POST', `/orders/${id}/cancel`),
    },
  },
  reservation: {
    lifeCycle: reservationLifeCycle,
    states: {
      requested: hold,
      confirmed: then(hold, (rehearsal, id) => rehearsal.ok('POST', `/inventory/reservations/${id}/confirm`)),
      expired: then(hold, (rehearsal) => rehearsal.advance('PT15M1S')),
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
