import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { FulfillmentRecord, SeenFulfillment, ShortUnits, StoredOrder } from './collections.ts';
import { goneOf, type OrderLine, valueOfNext } from './lines.ts';
import { refundReference } from './refunds.ts';

export type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;

/** The lines and the record of an order after a change of a fulfillment order. */
export interface Progress {
  readonly record: FulfillmentRecord;
  readonly lines: OrderLine[];
  /** Whether units were delivered after they had been refunded. */
  readonly foundAfterRefund: boolean;
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
export const hasBegun = ({ state, failureReason }: FulfillmentOrder): boolean =>
  state !== 'created' && state !== 'allocated' && (state !== 'cancelled' || failureReason === 'short');

export const isResolved = (lines: readonly OrderLine[]): boolean =>
  lines.every(({ qty, fulfilledQty, cancelledQty }) => fulfilledQty + cancelledQty === qty);

const missingOf = ({ state, failureReason }: FulfillmentOrder, line: FulfillmentOrder['lines'][number]): number =>
  state === 'cancelled' && failureReason === 'short' ? line.qty : line.shortQty;

function seenOf(found: FulfillmentOrder, booked: SeenFulfillment['booked']): SeenFulfillment {
  const { id, version, state, locationId } = found;
  const lines = found.lines.map((line) => ({
    orderLineId: line.orderLineId,
    sku: line.sku,
    qty: line.qty,
    shortQty: missingOf(found, line),
  }));
  return { id, version, state, locationId, lines, booked };
}

/** How the units of a fulfillment order are to be booked; undefined while they are on their way. */
function endOf({ state, failureReason }: FulfillmentOrder): SeenFulfillment['booked'] {
  if (state === 'delivered') return 'delivered';
  const failed = state === 'failed-delivery' && failureReason === 'lost';
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
 * bookings, so each unit counts once, even if events arrive repeatedly or in another order.
 * @returns undefined for a repeat of this version
 */
export function progressAfter(
  order: StoredOrder,
  record: Omit<FulfillmentRecord, 'version'>,
  found: FulfillmentOrder,
): Progress | undefined {
  const before = record.seen.find(({ id }) => id === found.id);
  if (before && before.version >= found.version) return undefined;
  const isClosed = order.state === 'cancelled' || order.state === 'completed';
  // A cancellation of the order cancels its fulfillment orders; their units are not booked one by one.
  const isCancelledWithOrder = order.pendingAction?.action === 'cancel' && found.state === 'cancelled';
  const end = isClosed || isCancelledWithOrder ? undefined : endOf(found);
  const booking = before?.booked === undefined ? end : undefined;
  const next = {
    version: 0,
    ...record,
    routed: true,
    seen: [...record.seen.filter(({ id }) => id !== found.id), seenOf(found, before?.booked ?? booking)],
    short: isClosed ? record.short : [...record.short, ...newlyShort(found, before)],
  };
  const foundAfterRefund = hasArrived(found) && (before?.booked === 'cancelled' || order.state === 'cancelled');
  const units = new Map(found.lines.map((line) => [line.orderLineId, line.qty - missingOf(found, line)]));
  if (booking === 'cancelled') return { ...cancelUnits(order.lines, next, units), foundAfterRefund };
  if (booking !== 'delivered') return { record: next, lines: order.lines, foundAfterRefund };
  const lines = order.lines.map((line) => ({ ...line, fulfilledQty: line.fulfilledQty + (units.get(line.lineId) ?? 0) }));
  return { record: next, lines, foundAfterRefund };
}

/** Books cancelled units and the refunds owed for them. `units`: by line id. */
export function cancelUnits(
  lines: readonly OrderLine[],
  record: FulfillmentRecord,
  units: ReadonlyMap<string, number>,
): { lines: OrderLine[]; record: FulfillmentRecord } {
  const owed = lines.flatMap((line) => {
    const gone = units.get(line.lineId) ?? 0;
    const amount = valueOfNext(line, gone);
    return amount > 0 ? [{ reference: refundReference(line.lineId, goneOf(line) + gone), amount, status: 'owed' as const }] : [];
  });
  return {
    lines: lines.map((line) => ({ ...line, cancelledQty: line.cancelledQty + (units.get(line.lineId) ?? 0) })),
    record: { ...record, owed: [...record.owed, ...owed] },
  };
}
