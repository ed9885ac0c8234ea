import type { z } from 'zod';
import { CARRIER_SILENCE_MS, Scan, shipmentLifeCycle, trackingStatusCodes } from '../../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom, refusal, refuseTransition, rowFor } from '../../../shared/catalog/life-cycle.ts';
import { KEPT_SCANS } from '../../../shared/catalog/limits.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type StoredShipment, shipments } from '../collections.ts';
import { giveUpParcelDue } from '../due-work.ts';
import { announceNewestScan, continueJourney, scanCountOf } from './journey.ts';

export interface ReportedScan {
  readonly scan: z.output<typeof Scan>;
  readonly location?: string;
  readonly message?: string;
}

/** Moves a parcel, appends the scan to its history, and reports it by webhook. @throws Problem `invalid_state_transition` */
export async function scanParcel(
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
