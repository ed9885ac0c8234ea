import { DEFAULT_FIGURES } from '../catalog/retailer.ts';
import type { Context } from '../control/context.ts';
import { pause } from '../process/waiting.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { Fence } from '../store/ports/plan.ts';
import { finish } from './unit/commit.ts';
import { Conflict } from './unit/interruptions.ts';
import { Unit } from './unit/unit.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Limit of runs of a change that conflicts with others. */
const MOST_RUNS = 50;
const PAUSE_GROWTH_MS = 4;

/** Opens a unit of work on records of the estate itself, which need no figures of the retailer. The caller commits it. */
export function recordUnit(store: Store, context: Context, fence?: Fence): Unit {
  const ids = { causation: context.requestId, hopId: context.requestId, key: context.requestId, since: context.now };
  const commits = { dueBeforeReply: [], hasUnsentEvents: false };
  return new Unit({ store, context, figures: DEFAULT_FIGURES, commits, ...ids, beforeReplyLeaseMs: 0, fence });
}

interface ChangeOptions {
  readonly fence?: Fence;
  /** Whether the fence ends with the change. */
  readonly isLast?: boolean;
}

/** Changes such records until the commit has no conflict. @throws Conflict when its fence is lost, or its world is gone */
export async function changeRecords<T>(
  store: Store,
  context: Context,
  run: (unit: UnitOfWork) => Promise<T>,
  { fence, isLast = true }: ChangeOptions = {},
): Promise<T> {
  for (let runs = 1; ; runs++) {
    const unit = recordUnit(store, context, fence);
    try {
      const result = await run(unit);
      await (isLast ? finish(unit) : unit.checkpoint());
      return result;
    } catch (error) {
      if (!(error instanceof Conflict) || error.why !== 'version' || runs >= MOST_RUNS) throw error;
      await pause(Math.random() * PAUSE_GROWTH_MS * runs);
    }
  }
}
