import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { trackShipment as trackShipmentApi } from '../../shared/catalog/fulfillment/apis.ts';
import { scanShipment as scanShipmentCall } from '../../shared/catalog/fulfillment/internal.ts';
import { CARRIER_SILENCE_MS, Scan, shipmentLifeCycle, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom, refusal, refuseTransition, rowFor } from '../../shared/catalog/life-cycle.ts';
import { KEPT_SCANS } from '../../shared/catalog/limits.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import { journeys, published, type StoredShipment, shipments } from './collections.ts';
import { giveUpParcelDue, plannedScanDue } from './due-work.ts';
import { announceNewestScan, continueJourney, nextPlanned, scanCountOf } from './journey.ts';

export const scanShipment = handle(scanShipmentCall)(async ({ params: { id }, body }, { work, context }) => {
  const shipment = await requireObject(work, shipments, id);
  return published(await scanParcel(shipment, body, { work, context }));
});

export const playPlannedScan = handleDue(plannedScanDue)(async ({ key }, { work, context }) => {
  if (progressionOf(context).carrier === 'manual') return;
  const shipment = await work.get(shipments, key);
  const journey = await work.get(journeys, key);
  if (!shipment || !journey?.open) return;
  const next = await nextPlanned(work, { journey, shipment });
  if (!next) return;
  work.put(journeys, { ...journey, passed: next.position });
  await scanParcel(shipment, next.planned, { work, context });
});

/** Every scan restarts the 14 days. */
export const giveUpParcel = handleDue(giveUpParcelDue)(async ({ key }, { work, context }) => {
  const shipment = await work.get(shipments, key);
  if (!shipment || !allowedFrom(shipmentLifeCycle, 'lose').includes(shipment.state)) return;
  await scanParcel(shipment, { scan: 'lose', message: 'Not scanned for 14 days' }, { work, context });
});

interface ReportedScan {
  readonly scan: z.output<typeof Scan>;
  readonly location?: string;
  readonly message?: string;
}

/** Moves a parcel, appends the scan to its history, and reports it by webhook. @throws Problem `invalid_state_transition` */
async function scanParcel(
  shipment: StoredShipment,
  { scan, location, message }: ReportedScan,
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<StoredShipment> {
  if (!isAllowed(shipment, scan)) throw scanRefusal(shipment, scan);
  const [status] = rowFor(shipmentLifeCycle, shipment, scan).to;
  if (status === undefined || status === 'pending') throw new Error(`The scan ${scan} leads to no scanned state.`);
  const event = { status, statusCode: trackingStatusCodes[status], occurredAt: nextScanTime(shipment, work.now), location, message };
  const events = [...shipment.events, event].slice(-KEPT_SCANS);
  const moved = work.transition(shipments, shipment, scan, { events, scanCount: scanCountOf(shipment) + 1 });
  announceNewestScan(moved, work);
  await continueJourney(moved, scan, { work, context });
  if (allowedFrom(shipmentLifeCycle, 'lose').includes(moved.state))
    work.schedule(giveUpParcelDue, moved.id, work.now + CARRIER_SILENCE_MS, {});
  else work.cancel(giveUpParcelDue, moved.id);
  return moved;
}

const isAllowed = (shipment: StoredShipment, scan: ReportedScan['scan']): boolean =>
  allowedFrom(shipmentLifeCycle, scan).includes(shipment.state) && !(scan === 'find' && isNeverHandedOver(shipment));

/** A returned parcel that its customer never handed over is not found: the return is rejected, and its label is void. */
const isNeverHandedOver = ({ state, returnId, events }: StoredShipment): boolean =>
  state === 'lost' && returnId !== undefined && events.every(({ status }) => status === 'label-created' || status === 'lost');

/** The refusal lists the scans that the parcel can take now, for testers who send scans by hand. */
function scanRefusal(shipment: StoredShipment, scan: ReportedScan['scan']): Problem {
  const allowedScans = Scan.options.filter((one) => isAllowed(shipment, one));
  const why =
    scan === 'find' && isNeverHandedOver(shipment)
      ? `The customer never handed over the parcel "${shipment.id}" of the return "${shipment.returnId}", so it cannot be found.`
      : refuseTransition(shipmentLifeCycle, shipment, scan).message;
  const now = allowedScans.length > 0 ? `Allowed now: ${allowedScans.join(', ')}.` : 'No further scan is allowed.';
  return refusal(shipmentLifeCycle, shipment, scan, `${why} ${now}`, { allowedScans });
}

/** Scans of a parcel differ in time, so that a receiver can order them. */
function nextScanTime({ events }: StoredShipment, now: number): string {
  const last = events.at(-1);
  return instant(last ? Math.max(now, Date.parse(last.occurredAt) + 1) : now);
}

/** The carrier does not have a parcel without a label, so there is nothing to track. */
export const trackShipment = handle(trackShipmentApi)(async ({ params: { id } }, { work }) => {
  const shipment = await requireObject(work, shipments, id);
  if (shipment.state !== 'pending') return published(shipment);
  throw refusal(
    'shipment',
    { id, state: shipment.state },
    'track',
    `The shipment "${id}" is pending: it can be tracked once it has a label.`,
    { allowedFrom: shipmentLifeCycle.states.filter((state) => state !== 'pending') },
  );
});
