import { basketLifeCycle, ProductVerb, productLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { CustomerVerb, customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { ReturnVerb, returnLifeCycle } from '../../shared/catalog/fulfillment/returns.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import type { LifeCycle } from '../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { ADDRESS, type TestRehearsal } from '../support/estate.ts';

/** Brings an object into each state of its life cycle, and sends each verb as a client. */
interface Subject {
  readonly id: string;
  readonly basketId?: string;
}
type Reach = (rehearsal: TestRehearsal) => Promise<Subject>;
type Ask = (rehearsal: TestRehearsal, subject: Subject) => ReturnType<TestRehearsal['call']>;

const basket = (rehearsal: TestRehearsal): Promise<Subject> => rehearsal.basket();
const lockedBasket: Reach = async (rehearsal) => {
  const { id } = await basket(rehearsal);
  await rehearsal.checkedOut(id);
  return { id };
};
const draftOrder = async (rehearsal: TestRehearsal) => {
  const { id: basketId } = await lockedBasket(rehearsal);
  const { id } = await rehearsal.draft(basketId);
  return { id, basketId };
};
const authorise = (rehearsal: TestRehearsal, orderId: string) => rehearsal.authorisation(orderId);
/** Reaches a state, then takes one more step from it. */
const then =
  (reach: Reach, step: (rehearsal: TestRehearsal, id: string) => Promise<unknown>): Reach =>
  async (rehearsal) => {
    const subject = await reach(rehearsal);
    await step(rehearsal, subject.id);
    return subject;
  };

const confirmedOrder = then(draftOrder, async (rehearsal, id) => {
  await authorise(rehearsal, id);
  await rehearsal.confirmed(id);
});
const fulfillmentOrdersOf = async (rehearsal: TestRehearsal, orderId: string): Promise<{ id: string }[]> =>
  (await rehearsal.order(orderId)).fulfillmentOrders;

/** Dispatches the first fulfillment order. */
const dispatch = async (rehearsal: TestRehearsal, orderId: string): Promise<void> => {
  const [first] = await fulfillmentOrdersOf(rehearsal, orderId);
  await rehearsal.dispatched(first?.id ?? '');
};

/** A confirmed order of two lines that two locations serve. */
const orderOfTwoNodes: Reach = async (rehearsal) => {
  await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
  const lines = [
    { sku: 'mug-blue', qty: 1 },
    { sku: 'desk-two-nodes', qty: 2 },
  ];
  const { id: basketId } = await rehearsal.checkedOut({ lines });
  const { id } = await rehearsal.draft(basketId);
  await authorise(rehearsal, id);
  await rehearsal.confirmed(id);
  return { id, basketId };
};

/** The hold of an order after the given steps. */
const holdOfOrder =
  (goOn: (rehearsal: TestRehearsal, orderId: string) => Promise<void>): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await confirmedOrder(rehearsal);
    const { lines } = await rehearsal.order(orderId);
    await goOn(rehearsal, orderId);
    return { id: lines[0].reservationId };
  };

/** The only fulfillment order of an order after the given steps. */
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
/** The fulfillment order after so much time with a service of the carrier. */
const fulfillmentOrderSent = (service: 'LOST' | 'RTS' | 'STANDARD', by: string): Reach =>
  fulfillmentOrder(async (rehearsal, { id }) => {
    await rehearsal.packed(id);
    await rehearsal.api('dispatch-fulfillment-order-api', { params: { id }, body: { service } });
    await rehearsal.advance(by);
  });

const hold: Reach = (rehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 2 }] } });

/** Commands of the outside world, sent through the control plane. */
const played = (objects: 'products' | 'customers' | 'returns', verbs: readonly string[]): Readonly<Record<string, Ask>> =>
  Object.fromEntries(
    verbs.map((verb) => [verb, (rehearsal, { id }) => rehearsal.call('POST', `/_control/${objects}/${id}/${verb}`, {}, { as: 'admin' })]),
  );

/** An object of the fixtures. */
const given =
  (id: string): Reach =>
  async () => ({ id });

const completedOrder = then(then(confirmedOrder, dispatch), (rehearsal) => rehearsal.advance('P2D'));

/** A return of one of two units of a delivered order, after the given verbs. */
const returned =
  (
    verbs: readonly Parameters<TestRehearsal['moved']>[1][],
    resolution: 'exchange' | 'refund' = 'refund',
    dropOff: 'carrier' | 'store' = 'carrier',
  ): Reach =>
  async (rehearsal) => {
    await rehearsal.client.control('set-progression', { body: { returns: 'manual', refund: 'manual' } });
    const { id: orderId } = await completedOrder(rehearsal);
    const { lines } = await rehearsal.order(orderId);
    const line = { orderLineId: lines[0].lineId, qty: 1, reason: 'too blue' };
    // By parcel, a return can be in transit.
    const asked = { orderId, lines: [line], dropOff, resolution, ...(dropOff === 'store' && { locationId: 'store-01' }) };
    const { id } = await rehearsal.api('create-return-api', { body: asked });
    for (const verb of verbs) await rehearsal.control('move-return-by-hand', { params: { id, verb } });
    await rehearsal.settle();
    return { id };
  };

const parcelBackWithCustomer = then(returned(['approve']), async (rehearsal, id) => {
  const { shipments } = await rehearsal.object('return', id);
  // Back with its customer, so that the return can be rejected as well.
  for (const scan of ['collect', 'return']) {
    await rehearsal.client.control('play-scan', { params: { id: shipments[0].id, scan }, body: {} });
  }
  await rehearsal.settle();
});
const refunded = then(returned(['approve', 'receive', 'inspect']), async (rehearsal, id) => {
  const { orderId, refundAmount } = await rehearsal.object('return', id);
  const { payments } = await rehearsal.order(orderId);
  await rehearsal.api('refund-payment-api', { params: { id: payments[0].id }, body: { amount: refundAmount, returnId: id } });
  await rehearsal.settle();
});
const exchanged = then(returned(['approve', 'receive', 'inspect'], 'exchange'), async (rehearsal, id) => {
  const { id: basketId } = await lockedBasket(rehearsal);
  const order = await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: id } });
  await authorise(rehearsal, order.id);
  await rehearsal.confirmed(order.id);
  await rehearsal.settle();
});

interface Walk {
  readonly lifeCycle: LifeCycle;
  readonly states: Readonly<Record<string, Reach>>;
  readonly verbs: Readonly<Record<string, Ask>>;
}

export const walks: Readonly<Record<string, Walk>> = {
  basket: {
    lifeCycle: basketLifeCycle,
    states: {
      open: basket,
      locked: lockedBasket,
      converted: then(lockedBasket, (rehearsal, basketId) => rehearsal.draft(basketId)),
      abandoned: then(basket, (rehearsal) => rehearsal.advance('P1DT1S')),
      merged: then(basket, (rehearsal, id) =>
        rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } }),
      ),
    },
    verbs: {
      'add-line': (rehearsal, { id }) => rehearsal.call('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } }),
      checkout: (rehearsal, { id }) => rehearsal.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS } }),
      convert: (rehearsal, { id }) => rehearsal.call('create-order-api', { body: { basketId: id } }),
      merge: (rehearsal, { id }) =>
        rehearsal.call('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } }),
    },
  },
  order: {
    lifeCycle: orderLifeCycle,
    states: {
      // Paid, so that only its state can prevent the confirmation.
      draft: then(draftOrder, authorise),
      confirmed: confirmedOrder,
      'in-fulfilment': then(confirmedOrder, async (rehearsal, id) => {
        const [first] = await fulfillmentOrdersOf(rehearsal, id);
        await rehearsal.picked(first?.id ?? '');
        await rehearsal.settle();
      }),
      'partially-fulfilled': then(then(orderOfTwoNodes, dispatch), (rehearsal) => rehearsal.advance('P2D')),
      completed: completedOrder,
      'return-in-progress': then(completedOrder, async (rehearsal, orderId) => {
        await rehearsal.client.control('set-progression', { body: { returns: 'manual' } });
        const { lines } = await rehearsal.order(orderId);
        await rehearsal.api('create-return-api', {
          body: {
            orderId,
            lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'too blue' }],
            locationId: 'store-01',
          },
        });
      }),
      cancelled: then(draftOrder, (rehearsal, id) => rehearsal.api('cancel-order-api', { params: { id } })),
    },
    verbs: {
      create: (rehearsal, { basketId }) => rehearsal.call('create-order-api', { body: { basketId } }),
      confirm: (rehearsal, { id }) => rehearsal.call('confirm-order-api', { params: { id } }),
      cancel: (rehearsal, { id }) => rehearsal.call('cancel-order-api', { params: { id } }),
    },
  },
  return: {
    lifeCycle: returnLifeCycle,
    states: {
      requested: returned([]),
      // A return with a label may be rejected only once its parcel cannot arrive any more.
      approved: returned(['approve'], 'refund', 'store'),
      'in-transit': parcelBackWithCustomer,
      received: returned(['approve', 'receive']),
      inspected: returned(['approve', 'receive', 'inspect']),
      refunded,
      exchanged,
      rejected: returned(['reject']),
    },
    verbs: played('returns', ReturnVerb.options),
  },
  product: {
    lifeCycle: productLifeCycle,
    states: {
      draft: given('prd_radio-draft'),
      enrichment: given('prd_rug-hall'),
      review: given('prd_speaker-small'),
      active: given('prd_mug-blue'),
      suspended: given('prd_chair-suspended'),
      discontinued: given('prd_calendar-wall'),
      archived: given('prd_almanac-old'),
    },
    verbs: played('products', ProductVerb.options),
  },
  customer: {
    lifeCycle: customerLifeCycle,
    states: {
      anonymous: given('cus_iris'),
      identified: given('cus_hugo'),
      registered: given('cus_ben'),
      active: given('cus_ada'),
      'at-risk': given('cus_eve'),
      churned: given('cus_farid'),
      reactivated: given('cus_grace'),
      blocked: given('cus_mallory'),
    },
    verbs: played('customers', CustomerVerb.options),
  },
  'fulfillment-order': {
    lifeCycle: fulfillmentOrderLifeCycle,
    states: {
      created: async (rehearsal) => {
        await rehearsal.fault('no-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'outage' } });
        return fulfillmentOrder()(rehearsal);
      },
      allocated: fulfillmentOrder(),
      picking: fulfillmentOrder((rehearsal, { id }) => rehearsal.picked(id)),
      packed: fulfillmentOrder((rehearsal, { id }) => rehearsal.packed(id)),
      dispatched: fulfillmentOrderSent('STANDARD', 'PT1M'),
      delivered: fulfillmentOrderSent('STANDARD', 'P2D'),
      'failed-delivery': fulfillmentOrderSent('LOST', 'P20D'),
      'returned-to-sender': fulfillmentOrderSent('RTS', 'P4D'),
      // Cancelled before the picking begins: an existing picking order is answered in any state.
      cancelled: fulfillmentOrder((rehearsal, { orderId }) => rehearsal.api('cancel-order-api', { params: { id: orderId } })),
    },
    verbs: {
      'start-picking': (rehearsal, { id }) => rehearsal.call('create-picking-order-api', { body: { fulfillmentOrderId: id } }),
      dispatch: (rehearsal, { id }) => rehearsal.call('dispatch-fulfillment-order-api', { params: { id }, body: {} }),
    },
  },
  reservation: {
    lifeCycle: reservationLifeCycle,
    states: {
      requested: hold,
      confirmed: then(hold, (rehearsal, id) => rehearsal.api('confirm-reservation-api', { params: { id } })),
      expired: then(hold, (rehearsal) => rehearsal.advance('PT15M1S')),
      fulfilled: holdOfOrder(dispatch),
      cancelled: holdOfOrder(async (rehearsal, orderId) => {
        const [first] = await fulfillmentOrdersOf(rehearsal, orderId);
        const { lines } = await rehearsal.order(orderId);
        const nothing = [{ orderLineId: lines[0].lineId, pickedQty: 0 }];
        await rehearsal.picked(first?.id ?? '', 'started', { status: 'short', lines: nothing });
        await rehearsal.settle();
      }),
      released: then(hold, (rehearsal, id) => rehearsal.api('release-reservation-api', { params: { id } })),
    },
    verbs: {
      confirm: (rehearsal, { id }) => rehearsal.call('confirm-reservation-api', { params: { id } }),
      release: (rehearsal, { id }) => rehearsal.call('release-reservation-api', { params: { id } }),
      allocate: async (rehearsal, { id }) => {
        const basketId = (await lockedBasket(rehearsal)).id;
        const order = await rehearsal.draft(basketId);
        return rehearsal.call('allocate-inventory-api', {
          body: {
            ...{ orderId: order.id, orderLineId: order.lines[0].lineId, sku: 'mug-blue', qty: 2, reservationId: id },
          },
        });
      },
    },
  },
};
