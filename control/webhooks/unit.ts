import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import { contextFor } from '../../shared/control/context.ts';
import { newId } from '../../shared/domain/ids.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import type { Fence } from '../../shared/store/ports/plan.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { Conflict } from '../../shared/work/unit/interruptions.ts';
import { type OpenUnit, openUnit } from '../../shared/work/unit/open-unit.ts';

/** Maximum number of runs of a change that conflicts with others. */
const MOST_RUNS = 50;
const PAUSE_GROWTH_MS = 4;

type View = Pick<WorldView, 'world' | 'now' | 'lineage' | 'seed' | 'faults'>;

/** A unit of work on the gateway's records of a world, which need no figures of the retailer. It reads the current state; the caller commits it. */
export function unitIn(store: Store, view: View, fence?: Fence): OpenUnit {
  const requestId = newId('req', view.now);
  const context = contextFor(view, { principal: 'gateway', requestId, correlationId: requestId, withinMs: 0 });
  const commits = { dueBeforeReply: [], hasUnsentEvents: false };
  const ids = { causation: requestId, hopId: requestId, key: requestId, since: view.now };
  return openUnit({ store, context, figures: DEFAULT_FIGURES, commits, ...ids, beforeReplyLeaseMs: 0, fence });
}

/** Runs a change until it commits without a conflict. @throws Conflict when its fence is lost, or its world is gone */
export async function change<T>(
  store: Store,
  view: View,
  { run, fence, isLast = true }: { readonly run: (unit: OpenUnit) => Promise<T>; readonly fence?: Fence; readonly isLast?: boolean },
): Promise<T> {
  for (let runs = 1; ; runs++) {
    const unit = unitIn(store, view, fence);
    try {
      const result = await run(unit);
      await (isLast ? unit.finish() : unit.checkpoint());
      return result;
    } catch (error) {
      if (!(error instanceof Conflict) || error.why !== 'version' || runs >= MOST_RUNS) throw error;
      await pause(Math.random() * PAUSE_GROWTH_MS * runs);
    }
  }
}
