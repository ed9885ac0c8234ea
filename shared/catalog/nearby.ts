import { type Money, money } from '../domain/money.ts';
import type { BusinessObject, ObjectType } from './objects.ts';
import { beingReplacedOf, replacedInParcel, replacedOf, withNobodyOf } from './order/replaced.ts';
import { isUndecided, requiredFor, stillToPay } from './payment/cover.ts';

/*
 * Sums over the objects that belong to an object, for explanations and for the forms of the console. A browser loads this file, so it
 * imports no schemas.
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

/** The payments, fulfillment orders or returns of an order. An exchange adds objects of another order. */
export const ofOrder = <Type extends 'payment' | 'fulfillment-order' | 'return'>(near: Nearby, type: Type, orderId: string) =>
  near.of(type).filter(({ object }) => (object as { readonly orderId: string }).orderId === orderId);

export const paymentsOf = (orderId: string, near: Nearby): readonly BusinessObject<'payment'>[] =>
  ofOrder(near, 'payment', orderId).map(({ object }) => object);

/** What Authorize Payment may still take for an order. */
export const outstandingOf = (order: Order, near: Nearby): Money =>
  money(stillToPay(requiredFor(order), paymentsOf(order.id, near)), order.totals.total.currency);

/** What Add Payment may still take for a sale at a till. Its payments refer to its order, which gets the id of the transaction. */
export const outstandingAtTill = ({ transactionId = '', totals: { total } }: BusinessObject<'basket'>, near: Nearby): Money =>
  money(stillToPay(total.amount, paymentsOf(transactionId, near)), total.currency);

/** The most points that can pay for an order. The last point may pay a part of its worth. */
export const payablePoints = (order: Order, near: Nearby): number =>
  Math.min(
    near.get('loyalty-account', order.loyaltyAccountId)?.pointsBalance ?? 0,
    Math.ceil(outstandingOf(order, near).amount / near.pointWorth),
  );

export const undecidedOf = ({ id }: Order, near: Nearby) => ofOrder(near, 'payment', id).filter(({ object }) => isUndecided(object));

export const RETURN_ENDS: readonly string[] = ['refunded', 'exchanged', 'rejected'];

/** The draft order that a return will pay for. */
export const exchangeDraftOf = (returnId: string, near: Nearby) =>
  near.of('order').find(({ state, object }) => state === 'draft' && object.exchangeForReturnId === returnId);

/** Units of a line that the customer has, less the units of open returns and of replacements that have not arrived. */
export function returnable({ lines, replacements }: Pick<Order, 'lines' | 'replacements'>, id: string, near: Nearby): number {
  const line = lines.find(({ lineId }) => lineId === id);
  if (!line) return 0;
  const open = near.of('return').filter(({ state = '', object }) => !RETURN_ENDS.includes(state) && object.replacementId === undefined);
  const announced = open.flatMap(({ object }) => object.lines).filter(({ orderLineId }) => orderLineId === id);
  const unavailable = line.returnedQty + beingReplacedOf(id, replacements) + withNobody(replacements, id, near);
  return announced.reduce((left, { qty }) => left - qty, line.fulfilledQty - unavailable);
}

/** Delivered units of a line that the customer has no longer, and whose replacement failed. */
const withNobody = (replacements: Order['replacements'], id: string, near: Nearby): number =>
  withNobodyOf(id, replacements, (one) =>
    near
      .of('return')
      .filter(({ state, object }) => state !== 'rejected' && object.replacementId === one.id)
      .flatMap(({ object }) => object.lines)
      .reduce((units, { orderLineId, qty }) => (orderLineId === id ? units + qty : units), 0),
  );

/** Delivered units of a line that can be replaced: each of them once, and none of a return. */
export const replaceable = (order: Pick<Order, 'lines' | 'replacements'>, id: string, near: Nearby): number =>
  returnable(order, id, near) +
  beingReplacedOf(id, order.replacements) +
  withNobody(order.replacements, id, near) -
  replacedOf(id, order.replacements);

/** Units of a line that carriers lost, in all its parcels, and that are neither refunded nor replaced. */
export function replaceableLost(order: Pick<Order, 'id' | 'lines' | 'replacements'>, id: string, near: Nearby): number {
  const { qty = 0, fulfilledQty = 0, cancelledQty = 0 } = order.lines.find(({ lineId }) => lineId === id) ?? {};
  const lost = ofOrder(near, 'fulfillment-order', order.id).filter(({ object }) => object.failureReason === 'lost');
  const units = lost.reduce((sum, { object }) => sum + leftInParcel(object, id, order.replacements), 0);
  // A refunded parcel stays lost, and its units count as cancelled.
  return Math.min(units, qty - fulfilledQty - cancelledQty);
}

/** Units of a line that a lost parcel had, and that no replacement serves. */
export const leftInParcel = (
  { id, lines }: Pick<BusinessObject<'fulfillment-order'>, 'id' | 'lines'>,
  lineId: string,
  replacements: Order['replacements'],
): number =>
  lines.reduce((sum, { orderLineId, qty, shortQty }) => (orderLineId === lineId ? sum + qty - shortQty : sum), 0) -
  replacedInParcel(id, lineId, replacements);
