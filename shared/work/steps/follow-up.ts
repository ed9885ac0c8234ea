import { traceIds } from '../../observability/observer.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob, LeasedItem, UnitJob } from '../job.ts';
import type { CommitState } from '../unit/commit.ts';
import type { DueBeforeReply } from '../unit/schedule.ts';
import type { Step } from './step.ts';

/** Notifies the relay of committed events, and runs the due work whose effect the answer must show. Work that fails stays due for the clock. */
export const followUp =
  <J extends UnitJob, Result>(
    parts: ApplicationParts,
    runBeforeReply: (item: LeasedItem) => Promise<void>,
  ): Step<J, J & CommittingJob, Result> =>
  async (job, rest) => {
    const { store, relay, log } = parts;
    const { world } = job.context;
    const commits: CommitState = { dueBeforeReply: [], hasUnsentEvents: false };
    const release = ({ kind, key, lease: { token } }: DueBeforeReply): Promise<void> =>
      ifPossible(log, 'giving back due work', () => store.releaseDue(world, { kind, key, token }));
    let result: Result;
    try {
      result = await rest({ ...job, commits });
    } catch (error) {
      for (const due of commits.dueBeforeReply) await release(due);
      throw error;
    } finally {
      if (commits.hasUnsentEvents) relay.kick(world);
    }
    for (const due of commits.dueBeforeReply) {
      const { kind, key, lease } = due;
      const context = { ...job.context, requestId: `${job.context.requestId}.${kind}` };
      try {
        await runBeforeReply({ item: { kind, key }, token: lease.token, context, notes: job.notes, committed: due });
      } catch (error) {
        warn(parts, job, { err: error, kind, key });
        await release(due);
      }
    }
    return result;
  };

function warn(
  { log }: ApplicationParts,
  { context }: UnitJob,
  about: { readonly err: unknown; readonly kind: string; readonly key: string },
): void {
  const { requestId, correlationId, world, traceparent } = context;
  log.warn({ ...about, requestId, correlationId, world, ...traceIds(traceparent) }, 'due work before the reply failed; it stays due');
}
