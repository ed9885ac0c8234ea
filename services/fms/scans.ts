import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { Scope, Unchanged } from '../../shared/work/handler.ts';
import { fulfillmentOrderById } from './collections.ts';
import { applyScanToFulfillmentOrder } from './delivery/delivery.ts';
import type { ScannedParcel } from './parcels/note-scan.ts';
import { returnById } from './returns/collections.ts';
import { applyScanToReturn } from './returns/parcel-scans.ts';

export async function applyScan(
  scanned: ScannedParcel,
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<Unchanged<null> | undefined> {
  const { fulfillmentOrderId, returnId } = scanned.tracking;
  if (fulfillmentOrderId !== undefined) {
    return applyScanToFulfillmentOrder(work, await fulfillmentOrderById(work, fulfillmentOrderId), scanned);
  }
  return applyScanToReturn(work, await returnById(work, returnId ?? ''), { ...scanned, mode: progressionOf(context).returns });
}
