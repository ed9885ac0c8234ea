import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import {
  announceRefund as announceRefundCall,
  bookReturn as bookReturnCall,
  closeReturn as closeReturnCall,
} from '../../shared/catalog/order/internal.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { beingReplacedOf } from '../../shared/catalog/order/replaced.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { payOutReturnDue, TAKE_OVER_MS } from './due-work.ts';
import { exchangeOf } from './exchange.ts';
import type { OrderLine } from './lines.ts';
import { type Payout, payOut, refundsOfReturn } from './payout.ts';
import { replacementsWithClaims } from './replaced-units.ts';
import {
  bookedFirst,
  bookingsOf,
  closedOtherwise,
  comingBack,
  completeBooking,
  isOpen,
  payableOf,
  type ReturnBooking,
  rejectBooking,
  returnableOf,
  returnBookings,
  returnTaxOf,
  returnValueOf,
  taxOfReturned,
  toBookFirst,
  valueOfReturned,
  withNobody,
} from './return-bookings.ts';

/** Every booking changes its order, so that two concurrent bookings conflict and one of them is retried. */
export const bookReturn = handle(bookReturnCall)(async ({ params, body }, { work }) => {
  const order = await requireObject(work, orders, params.id);
  const known = await work.get(returnBookings, body.returnId);
  if (known?.status === 'rejected') throw wasRejected(known);
  const { byParcel = order.shippingAddress !== undefined } = body;
  if (known) return again({ ...answerFor(order, known), byParcel });
  refuseOpen(order);
  if (byParcel && !order.shippingAddress) throw noAddress(order);
  if (!byParcel && !body.locationNamed && order.storeId === undefined && !order.collection) throw noStore(order);
  const bookings = await bookingsOf(work, order.id);
  const record = await work.get(fulfillmentRecords, order.id);
  const replacements = replacementsWithClaims(order, record);
  // A concurrent replacement writes the record first, or finds the order changed.
  if (record) work.expect(fulfillmentRecords, record);
  refuseBeforeRefused(order, { returnId: body.returnId, bookings }, record);
  if (bookings.length >= LIMITS.returns) throw tooManyReturns(order);
  const units = body.lines.map(({ orderLineId, qty }) => ({ line: lineOf(order, orderLineId), qty }));
  const { replacementId } = body;
  const replacement = order.replacements?.find(({ id }) => id === replacementId);
  if (replacementId !== undefined && !replacement) throw notFound('replacement', replacementId);
  const availableOf = (line: OrderLine) =>
    Math.max(
      0,
      replacement
        ? comingBack(replacement, line.lineId, order.replacements ?? [], bookings)
        : returnableOf(line, bookings) - beingReplacedOf(line.lineId, replacements) - withNobody(line.lineId, order.replacements, bookings),
    );
  const exceeded = units.filter(({ line, qty }) => qty > availableOf(line));
  if (exceeded.length > 0) {
    const lines = exceeded.map(({ line, qty }) => ({
      orderLineId: line.lineId,
      requested: qty,
      returnable: availableOf(line),
    }));
    const isSome = (unitsOf: (lineId: string) => number) => !replacement && exceeded.some(({ line }) => unitsOf(line.lineId) > 0);
    const hints = [
      isSome((lineId) => beingReplacedOf(lineId, replacements)) ? BEING_REPLACED : '',
      isSome((lineId) => withNobody(lineId, order.replacements, bookings)) ? WITH_NOBODY : '',
    ];
    throw tooMany(order, lines, hints.join(''));
  }
  const booked = work.put(returnBookings, {
    id: body.returnId,
    orderId: order.id,
    status: 'open',
    replacementId,
    lines: units.map(({ line, qty }) => ({
      orderLineId: line.lineId,
      qty,
      amount: replacement ? 0 : valueOfReturned(line, qty, bookings),
      tax: replacement ? undefined : taxOfReturned(line, qty, bookings),
    })),
  });
  work.transition(orders, order, 'open-return');
  return { ...answerFor(order, booked), byParcel };
});

function answerFor(order: StoredOrder, booked: ReturnBooking) {
  const { completedAt, customerId, shippingAddress, storeId, collection } = order;
  const { currency } = order.totals.total;
  const tax = returnTaxOf(booked);
  return {
    refundAmount: money(returnValueOf(booked), currency),
    refundTax: tax === undefined ? undefined : money(tax, currency),
    completedAt,
    customerId,
    shippingAddress,
    lines: booked.lines.map(({ orderLineId, qty }) => {
      const { sku, nodeId = storeId } = lineOf(order, orderLineId);
      return { orderLineId, sku, qty, nodeId: collection?.locationId ?? nodeId };
    }),
  };
}

function lineOf({ lines }: StoredOrder, id: string): OrderLine {
  const line = lines.find(({ lineId }) => lineId === id);
  if (!line) throw notFound('order line', id);
  return line;
}

function refuseOpen({ id, state }: StoredOrder): void {
  const closed = allowedFrom(orderLifeCycle, 'open-return');
  if (closed.includes(state)) return;
  const detail = `The order "${id}" is ${state}; its units can be returned once it is ${closed.join(' or ')}.`;
  const about = { objectType: 'order', id, currentState: state, action: 'open-return', allowedFrom: closed };
  throw new Problem('order_not_closed', detail, about);
}

/** @throws Problem `order_not_closed`, with `retryable: true` */
function refuseBeforeRefused(
  { id }: StoredOrder,
  { returnId, bookings }: { readonly returnId: string; readonly bookings: readonly ReturnBooking[] },
  record: FulfillmentRecord | undefined,
): void {
  const first = toBookFirst(record, bookings).find((one) => one !== returnId);
  if (first === undefined) return;
  throw new Problem('order_not_closed', bookedFirst(id, first), { objectType: 'order', id, retryable: true, retryAfter: 5 });
}

function tooMany({ id }: StoredOrder, lines: { orderLineId: string; requested: number; returnable: number }[], hints: string): Problem {
  const named = lines.map(({ orderLineId, requested, returnable }) => `${returnable} of ${orderLineId}, not ${requested}`).join('; ');
  const detail = `The order "${id}" has too few units that can be returned: ${named}.${hints}`;
  return new Problem('return_quantity_exceeded', detail, { objectType: 'order', id, lines });
}

const BEING_REPLACED = ' Units that are being replaced can be returned when the goods in their place have arrived, or have failed to.';
const WITH_NOBODY =
  ' Units that came back or were missing, and whose replacement failed, cannot be returned: replace them again, or refund them with Refund Payment.';

const tooManyReturns = ({ id }: StoredOrder): Problem =>
  limitReached('returns', `The order "${id}" has ${LIMITS.returns} returns, which is the limit.`, {
    objectType: 'order',
    id,
    remedy: 'Its units cannot be returned any more; refund its payments instead, and return several units together next time.',
  });

const noAddress = ({ id, state }: StoredOrder): Problem => {
  const detail = `The order "${id}" has no address where a carrier could collect, so its goods are handed in at a store.`;
  return refusal('order', { id, state }, 'collect', detail);
};

const noStore = ({ id, state }: StoredOrder): Problem => {
  const detail = `No store sold the order "${id}", so its return must name the store that takes the goods back.`;
  return refusal('order', { id, state }, 'hand-in', detail);
};

const wasRejected = ({ id }: ReturnBooking): Problem =>
  refusal('return', { id, state: 'rejected' }, 'book', `The return "${id}" was rejected; create another return for its units.`);

/** Of a refund and a rejection at the same time, the first one to change the booking wins. A rejected return has the value 0. */
export const announceRefund = handle(announceRefundCall)(async ({ params }, { work }) => {
  const order = await requireObject(work, orders, params.id);
  const booking = await work.get(returnBookings, params.returnId);
  if (booking?.orderId === order.id && booking.status === 'open') {
    work.put(returnBookings, { ...booking, refundAnnouncedAt: instant(work.now) });
  }
  return payableOf(order, await bookingsOf(work, order.id));
});

const nothing: Payout = { settled: true, refunds: [] };

/** The FMS decides the outcome of a return; the OMS refunds it and counts its units. */
export const closeReturn = handle(closeReturnCall)(async ({ params, body }, scope) => {
  const { work } = scope;
  const order = await requireObject(work, orders, params.id);
  const booking = await work.get(returnBookings, params.returnId);
  if (booking && booking.orderId !== order.id) throw notFound('return', params.returnId);
  if (body.outcome === 'rejected' || body.outcome === 'undone') {
    return reject(order, { returnId: params.returnId, booking, isKnown: body.outcome === 'rejected' }, scope);
  }
  if (!booking) throw notFound('return', params.returnId);
  if (booking.status === 'rejected') {
    throw closedOtherwise(booking, body.outcome === 'exchanged' ? 'exchange' : 'refund', 'was rejected; its units stay with the customer');
  }
  switch (body.outcome) {
    case 'refund':
      return payBack(order, booking, scope);
    case 'refunded':
      if (!isOpen(booking)) return again(nothing);
      await completeBooking(work, order, { booking, as: 'refunded' });
      return nothing;
    case 'exchanged':
      if (!isOpen(booking)) return again(nothing);
      await completeBooking(work, order, { booking, as: 'exchanged' });
      work.schedule(payOutReturnDue, booking.id, work.now, {});
      return { settled: false, refunds: [] };
  }
});

/**
 * Refunds nothing while the return pays for an order. Otherwise the decision is committed first, so that no exchange can begin. Where refunds
 * are manual, the return is open: a client refunds it.
 */
async function payBack(order: StoredOrder, booking: ReturnBooking, scope: Scope): Promise<Payout> {
  const { work, context } = scope;
  if (!isOpen(booking)) return payOut({ order, booking }, scope);
  if ((await exchangeOf(work, booking)) === 'coming') return { settled: false, refunds: [] };
  const byHand = progressionOf(context).refund === 'manual';
  const status = byHand ? 'open' : 'refunding';
  const paying = booking.status === status ? booking : work.put(returnBookings, { ...booking, status });
  await work.checkpoint();
  const payout = await payOut({ order, booking: paying }, scope);
  if (payout.settled) await completeBooking(work, order, { booking: paying, as: 'refunded' });
  return payout;
}

interface Rejecting {
  readonly returnId: string;
  readonly booking: ReturnBooking | undefined;
  /** Clients could see the return, so they may have refunded something for it. */
  readonly isKnown: boolean;
}

/**
 * A rejected booking refuses a late one. A return that has a refund is not rejected, even if the refund failed: the customer has the money,
 * or the retailer owes it. The FMS may not have all refunds yet, so the Payment Hub returns them.
 */
async function reject(order: StoredOrder, { returnId, booking, isKnown }: Rejecting, scope: Scope): Promise<Payout> {
  const { work } = scope;
  if (!booking) {
    work.put(returnBookings, { id: returnId, orderId: order.id, lines: [], status: 'rejected' });
    return nothing;
  }
  if (booking.status === 'rejected') return nothing;
  if (booking.status !== 'open') throw closedOtherwise(booking, 'reject', 'is refunded or exchanged');
  if ((await exchangeOf(work, booking)) === 'coming') throw closedOtherwise(booking, 'reject', 'pays for another order');
  const refunds = isKnown ? await refundsOfReturn(booking, scope) : [];
  if (refunds.length > 0) return { settled: false, refunds };
  refuseWhileRefunding(booking, work.now);
  await rejectBooking(work, order, booking);
  return nothing;
}

/** @throws Problem `invalid_state_transition` with `retryable: true` while the Payment Hub may be making the announced refund */
function refuseWhileRefunding({ id, refundAnnouncedAt }: ReturnBooking, now: number): void {
  if (refundAnnouncedAt === undefined || Date.parse(refundAnnouncedAt) + TAKE_OVER_MS <= now) return;
  const detail = `A refund for the return "${id}" was requested at ${refundAnnouncedAt}, and may be in progress; repeat the request after that.`;
  throw refusal('return', { id, state: 'inspected' }, 'reject', detail, { retryable: true, retryAfter: 1 });
}
