import type { z } from 'zod';
import type { TrackingUpdate } from '../../../shared/catalog/fulfillment/apis.ts';
import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { compareInstants } from '../../../shared/domain/instant.ts';

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
 * Why a scan changes nothing: it is older than the newest scan of the same carrier, repeats that scan, or does not follow from the state of
 * the parcel (collected, while it is out for delivery).
 * @param newestScanAt time of the newest scan of the same carrier
 * @returns undefined for a scan that moves the parcel
 */
export function ignoredBecause(
  state: ShipmentState,
  newestScanAt: string | undefined,
  { status, occurredAt }: Pick<TrackingScan, 'status' | 'occurredAt'>,
): string | undefined {
  const sinceNewest = newestScanAt === undefined ? undefined : compareInstants(occurredAt, newestScanAt);
  if (sinceNewest !== undefined && sinceNewest < 0) {
    return `The scan is of ${occurredAt}, and the same carrier scanned the parcel later, at ${newestScanAt}.`;
  }
  if (sinceNewest === 0 && status === state) return `The scan ${status} of ${occurredAt} arrived before.`;
  if (reachable.get(state)?.has(status)) return undefined;
  return `The parcel is ${state}, and ${status} does not follow from that.`;
}
