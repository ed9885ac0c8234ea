import type { Application } from '../../catalog/applications.ts';
import { dueKey, type PlannedDue } from '../ports/due-work.ts';
import { nowOf, type WorldState } from './state.ts';

/** Enters or cancels due work. A fault withholds nothing when it was deleted, or set anew after `withheldAt`. */
export function schedule(world: WorldState, application: Application, due: PlannedDue, seq: number): void {
  const { kind, key, at, payload, correlationId, traceparent, hop, lease, withheldBy, withheldAt } = due;
  const name = dueKey(application, kind, key);
  if (at === null) {
    world.due.remove(name);
    return;
  }
  const since = withheldBy === undefined ? undefined : world.faults.get(withheldBy)?.since;
  const isReleased = withheldBy !== undefined && (since === undefined || (withheldAt !== undefined && since > withheldAt));
  const when = isReleased ? Math.min(at, nowOf(world)) : at;
  const item = { application, kind, key, at: when, seq, attempts: 0, correlationId, traceparent, hop, payload };
  world.due.put(name, isReleased || withheldBy === undefined ? item : { ...item, withheldBy }, lease && { ...lease });
}
