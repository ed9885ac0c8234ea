import type { ApiId } from '../../shared/catalog/apis.ts';
import type { ReasonCode } from '../../shared/catalog/control/operations/explanations.ts';
import type { Progression } from '../../shared/catalog/control/progression.ts';
import { isTransfer } from '../../shared/catalog/fulfillment/counter.ts';
import { awaitsRefund } from '../../shared/catalog/fulfillment/returns.ts';
import type { InternalId } from '../../shared/catalog/internal-calls.ts';
import {
  exchangeDraftOf,
  type Nearby,
  ofOrder,
  outstandingAtTill,
  outstandingOf,
  paymentsOf,
  undecidedOf,
} from '../../shared/catalog/nearby.ts';
import type { BusinessObject, ObjectType } from '../../shared/catalog/objects.ts';
import { hasOpenDispute, refundableOf } from '../../shared/catalog/payment/cover.ts';
import { declineCodes } from '../../shared/catalog/payment/objects.ts';
import { owedAfterFailures } from '../../shared/catalog/payment/refunds.ts';
import { isExternal } from '../../shared/catalog/payment/tender.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import { listed } from './words.ts';

/** What an object waits for: an actor, or other objects. */
export interface Wait {
  readonly code: Extract<ReasonCode, `waits-for-${string}`>;
  /** Completes `It waits for …`. */
  readonly text: string;
  /** Objects that the text names. */
  readonly about?: readonly { readonly type: string; readonly id: string }[];
  /** The member of the progression that makes the step manual. */
  readonly manual?: 'warehouse' | 'store' | 'carrier' | 'returns';
  /** Calls that the awaited step makes. A fault that strikes one of them delays it. */
  readonly needs?: readonly (ApiId | InternalId)[];
}

interface Surroundings {
  readonly near: Nearby;
  readonly nameOf: (type: string, id: string) => string;
  /** The location that serves the object. */
  readonly location: string;
  readonly progression: Progression;
  /** State of the sale of a basket at a till. */
  readonly sale: string | undefined;
}

type Actor = Wait['code'] extends `waits-for-${infer Name}` ? Name : never;

/** One wait, for `estate`, `client`, `object` and so on. */
const waitsFor = (actor: Actor, text: string, more: Omit<Wait, 'code' | 'text'> = {}): readonly Wait[] => [
  { code: `waits-for-${actor}`, text, ...more },
];

type Waits<Type extends ObjectType> = (object: BusinessObject<Type>, around: Surroundings) => readonly Wait[];

const waitsForObjects = (type: string, ids: readonly string[], { nameOf }: Surroundings): readonly Wait[] =>
  ids.length === 0
    ? []
    : waitsFor('object', listed(ids.map((id) => `the ${nameOf(type, id)}`)), { about: ids.map((id) => ({ type, id })) });

const WORKERS = {
  warehouse: 'The warehouse works',
  store: 'The store works',
  carrier: 'The carrier works',
  returns: 'Returns are moved',
} as const;

/** For a step that is manual in this rehearsal: a sentence about how to make it. */
function byHand(
  { progression }: Pick<Surroundings, 'progression'>,
  member: keyof typeof WORKERS,
  how: string,
): { readonly hand: string; readonly manual?: typeof member } {
  return progression[member] === 'manual' ? { hand: `. ${WORKERS[member]} by hand: ${how}`, manual: member } : { hand: '' };
}

const ENDED: Readonly<Record<string, readonly string[]>> = {
  'fulfillment-order': ['delivered', 'returned-to-sender', 'cancelled'],
  return: ['refunded', 'exchanged', 'rejected'],
  shipment: ['delivered', 'returned-to-sender', 'lost'],
};
const open = (type: 'fulfillment-order' | 'return', orderId: string, { near }: Surroundings): readonly string[] =>
  ofOrder(near, type, orderId)
    .filter(({ state = '' }) => !ENDED[type]?.includes(state))
    .map(({ id }) => id);

/** Payments with an open dispute: their refunds wait for its decision. */
const disputed = (orderId: string, { near }: Surroundings): readonly string[] =>
  ofOrder(near, 'payment', orderId)
    .filter(({ object }) => hasOpenDispute(object.disputes))
    .map(({ id }) => id);

function draft(order: BusinessObject<'order'>, { near }: Surroundings): readonly Wait[] {
  const undecided = undecidedOf(order, near);
  const about = (state: string) => undecided.filter((one) => one.state === state).map(({ id }) => ({ type: 'payment', id }));
  const [actions, approvals] = [about('requires-action'), about('pending')];
  const outstanding = outstandingOf(order, near);
  const toPay = `the customer to pay ${moneyInWords(outstanding)}`;
  const isPaidLater = order.payAt === 'collection';
  const waits = [
    ...(outstanding.amount > 0 && !isPaidLater ? waitsFor('customer', toPay, { needs: ['authorize-payment-api'] }) : []),
    ...(actions.length > 0 ? waitsFor('object', 'the customer to authenticate a payment', { about: actions }) : []),
    ...(approvals.length > 0 ? waitsFor('object', 'a payment to be approved', { about: approvals }) : []),
  ];
  if (waits.length > 0) return waits;
  const why = isPaidLater ? 'it is paid when it is collected' : 'its payments cover the total';
  const text = order.channel === 'pos' ? 'the till to confirm the paid sale' : `a client to call Confirm Order: ${why}`;
  return waitsFor('client', text, { needs: ['confirm-order-api', 'confirm-reservation-api', 'list-payments'] });
}

/** An order that is not picked yet and has lost an authorisation must be paid again. Refunded orders are left out. */
function lostAuthorization(found: BusinessObject<'order'>, { near }: Surroundings): readonly Wait[] {
  const outstanding = outstandingOf(found, near);
  const isRefunded = paymentsOf(found.id, near).some(({ refundedAmount }) => refundedAmount.amount > 0);
  if (found.state !== 'confirmed' || found.payAt === 'collection' || isRefunded || outstanding.amount <= 0) return [];
  const text = `${moneyInWords(outstanding)} to be authorised again: an authorisation was lost`;
  return waitsFor('customer', text, { needs: ['authorize-payment-api'] });
}

/** Fulfillment orders whose goods are sent in place of others. */
const replacing = (orderId: string, around: Surroundings): readonly string[] =>
  open('fulfillment-order', orderId, around).filter((id) => {
    const { replacementId, failureReason } = around.near.get('fulfillment-order', id) ?? {};
    return replacementId !== undefined && failureReason !== 'lost';
  });

function order(found: BusinessObject<'order'>, around: Surroundings): readonly Wait[] {
  const { pendingAction } = found;
  if (pendingAction)
    return waitsFor('estate', `the OMS to finish the action ${pendingAction.action}, in progress since ${pendingAction.since}`);
  if (found.state === 'draft') return draft(found, around);
  if (found.state === 'return-in-progress') return waitsForObjects('return', open('return', found.id, around), around);
  if (found.state === 'completed' || found.state === 'cancelled')
    return [
      ...waitsForObjects('payment', disputed(found.id, around), around),
      ...waitsForObjects('fulfillment-order', replacing(found.id, around), around),
    ];
  if (found.channel === 'pos')
    return waitsFor('estate', 'the till to report that the customer has left with the goods', { needs: ['carry-out'] });
  const routed = ofOrder(around.near, 'fulfillment-order', found.id);
  if (routed.length > 0)
    return [
      ...lostAuthorization(found, around),
      ...waitsForObjects('fulfillment-order', open('fulfillment-order', found.id, around), around),
    ];
  return found.routingStatus === 'manual' || around.progression.route === 'manual'
    ? waitsFor('client', 'a client to call Route Order: routing is manual in this rehearsal', { needs: ['route-order-api'] })
    : waitsFor('estate', 'the OMS to create its fulfillment orders', { needs: ['create-fulfillment-orders'] });
}

/** An exchange is paid by the return instead. Goods that are written off cannot be exchanged. */
const isToBeRefunded = (found: BusinessObject<'return'>): boolean =>
  awaitsRefund(found) && (found.resolution === 'refund' || found.writtenOffAt !== undefined);

/** The retailer owes the customer the money of a cancelled order, the value of a return, and each failed refund. */
function owedRefund(
  found: BusinessObject<'payment'>,
  placed: BusinessObject<'order'> | undefined,
  { near, nameOf, progression }: Pick<Surroundings, 'near' | 'nameOf' | 'progression'>,
): readonly Wait[] {
  if (found.capturedAmount.amount === 0 || refundableOf(found).amount <= 0) return [];
  const isRepeated = owedAfterFailures(paymentsOf(found.orderId, near)) === 0;
  if (found.refunds.at(-1)?.state === 'failed' && !isRepeated)
    return waitsFor('client', 'a client to call Refund Payment again: its last refund failed');
  const isCancelled = placed?.state === 'cancelled';
  const owed = ofOrder(near, 'return', found.orderId).filter(({ object }) => isToBeRefunded(object));
  if (!isCancelled && owed.length === 0) return [];
  const why = isCancelled ? 'its order is cancelled' : `the ${listed(owed.map(({ id }) => nameOf('return', id)))} must be refunded`;
  const about = isCancelled ? undefined : owed.map(({ id }) => ({ type: 'return', id }));
  const more = { about, needs: ['refund-payment-api'] } as const;
  return progression.refund === 'manual'
    ? waitsFor('client', `a client to call Refund Payment: ${why}, and refunds are manual in this rehearsal`, more)
    : waitsFor('estate', `the OMS to refund it: ${why}`, more);
}

function payment(found: BusinessObject<'payment'>, { near, nameOf, progression }: Surroundings): readonly Wait[] {
  const about = [{ type: 'order', id: found.orderId }];
  if (found.state === 'pending') return waitsFor('provider', 'the payment provider to decide');
  if (found.state === 'requires-action') return waitsFor('customer', 'the customer to authenticate it (3-D Secure)');
  if (hasOpenDispute(found.disputes)) return waitsFor('bank', 'the bank of the cardholder to decide the dispute');
  if (found.refunds.some(({ state }) => state === 'pending')) {
    return isExternal(found.tender) && progression.external === 'manual'
      ? waitsFor('client', `a client to pay out a refund at ${found.tender.provider}, and to call Note Refund Result`, {
          needs: ['note-refund-result-api'],
        })
      : waitsFor('provider', 'the payment provider to pay out a refund');
  }
  const placed = near.get('order', found.orderId);
  if (found.state !== 'authorised') return owedRefund(found, placed, { near, nameOf, progression });
  const isByHand =
    (progression.capture === 'manual' && placed?.channel !== 'pos') || (progression.external === 'manual' && isExternal(found.tender));
  const needs = ['capture-payment-api'] as const;
  if (isByHand && placed && placed.state !== 'draft')
    return waitsFor('client', 'a client to call Capture Payment: captures are manual in this rehearsal', { needs });
  const until = placed?.state === 'draft' ? 'be confirmed' : 'be picked or carried out: then it is captured';
  return waitsFor('object', `the ${nameOf('order', found.orderId)} to ${until}`, { about: placed ? about : [], needs });
}

const isPicked = ({ lines }: BusinessObject<'fulfillment-order'>): boolean =>
  lines.every(({ qty, pickedQty, shortQty }) => pickedQty + shortQty >= qty);

/** Stores pick and inspect as warehouses do. */
const workerAt = ({ location }: Surroundings) => (location.startsWith('the store ') ? 'store' : 'warehouse');

function fulfillmentOrder(found: BusinessObject<'fulfillment-order'>, around: Surroundings): readonly Wait[] {
  const { state } = found;
  const isFromShelf = found.collection !== undefined && !isTransfer(found);
  if (state === 'created') return waitsFor('estate', 'its stock to be allocated', { needs: ['allocate-inventory-api'] });
  if (state === 'allocated' || state === 'picking' || state === 'packed') {
    const [step, call] = {
      allocated: ['start picking', 'Create Picking Order'] as const,
      picking: [isPicked(found) ? 'pack' : 'pick', 'Update Picking Status'] as const,
      packed: [isFromShelf ? 'put it on the counter' : 'dispatch it', 'Dispatch Fulfillment Order'] as const,
    }[state];
    const needs: Wait['needs'] =
      state === 'packed' ? ['ensure-captured', 'capture-payment-api', 'dispatch-fulfillment-order-api'] : ['record-picking'];
    const { hand, manual } = byHand(around, isFromShelf ? 'store' : 'warehouse', `a client calls ${call}`);
    return waitsFor(workerAt(around), `${around.location} to ${step}${hand}`, { needs, manual });
  }
  if (state !== 'dispatched' && state !== 'failed-delivery') return [];
  if (found.collection?.readyAt !== undefined) {
    const needs = ['hand-over-collection-api', 'ensure-captured', 'capture-payment-api', 'create-transaction-api'] as const;
    const placed = around.near.get('order', found.orderId);
    const isUnpaid = placed?.payAt === 'collection' && outstandingOf(placed, around.near).amount > 0;
    const pays = isUnpaid ? 'pay for it at a till and to ' : '';
    const text = `the customer to ${pays}collect it at ${around.location}, at the latest on ${found.collection.lastDay}`;
    return waitsFor('customer', text, { needs });
  }
  return waitsForParcels(found.shipments, around);
}

type Parcels = BusinessObject<'fulfillment-order'>['shipments'];
/** The parcels whose end decides about their fulfillment order or return. */
const openParcels = (shipments: Parcels): Parcels => shipments.filter(({ state }) => !ENDED['shipment']?.includes(state));

/** A parcel is an object once the carrier has registered it. */
function waitsForParcels(shipments: Parcels, around: Surroundings): readonly Wait[] {
  const parcels = openParcels(shipments).map(({ id }) => id);
  if (shipments.length > 0 && parcels.every((id) => around.near.get('shipment', id))) return waitsForObjects('shipment', parcels, around);
  return waitsFor('carrier', 'the carrier to register its parcel', { needs: ['put-shipment'] });
}

const NEXT_SCAN: Readonly<Record<string, string>> = {
  'label-created': 'collect the parcel',
  collected: 'take it to the depot',
  'in-transit': 'load it for delivery',
  'out-for-delivery': 'deliver it',
  'delivery-attempted': 'try the delivery again',
};

function shipment({ state, labelStatus, service, kind }: BusinessObject<'shipment'>, { progression }: Surroundings): readonly Wait[] {
  if (state === 'pending') {
    const text =
      labelStatus === 'failed' || progression.label === 'auto'
        ? 'its label'
        : 'a client to call Generate Shipping Label: labels are manual in this rehearsal';
    return waitsFor(progression.label === 'auto' ? 'estate' : 'client', text, { needs: ['generate-label-api'] });
  }
  if (state === 'held-at-depot')
    return waitsFor(
      'customer',
      kind === 'collection' ? 'the customer to collect it in the store' : 'the customer to pick it up at the depot',
    );
  const next = NEXT_SCAN[state];
  if (next === undefined) return [];
  const { hand, manual } = byHand({ progression }, 'carrier', 'play-scan plays it');
  return waitsFor('carrier', `the carrier (${service}) to ${next}${hand}`, { needs: ['carrier-webhook'], manual });
}

function returned(found: BusinessObject<'return'>, around: Surroundings): readonly Wait[] {
  const { state, dropOff, resolution, shipments, refunds, writtenOffAt } = found;
  const { hand, manual } = byHand(around, 'returns', 'move-return-by-hand plays them');
  if (state === 'requested') return waitsFor('customer-service', `customer service to approve it${hand}`, { manual });
  if (state === 'received')
    return waitsFor(workerAt(around), `${around.location} to inspect the goods${hand}`, { needs: ['record-stock-movement'], manual });
  if (state === 'approved' && dropOff === 'store')
    return waitsFor('customer', `the customer to bring the goods to ${around.location}${hand}`, { manual });
  if ((state === 'approved' || state === 'in-transit') && writtenOffAt === undefined) {
    if (shipments.length === 0 || openParcels(shipments).length > 0) return waitsForParcels(shipments, around);
    const isWithCustomer = state === 'approved' || shipments.at(-1)?.state === 'returned-to-sender';
    return isWithCustomer && refunds.length > 0
      ? waitsFor('customer', `the customer, who has a refund, to bring the goods to ${around.location}${hand}`, { manual })
      : waitsFor('customer-service', 'customer service to write it off or reject it: its parcel is lost, or back');
  }
  if (state === 'inspected' && resolution === 'exchange') {
    const draft = exchangeDraftOf(found.id, around.near);
    if (!draft) return waitsFor('customer', 'the customer to order the goods of the exchange');
    const text = `the order ${draft.object.orderNumber} of the exchange to be confirmed`;
    return waitsFor('client', text, { needs: ['confirm-order-api'] });
  }
  if (state !== 'inspected' && writtenOffAt === undefined) return [];
  const needs = ['refund-payment-api'] as const;
  return around.progression.refund === 'manual'
    ? waitsFor('client', 'a client to call Refund Payment with its id: refunds are manual in this rehearsal', { needs })
    : waitsFor('estate', `the OMS to refund ${moneyInWords(found.refundAmount)}`, { needs });
}

function reservation({ state, orderId, allocations }: BusinessObject<'reservation'>, { near, nameOf }: Surroundings): readonly Wait[] {
  const about = orderId !== undefined && near.get('order', orderId) ? [{ type: 'order', id: orderId }] : [];
  if (state === 'requested')
    return waitsFor('client', 'its order to be confirmed, or for Confirm Reservation', { about, needs: ['confirm-reservation-api'] });
  if (state !== 'confirmed') return [];
  const goods = `the goods of the ${nameOf('order', orderId ?? '')}`;
  const rest = allocations.filter(({ qty, fulfilledQty, cancelledQty }) => fulfilledQty + cancelledQty < qty);
  const store = rest.length > 0 && rest.every(({ inTransitTo }) => inTransitTo !== undefined) ? rest[0]?.inTransitTo : undefined;
  if (store !== undefined && about.length > 0) return waitsFor('object', `${goods} to reach the store ${store}`, { about });
  return about.length > 0
    ? waitsFor('object', `${goods} to leave`, { about })
    : waitsFor('client', 'an order to take its units, or for Release Reservation');
}

function basket(found: BusinessObject<'basket'>, { near, sale }: Surroundings): readonly Wait[] {
  const { state, transactionId, orderId, lines } = found;
  if (state === 'open') {
    const text = lines.length === 0 ? 'the customer to add goods' : 'the customer to check out';
    return waitsFor('customer', text, { needs: ['checkout-basket-api', 'reserve-inventory-api'] });
  }
  if (state !== 'locked' || orderId !== undefined) return [];
  if (sale === 'paid') {
    const needs = ['create-order-api', 'confirm-order-api', 'carry-out'] as const;
    return waitsFor('estate', 'the OMS to take the sale, which is paid: the till has queued it', { needs });
  }
  if (transactionId === undefined) return waitsFor('client', 'a client to call Create Order', { needs: ['create-order-api'] });
  const text = `the customer to pay ${moneyInWords(outstandingAtTill(found, near))} at the till`;
  return waitsFor('customer', text, { needs: ['add-payment-api', 'authorize-payment-api'] });
}

const ASSORTMENT: Readonly<Record<string, string>> = {
  draft: 'assortment management to complete its data',
  enrichment: 'assortment management to submit it',
  review: 'assortment management to approve it',
  suspended: 'assortment management to resume or discontinue it',
};

const waits: { readonly [Type in ObjectType]?: Waits<Type> } = {
  order,
  payment,
  'fulfillment-order': fulfillmentOrder,
  shipment,
  return: returned,
  reservation,
  basket,
  product: ({ state }) => (ASSORTMENT[state] === undefined ? [] : waitsFor('assortment', ASSORTMENT[state])),
  customer: ({ state }) => (state === 'blocked' ? waitsFor('customer-service', 'customer service to unblock the customer') : []),
};

/** What the object waits for. Empty: nothing. */
export const waitsOf = (type: string, object: unknown, around: Surroundings): readonly Wait[] =>
  (waits[type as ObjectType] as ((object: unknown, around: Surroundings) => readonly Wait[]) | undefined)?.(object, around) ?? [];

type Causes<Type extends ObjectType> = (
  object: BusinessObject<Type>,
  near: Nearby,
) => readonly { readonly code: ReasonCode; readonly text: string }[];

const FAILURES = {
  short: 'No units could be picked.',
  'delivery-attempts': 'Three delivery attempts failed.',
  lost: 'The carrier lost the parcel.',
  'not-collected': 'Nobody collected the goods in time.',
  changed: 'Its order was changed before picking: another fulfillment order has what is left.',
};

/** What became of goods that were refunded before they turned up; empty if they did not. */
function lateIn({ state, failureReason, collection, shipments }: BusinessObject<'fulfillment-order'>): string {
  if (state === 'returned-to-sender' && collection?.arrivedAt !== undefined && collection.readyAt === undefined) {
    return ' It reached the store after its goods were refunded or replaced: they are on the shelf of the store.';
  }
  const isDelivered = shipments.some((parcel) => parcel.state === 'delivered');
  const isFound = isDelivered && (failureReason === 'lost' || state === 'returned-to-sender');
  return isFound ? ' The customer got it after its refund: the order lists it under reconciliation.' : '';
}

/** Why an object ended, or failed, in its own words. */
const causes: { readonly [Type in ObjectType]?: Causes<Type> } = {
  order: ({ id, state, cancelReason }, near) => {
    if (state !== 'cancelled') return [];
    if (cancelReason === 'expired') return [{ code: 'expired', text: 'It expired: nobody confirmed it in time.' }];
    const reason = cancelReason === undefined ? 'It was cancelled without a reason.' : `It was cancelled: ${cancelReason}.`;
    const failures = ofOrder(near, 'fulfillment-order', id).flatMap(({ object: { failureReason } }) => failureReason ?? []);
    const why = cancelReason === 'not-fulfilled' ? [...new Set(failures)].map((failure) => ` ${FAILURES[failure]}`) : [];
    return [{ code: 'cancelled', text: `${reason}${why.join('')}` }];
  },
  payment: ({ state, declineCode }) => {
    if (state !== 'failed') return [];
    const meaning = (declineCodes as Readonly<Record<string, string>>)[declineCode ?? ''];
    return [{ code: 'declined', text: `It failed: ${declineCode ?? 'without a code'}.${meaning === undefined ? '' : ` ${meaning}`}` }];
  },
  'fulfillment-order': (found) => {
    const { failureReason } = found;
    const late = lateIn(found);
    return failureReason === undefined && late === ''
      ? []
      : [{ code: 'failed', text: `${failureReason === undefined ? '' : FAILURES[failureReason]}${late}`.trim() }];
  },
  shipment: ({ state, fulfillmentOrderId }, near) => {
    const carried = near.get('fulfillment-order', fulfillmentOrderId);
    const late = carried && (state === 'delivered' || state === 'returned-to-sender') ? lateIn(carried) : '';
    return late === '' ? [] : [{ code: 'failed', text: late.trim() }];
  },
  return: ({ state, rejectReason }) =>
    state === 'rejected' ? [{ code: 'rejected', text: `It was rejected: ${rejectReason ?? 'without a reason'}.` }] : [],
  reservation: ({ state }) => (state === 'expired' ? [{ code: 'expired', text: 'It expired: nobody confirmed it in time.' }] : []),
  basket: ({ state, transactionId }) => {
    if (state !== 'abandoned') return [];
    if (transactionId !== undefined) return [{ code: 'cancelled', text: 'Its sale was voided, or nobody paid it in time.' }];
    return [{ code: 'expired', text: 'It expired: nobody bought it in time.' }];
  },
};

export const causesOf = (type: string, object: unknown, near: Nearby): ReturnType<Causes<ObjectType>> =>
  (causes[type as ObjectType] as ((object: unknown, near: Nearby) => ReturnType<Causes<ObjectType>>) | undefined)?.(object, near) ?? [];
