import type { Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { dueKey, type PlannedDue } from '../ports/due-work.ts';
import { nowOf, type WorldState } from './state.ts';

/** Schedules or cancels due work. A fault that was deleted, or replaced after `withheldAt`, withholds nothing. */
export function schedule(world: WorldState, application: Owner, due: PlannedDue): void {
  const { kind, key, at, payload, correlationId, traceparent, hop, lease, withheldBy, withheldAt, awaits, attempts = 0, occasion } = due;
  const name = dueKey(application, kind, key);
  if (at === null) {
    world.due.remove(name);
    return;
  }
  const since = withheldBy === undefined ? undefined : world.faults.get(withheldBy)?.since;
  const isReleased = withheldBy !== undefined && (since === undefined || (withheldAt !== undefined && since > withheldAt));
  const when = isReleased ? Math.min(at, nowOf(world)) : at;
  const item = {
    application,
    kind,
    key,
    at: when,
    seq: ++world.dueSeq,
    attempts,
    correlationId,
    traceparent,
    hop,
    occasion,
    payload,
    awaits,
  };
  world.due.put(name, isReleased || withheldBy === undefined ? item : { ...item, withheldBy }, lease && { ...lease });
}

/** Wall time until the first of these items may begin. Cancelled items, and items that only a change of the clock begins, do not count. */
export function waitFor(world: WorldState, application: Owner, due: readonly PlannedDue[]): Ms {
  const waits = due.map(({ kind, key }) => {
    const record = world.due.get(dueKey(application, kind, key));
    const wait = record ? record.item.at - nowOf(world) : Number.POSITIVE_INFINITY;
    if (wait > 0 && !world.clock.flowing) return Number.POSITIVE_INFINITY;
    return Math.max(0, wait, (record?.lease?.until ?? 0) - Date.now());
  });
  return Math.min(...waits);
}
