import { moneyInWords } from '../domain/money.ts';
import { exchangeDraftOf, type Nearby, ofOrder, outstandingOf, payablePoints, returnable, undecidedOf } from './nearby.ts';
import type { BusinessObject, ObjectType } from './objects.ts';
import { hasOpenDispute, refundableOf } from './payment/cover.ts';

/*
 * What a life cycle cannot express: why a step with an object is impossible although its state allows it. Explanations and the
 * console use these rules. A browser loads this file, so it imports no schemas. The owning application decides.
 */

export interface Obstacle {
  /** `other-object`: the state of another object. `rule`: a rule about the object itself. `repeat`: it is accepted and changes nothing. */
  readonly code: 'other-object' | 'rule' | 'repeat';
  readonly text: string;
  /** It applies in every state, so that not even a repeat is accepted. */
  readonly isLasting?: true;
  readonly refs?: readonly { readonly type: string; readonly id: string }[];
}

type Rule<Type extends ObjectType> = (object: BusinessObject<Type>, near: Nearby) => Obstacle | undefined;

const rule = (text: string): Obstacle => ({ code: 'rule', text });
const because = (text: string, type: string, others: readonly { readonly id: string }[]): Obstacle => ({
  code: 'other-object',
  text,
  refs: others.map(({ id }) => ({ type, id })),
});

type Order = BusinessObject<'order'>;
type Payment = BusinessObject<'payment'>;
type Return = BusinessObject<'return'>;

const HAS_LEFT = ['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'];

/** Another action in progress. */
const pending = ({ pendingAction }: Order, action: string): Obstacle | undefined =>
  pendingAction && pendingAction.action !== action
    ? rule(`Another action is in progress since ${pendingAction.since}: ${pendingAction.action}. Repeat the request when it has ended.`)
    : undefined;

export const isPicked = ({ lines }: BusinessObject<'fulfillment-order'>): boolean =>
  lines.every(({ qty, pickedQty, shortQty }) => pickedQty + shortQty >= qty);

const openDispute = (payment: Payment): Obstacle | undefined =>
  hasOpenDispute(payment.disputes) ? rule('A dispute of it is open.') : undefined;
const noDispute = (payment: Payment): Obstacle | undefined =>
  hasOpenDispute(payment.disputes) ? undefined : rule('No dispute of it is open.');
const picked: Rule<'fulfillment-order'> = (order) => (isPicked(order) ? rule('It is picked.') : undefined);
const atTill: Rule<'basket'> = ({ transactionId }) =>
  transactionId === undefined ? { ...rule('It is not at a till.'), isLasting: true } : undefined;
const ofTill: Rule<'basket'> = ({ transactionId }) =>
  transactionId === undefined ? undefined : rule('It belongs to a till: its payment submits the order.');
const empty: Rule<'basket'> = ({ lines }) => (lines.length === 0 ? rule('It is empty.') : undefined);

const wantsMoney: Rule<'return'> = ({ resolution }) => (resolution === 'exchange' ? undefined : rule('The customer wants the money back.'));

/** A written-off return is refunded, even if its parcel arrives. */
const writtenOff = ({ state, writtenOffAt }: Return): Obstacle | undefined =>
  state === 'in-transit' && writtenOffAt !== undefined ? rule(`It was written off at ${writtenOffAt}, so it is refunded.`) : undefined;

/** The customer has the money of a refund, or the retailer owes it, so the goods must come back. */
const hasRefund = ({ refunds }: Return): Obstacle | undefined => (refunds.length > 0 ? rule('It has a refund.') : undefined);

/** The customer keeps the goods of a rejected return, so no parcel may be on its way. */
function mayArrive({ state, shipments }: Return): Obstacle | undefined {
  const parcel = shipments.at(-1);
  if (!parcel || (state === 'approved' ? parcel.state === 'lost' : state !== 'in-transit' || parcel.state === 'returned-to-sender'))
    return undefined;
  return because(`Its parcel is ${parcel.state}, so the goods may still arrive.`, 'shipment', [parcel]);
}

/** By type of object, and by verb of its life cycle or name of a step that moves no state. */
const obstacles: { readonly [Type in ObjectType]?: Readonly<Record<string, Rule<Type>>> } = {
  order: {
    pay: (order, near) => (outstandingOf(order, near).amount <= 0 ? rule('Its payments cover the total.') : undefined),
    'pay-with-points': (order, near) =>
      payablePoints(order, near) > 0 ? undefined : rule('The customer has no points, or its payments cover the total.'),
    confirm: (order, near) => {
      const outstanding = outstandingOf(order, near);
      if (outstanding.amount > 0) return rule(`Its payments do not cover the total yet. ${moneyInWords(outstanding)} is missing.`);
      const undecided = undecidedOf(order, near);
      if (undecided.length > 0) return because('A payment of it is not decided yet.', 'payment', undecided);
      return pending(order, 'confirm');
    },
    route: (order, near) => {
      const routed = ofOrder(near, 'fulfillment-order', order.id);
      if (routed.length === 0) return pending(order, 'route');
      return { ...because('It has its fulfillment orders.', 'fulfillment-order', routed), code: 'repeat' };
    },
    cancel: (order, near) => {
      const left = ofOrder(near, 'fulfillment-order', order.id).filter(({ state = '' }) => HAS_LEFT.includes(state));
      if (left.length > 0) return because('Some of its goods are dispatched.', 'fulfillment-order', left);
      return pending(order, 'cancel');
    },
    'open-return': ({ lines }, near) =>
      lines.every((line) => returnable(line, near) <= 0) ? rule('The customer has nothing left to return.') : undefined,
  },
  payment: {
    refund: (payment) => openDispute(payment) ?? (refundableOf(payment).amount <= 0 ? rule('Nothing of it is left to refund.') : undefined),
    dispute: (payment) =>
      payment.tender.type !== 'card' && payment.tender.type !== 'bnpl'
        ? rule('Only a card or bnpl has a bank that takes a dispute.')
        : (openDispute(payment) ?? (refundableOf(payment).amount <= 0 ? rule('Nothing of it is left to dispute.') : undefined)),
    'win-dispute': noDispute,
    'lose-dispute': noDispute,
  },
  'fulfillment-order': {
    pick: picked,
    'pick-nothing': picked,
    pack: (order) => (order.state === 'picking' && !isPicked(order) ? rule('It is not picked yet.') : undefined),
  },
  shipment: {
    resend: ({ events }) => (events.length === 0 ? rule('It has no label yet, so the carrier has reported no scan.') : undefined),
  },
  return: {
    exchange: wantsMoney,
    'order-exchange': (found, near) => {
      const draft = exchangeDraftOf(found.id, near);
      if (!draft) return wantsMoney(found, near);
      return because(`The order ${draft.object.orderNumber} of the exchange is a draft, to be confirmed.`, 'order', [draft]);
    },
    reject: (found) => writtenOff(found) ?? mayArrive(found) ?? hasRefund(found),
    receive: writtenOff,
    'write-off': writtenOff,
  },
  basket: {
    'change-line': empty,
    'remove-line': empty,
    checkout: (basket, near) => {
      const till = ofTill(basket, near);
      return till ? { ...till, isLasting: true } : empty(basket, near);
    },
    'start-transaction': empty,
    'change-checkout': ofTill,
    // The API accepts it. The console leaves it to the till.
    'create-order': ofTill,
    'take-cash': atTill,
    'cancel-checkout': atTill,
  },
  customer: {
    register: ({ email, phone }) =>
      email === undefined && phone === undefined ? rule('Create Customer finds it by its e-mail or phone, and it has neither.') : undefined,
    enrol: ({ loyaltyAccountId }) => (loyaltyAccountId === undefined ? undefined : rule('The customer is a member.')),
  },
};

/** Why a step is impossible now although the state allows it. */
export const obstacleOf = (type: string, step: string, object: unknown, near: Nearby): Obstacle | undefined => {
  const rules = obstacles[type as ObjectType] as
    | Readonly<Record<string, (object: unknown, near: Nearby) => Obstacle | undefined>>
    | undefined;
  return rules?.[step]?.(object, near);
};
