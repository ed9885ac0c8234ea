import { DEFAULT_FIGURES } from '../../catalog/retailer.ts';
import type { Context } from '../../control/context.ts';
import { pause } from '../../process/waiting.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import { Conflict } from '../unit/interruptions.ts';
import { parseStored } from '../unit/loaded-objects.ts';
import { openUnit } from '../unit/open-unit.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

/** Limit of runs of a change that conflicts with other calls. */
const MOST_RUNS = 40;
const PAUSE_GROWTH_MS = 3;

/** Changes records about real systems, in a separate commit from the request's. */
export async function recordInWorld(
  { store }: { readonly store: Store },
  context: Context,
  change: (work: UnitOfWork) => Promise<void>,
): Promise<void> {
  for (let runs = 1; ; runs++) {
    const ids = { causation: context.requestId, hopId: context.requestId, key: context.requestId, since: context.now };
    const commits = { dueBeforeReply: [], hasUnsentEvents: false };
    const unit = openUnit({ store, context, figures: DEFAULT_FIGURES, commits, parse: parseStored, ...ids, beforeReplyLeaseMs: 0 });
    try {
      await change(unit);
      return await unit.finish();
    } catch (error) {
      if (!(error instanceof Conflict) || error.why !== 'version' || runs >= MOST_RUNS) throw error;
      await pause(Math.random() * PAUSE_GROWTH_MS * runs);
    }
  }
}
