import { instant } from '../../../shared/domain/time.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { trackings } from '../collections.ts';
import { giveUpSilentParcelDue } from '../due-work.ts';
import { applyScan } from '../scans.ts';

/** If a carrier outside the estate scanned a parcel and then reports nothing for long, the parcel counts as lost. */
export const giveUpSilentParcel = handleDue(giveUpSilentParcelDue)(async ({ key }, scope) => {
  const tracking = await scope.work.get(trackings, key);
  if (!tracking) return;
  const scan = { shipmentId: key, status: 'lost', occurredAt: instant(scope.work.now) } as const;
  await applyScan({ tracking, scan, webhookId: undefined }, scope);
});
