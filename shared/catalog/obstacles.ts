import { type Money, minus } from '../domain/money.ts';
import type { BusinessObject, ObjectType } from './objects.ts';

/*
 * Sums over the objects that belong to an object, for explanations and for the forms of the console. A browser loads this file, so it imports no
 * schemas. Whether a step is possible, the owning application decides: a dry run asks it.
 */

export interface Neighbour<Type extends ObjectType> {
  readonly id: string;
  readonly state?: string;
  readonly object: BusinessObject<Type>;
}

/** The objects that belong to an object: the payments of an order, its parcels, its customer. */
export interface Nearby {
  /** Minor units that a redeemed point pays at this retailer. */
  readonly pointWorth: number;
  /** Newest first. */
  of<Type extends ObjectType>(type: Type): readonly Neighbour<Type>[];
  get<Type extends ObjectType>(type: Type, id: string | undefined): BusinessObject<Type> | undefined;
}

type Order = BusinessObject<'order'>;
type Payment = BusinessObject<'payment'>;

/** The payments, fulfillment orders or returns of an order. An exchange adds objects of another order. */
export const ofOrder = <Type extends 'payment' | 'fulfillment-order' | 'return'>(near: Nearby, type: Type, orderId: string) =>
  near.of(type).filter(({ object }) => (object as { readonly orderId: string }).orderId === orderId);

/** The amount that a payment covers before refunds. Not for failed or voided payments. */
function boundBy({ state, amount, authorizedAmount, capturedAmount }: Payment): Money {
  if (state === 'pending' || state === 'requires-action') return amount;
  return state === 'authorised' ? authorizedAmount : capturedAmount;
}

/** What the payments of an order do not cover yet. */
export const outstandingOf = ({ id, totals }: Pick<Order, 'id' | 'totals'>, near: Nearby): Money =>
  minus(
    totals.total,
    ...ofOrder(near, 'payment', id)
      .filter(({ state }) => state !== 'failed' && state !== 'voided')
      .map(({ object }) => minus(boundBy(object), object.refundedAmount)),
  );

/** What the payments of a sale at a till do not cover yet. They refer to its order, which gets the id of the transaction. */
export const outstandingAtTill = ({ transactionId: id = '', totals }: BusinessObject<'basket'>, near: Nearby): Money =>
  outstandingOf({ id, totals }, near);

/** The most points that can pay for an order. The last point may pay a part of its worth. */
export const payablePoints = (order: Order, near: Nearby): number =>
  Math.min(
    near.get('loyalty-account', order.loyaltyAccountId)?.pointsBalance ?? 0,
    Math.ceil(outstandingOf(order, near).amount / near.pointWorth),
  );

export const RETURN_ENDS: readonly string[] = ['refunded', 'exchanged', 'rejected'];

/** The draft order that a return will pay for. */
export const exchangeDraftOf = (returnId: string, near: Nearby) =>
  near.of('order').find(({ state, object }) => state === 'draft' && object.exchangeForReturnId === returnId);

/** Units of a line that the customer has, less the units of open returns. */
export function returnable({ lineId, fulfilledQty, returnedQty }: Order['lines'][number], near: Nearby): number {
  const open = near.of('return').filter(({ state = '' }) => !RETURN_ENDS.includes(state));
  const announced = open.flatMap(({ object }) => object.lines).filter(({ orderLineId }) => orderLineId === lineId);
  return announced.reduce((left, { qty }) => left - qty, fulfilledQty - returnedQty);
}

export const undecidedOf = ({ id }: Order, near: Nearby) =>
  ofOrder(near, 'payment', id).filter(({ state }) => state === 'pending' || state === 'requires-action');

export const isPicked = ({ lines }: BusinessObject<'fulfillment-order'>): boolean =>
  lines.every(({ qty, pickedQty, shortQty }) => pickedQty + shortQty >= qty);

export const isDisputed = ({ disputes = [] }: Payment): boolean => disputes.some(({ state }) => state === 'open');

/** Whether refunds and lost disputes have used up a payment. */
export const isSpent = ({ capturedAmount, refundedAmount, disputes = [] }: Payment): boolean =>
  minus(capturedAmount, refundedAmount, ...disputes.filter(({ state }) => state === 'lost').map(({ amount }) => amount)).amount <= 0;
