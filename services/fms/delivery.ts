import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook as carrierWebhookApi, trackShipment } from '../../shared/catalog/fulfillment/apis.ts';
import { isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { giveUpLostGoods as giveUpLostGoodsCall } from '../../shared/catalog/fulfillment/internal.ts';
import { isArrival } from '../../shared/catalog/fulfillment/shipments.ts';
import { recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { invalid, notFound, type Problem } from '../../shared/catalog/problems.ts';
import { CLOCK_TOLERANCE_MS, instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope, Unchanged, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { arrive, isToCollect, moveStockLater } from './collection.ts';
import { acceptedWebhooks, fulfillmentOrders, published, type StoredFulfillmentOrder, type Tracking, trackings } from './collections.ts';
import { GIVE_UP_MS, giveUpDeliveryDue, giveUpSilentParcelDue, REPORT_WAIT_MS, restockDue } from './due-work.ts';
import { noteScan, type ParcelCopy, type ScannedParcel, type TrackingScan } from './parcels.ts';
import { returns } from './returns/collections.ts';
import { applyScanToReturn } from './returns/parcels.ts';
import { stockMovesOf } from './stock-moves.ts';

/** The pipeline has verified the signature. A `webhook-id` is stored in the commit of its effect, so that the effect happens once. */
export const carrierWebhook = handle(carrierWebhookApi)(async ({ body: { data: scan } }, scope) => {
  const { work, webhookId } = scope;
  if (webhookId !== undefined && (await work.get(acceptedWebhooks, webhookId))) {
    return unchanged(`A webhook with the webhook-id "${webhookId}" has already arrived.`);
  }
  refuseFuture(scan, work.now);
  const tracking = await trackingOf(work, scan);
  if (webhookId !== undefined) work.put(acceptedWebhooks, { id: webhookId });
  return (await applyScan({ tracking, scan, webhookId }, scope)) ?? null;
});

/** By id, otherwise the newest with the number. @throws Problem `not_found`, `validation_failed` for the number of another parcel */
async function trackingOf(work: UnitOfWork, { shipmentId, trackingNumber }: TrackingScan): Promise<Tracking> {
  const known = shipmentId === undefined ? undefined : await work.get(trackings, shipmentId);
  const numbered = trackingNumber === undefined ? [] : (await work.find(trackings, 'trackingNumber', trackingNumber)).items;
  const newest = numbered.at(-1);
  if (known && newest && !numbered.some(({ id }) => id === known.id)) throw otherShipment(known, newest, trackingNumber);
  if (known) return known;
  if (!newest) throw notFound('shipment', shipmentId ?? trackingNumber ?? '');
  return newest;
}

function otherShipment({ id }: Tracking, other: Tracking, trackingNumber: string | undefined): Problem {
  const detail = `The tracking number "${trackingNumber}" belongs to the shipment "${other.id}", not to "${id}"; name one parcel.`;
  return invalid('/data/trackingNumber', 'other_shipment', detail);
}

/** After a scan from the future, all following scans would look old. @throws Problem `validation_failed` */
function refuseFuture({ occurredAt }: TrackingScan, now: number): void {
  if (Date.parse(occurredAt) <= now + CLOCK_TOLERANCE_MS) return;
  const remedy = 'Send an instant of the rehearsal, whose clock GET /_control/clock returns, or advance that clock first.';
  const detail = `${occurredAt} is more than five minutes ahead of the rehearsal’s clock, which is at ${instant(now)}. ${remedy}`;
  throw invalid('/data/occurredAt', 'in_the_future', detail);
}

async function applyScan(
  scanned: ScannedParcel,
  scope: Pick<Scope, 'work' | 'context' | 'webhooks'>,
): Promise<Unchanged<null> | undefined> {
  const { work, context } = scope;
  const { fulfillmentOrderId, returnId } = scanned.tracking;
  if (fulfillmentOrderId !== undefined) {
    return applyScanToFulfillmentOrder(await requireObject(work, fulfillmentOrders, fulfillmentOrderId), scanned, scope);
  }
  return applyScanToReturn(work, await requireObject(work, returns, returnId ?? ''), { ...scanned, mode: progressionOf(context).returns });
}

/** If a carrier outside the estate scanned a parcel and then reports nothing for long, the parcel counts as lost. */
export const giveUpSilentParcel = handleDue(giveUpSilentParcelDue)(async ({ key }, scope) => {
  const tracking = await scope.work.get(trackings, key);
  if (!tracking) return;
  const scan = { shipmentId: key, status: 'lost', occurredAt: instant(scope.work.now) } as const;
  await applyScan({ tracking, scan, webhookId: undefined }, scope);
});

/** Applies a carrier's scan to the fulfillment order of the parcel. A repeated or late scan changes nothing. */
async function applyScanToFulfillmentOrder(
  found: StoredFulfillmentOrder,
  scanned: ScannedParcel,
  scope: Pick<Scope, 'work' | 'context' | 'webhooks'>,
): Promise<Unchanged<null> | undefined> {
  const { work } = scope;
  if (isToCollect(found) && (!isTransfer(found) || found.collection.arrivedAt !== undefined)) {
    return unchanged('The goods are in the store where the customer collects them; no carrier scans them.');
  }
  const isAtStore = isToCollect(found) && isArrival(scanned.scan.status);
  const noted = noteScan(work, found, isAtStore ? withStatus(scanned, 'delivered') : scanned);
  if (noted instanceof Unchanged) return noted;
  const { shipments, deliveryAttempts } = noted;
  if (isAtStore) {
    work.cancel(giveUpDeliveryDue, found.id);
    await arrive(found, shipments, scope);
    return undefined;
  }
  const { status } = scanned.scan;
  const isLost = status === 'lost';
  const verb = deliveryVerbOf(found, status, deliveryAttempts);
  switch (verb) {
    case 'return-to-sender':
      work.cancel(giveUpDeliveryDue, found.id);
      restockBeforeReply(work, found);
      await moveStockAfterEnd(work, work.transition(fulfillmentOrders, found, verb, { shipments }));
      break;
    case 'deliver':
    case 'redeliver':
      work.cancel(giveUpDeliveryDue, found.id);
      work.transition(fulfillmentOrders, found, verb, { shipments, failureReason: undefined });
      break;
    case 'fail-delivery':
      await moveStockAfterEnd(work, noteFailure(work, found, { verb, shipments, isLost }));
      break;
    case 'note':
      // A fulfillment order that was given up has its goods on hand only when its parcel is back.
      if (status === 'returned-to-sender' && found.state === 'returned-to-sender') restockBeforeReply(work, found);
      if (found.state === 'failed-delivery') await moveStockAfterEnd(work, noteFailure(work, found, { verb, shipments, isLost }));
      else work.transition(fulfillmentOrders, found, verb, { shipments });
  }
  return undefined;
}

/** Each scan restarts the week after which a failed delivery is given up. A lost parcel is not given up: it may be found. */
function noteFailure(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  { verb, shipments, isLost }: { verb: 'fail-delivery' | 'note'; shipments: ParcelCopy[]; isLost: boolean },
): StoredFulfillmentOrder {
  if (isLost) work.cancel(giveUpDeliveryDue, found.id);
  else work.schedule(giveUpDeliveryDue, found.id, work.now + GIVE_UP_MS, {});
  // Without time to replace them, the OMS refunds lost goods immediately.
  const isRefunded = isLost && isTransfer(found) && work.figures.replaceLostWithinMs === undefined;
  return work.transition(fulfillmentOrders, found, verb, {
    shipments,
    failureReason: isLost ? 'lost' : 'delivery-attempts',
    ...(isRefunded && { givenUp: true }),
  });
}

/** The OMS decides about lost goods, and this application whether they are still lost: one of a refund and an arrival comes first. */
export const giveUpLostGoods = handle(giveUpLostGoodsCall)(async ({ params: { id } }, { work }) => {
  const found = await requireObject(work, fulfillmentOrders, id);
  if (found.givenUp) return again(published(found));
  if (!isTransfer(found) || found.state !== 'failed-delivery' || found.failureReason !== 'lost') {
    const detail = `The goods of the fulfillment order "${id}" are not lost on their way to a store: it is ${found.state}.`;
    throw refusal('fulfillment-order', found, 'give-up', detail);
  }
  const givenUp = work.transition(fulfillmentOrders, found, 'note', { givenUp: true });
  await moveStockAfterEnd(work, givenUp);
  return published(givenUp);
});

/** Goods that will not reach their store leave their reservation. */
async function moveStockAfterEnd(work: UnitOfWork, found: StoredFulfillmentOrder): Promise<void> {
  if (stockMovesOf(found).includes('not-received')) await moveStockLater(work, found);
}

const withStatus = (scanned: ScannedParcel, status: TrackingScan['status']): ScannedParcel => ({
  ...scanned,
  scan: { ...scanned.scan, status },
});

/** Returns the goods to stock before the scan is answered, or as soon as the Inventory Service is available. */
function restockBeforeReply(work: UnitOfWork, { id }: StoredFulfillmentOrder): void {
  work.schedule(restockDue, id, work.now, {}, { beforeReply: true });
}

/** After this many failed attempts the carrier waits for the sender. */
const VAIN_ATTEMPTS = 3;

/** The verb that a scan means for a dispatched fulfillment order. @param attempts failed delivery attempts, this scan included */
function deliveryVerbOf(
  { state }: Pick<StoredFulfillmentOrder, 'state'>,
  status: TrackingScan['status'],
  attempts: number,
): 'deliver' | 'return-to-sender' | 'fail-delivery' | 'redeliver' | 'note' {
  // The fulfillment order was given up and stays refunded. Later scans decide only whether its goods are on hand again.
  if (state === 'returned-to-sender') return 'note';
  const hasFailed = state === 'failed-delivery';
  switch (status) {
    case 'delivered':
      return 'deliver';
    case 'returned-to-sender':
      return 'return-to-sender';
    case 'out-for-delivery':
      return hasFailed ? 'redeliver' : 'note';
    case 'delivery-attempted':
      return !hasFailed && attempts >= VAIN_ATTEMPTS ? 'fail-delivery' : 'note';
    case 'lost':
      return hasFailed ? 'note' : 'fail-delivery';
    default:
      return 'note';
  }
}

/**
 * A failed delivery without a scan for a week counts as returned to the sender, and is refunded. Its parcel may still be delivered, so
 * its goods are on hand again only after the scan that it is back. A lost parcel may be found, so it does not count as returned.
 */
export const giveUpDelivery = handleDue(giveUpDeliveryDue)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'failed-delivery' || found.failureReason === 'lost') return;
  if (await hasUnreportedScan(found, scope)) work.schedule(giveUpDeliveryDue, key, work.now + REPORT_WAIT_MS, {});
  else await moveStockAfterEnd(work, work.transition(fulfillmentOrders, found, 'return-to-sender'));
});

/** Whether the Carrier Platform has a scan whose webhook has not arrived, because the FMS was down. @throws Problem `dependency_*` */
async function hasUnreportedScan({ shipments }: StoredFulfillmentOrder, { work, call }: Scope): Promise<boolean> {
  for (const { id } of shipments) {
    const { newestScanAt, newestOutsideScanAt } = (await work.get(trackings, id)) ?? {};
    // The Carrier Platform has no scans of another carrier's parcel.
    if (newestScanAt === undefined || newestOutsideScanAt !== undefined) continue;
    const { events } = await call(trackShipment, { params: { id } });
    if (events.some(({ occurredAt }) => Date.parse(occurredAt) > Date.parse(newestScanAt))) return true;
  }
  return false;
}

/** Returned goods are on hand again, once per line: at their node, or in the store that they reached after their refund. */
export const restock = handleDue(restockDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'returned-to-sender') return;
  const { id, collection } = found;
  const locationId = collection?.arrivedAt === undefined ? found.locationId : collection.locationId;
  for (const { orderLineId, sku, pickedQty } of found.lines.filter((line) => line.pickedQty > 0)) {
    const reference = `${id} ${orderLineId} returned-to-sender`;
    const body = { reference, kind: 'restock', locationId, sku, qty: pickedQty } as const;
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
});
