import { Problem } from '../../catalog/problems.ts';
import type { Observer } from '../../observability/observer.ts';
import { pause } from '../../process/waiting.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Job } from '../job.ts';
import { Conflict } from '../unit/interruptions.ts';
import type { Step } from './step.ts';

/** How often a handler runs before its request is refused with `contention`. */
const MOST_RUNS = 20;
/** A pause grows by at most this wall time from one run to the next. */
const PAUSE_GROWTH_MS = 4;

/** Reruns after a conflicting commit, on current state. @throws Problem `contention` after too many, a lost claim, or a reset */
export const rerunOnConflict =
  <J, Result>({ observer }: ApplicationParts): Step<J, J, Result> =>
  (job, rest) =>
    rerun(observer, () => rest(job));

/**
 * As `rerunOnConflict`, but work whose item was cancelled, replaced or taken over, and a delivery that is already made, end without an
 * error: the rest belongs to another run.
 * @param whenLost the reason in the hop of a job that ends without an error
 */
export const rerunUntilLost =
  <J extends Job>({ observer }: ApplicationParts, { whenLost }: { readonly whenLost?: string } = {}): Step<J, J, void> =>
  (job, rest) =>
    rerun(
      observer,
      () => rest(job),
      () => {
        if (whenLost !== undefined) job.notes.unchanged = whenLost;
      },
    );

async function rerun<Result>(observer: Observer, attempt: () => Promise<Result>, whenLost?: () => Result): Promise<Result> {
  for (let run = 1; ; run++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const { why } = error;
      observer.conflicted(why);
      if (why === 'held' && whenLost) return whenLost();
      if (why === 'held' || why === 'world') {
        throw contention('Another process has taken this request over, or its rehearsal was reset; repeat it.');
      }
      if (run >= MOST_RUNS) throw contention(`Concurrent requests changed the same objects ${MOST_RUNS} times; repeat the request.`);
      await pause(Math.random() * PAUSE_GROWTH_MS * run);
    }
  }
}

const contention = (detail: string): Problem => new Problem('contention', detail, { retryAfter: 1 });
