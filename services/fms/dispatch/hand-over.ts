import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { fulfillmentOrders, type Parcel, parcels, type StoredFulfillmentOrder } from '../collections.ts';
import { handOverDue, takeStockDue } from '../due-work.ts';
import { handOverParcel } from '../parcels/hand-over-parcel.ts';
import { isHandedOver, parcelOf } from '../parcels/parcel.ts';
import { moveUnits } from '../stock-movements.ts';
import { HAND_OVER_TIMEOUT_MS } from '../timing.ts';

/**
 * Takes the three steps after a committed dispatch: the stock leaves, the parcel is registered, the label is made. Stock and parcel
 * do not wait for each other. A failure does not undo the dispatch: due work, committed with it, tries again.
 */
export async function carryOnDispatch(found: StoredFulfillmentOrder, scope: Scope): Promise<StoredFulfillmentOrder> {
  const { work, log } = scope;
  const parcel = await parcelOf(work, found);
  if (!parcel) return found;
  const unmoved = parcel.stockTaken ? undefined : await takeStock(found, parcel, scope);
  if (unmoved) log.warn({ fulfillmentOrderId: found.id, code: unmoved.code }, 'taking dispatched goods out of stock failed');
  const latest = (await parcelOf(work, found)) ?? parcel;
  if (isHandedOver(found, latest)) return found;
  const { found: next, failure } = await handOver(found, latest, scope);
  if (failure) log.warn({ fulfillmentOrderId: found.id, code: failure.code }, 'handing a dispatched parcel over failed');
  return next;
}

/** Takes dispatched goods out of the stock records. @returns why that failed */
export async function takeStock(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope): Promise<Problem | undefined> {
  try {
    await moveUnits(found, 'consume', scope, HAND_OVER_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  scope.work.put(parcels, { ...parcel, stockTaken: true });
  scope.work.cancel(takeStockDue, found.id);
  return undefined;
}

interface HandedOver {
  readonly found: StoredFulfillmentOrder;
  /** Why the parcel is not handed over yet. */
  readonly failure?: Problem;
}

export async function handOver(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope): Promise<HandedOver> {
  const { work } = scope;
  const { shipments, failure } = await handOverParcel(found, parcel, scope);
  if (!failure) work.cancel(handOverDue, found.id);
  return { found: shipments ? work.transition(fulfillmentOrders, found, 'note', { shipments }) : found, failure };
}
