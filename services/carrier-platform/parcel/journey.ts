import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { type Progression, progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { carrierServices, type Journey, journeys, type PlannedScan, type StoredShipment } from '../collections.ts';
import { plannedScanDue } from '../due-work.ts';

type Mode = Progression['carrier'];

export async function beginJourney(shipment: StoredShipment, { work, context }: Pick<Scope, 'work' | 'context'>): Promise<void> {
  const labelledAt = instant(work.now);
  const mode = progressionOf(context).carrier;
  await planNext({ id: shipment.id, open: true, labelledAt, passed: 0 }, { work, shipment, mode: afterScan(mode) });
}

/**
 * Of a carrier that scans at once the next scan waits for the first attempt to tell of the one before, so that the receiver hears
 * of them in order.
 */
const afterScan = (mode: Mode): Mode => (mode === 'immediate' ? 'manual' : mode);

/** The journey of a parcel after a scan, planned or not: what the plan had next may just have happened by hand. */
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
  await planNext({ ...journey, passed, open: !ended(shipment) }, { work, shipment, mode: afterScan(mode) });
}

/**
 * Stores a journey with the moment of its next planned scan, and the due work that plays it.
 * @returns whether that is another moment than before
 */
export async function planNext(
  { version: _counted, scanAt: before, ...journey }: Omit<Journey, 'version'> & { readonly version?: number },
  { work, shipment, mode }: { readonly work: UnitOfWork; readonly shipment: StoredShipment; readonly mode: Mode },
): Promise<boolean> {
  const next = journey.open ? await nextPlanned(work, { journey, shipment }) : undefined;
  const scanAt = next && momentOf(next.planned, { journey, mode, now: work.now });
  work.put(journeys, { ...journey, ...(scanAt !== undefined && { scanAt }) });
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

/** The first scan of the plan that is not behind the parcel and possible where it is: somebody may have played others by hand. */
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

/** No planned scan leads on from here. A lost parcel may be found, but nobody plans that. */
const ended = ({ state }: StoredShipment): boolean => state === 'delivered' || state === 'returned-to-sender' || state === 'lost';
