import type { OperationInput } from '../../rehearsal/call-types.ts';
import { basketLifeCycle, ProductVerb, productLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { CustomerVerb, customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { ReturnVerb, returnLifeCycle } from '../../shared/catalog/fulfillment/returns.ts';
import { Scan, shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import type { LifeCycle } from '../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import type { TestRehearsal } from '../support/estate.ts';
import { ADDRESS, TTL } from '../support/steps/order.ts';
import { card } from '../support/steps/tender.ts';

interface Subject {
  readonly id: string;
}
/** Brings an object into a state. */
export type Reach = (rehearsal: TestRehearsal) => Promise<Subject>;
/** Sends a verb as a client. */
type Ask = (rehearsal: TestRehearsal, subject: Subject) => ReturnType<TestRehearsal['call']>;
type ReturnStep = OperationInput<'move-return-by-hand'>['params']['verb'];

/** Reaches a state, then takes one more step from it. */
const then =
  (reach: Reach, step: (rehearsal: TestRehearsal, id: string) => Promise<unknown>): Reach =>
  async (rehearsal) => {
    const subject = await reach(rehearsal);
    await step(rehearsal, subject.id);
    return subject;
  };
const confirmed = (rehearsal: TestRehearsal) => rehearsal.confirmed();
const dispatchFirst = async (rehearsal: TestRehearsal, orderId: string) =>
  rehearsal.dispatched((await rehearsal.routed(orderId))[0]?.id ?? '');
const returnOf = async (rehearsal: TestRehearsal, orderId: string, more: Parameters<TestRehearsal['announced']>[2] = {}) =>
  rehearsal.announced(await rehearsal.order(orderId), 1, more);

const orderOfTwoNodes: Reach = async (rehearsal) => (await rehearsal.orderOfTwoNodes()).order;
const completedOrder = then(then(confirmed, dispatchFirst), (rehearsal) => rehearsal.advance('P2D'));

/** The reservation of an order after this step. */
const reservationOfOrder =
  (step: (rehearsal: TestRehearsal, orderId: string) => Promise<unknown>): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await rehearsal.confirmed();
    const { lines } = await rehearsal.order(orderId);
    await step(rehearsal, orderId);
    return { id: lines[0].reservationId };
  };
const reservation: Reach = (rehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 2 }] } });

/** The only fulfillment order of an order after this step. */
const fulfillmentOrder =
  (step: (rehearsal: TestRehearsal, id: string, orderId: string) => Promise<unknown> = async () => {}): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await rehearsal.confirmed();
    const id = await rehearsal.onlyFulfilment(orderId);
    await step(rehearsal, id, orderId);
    await rehearsal.settle();
    return { id };
  };
/** The fulfillment order after so much time with a service of the carrier. */
const fulfillmentOrderSent = (service: 'LOST' | 'RTS' | 'STANDARD', by: string): Reach =>
  fulfillmentOrder(async (rehearsal, id) => {
    await rehearsal.dispatched(id, { service });
    await rehearsal.advance(by);
  });

/** Commands of the outside world, sent through the control plane. */
const played = (objects: 'products' | 'customers' | 'returns' | 'shipments', verbs: readonly string[]): Readonly<Record<string, Ask>> =>
  Object.fromEntries(
    verbs.map((verb) => [verb, (rehearsal, { id }) => rehearsal.call('POST', `/_control/${objects}/${id}/${verb}`, {}, { as: 'admin' })]),
  );

/** A change of members through the control plane. */
const changed =
  (objects: 'products' | 'customers', change: object): Ask =>
  (rehearsal, { id }) =>
    rehearsal.call('PUT', `/_control/${objects}/${id}`, change, { as: 'admin' });

/** An object of the fixtures. */
const given =
  (id: string): Reach =>
  async () => ({ id });

/** A return of one of two units of a delivered order, after these steps. */
const returned =
  (steps: readonly ReturnStep[], more: Parameters<TestRehearsal['announced']>[2] = { dropOff: 'carrier' }): Reach =>
  async (rehearsal) => {
    await rehearsal.progress({ returns: 'manual', refund: 'manual' });
    const { id } = await returnOf(rehearsal, (await completedOrder(rehearsal)).id, more);
    await rehearsal.moved(id, ...steps);
    return { id };
  };
const refunded = then(returned(['approve', 'receive', 'inspect']), async (rehearsal, returnId) => {
  const { orderId, refundAmount: amount } = await rehearsal.object('return', returnId);
  const { payments } = await rehearsal.order(orderId);
  await rehearsal.api('refund-payment-api', { params: { id: payments[0].id }, body: { amount, returnId } });
  await rehearsal.settle();
});
const TO_EXCHANGE = { dropOff: 'carrier', resolution: 'exchange' } as const;
const exchanged = then(returned(['approve', 'receive', 'inspect'], TO_EXCHANGE), async (rehearsal, exchangeForReturnId) => {
  const { id: basketId } = await rehearsal.checkedOut();
  const order = await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId } });
  await rehearsal.authorisation(order.id);
  await rehearsal.confirmed(order.id);
  await rehearsal.settle();
});

export interface Walk {
  readonly lifeCycle: LifeCycle;
  readonly states: Readonly<Record<string, Reach>>;
  readonly verbs: Readonly<Record<string, Ask>>;
}

const basket: Walk = {
  lifeCycle: basketLifeCycle,
  states: {
    open: (rehearsal) => rehearsal.basket(),
    locked: (rehearsal) => rehearsal.checkedOut(),
    converted: then(
      (rehearsal) => rehearsal.checkedOut(),
      (rehearsal, id) => rehearsal.draft(id),
    ),
    abandoned: then(
      (rehearsal) => rehearsal.basket(),
      (rehearsal) => rehearsal.advance('P1DT1S'),
    ),
    merged: then(
      (rehearsal) => rehearsal.basket(),
      (rehearsal, id) => rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } }),
    ),
  },
  verbs: {
    'add-line': (rehearsal, { id }) => rehearsal.call('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } }),
    'change-line': (rehearsal, { id }) => rehearsal.call('change-basket-line-api', { params: { id, lineId: `${id}-1` }, body: { qty: 1 } }),
    'remove-line': (rehearsal, { id }) => rehearsal.call('remove-basket-line-api', { params: { id, lineId: `${id}-1` } }),
    checkout: (rehearsal, { id }) => rehearsal.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS } }),
    convert: (rehearsal, { id }) => rehearsal.call('create-order-api', { body: { basketId: id } }),
    merge: (rehearsal, { id }) =>
      rehearsal.call('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } }),
  },
};

const order: Walk = {
  lifeCycle: orderLifeCycle,
  states: {
    // Paid, so that only its state can prevent the confirmation.
    draft: (rehearsal) => rehearsal.authorised(),
    confirmed,
    'in-fulfilment': then(confirmed, async (rehearsal, id) => {
      await rehearsal.picked(await rehearsal.onlyFulfilment(id));
      await rehearsal.settle();
    }),
    'partially-fulfilled': then(then(orderOfTwoNodes, dispatchFirst), (rehearsal) => rehearsal.advance('P2D')),
    completed: completedOrder,
    'return-in-progress': then(completedOrder, async (rehearsal, id) => {
      await rehearsal.progress({ returns: 'manual' });
      await returnOf(rehearsal, id);
    }),
    cancelled: then(
      (rehearsal) => rehearsal.draft(),
      (rehearsal, id) => rehearsal.cancel(id),
    ),
  },
  verbs: {
    create: async (rehearsal, { id }) => rehearsal.call('create-order-api', { body: { basketId: (await rehearsal.order(id)).basketId } }),
    confirm: (rehearsal, { id }) => rehearsal.confirm(id),
    cancel: (rehearsal, { id }) => rehearsal.cancel(id),
  },
};

const returns: Walk = {
  lifeCycle: returnLifeCycle,
  states: {
    requested: returned([]),
    // A return with a label can be rejected only when its parcel can no longer arrive.
    approved: returned(['approve'], {}),
    // The parcel is back with its customer, so that the return can be rejected as well.
    'in-transit': then(returned(['approve']), async (rehearsal, id) =>
      rehearsal.scanned((await rehearsal.object('return', id)).shipments[0].id, 'collect', 'return'),
    ),
    received: returned(['approve', 'receive']),
    inspected: returned(['approve', 'receive', 'inspect']),
    refunded,
    exchanged,
    rejected: returned(['reject']),
  },
  verbs: played('returns', ReturnVerb.options),
};

const product: Walk = {
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
  verbs: { ...played('products', ProductVerb.options), change: changed('products', { brand: 'Another' }) },
};

const customer: Walk = {
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
  verbs: { ...played('customers', CustomerVerb.options), change: changed('customers', { lastName: 'Another' }) },
};

const fulfillmentOrders: Walk = {
  lifeCycle: fulfillmentOrderLifeCycle,
  states: {
    created: async (rehearsal) => {
      await rehearsal.down({ api: 'allocate-inventory-api' });
      return fulfillmentOrder()(rehearsal);
    },
    allocated: fulfillmentOrder(),
    picking: fulfillmentOrder((rehearsal, id) => rehearsal.picked(id)),
    packed: fulfillmentOrder((rehearsal, id) => rehearsal.packed(id)),
    dispatched: fulfillmentOrderSent('STANDARD', 'PT1M'),
    delivered: fulfillmentOrderSent('STANDARD', 'P2D'),
    'failed-delivery': fulfillmentOrderSent('LOST', 'P20D'),
    'returned-to-sender': fulfillmentOrderSent('RTS', 'P4D'),
    // Cancelled before the picking begins: an existing picking order is answered in any state.
    cancelled: fulfillmentOrder((rehearsal, _id, orderId) => rehearsal.cancel(orderId)),
  },
  verbs: {
    'start-picking': (rehearsal, { id }) => rehearsal.openPicking(id),
    dispatch: (rehearsal, { id }) => rehearsal.dispatch(id),
  },
};

const reservations: Walk = {
  lifeCycle: reservationLifeCycle,
  states: {
    requested: reservation,
    confirmed: then(reservation, (rehearsal, id) => rehearsal.api('confirm-reservation-api', { params: { id } })),
    expired: then(reservation, (rehearsal) => rehearsal.advance(TTL)),
    fulfilled: reservationOfOrder(dispatchFirst),
    cancelled: reservationOfOrder(async (rehearsal, orderId) =>
      rehearsal.short(await rehearsal.order(orderId), await rehearsal.onlyFulfilment(orderId), 0),
    ),
    released: then(reservation, (rehearsal, id) => rehearsal.api('release-reservation-api', { params: { id } })),
  },
  verbs: {
    confirm: (rehearsal, { id }) => rehearsal.call('confirm-reservation-api', { params: { id } }),
    release: (rehearsal, { id }) => rehearsal.call('release-reservation-api', { params: { id } }),
    allocate: async (rehearsal, { id: reservationId }) => {
      const { id: orderId, lines } = await rehearsal.draft();
      const body = { orderId, orderLineId: lines[0].lineId, sku: 'mug-blue', qty: 2, reservationId };
      return rehearsal.call('allocate-inventory-api', { body });
    },
  },
};

type Scans = (typeof Scan.options)[number][];
/** A parcel of an order after these scans. */
const scanned =
  (...scans: Scans): Reach =>
  async (rehearsal) => {
    await rehearsal.progress({ carrier: 'manual' });
    const { shipmentId: id } = await rehearsal.dispatchedOrder();
    await rehearsal.scanned(id, ...scans);
    return { id };
  };
const shipments: Walk = {
  lifeCycle: shipmentLifeCycle,
  states: {
    pending: async (rehearsal) => {
      await rehearsal.progress({ label: 'manual' });
      return { id: (await rehearsal.dispatchedOrder()).shipmentId };
    },
    'label-created': scanned(),
    collected: scanned('collect'),
    'in-transit': scanned('collect', 'depart'),
    'out-for-delivery': scanned('collect', 'depart', 'out-for-delivery'),
    'delivery-attempted': scanned('collect', 'depart', 'out-for-delivery', 'attempt'),
    'held-at-depot': scanned('collect', 'depart', 'hold'),
    delivered: scanned('collect', 'depart', 'out-for-delivery', 'deliver'),
    'returned-to-sender': scanned('collect', 'return'),
    lost: scanned('collect', 'lose'),
  },
  verbs: { ...played('shipments', Scan.options), label: (rehearsal, { id }) => rehearsal.label(id) },
};

/** A payment of a draft order. */
const paid =
  (token: string, ...steps: readonly ('capture' | 'void' | number)[]): Reach =>
  async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const { body } = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(token) } });
    const id = body.id ?? body.paymentId;
    for (const step of steps) {
      if (typeof step === 'number') await rehearsal.refunded(id, step);
      else await rehearsal.api(`${step}-payment-api`, { params: { id } });
    }
    return { id };
  };
const payments: Walk = {
  lifeCycle: paymentLifeCycle,
  states: {
    pending: paid('tok_async_approve'),
    'requires-action': paid('tok_3ds'),
    authorised: paid('tok_visa'),
    captured: paid('tok_visa', 'capture'),
    'partially-refunded': paid('tok_visa', 'capture', 100),
    'fully-refunded': paid('tok_visa', 'capture', 3_088),
    voided: paid('tok_visa', 'void'),
    failed: paid('tok_decline_do_not_honor'),
  },
  verbs: {
    capture: (rehearsal, { id }) => rehearsal.call('capture-payment-api', { params: { id } }),
    void: (rehearsal, { id }) => rehearsal.call('void-payment-api', { params: { id } }),
    refund: (rehearsal, { id }) => rehearsal.refund(id, 100),
  },
};

export const walks: Readonly<Record<string, Walk>> = {
  basket,
  order,
  return: returns,
  product,
  customer,
  'fulfillment-order': fulfillmentOrders,
  reservation: reservations,
  shipment: shipments,
  payment: payments,
};
