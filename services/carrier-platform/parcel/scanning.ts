import type { z } from 'zod';
import { Scan, shipmentLifeCycle, trackingStatusCodes } from '../../../shared/catalog/fulfillment/objects.ts';
import { allowedFrom, refuseTransition, rowFor } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type StoredShipment, shipments } from '../collections.ts';
import { giveUpParcelDue } from '../due-work.ts';
import { continueJourney } from './journey.ts';
import { GIVE_UP_MS } from '../timing.ts';
import { announce } from './announcement.ts';

export interface ScanSaid {
  readonly scan: z.output<typeof Scan>;
  readonly location?: string | undefined;
  readonly message?: string | undefined;
}

/**
 * A parcel is scanned: it moves, the scan stands in its history, and its receiver is told.
 * @throws Problem `invalid_state_transition` when it cannot be scanned like that where it is
 */
export async function scanParcel(
  shipment: StoredShipment,
  { scan, location, message }: ScanSaid,
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<StoredShipment> {
  if (!allowedFrom(shipmentLifeCycle, scan).includes(shipment.state)) throw refuseScan(shipment, scan);
  const [status] = rowFor(shipmentLifeCycle, shipment, scan).to;
  if (status === undefined || status === 'pending') throw new Error(`A scan ${scan} moves a parcel.`);
  const event = {
    ...{ status, statusCode: trackingStatusCodes[status], occurredAt: momentAfter(shipment, work.now) },
    ...(location !== undefined && { location }),
    ...(message !== undefined && { message }),
  };
  const moved = work.transition(shipments, shipment, scan, { events: [...shipment.events, event] });
  announce(moved, work);
  await continueJourney(moved, scan, { work, context });
  if (allowedFrom(shipmentLifeCycle, 'lose').includes(moved.state)) work.schedule(giveUpParcelDue, moved.id, work.now + GIVE_UP_MS, {});
  else work.cancel(giveUpParcelDue, moved.id);
  return moved;
}

/** Says also what the parcel can be made to: scans are played by hand, one after the other. */
function refuseScan(shipment: StoredShipment, scan: ScanSaid['scan']): Problem {
  const allowedScans = Scan.options.filter((one) => allowedFrom(shipmentLifeCycle, one).includes(shipment.state));
  const { message, context } = refuseTransition(shipmentLifeCycle, shipment, scan, { allowedScans });
  const now = allowedScans.length > 0 ? `Now it can be made to ${allowedScans.join(', ')}.` : 'It takes no scan any more.';
  return new Problem('invalid_state_transition', `${message} ${now}`, context);
}

/** No two scans of a parcel happen at the same moment: whoever hears of them out of order can tell which was later. */
function momentAfter({ events }: StoredShipment, now: number): string {
  const last = events.at(-1);
  return instant(last ? Math.max(now, Date.parse(last.occurredAt) + 1) : now);
}
