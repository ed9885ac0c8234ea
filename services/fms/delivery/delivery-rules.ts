import type { StoredFulfillmentOrder } from '../collections.ts';
import type { TrackingScan } from '../parcels/tracking-rules.ts';

/** After this many attempts in vain the carrier waits for the sender. */
const VAIN_ATTEMPTS = 3;

/**
 * The verb of the life cycle that a scan means for a dispatched fulfillment order.
 * @param attempts delivery attempts in vain, this scan included
 */
export function deliveryVerbOf(
  { state }: Pick<StoredFulfillmentOrder, 'state'>,
  status: TrackingScan['status'],
  attempts: number,
): 'deliver' | 'return-to-sender' | 'fail-delivery' | 'redeliver' | 'note' {
  // It was given up and stays refunded. Later scans decide only whether its goods are on hand again.
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
