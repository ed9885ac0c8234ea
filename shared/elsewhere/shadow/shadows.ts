import { randomUUID } from 'node:crypto';
import type { Context } from '../../control/context.ts';
import { redactText } from '../../domain/redaction.ts';
import { instant } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { Logger } from '../../process/logger.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import { changeRecords } from '../../work/records.ts';
import type { Difference } from './compare.ts';
import { EMPTY_FIDELITY, type FidelityLog, fidelityLogs } from './stored-fidelity.ts';

/** Limit of calls of a world that wait for the real system, per application and process. Further calls count as skipped. */
const MOST_WAITING = 500;
/** Limit of differences that a world keeps. The first ones stay. */
const MOST_DIFFERENCES = 500;

/** The same call for the real system, after ours has answered. @returns what the fidelity log shows about it */
type ShadowCall = () => Promise<readonly Difference[]>;

/** Makes the calls of a world one after the other, in the sequence of our answers: a call may need the ids of an earlier one. */
export function createShadows(parts: { readonly store: Store; readonly log: Logger }) {
  /** Name of the queue in the fidelity log. A process that starts again has another. */
  const queueName = randomUUID();
  const running = new Map<World, { last: Promise<void>; waiting: number }>();

  async function compareNow(context: Context, api: string, call: ShadowCall): Promise<void> {
    const found = await call().catch((error: unknown) => {
      parts.log.warn({ err: error, api, world: context.world }, 'comparing with the real system in the mode shadow failed');
      return undefined;
    });
    await record(context, (log) => {
      const ended = withWaiting(log, -1);
      return found ? withComparison(ended, { context, api, found }) : counted(ended, api, { skipped: 1 });
    });
  }

  const record = (context: Context, change: (log: Omit<FidelityLog, 'version'>) => Omit<FidelityLog, 'version'>): Promise<void> =>
    ifPossible(parts.log, 'recording a comparison with a real system', () =>
      changeRecords(parts.store, context, async (work) => {
        work.put(fidelityLogs, change((await work.get(fidelityLogs, 'fidelity')) ?? EMPTY_FIDELITY));
      }),
    );

  /** Counts the waiting calls of this process. */
  function withWaiting(log: Omit<FidelityLog, 'version'>, more: number): Omit<FidelityLog, 'version'> {
    const { [queueName]: own, ...others } = log.queues;
    const waiting = (own?.waiting ?? 0) + more;
    const queues = waiting > 0 ? { ...others, [queueName]: { waiting, at: instant(Date.now()) } } : others;
    return { ...log, queues };
  }

  return {
    /** Resolves when the call is counted. The comparison follows. */
    async add(context: Context, api: string, call: ShadowCall): Promise<void> {
      const { world } = context;
      const queue = running.get(world) ?? { last: Promise.resolve(), waiting: 0 };
      if (queue.waiting >= MOST_WAITING) return record(context, (log) => counted(log, api, { skipped: 1 }));
      running.set(world, queue);
      queue.waiting += 1;
      const begun = record(context, (log) => withWaiting(log, 1));
      queue.last = Promise.all([queue.last, begun])
        .then(() => compareNow(context, api, call))
        .finally(() => {
          queue.waiting -= 1;
          if (queue.waiting === 0) running.delete(world);
        });
      await begun;
    },
  };
}

type Counts = FidelityLog['operations'][string];

/** Adds to the counts of an operation. */
function counted<Log extends Omit<FidelityLog, 'version'>>(log: Log, api: string, more: Partial<Counts>): Log {
  const { compared, equal, skipped } = log.operations[api] ?? { compared: 0, equal: 0, skipped: 0 };
  const counts = { compared: compared + (more.compared ?? 0), equal: equal + (more.equal ?? 0), skipped: skipped + (more.skipped ?? 0) };
  return { ...log, operations: { ...log.operations, [api]: counts } };
}

interface Compared {
  readonly context: Context;
  readonly api: string;
  readonly found: readonly Difference[];
}

function withComparison(
  before: Omit<FidelityLog, 'version'>,
  { context: { requestId, correlationId }, api, found }: Compared,
): Omit<FidelityLog, 'version'> {
  const at = instant(Date.now());
  const differences = [...before.differences];
  for (const { pointer, ours, theirs } of found) {
    const place = differences.findIndex((one) => one.api === api && one.pointer === pointer);
    const same = differences[place];
    const example = same ?? { api, pointer, count: 0, ours: redactText(ours), theirs: redactText(theirs), requestId, correlationId, at };
    const next = { ...example, count: example.count + 1 };
    if (same) differences[place] = next;
    else if (differences.length < MOST_DIFFERENCES) differences.push(next);
  }
  return counted({ ...before, differences }, api, { compared: 1, equal: found.length === 0 ? 1 : 0 });
}
