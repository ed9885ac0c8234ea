import type { ApiId } from '../../shared/catalog/apis.ts';
import type { ReasonCode } from '../../shared/catalog/control/operations/explanations.ts';
import type { Progression } from '../../shared/catalog/control/progression.ts';
import type { InternalId } from '../../shared/catalog/internal-calls.ts';
import type { BusinessObject, ObjectType } from '../../shared/catalog/objects.ts';
import {
  exchangeDraftOf,
  isDisputed,
  isPicked,
  type Nearby,
  obstacleOf,
  ofOrder,
  outstandingAtTill,
  outstandingOf,
  undecidedOf,
} from '../../shared/catalog/obstacles.ts';
import { declineCodes } from '../../shared/catalog/payment/objects.ts';
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
  readonly manual?: 'warehouse' | 'carrier' | 'returns';
  /** Calls that the awaited step makes. A fault that strikes one of them delays it. */
  readonly needs?: readonly (ApiId | InternalId)[];
}

export interface Surroundings {
  readonly near: Nearby;
  readonly nameOf: (type: string, id: string) => string;
  /** The location that serves the object. */
  readonly location: string;
  readonly progression: Progression;
  /** State of the sale of a basket at a till. */
  readonly sale: string | undefined;
}

type Waits<Type extends ObjectType> = (object: BusinessObject<Type>, around: Surroundings) => readonly Wait[];

const waitsForObjects = (type: string, ids: readonly string[], { nameOf }: Surroundings): readonly Wait[] =>
  ids.length === 0
    ? []
    : [{ code: 'waits-for-object', text: listed(ids.map((id) => `the ${nameOf(type, id)}`)), about: ids.map((id) => ({ type, id })) }];

const WORKERS = { warehouse: 'The warehouse works', carrier: 'The carrier works', returns: 'Returns are moved' } as const;

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

/** What an ended order still refunds waits for the decision. */
const disputed = (orderId: string, { near }: Surroundings): readonly string[] =>
  ofOrder(near, 'payment', orderId)
    .filter(({ object }) => isDisputed(object))
    .map(({ id }) => id);

function draft(order: BusinessObject<'order'>, { near }: Surroundings): readonly Wait[] {
  const undecided = undecidedOf(order, near);
  const [actions, approvals] = [
    undecided.filter(({ state }) => state === 'requires-action'),
    undecided.filter(({ state }) => state === 'pending'),
  ];
  const about = (payments: typeof undecided) => payments.map(({ id }) => ({ type: 'payment', id }));
  const outstanding = outstandingOf(order, near);
  const waits: Wait[] = [];
  if (outstanding.amount > 0) {
    const text = `the customer to pay ${moneyInWords(outstanding)}`;
    waits.push({ code: 'waits-for-customer', text, needs: ['authorize-payment-api'] });
  }
  if (actions.length > 0) waits.push({ code: 'waits-for-object', text: 'the customer to authenticate a payment', about: about(actions) });
  if (approvals.length > 0) waits.push({ code: 'waits-for-object', text: 'a payment to be approved', about: about(approvals) });
  if (waits.length > 0) return waits;
  const text =
    order.channel === 'pos' ? 'the till to confirm the paid sale' : 'a client to call Confirm Order: its payments cover the total';
  return [{ code: 'waits-for-client', text, needs: ['confirm-order-api', 'confirm-reservation-api', 'list-payments'] }];
}

/** Until the picking begins, an authorisation may be lost. Refunded orders are left out. */
function lostAuthorization(found: BusinessObject<'order'>, { near }: Surroundings): readonly Wait[] {
  const payments = ofOrder(near, 'payment', found.id);
  const outstanding = outstandingOf(found, near);
  const isRefunded = payments.some(({ object }) => object.refundedAmount.amount > 0);
  if (found.state !== 'confirmed' || isRefunded || outstanding.amount <= 0) return [];
  const text = `${moneyInWords(outstanding)} to be authorised again: an authorisation was lost`;
  return [{ code: 'waits-for-customer', text, needs: ['authorize-payment-api'] }];
}

function order(found: BusinessObject<'order'>, around: Surroundings): readonly Wait[] {
  if (found.pendingAction) {
    return [
      {
        code: 'waits-for-estate',
        text: `the OMS to finish the action ${found.pendingAction.action}, in progress since ${found.pendingAction.since}`,
      },
    ];
  }
  if (found.state === 'draft') return draft(found, around);
  if (found.state === 'return-in-progress') return waitsForObjects('return', open('return', found.id, around), around);
  if (found.state === 'completed' || found.state === 'cancelled') return waitsForObjects('payment', disputed(found.id, around), around);
  if (found.channel === 'pos')
    return [{ code: 'waits-for-estate', text: 'the till to report that the customer has left with the goods', needs: ['carry-out'] }];
  const routed = ofOrder(around.near, 'fulfillment-order', found.id);
  if (routed.length > 0)
    return [
      ...lostAuthorization(found, around),
      ...waitsForObjects('fulfillment-order', open('fulfillment-order', found.id, around), around),
    ];
  return found.routingStatus === 'manual' || around.progression.route === 'manual'
    ? [{ code: 'waits-for-client', text: 'a client to call Route Order: routing is manual in this rehearsal', needs: ['route-order-api'] }]
    : [{ code: 'waits-for-estate', text: 'the OMS to create its fulfillment orders', needs: ['create-fulfillment-orders'] }];
}

/** A return whose goods are inspected, or written off, is refunded. An exchange is paid by the return instead. */
const isToBeRefunded = ({ state, resolution, writtenOffAt }: BusinessObject<'return'>): boolean =>
  (state === 'inspected' && resolution === 'refund') || (state === 'in-transit' && writtenOffAt !== undefined);

/** The retailer owes the customer what it still has of a cancelled order, the value of a return, and a refund that failed. */
function owedRefund(
  found: BusinessObject<'payment'>,
  placed: BusinessObject<'order'> | undefined,
  { near, nameOf, progression }: Pick<Surroundings, 'near' | 'nameOf' | 'progression'>,
): readonly Wait[] {
  if (found.capturedAmount.amount === 0 || obstacleOf('payment', 'refund', found, near)) return [];
  if (found.refunds.at(-1)?.state === 'failed')
    return [{ code: 'waits-for-client', text: 'a client to call Refund Payment again: its last refund failed' }];
  const isCancelled = placed?.state === 'cancelled';
  const owed = ofOrder(near, 'return', found.orderId).filter(({ object }) => isToBeRefunded(object));
  if (!isCancelled && owed.length === 0) return [];
  const why = isCancelled ? 'its order is cancelled' : `the ${listed(owed.map(({ id }) => nameOf('return', id)))} must be refunded`;
  const about = isCancelled ? undefined : owed.map(({ id }) => ({ type: 'return', id }));
  const needs = ['refund-payment-api'] as const;
  return progression.refund === 'manual'
    ? [
        {
          code: 'waits-for-client',
          text: `a client to call Refund Payment: ${why}, and refunds are manual in this rehearsal`,
          about,
          needs,
        },
      ]
    : [{ code: 'waits-for-estate', text: `the OMS to refund it: ${why}`, about, needs }];
}

function payment(found: BusinessObject<'payment'>, { near, nameOf, progression }: Surroundings): readonly Wait[] {
  const about = [{ type: 'order', id: found.orderId }];
  if (found.state === 'pending') return [{ code: 'waits-for-provider', text: 'the payment provider to decide' }];
  if (found.state === 'requires-action') return [{ code: 'waits-for-customer', text: 'the customer to authenticate it (3-D Secure)' }];
  if (isDisputed(found)) return [{ code: 'waits-for-bank', text: 'the bank of the cardholder to decide the dispute' }];
  if (found.refunds.some(({ state }) => state === 'pending'))
    return [{ code: 'waits-for-provider', text: 'the payment provider to pay out a refund' }];
  const placed = near.get('order', found.orderId);
  if (found.state !== 'authorised') return owedRefund(found, placed, { near, nameOf, progression });
  const isByHand = progression.capture === 'manual' && placed?.channel !== 'pos';
  if (isByHand && placed && placed.state !== 'draft')
    return [
      {
        code: 'waits-for-client',
        text: 'a client to call Capture Payment: captures are manual in this rehearsal',
        needs: ['capture-payment-api'],
      },
    ];
  const until = placed?.state === 'draft' ? 'be confirmed' : 'be picked or carried out: then it is captured';
  return [
    {
      code: 'waits-for-object',
      text: `the ${nameOf('order', found.orderId)} to ${until}`,
      about: placed ? about : [],
      needs: ['capture-payment-api'],
    },
  ];
}

/** Stores pick and inspect as warehouses do. */
const workerAt = ({ location }: Surroundings) => (location.startsWith('the store ') ? 'waits-for-store' : 'waits-for-warehouse');

function fulfillmentOrder(found: BusinessObject<'fulfillment-order'>, around: Surroundings): readonly Wait[] {
  const { state } = found;
  if (state === 'created') return [{ code: 'waits-for-estate', text: 'its stock to be allocated', needs: ['allocate-inventory-api'] }];
  if (state === 'allocated' || state === 'picking' || state === 'packed') {
    const [step, call, needs] = {
      allocated: ['start picking', 'Create Picking Order', ['record-picking']] as const,
      picking: isPicked(found)
        ? (['pack', 'Update Picking Status', ['record-picking']] as const)
        : (['pick', 'Update Picking Status', ['record-picking']] as const),
      packed: [
        'dispatch it',
        'Dispatch Fulfillment Order',
        ['ensure-captured', 'capture-payment-api', 'dispatch-fulfillment-order-api'],
      ] as const,
    }[state];
    const { hand, manual } = byHand(around, 'warehouse', `a client calls ${call}`);
    return [{ code: workerAt(around), text: `${around.location} to ${step}${hand}`, needs, manual }];
  }
  if (state !== 'dispatched' && state !== 'failed-delivery') return [];
  const parcels = found.shipments.filter((parcel) => !ENDED['shipment']?.includes(parcel.state)).map(({ id }) => id);
  if (parcels.length > 0) return waitsForObjects('shipment', parcels, around);
  if (found.shipments.length > 0) return [];
  return [{ code: 'waits-for-carrier', text: 'the carrier to register its parcel', needs: ['put-shipment'] }];
}

const NEXT_SCAN: Readonly<Record<string, string>> = {
  'label-created': 'collect the parcel',
  collected: 'take it to the depot',
  'in-transit': 'load it for delivery',
  'out-for-delivery': 'deliver it',
  'delivery-attempted': 'try the delivery again',
};

function shipment({ state, labelStatus, service }: BusinessObject<'shipment'>, { progression }: Surroundings): readonly Wait[] {
  if (state === 'pending') {
    const text =
      labelStatus === 'failed' || progression.label === 'auto'
        ? 'its label'
        : 'a client to call Generate Shipping Label: labels are manual in this rehearsal';
    return [{ code: progression.label === 'auto' ? 'waits-for-estate' : 'waits-for-client', text, needs: ['generate-label-api'] }];
  }
  if (state === 'held-at-depot') return [{ code: 'waits-for-customer', text: 'the customer to pick it up at the depot' }];
  const next = NEXT_SCAN[state];
  if (next === undefined) return [];
  const { hand, manual } = byHand({ progression }, 'carrier', 'play-scan plays it');
  return [{ code: 'waits-for-carrier', text: `the carrier (${service}) to ${next}${hand}`, needs: ['carrier-webhook'], manual }];
}

function returned(found: BusinessObject<'return'>, around: Surroundings): readonly Wait[] {
  const { state, dropOff, resolution, shipments, writtenOffAt } = found;
  const { hand, manual } = byHand(around, 'returns', 'move-return-by-hand plays them');
  if (state === 'requested') return [{ code: 'waits-for-customer-service', text: `customer service to approve it${hand}`, manual }];
  if (state === 'received')
    return [{ code: workerAt(around), text: `${around.location} to inspect the goods${hand}`, needs: ['record-stock-movement'], manual }];
  const parcels = shipments.filter((parcel) => !ENDED['shipment']?.includes(parcel.state)).map(({ id }) => id);
  if (state === 'approved' && dropOff === 'store')
    return [{ code: 'waits-for-customer', text: `the customer to bring the goods to ${around.location}${hand}`, manual }];
  if ((state === 'approved' || state === 'in-transit') && writtenOffAt === undefined) {
    if (parcels.length > 0) return waitsForObjects('shipment', parcels, around);
    return shipments.length > 0
      ? [{ code: 'waits-for-customer-service', text: 'customer service to write it off or reject it: its parcel is lost, or back' }]
      : [{ code: 'waits-for-carrier', text: 'the carrier to register its parcel', needs: ['put-shipment'] }];
  }
  if (state === 'inspected' && resolution === 'exchange') {
    const draft = exchangeDraftOf(found.id, around.near);
    if (!draft) return [{ code: 'waits-for-customer', text: 'the customer to order the goods of the exchange' }];
    const text = `the order ${draft.object.orderNumber} of the exchange to be confirmed`;
    return [{ code: 'waits-for-client', text, needs: ['confirm-order-api'] }];
  }
  if (state !== 'inspected' && writtenOffAt === undefined) return [];
  return around.progression.refund === 'manual'
    ? [
        {
          code: 'waits-for-client',
          text: 'a client to call Refund Payment with its id: refunds are manual in this rehearsal',
          needs: ['refund-payment-api'],
        },
      ]
    : [{ code: 'waits-for-estate', text: `the OMS to refund ${moneyInWords(found.refundAmount)}`, needs: ['refund-payment-api'] }];
}

function reservation({ state, orderId }: BusinessObject<'reservation'>, { near, nameOf }: Surroundings): readonly Wait[] {
  const about = orderId !== undefined && near.get('order', orderId) ? [{ type: 'order', id: orderId }] : [];
  if (state === 'requested')
    return [
      {
        code: 'waits-for-client',
        text: 'its order to be confirmed, or for Confirm Reservation',
        about,
        needs: ['confirm-reservation-api'],
      },
    ];
  if (state !== 'confirmed') return [];
  return about.length > 0
    ? [{ code: 'waits-for-object', text: `the goods of the ${nameOf('order', orderId ?? '')} to leave`, about }]
    : [{ code: 'waits-for-client', text: 'an order to take its units, or for Release Reservation' }];
}

function basket(found: BusinessObject<'basket'>, { near, sale }: Surroundings): readonly Wait[] {
  const { state, transactionId, orderId, lines } = found;
  if (state === 'open') {
    const text = lines.length === 0 ? 'the customer to add goods' : 'the customer to check out';
    return [{ code: 'waits-for-customer', text, needs: ['checkout-basket-api', 'reserve-inventory-api'] }];
  }
  if (state !== 'locked' || orderId !== undefined) return [];
  if (sale === 'paid')
    return [
      {
        code: 'waits-for-estate',
        text: 'the OMS to take the sale, which is paid: the till has queued it',
        needs: ['create-order-api', 'confirm-order-api', 'carry-out'],
      },
    ];
  if (transactionId === undefined)
    return [{ code: 'waits-for-client', text: 'a client to call Create Order', needs: ['create-order-api'] }];
  const text = `the customer to pay ${moneyInWords(outstandingAtTill(found, near))} at the till`;
  return [{ code: 'waits-for-customer', text, needs: ['add-payment-api', 'authorize-payment-api'] }];
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
  product: ({ state }) => (ASSORTMENT[state] === undefined ? [] : [{ code: 'waits-for-assortment', text: ASSORTMENT[state] }]),
  customer: ({ state }) =>
    state === 'blocked' ? [{ code: 'waits-for-customer-service', text: 'customer service to unblock the customer' }] : [],
};

/** What the object waits for. Empty: nothing. */
export const waitsOf = (type: string, object: unknown, around: Surroundings): readonly Wait[] =>
  (waits[type as ObjectType] as ((object: unknown, around: Surroundings) => readonly Wait[]) | undefined)?.(object, around) ?? [];

type Causes<Type extends ObjectType> = (object: BusinessObject<Type>) => readonly { readonly code: ReasonCode; readonly text: string }[];

/** Why an object ended, or failed, in its own words. */
const causes: { readonly [Type in ObjectType]?: Causes<Type> } = {
  order: ({ state, cancelReason }) => {
    if (state !== 'cancelled') return [];
    if (cancelReason === 'expired') return [{ code: 'expired', text: 'It expired: nobody confirmed it in time.' }];
    return [
      { code: 'cancelled', text: cancelReason === undefined ? 'It was cancelled without a reason.' : `It was cancelled: ${cancelReason}.` },
    ];
  },
  payment: ({ state, declineCode }) => {
    if (state !== 'failed') return [];
    const meaning = (declineCodes as Readonly<Record<string, string>>)[declineCode ?? ''];
    return [{ code: 'declined', text: `It failed: ${declineCode ?? 'without a code'}.${meaning === undefined ? '' : ` ${meaning}`}` }];
  },
  'fulfillment-order': ({ failureReason }) =>
    failureReason === undefined
      ? []
      : [
          {
            code: 'failed',
            text: {
              short: 'No units could be picked.',
              'delivery-attempts': 'Three delivery attempts failed.',
              lost: 'The carrier lost the parcel.',
            }[failureReason],
          },
        ],
  return: ({ state, rejectReason }) =>
    state === 'rejected' ? [{ code: 'rejected', text: `It was rejected: ${rejectReason ?? 'without a reason'}.` }] : [],
  reservation: ({ state }) => (state === 'expired' ? [{ code: 'expired', text: 'It expired: nobody confirmed it in time.' }] : []),
  basket: ({ state, transactionId }) => {
    if (state !== 'abandoned') return [];
    if (transactionId !== undefined) return [{ code: 'cancelled', text: 'Its sale was voided, or nobody paid it in time.' }];
    return [{ code: 'expired', text: 'It expired: nobody bought it in time.' }];
  },
};

export const causesOf = (type: string, object: unknown): ReturnType<Causes<ObjectType>> =>
  (causes[type as ObjectType] as ((object: unknown) => ReturnType<Causes<ObjectType>>) | undefined)?.(object) ?? [];
