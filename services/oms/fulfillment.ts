import { isDeepStrictEqual } from 'node:util';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { replacedInParcel } from '../../shared/catalog/order/replaced.ts';
import type { Replacement } from '../../shared/catalog/order/replacements.ts';
import { goneOf, hasOpenDispute, isUndecided } from '../../shared/catalog/payment/cover.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { type EventHandler, handleDue, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { Patch } from '../../shared/work/unit-of-work.ts';
import { markCancelled } from './cancellation.ts';
import {
  type FulfillmentRecord,
  fulfillmentRecords,
  orders,
  type SeenFulfillment,
  type ShortUnits,
  type StoredOrder,
  withOwedSettled,
} from './collections.ts';
import { isShelved, withUndo } from './compensation.ts';
import {
  capturePaymentsDue,
  compensateDue,
  RECHECK_MS,
  refundLostGoodsDue,
  releaseReservationsDue,
  serveShortLinesDue,
  settleOrderDue,
} from './due-work.ts';
import { type FulfillmentOrder, type OrderLine, valueOfNext } from './lines.ts';
import { giveUpLost } from './lost-goods.ts';
import { earningOf, type Payment, paymentsToDecideOn, refundOwed, refundReference } from './payments.ts';
import {
  countReplacements,
  isAwaitingReplacement,
  isKept,
  isRefundedInPlace,
  keepFound,
  replacesDelivered,
  unitsLeft,
} from './replaced-units.ts';

/** Moves the order with its fulfillment orders, from the beginning of the work in the warehouse. */
export const onFulfillmentOrderChanged: EventHandler = async ({ data }, scope) => {
  const { work } = scope;
  const found = FulfillmentOrderSchema.parse(data.object);
  if (found.state === 'created' || found.state === 'allocated') {
    return unchanged(`The fulfillment order is ${found.state}: the order moves when the warehouse begins its work.`);
  }
  if (found.failureReason === 'changed')
    return unchanged('A change has withdrawn the fulfillment order, and the order has its units elsewhere.');
  const order = await work.get(orders, found.orderId);
  if (!order) return unchanged(`There is no order "${found.orderId}".`);
  const record = (await work.get(fulfillmentRecords, order.id)) ?? freshRecord(order.id);
  const replaceWithin = work.figures.replaceLostWithinMs;
  const progress = progressAfter(order, record, found, { keepsLost: replaceWithin !== undefined });
  if (!progress) return unchanged('A later state of the fulfillment order has already arrived.');
  const isNewlyLost = isAwaiting(progress.record, found.id) && !isAwaiting(record, found.id);
  if (replaceWithin !== undefined && isNewlyLost)
    work.schedule(refundLostGoodsDue, found.id, work.now + replaceWithin, { orderId: order.id });
  const isOver = order.state === 'completed' || order.state === 'return-in-progress';
  if (isOver && progress.record.seen.some((one) => one.id === found.id && isShelved(one)))
    work.schedule(releaseReservationsDue, order.id, work.now, {});
  const begins = order.state === 'confirmed' && hasBegun(found);
  if (begins) work.schedule(capturePaymentsDue, order.id, work.now, { attempt: 1 });
  const current = begins ? work.transition(orders, order, 'begin-fulfilment', { routingStatus: undefined }) : order;
  await applyProgress(current, progress, found.id, scope);
  return undefined;
};

const isAwaiting = ({ seen }: Pick<FulfillmentRecord, 'seen'>, fulfillmentOrderId: string): boolean =>
  seen.some((one) => one.id === fulfillmentOrderId && isAwaitingReplacement(one));

/** Whether the warehouse works on its goods, or they are in transit. */
export const isMoving = ({ state }: StoredOrder): boolean => state === 'in-fulfilment' || state === 'partially-fulfilled';

/** `cancelReason` of an order when none of its goods reached the customer. */
const NOT_FULFILLED = 'not-fulfilled';

/**
 * Stores the progress of an order and moves the order accordingly: `cancelled` when nothing is left of it, `partially-fulfilled` when
 * some units arrived and others are to come. Steps that call other applications follow as due work: serving short units, refunding and
 * completing.
 */
export async function applyProgress(
  order: StoredOrder,
  { record, lines, replacements: counted, foundAfterRefund, foundAfterReplacement }: Progress,
  fulfillmentOrderId: string,
  { work }: Scope,
): Promise<void> {
  work.put(fulfillmentRecords, record);
  const reason = foundAfterReplacement ? 'delivered-after-replacement' : foundAfterRefund ? 'delivered-after-refund' : undefined;
  const { reconciliation = [] } = order;
  const isNewlyFound = reason !== undefined && !reconciliation.some((known) => known.fulfillmentOrderId === fulfillmentOrderId);
  const replacements = countReplacements(counted ?? order.replacements, record);
  const found: NonNullable<StoredOrder['reconciliation']> = isNewlyFound
    ? [...reconciliation, { fulfillmentOrderId, reason, at: instant(work.now) }]
    : reconciliation;
  const named = found
    .filter(({ fulfillmentOrderId }) => !isKept(fulfillmentOrderId, replacements))
    .map((one) =>
      isRefundedInPlace(one.fulfillmentOrderId, { lines, replacements }, record)
        ? { ...one, reason: 'delivered-after-refund' as const }
        : one,
    );
  const patch: Patch<StoredOrder> = {
    ...(lines !== order.lines && { lines }),
    ...(!isDeepStrictEqual(named, reconciliation) && { reconciliation: named.length > 0 ? named : undefined }),
    ...(!isDeepStrictEqual(replacements, order.replacements) && { replacements }),
  };
  if (isMoving(order)) {
    const arrived = lines.some(({ fulfilledQty }) => fulfilledQty > 0);
    if (isResolved(lines) && !arrived) {
      await markCancelled(work, order, { verb: 'abandon-fulfilment', cancelReason: NOT_FULFILLED, at: work.now, patch });
      return;
    }
    if (record.short.some(({ status }) => status === 'open' || status === 'held'))
      work.schedule(serveShortLinesDue, order.id, work.now, {});
    if (isResolved(lines) || record.owed.some(({ status }) => status === 'owed')) work.schedule(settleOrderDue, order.id, work.now, {});
    if (arrived && !isResolved(lines) && order.state === 'in-fulfilment') {
      work.transition(orders, order, 'fulfil-part', patch);
      return;
    }
  }
  if (Object.keys(patch).length > 0) work.transition(orders, order, 'note', patch);
}

/** Refunds the goods of a lost parcel that nobody replaced in time. A replacement that is being created goes first. */
export const refundLostGoods = handleDue(refundLostGoodsDue)(async ({ key, payload: { orderId } }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, orderId);
  const record = await work.get(fulfillmentRecords, orderId);
  const lost = record?.seen.find(({ id }) => id === key);
  if (!order || !record || !lost || !isMoving(order) || !isAwaitingReplacement(lost)) return;
  const isClaimed = record.replacements?.some(
    ({ status, lines }) => status === 'claimed' && lines.some(({ lostFulfillmentOrderId }) => lostFulfillmentOrderId === key),
  );
  if (isClaimed) {
    work.schedule(refundLostGoodsDue, key, work.now + RECHECK_MS, { orderId });
    return;
  }
  const units = new Map(lost.lines.map(({ orderLineId }) => [orderLineId, unitsLeft(lost, orderLineId, order.replacements)]));
  if ([...units.values()].every((qty) => qty === 0)) return;
  if (!(await giveUpLost(order, lost, scope))) return;
  await applyProgress(order, { ...cancelParcel(order, record, { id: key, units }), foundAfterRefund: false }, key, scope);
});

/** Refunds cancelled units once payments are captured in full and no dispute is open, and completes the order when none of its goods is in transit. */
export const settleOrder = handleDue(settleOrderDue)(async ({ key }, scope) => {
  const { work, context } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || !isMoving(order)) return;
  const owed = record.owed.filter(({ status }) => status === 'owed');
  if (owed.length === 0 && !isResolved(order.lines)) return;
  const before = await paymentsToDecideOn(order, scope).catch(markPending);
  const isWaiting = !isResolved(order.lines) && before.some((payment) => payment.state === 'authorised' || isUndecided(payment));
  if (isWaiting) return;
  const byHand = progressionOf(context).refund === 'manual';
  const isDisputed = !byHand && before.some(({ disputes }) => hasOpenDispute(disputes));
  const mayRefund = owed.length > 0 && !byHand && !isDisputed;
  const refunded = mayRefund ? await refundOwed({ order, owed, payments: before }, scope).catch(markPending) : undefined;
  const payments = refunded?.payments ?? before;
  if (owed.length > 0 && !isDisputed) work.put(fulfillmentRecords, withOwedSettled(record, byHand ? 'left' : 'paid', refunded?.waiting));
  if (isResolved(order.lines)) complete(order, payments);
  else if (order.compensation !== undefined) work.transition(orders, order, 'note', { compensation: undefined });

  /** The remaining authorisations were for cancelled units, so they are voided. */
  function complete(moving: StoredOrder, paid: readonly Payment[]): void {
    const unneeded = paid.filter(({ state }) => state === 'authorised').map(({ id }) => id);
    if (unneeded.length > 0) work.schedule(compensateDue, moving.id, work.now, {});
    work.schedule(releaseReservationsDue, moving.id, work.now, {});
    work.transition(orders, moving, 'complete', {
      completedAt: instant(work.now),
      ...earningOf(moving, paid),
      compensation: undefined,
      ...withUndo(moving, { payments: unneeded, vouchers: false }),
    });
  }

  /** Shows a failed refund on the order; due work tries again. */
  async function markPending(error: unknown): Promise<never> {
    if (error instanceof Problem && order && owed.length > 0 && order.compensation === undefined) {
      work.transition(orders, order, 'note', { compensation: 'pending' });
      await work.checkpoint();
    }
    throw error;
  }
});

/** The lines and the record of an order after a change of a fulfillment order. */
export interface Progress {
  readonly record: FulfillmentRecord;
  readonly lines: OrderLine[];
  /** The replacements, if found units count in place of failed ones. */
  readonly replacements?: Replacement[];
  /** Whether units were delivered after they had been refunded. */
  readonly foundAfterRefund: boolean;
  /** Whether units were delivered although others replace them. */
  readonly foundAfterReplacement?: boolean;
}

export const freshRecord = (orderId: string): Omit<FulfillmentRecord, 'version'> => ({
  id: orderId,
  attempts: 1,
  routed: false,
  seen: [],
  short: [],
  owed: [],
});

/** Whether the warehouse has begun its work, which puts the order in fulfilment. */
const hasBegun = ({ state, failureReason }: FulfillmentOrder): boolean =>
  state !== 'created' && state !== 'allocated' && (state !== 'cancelled' || failureReason === 'short');

const isResolved = (lines: readonly OrderLine[]): boolean =>
  lines.every(({ qty, fulfilledQty, cancelledQty }) => fulfilledQty + cancelledQty === qty);

/** A collection that waits at the counter is stopped by putting its goods back. */
const isStopped = ({ state, collection }: FulfillmentOrder): boolean =>
  state === 'cancelled' || (state === 'returned-to-sender' && collection?.readyAt !== undefined);

const missingOf = ({ state, failureReason }: FulfillmentOrder, line: FulfillmentOrder['lines'][number]): number =>
  state === 'cancelled' && failureReason === 'short' ? line.qty : line.shortQty;

function seenOf(found: FulfillmentOrder, booked: SeenFulfillment['booked'], isKeptInPlace?: true): SeenFulfillment {
  const { id, version, state, locationId, collection, replacementId } = found;
  const lines = found.lines.map((line) => ({
    orderLineId: line.orderLineId,
    sku: line.sku,
    qty: line.qty,
    shortQty: missingOf(found, line),
  }));
  const wasReady = collection?.readyAt === undefined ? undefined : (true as const);
  const { refusedReturnId } = collection ?? {};
  const whereabouts = { isLost: isLost(found) || undefined, wasReady, refusedReturnId };
  return { id, version, state, locationId, lines, booked, isKeptInPlace, replacementId, ...whereabouts };
}

const isLost = ({ state, failureReason }: FulfillmentOrder): boolean => state === 'failed-delivery' && failureReason === 'lost';

/**
 * How to book the units of a fulfillment order; undefined while they are on their way.
 * @param keepsLost whether lost goods wait for a replacement
 */
function endOf(found: FulfillmentOrder, keepsLost: boolean): SeenFulfillment['booked'] {
  const { state, failureReason } = found;
  if (state === 'delivered') return 'delivered';
  const failed = isLost(found) && !keepsLost;
  const withdrawn = state === 'cancelled' && failureReason !== 'short';
  return failed || withdrawn || state === 'returned-to-sender' ? 'cancelled' : undefined;
}

/** A parcel may be delivered although its fulfillment order counts as returned for lack of scans. */
const hasArrived = ({ state, shipments }: FulfillmentOrder): boolean =>
  state === 'delivered' || shipments.some((parcel) => parcel.state === 'delivered');

function newlyShort(found: FulfillmentOrder, before: SeenFulfillment | undefined): ShortUnits[] {
  return found.lines.flatMap((line) => {
    const known = before?.lines.find(({ orderLineId }) => orderLineId === line.orderLineId)?.shortQty ?? 0;
    const qty = missingOf(found, line) - known;
    if (qty <= 0) return [];
    const { orderLineId, sku } = line;
    const status = 'open' as const;
    return [{ fulfillmentOrderId: found.id, orderLineId, sku, qty, locationId: found.locationId, status, lostHolds: 0 }];
  });
}

/**
 * The progress of an order after a change of one of its fulfillment orders. It follows from the state in `found` and from earlier
 * bookings, so each unit counts once, even if events arrive repeatedly or in another order. The units of a lost parcel that others replace,
 * and the goods that replace delivered ones, are booked on no line.
 * @returns undefined for a repeat of this version
 */
export function progressAfter(
  order: StoredOrder,
  record: Omit<FulfillmentRecord, 'version'>,
  found: FulfillmentOrder,
  { keepsLost }: { readonly keepsLost: boolean } = { keepsLost: false },
): Progress | undefined {
  const before = record.seen.find(({ id }) => id === found.id);
  if (before && before.version >= found.version) return undefined;
  const isClosed = order.state === 'cancelled' || order.state === 'completed';
  // A cancellation of the order cancels its fulfillment orders; their units are not booked one by one.
  const isCancelledWithOrder = order.pendingAction?.action === 'cancel' && isStopped(found);
  const isExtra = replacesDelivered(order, found);
  const end = isExtra ? endOf(found, false) : isClosed || isCancelledWithOrder ? undefined : endOf(found, keepsLost);
  const booking = before?.booked === undefined ? end : undefined;
  const next = {
    version: 0,
    ...record,
    routed: true,
    seen: [...record.seen.filter(({ id }) => id !== found.id), seenOf(found, before?.booked ?? booking, before?.isKeptInPlace)],
    short: isClosed || isExtra ? record.short : [...record.short, ...newlyShort(found, before)],
  };
  const isFoundLate = hasArrived(found) && (before?.booked === 'cancelled' || order.state === 'cancelled');
  if (isExtra) return { record: next, lines: order.lines, foundAfterRefund: false, foundAfterReplacement: isFoundLate };
  const seen = seenOf(found, booking);
  const units = new Map(found.lines.map(({ orderLineId }) => [orderLineId, unitsLeft(seen, orderLineId, order.replacements)]));
  const isReplaced = found.lines.some(({ orderLineId }) => replacedInParcel(found.id, orderLineId, order.replacements) > 0);
  const foundAfterReplacement = hasArrived(found) && (isFoundLate ? before?.isKeptInPlace === true : isReplaced);
  const foundAfterRefund = isFoundLate && !foundAfterReplacement;
  if (booking === 'cancelled') return { ...cancelParcel(order, next, { id: found.id, units }), foundAfterRefund };
  if (booking !== 'delivered') return { record: next, lines: order.lines, foundAfterRefund, foundAfterReplacement };
  const lines = order.lines.map((line) => ({ ...line, fulfilledQty: line.fulfilledQty + (units.get(line.lineId) ?? 0) }));
  return { record: next, lines, foundAfterRefund, foundAfterReplacement };
}

/** Books the units of a parcel that never arrives as cancelled. */
function cancelParcel(
  order: StoredOrder,
  record: FulfillmentRecord,
  { id, units }: { readonly id: string; readonly units: ReadonlyMap<string, number> },
): Pick<Progress, 'lines' | 'record' | 'replacements'> {
  const cancelled = cancelUnits(order, record, units);
  const isKeptInPlace = cancelled.lines.every(({ cancelledQty }, index) => cancelledQty === order.lines[index]?.cancelledQty);
  const seen = cancelled.record.seen.map((one) =>
    one.id === id ? { ...one, booked: 'cancelled' as const, isKeptInPlace: isKeptInPlace || undefined } : one,
  );
  return { ...cancelled, record: { ...cancelled.record, seen } };
}

/**
 * Books cancelled units and the refunds owed for them. Units that the customer has, because a lost parcel was found after its replacement,
 * are booked as delivered in their place. `units`: by line id.
 */
export function cancelUnits(
  order: StoredOrder,
  record: FulfillmentRecord,
  units: ReadonlyMap<string, number>,
): Pick<Progress, 'lines' | 'record' | 'replacements'> {
  const { lines } = order;
  const { kept, replacements } = keepFound(order, units);
  const goneOfLine = ({ lineId }: OrderLine): number => (units.get(lineId) ?? 0) - (kept.get(lineId) ?? 0);
  const owed = lines.flatMap((line) => {
    const gone = goneOfLine(line);
    const amount = valueOfNext(line, gone);
    return amount > 0 ? [{ reference: refundReference(line.lineId, goneOf(line) + gone), amount, status: 'owed' as const }] : [];
  });
  return {
    lines: lines.map((line) => ({
      ...line,
      cancelledQty: line.cancelledQty + goneOfLine(line),
      fulfilledQty: line.fulfilledQty + (kept.get(line.lineId) ?? 0),
    })),
    ...(kept.size > 0 && { replacements }),
    record: { ...record, owed: [...record.owed, ...owed] },
  };
}
