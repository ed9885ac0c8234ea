import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook as carrierWebhookApi } from '../../shared/catalog/fulfillment/apis.ts';
import { invalid, notFound, type Problem } from '../../shared/catalog/problems.ts';
import { CLOCK_TOLERANCE_MS, instant } from '../../shared/domain/time.ts';
import { handle, handleDue, type Scope, type Unchanged, unchanged } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { acceptedWebhooks, fulfillmentOrders, type Tracking, trackings } from './collections.ts';
import { applyScanToFulfillmentOrder } from './delivery.ts';
import { giveUpSilentParcelDue } from './due-work.ts';
import type { ScannedParcel, TrackingScan } from './parcels.ts';
import { returns } from './returns/collections.ts';
import { applyScanToReturn } from './returns/parcels.ts';

/** The pipeline has verified the signature. A `webhook-id` is stored in the commit of its effect, so that the effect happens once. */
export const carrierWebhook = handle(carrierWebhookApi)(async ({ body: { data: scan } }, scope) => {
  const { work, webhookId } = scope;
  if (webhookId !== undefined && (await work.get(acceptedWebhooks, webhookId))) {
    return unchanged(`A webhook with the webhook-id "${webhookId}" arrived before.`);
  }
  refuseFuture(scan, work.now);
  const tracking = await trackingOf(work, scan);
  if (webhookId !== undefined) work.put(acceptedWebhooks, { id: webhookId });
  return (await applyScan({ tracking, scan, webhookId }, scope)) ?? null;
});

/**
 * Finds a parcel by its id, otherwise the newest with the number.
 * @throws Problem `not_found`; `validation_failed` when the number belongs to another parcel
 */
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

/**
 * The only comparison with the carrier's clock: after a scan from the future, all following scans would look old.
 * @throws Problem `validation_failed`
 */
function refuseFuture({ occurredAt }: TrackingScan, now: number): void {
  if (Date.parse(occurredAt) <= now + CLOCK_TOLERANCE_MS) return;
  const remedy = 'Send an instant of the rehearsal, whose clock GET /_control/clock returns, or advance that clock first.';
  const detail = `${occurredAt} is more than five minutes ahead of the rehearsal’s clock, which is at ${instant(now)}. ${remedy}`;
  throw invalid('/data/occurredAt', 'in_the_future', detail);
}

async function applyScan(scanned: ScannedParcel, { work, context }: Pick<Scope, 'work' | 'context'>): Promise<Unchanged<null> | undefined> {
  const { fulfillmentOrderId, returnId } = scanned.tracking;
  if (fulfillmentOrderId !== undefined) {
    return applyScanToFulfillmentOrder(work, await requireObject(work, fulfillmentOrders, fulfillmentOrderId), scanned);
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
