import { Unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, type StoredFulfillmentOrder } from '../collections.ts';
import { giveUpDeliveryDue, restockDue } from '../due-work.ts';
import { noteScan, type ScannedParcel } from '../parcels/note-scan.ts';
import type { ParcelCopy } from '../parcels/parcel.ts';
import type { TrackingScan } from '../parcels/tracking-rules.ts';
import { GIVE_UP_MS } from '../timing.ts';

/** Applies a carrier's scan to the fulfillment order of the parcel. A repeated or late scan changes nothing. */
export function applyScanToFulfillmentOrder(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  scanned: ScannedParcel,
): Unchanged<null> | undefined {
  const noted = noteScan(work, found, scanned);
  if (noted instanceof Unchanged) return noted;
  const { shipments, deliveryAttempts } = noted;
  const { status } = scanned.scan;
  const isLost = status === 'lost';
  const verb = deliveryVerbOf(found, status, deliveryAttempts);
  switch (verb) {
    case 'return-to-sender':
      work.cancel(giveUpDeliveryDue, found.id);
      restockBeforeReply(work, found);
      work.transition(fulfillmentOrders, found, verb, { shipments });
      break;
    case 'deliver':
    case 'redeliver':
      work.cancel(giveUpDeliveryDue, found.id);
      work.transition(fulfillmentOrders, found, verb, { shipments, failureReason: undefined });
      break;
    case 'fail-delivery':
      noteFailure(work, found, { verb, shipments, isLost });
      break;
    case 'note':
      // A fulfillment order that was given up has its goods on hand only when its parcel is back.
      if (status === 'returned-to-sender' && found.state === 'returned-to-sender') restockBeforeReply(work, found);
      if (found.state === 'failed-delivery') noteFailure(work, found, { verb, shipments, isLost });
      else work.transition(fulfillmentOrders, found, verb, { shipments });
  }
  return undefined;
}

interface Failure {
  readonly verb: 'fail-delivery' | 'note';
  readonly shipments: ParcelCopy[];
  readonly isLost: boolean;
}

/** Each scan restarts the week after which a failed delivery is given up. A lost parcel is not given up: it may be found. */
function noteFailure(work: UnitOfWork, found: StoredFulfillmentOrder, { verb, shipments, isLost }: Failure): void {
  if (isLost) work.cancel(giveUpDeliveryDue, found.id);
  else work.schedule(giveUpDeliveryDue, found.id, work.now + GIVE_UP_MS, {});
  work.transition(fulfillmentOrders, found, verb, { shipments, failureReason: isLost ? 'lost' : 'delivery-attempts' });
}

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
