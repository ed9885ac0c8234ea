import { type Progression, progressionOf } from '../../shared/catalog/control/progression.ts';
import { applyCarrierProgression as applyCarrierProgressionCall } from '../../shared/catalog/fulfillment/internal.ts';
import { scanWebhookId, shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { instant } from '../../shared/domain/time.ts';
import { walkPages } from '../../shared/work/all-pages.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { carrierServices, type Journey, journeys, type PlannedScan, type StoredShipment, shipments } from './collections.ts';
import { type Delivery, deliverWebhookDue, plannedScanDue } from './due-work.ts';

type Mode = Progression['carrier'];

export async function beginJourney(shipment: StoredShipment, { work, context }: Pick<Scope, 'work' | 'context'>): Promise<void> {
  const labelledAt = instant(work.now);
  const mode = progressionOf(context).carrier;
  await planNext({ id: shipment.id, open: true, labelledAt, passed: 0 }, { work, shipment, mode: afterScan(mode) });
}

/** With the progression `immediate`, the next scan waits for the first attempt at the previous webhook, so that webhooks keep their order. */
const afterScan = (mode: Mode): Mode => (mode === 'immediate' ? 'manual' : mode);

/** Continues the journey of a parcel after a scan. A manual scan may be the next planned one. */
export async function continueJourney(
  shipment: StoredShipment,
  scan: PlannedScan['scan'],
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<void> {
  const journey = await work.get(journeys, shipment.id);
  if (!journey) return;
  const next = (await planOf(work, shipment))[journey.passed];
  const passed = next?.scan === scan ? journey.passed + 1 : journey.passed;
  const mode = progressionOf(context).carrier;
  await planNext({ ...journey, passed, open: !hasEnded(shipment) }, { work, shipment, mode: afterScan(mode) });
}

/** Stores a journey with its next planned scan, and schedules the due work for it. @returns whether the time has changed */
export async function planNext(
  { version: _counted, scanAt: before, ...journey }: Omit<Journey, 'version'> & { readonly version?: number },
  { work, shipment, mode }: { readonly work: UnitOfWork; readonly shipment: StoredShipment; readonly mode: Mode },
): Promise<boolean> {
  const next = journey.open ? await nextPlanned(work, { journey, shipment }) : undefined;
  const scanAt = next && momentOf(next.planned, { journey, mode, now: work.now });
  work.put(journeys, { ...journey, scanAt });
  if (scanAt !== undefined) work.schedule(plannedScanDue, journey.id, scanAt, {});
  else if (before !== undefined) work.cancel(plannedScanDue, journey.id);
  return scanAt !== before;
}

function momentOf(
  { afterMs }: PlannedScan,
  { journey, mode, now }: { readonly journey: Pick<Journey, 'labelledAt'>; readonly mode: Mode; readonly now: number },
): number | undefined {
  switch (mode) {
    case 'manual':
      return undefined;
    case 'immediate':
      return now;
    case 'time':
      return Math.max(now, Date.parse(journey.labelledAt) + afterMs);
  }
}

/** The first planned scan that is not done and that the state of the parcel allows. Manual scans may have changed that state. */
export async function nextPlanned(
  work: UnitOfWork,
  { journey, shipment }: { readonly journey: Pick<Journey, 'passed'>; readonly shipment: StoredShipment },
): Promise<{ readonly planned: PlannedScan; readonly position: number } | undefined> {
  const plan = await planOf(work, shipment);
  const position = plan.findIndex(({ scan }, at) => at >= journey.passed && allowedFrom(shipmentLifeCycle, scan).includes(shipment.state));
  const planned = plan[position];
  return planned && { planned, position };
}

const planOf = async (work: UnitOfWork, { service }: StoredShipment): Promise<readonly PlannedScan[]> =>
  (await work.get(carrierServices, service))?.scans ?? [];

/** Whether no planned scan follows. A lost parcel may be found, but never by a planned scan. */
const hasEnded = ({ state }: StoredShipment): boolean => state === 'delivered' || state === 'returned-to-sender' || state === 'lost';

/** Schedules the webhook for the newest scan of a parcel. Its `webhook-id` names parcel and scan, so every attempt has the same one. */
export function announceNewestScan(shipment: StoredShipment, work: UnitOfWork): void {
  const { id, trackingNumber, events, estimatedDelivery } = shipment;
  const scan = events.at(-1);
  if (!scan) throw new Error(`The parcel ${id} has no scan.`);
  const body: Delivery['body'] = {
    type: 'shipment.tracking.updated',
    timestamp: scan.occurredAt,
    data: { shipmentId: id, ...scan, trackingNumber, estimatedDelivery },
  };
  const delivery: Delivery = { shipmentId: id, body, attempts: 0 };
  work.schedule(deliverWebhookDue, scanWebhookId(id, scanCountOf(shipment)), work.now, delivery);
}

export const scanCountOf = ({ scanCount, events }: StoredShipment): number => scanCount ?? events.length;

export const applyCarrierProgression = handle(applyCarrierProgressionCall)(async ({ body: { carrier: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const journey of walkPages((cursor) => work.find(journeys, 'open', 'yes', { cursor }))) {
    const shipment = await work.get(shipments, journey.id);
    if (shipment && (await planNext(journey, { work, shipment, mode }))) rescheduled += 1;
  }
  return { rescheduled };
});
