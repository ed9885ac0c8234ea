import type { z } from 'zod';
import type { TrackingUpdate } from '../../../shared/catalog/fulfillment/apis.ts';
import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { compareInstants } from '../../../shared/domain/instant.ts';
import type { Tracking } from '../collections.ts';

export type TrackingScan = z.output<typeof TrackingUpdate>['data'];
type ShipmentState = (typeof shipmentLifeCycle.states)[number];

/** The states that a parcel can reach from each state, in any number of steps: carriers may leave scans out. */
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
 * Whether a scan says something new. A scan that is older than the newest one, repeats it, or does not lead on from the state of the
 * parcel (collected, while it is out for delivery) is no news.
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
