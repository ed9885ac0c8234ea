import type { z } from 'zod';
import type { TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import { shipmentLifeCycle } from '../../shared/catalog/fulfillment/objects.ts';
import { compareInstants } from '../../shared/domain/instant.ts';
import type { StoredFulfillmentOrder, Tracking } from './collections.ts';

export type TrackingScan = z.output<typeof TrackingUpdate>['data'];
type ShipmentState = (typeof shipmentLifeCycle.states)[number];

/** Nobody took it so often: then the carrier waits for word from the sender. */
const VAIN_ATTEMPTS = 3;

/** From which states a parcel may come into which, in any number of steps: a carrier need not report every one. */
const reachable: ReadonlyMap<ShipmentState, ReadonlySet<ShipmentState>> = new Map(
  shipmentLifeCycle.states.map((state) => [state, reachableFrom(state)]),
);

function reachableFrom(start: ShipmentState): Set<ShipmentState> {
  const found = new Set<ShipmentState>();
  const open: ShipmentState[] = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const { from, to } of shipmentLifeCycle.rows) {
      if (!from.includes(state)) continue;
      for (const next of to.filter((one) => !found.has(one))) {
        found.add(next);
        open.push(next);
      }
    }
  }
  return found;
}

/**
 * Whether a scan says something that is not known yet. What is older than the newest one, that one again, and what does not lead
 * on from where the parcel is (collected, when it is on the van) moves nothing.
 */
export function isNews(
  state: ShipmentState,
  { newestScanAt }: Pick<Tracking, 'newestScanAt'>,
  { status, occurredAt }: Pick<TrackingScan, 'status' | 'occurredAt'>,
): boolean {
  const sinceNewest = newestScanAt === undefined ? undefined : compareInstants(occurredAt, newestScanAt);
  if (sinceNewest !== undefined && sinceNewest < 0) return false;
  if (sinceNewest === 0 && status === state) return false;
  return reachable.get(state)?.has(status) === true;
}

/** What a scan means for a fulfillment order that is on its way. @param attempts how often nobody took it, this scan included */
export function verbOf(
  { state }: Pick<StoredFulfillmentOrder, 'state'>,
  status: TrackingScan['status'],
  attempts: number,
): 'deliver' | 'return-to-sender' | 'fail-delivery' | 'redeliver' | 'note' {
  // It was refunded for want of scans, and stays so. Where its parcel turns up decides only whether its goods are on hand again.
  if (state === 'returned-to-sender') return 'note';
  const failed = state === 'failed-delivery';
  switch (status) {
    case 'delivered':
      return 'deliver';
    case 'returned-to-sender':
      return 'return-to-sender';
    case 'out-for-delivery':
      return failed ? 'redeliver' : 'note';
    case 'delivery-attempted':
      return !failed && attempts >= VAIN_ATTEMPTS ? 'fail-delivery' : 'note';
    case 'lost':
      return failed ? 'note' : 'fail-delivery';
    default:
      return 'note';
  }
}
