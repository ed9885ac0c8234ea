import type { CollectionStatus } from './fulfillment/counter.ts';
import type { BusinessObject, ObjectType } from './objects.ts';
import type { PaymentStatus } from './order/objects.ts';

/**
 * What a state means for a person who reads a list: something waits for a decision, something moves without help, it is done as intended,
 * or it ended otherwise. Lists and pages colour states by it.
 */
export type StateKind = 'waiting' | 'moving' | 'done' | 'failed';

type Kinds<State extends string> = Readonly<Record<State, StateKind>>;
type StatesOf<Type extends ObjectType> = BusinessObject<Type> extends { readonly state: infer State extends string } ? State : never;

/** The kind of each state, by type of object. */
export const stateKinds: { readonly [Type in ObjectType]: Kinds<StatesOf<Type>> } = {
  basket: { open: 'waiting', locked: 'moving', converted: 'done', abandoned: 'failed', merged: 'done' },
  product: {
    draft: 'waiting',
    enrichment: 'waiting',
    review: 'waiting',
    active: 'done',
    suspended: 'failed',
    discontinued: 'failed',
    archived: 'failed',
  },
  customer: {
    anonymous: 'waiting',
    identified: 'waiting',
    registered: 'done',
    active: 'done',
    'at-risk': 'waiting',
    churned: 'failed',
    reactivated: 'done',
    blocked: 'failed',
  },
  'fulfillment-order': {
    created: 'waiting',
    allocated: 'waiting',
    picking: 'moving',
    packed: 'moving',
    dispatched: 'moving',
    delivered: 'done',
    'failed-delivery': 'failed',
    'returned-to-sender': 'failed',
    cancelled: 'failed',
  },
  shipment: {
    pending: 'waiting',
    'label-created': 'waiting',
    collected: 'moving',
    'in-transit': 'moving',
    'out-for-delivery': 'moving',
    'delivery-attempted': 'waiting',
    'held-at-depot': 'waiting',
    delivered: 'done',
    'returned-to-sender': 'failed',
    lost: 'failed',
  },
  return: {
    requested: 'waiting',
    approved: 'waiting',
    'in-transit': 'moving',
    received: 'moving',
    inspected: 'moving',
    refunded: 'done',
    exchanged: 'done',
    rejected: 'failed',
  },
  reservation: {
    requested: 'waiting',
    confirmed: 'moving',
    fulfilled: 'done',
    expired: 'failed',
    cancelled: 'failed',
    released: 'failed',
  },
  'inventory-item': {},
  'loyalty-account': {},
  order: {
    draft: 'waiting',
    confirmed: 'waiting',
    'in-fulfilment': 'moving',
    'partially-fulfilled': 'moving',
    completed: 'done',
    'return-in-progress': 'moving',
    cancelled: 'failed',
  },
  payment: {
    pending: 'waiting',
    'requires-action': 'waiting',
    authorised: 'moving',
    captured: 'done',
    'partially-refunded': 'done',
    'fully-refunded': 'done',
    voided: 'failed',
    failed: 'failed',
  },
};

const paymentKinds: Kinds<Exclude<PaymentStatusOf, 'unknown'>> = {
  unpaid: 'waiting',
  authorised: 'moving',
  paid: 'done',
  'partially-refunded': 'done',
  refunded: 'done',
};
type PaymentStatusOf = (typeof PaymentStatus)['options'][number];

/** The kinds of the values of a column that shows the progress of an object elsewhere. */
export const progressKinds: Readonly<Record<string, Readonly<Record<string, StateKind>>>> = {
  payment: paymentKinds,
  // Dispatched goods are in the state of their parcel.
  collection: {
    preparing: 'moving',
    'on-the-way': 'moving',
    lost: 'waiting',
    waiting: 'waiting',
    'handed-over': 'done',
    ended: 'failed',
  } satisfies Kinds<CollectionStatus>,
  goods: { ...stateKinds.shipment, ...stateKinds['fulfillment-order'] },
};
