import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { journeys, shipments } from '../collections.ts';
import { plannedScanDue } from '../due-work.ts';
import { nextPlanned } from '../parcel/journey.ts';
import { scanParcel } from '../parcel/scanning.ts';

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
