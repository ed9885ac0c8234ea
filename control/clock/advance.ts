import { randomUUID } from 'node:crypto';
import { KEPT_TIMERS } from '../../shared/catalog/limits.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { ifPossible } from '../../shared/process/harmless.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { ClockStore } from '../../shared/store/ports/due-work.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { LogStore } from '../../shared/store/ports/logs.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { Turns } from '../../shared/store/ports/turns.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import type { ChangeWaits } from './change-waits.ts';
import type { DispatchedItem, DueRunner } from './due-runner.ts';
import type { Flow } from './flow.ts';
import { addMove, type RanTimer } from './moves.ts';
import { describeDue, POLL_MS, type Settle, type Settled, type WaitLimit } from './settle.ts';

/** Wall time of the lease that an advance has on its clock. If the driver dies, the clock stays frozen for this long. */
const ADVANCE_LEASE_MS = 6_000;
const RENEWALS_PER_LEASE = 4;

export interface Advanced extends Settled {
  readonly now: Ms;
  readonly ran: readonly RanTimer[];
  /** Number of the recorded move. Absent: nothing moved and nothing ran. */
  readonly move?: number;
}

interface Advance {
  /** Names the lease on the clock. */
  readonly token: string;
  readonly world: World;
  readonly to: Ms;
  readonly limit: WaitLimit;
  readonly ran: RanTimer[];
}

interface AdvanceOptions {
  readonly worlds: Directory & ClockStore & Pick<JournalReader, 'journalOf'> & Pick<LogStore, 'addEntry'>;
  readonly changes: ChangeWaits;
  readonly flow: Flow;
  readonly runner: DueRunner;
  readonly settle: Settle;
  readonly turns: Turns | undefined;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** Advances a clock and runs what falls due, one by one. After the limit, the running item is finished and no further item begins. */
export function createAdvance({ worlds, changes, flow, runner, settle, turns, log, stopping }: AdvanceOptions) {
  /** Items that outlasted the limit of their advance. */
  const outlived = new Set<Promise<unknown>>();

  async function advance(world: World, to: Ms, limit: WaitLimit): Promise<Advanced> {
    const token = randomUUID();
    if (turns?.isOrdered(world)) await endEarlierWork(world, limit);
    if (!(await worlds.leaseClock(world, token, ADVANCE_LEASE_MS))) throw await busyOrGone(worlds, world);
    flow.suspend(world);
    const renewing = setInterval(() => renewLease(world, token), ADVANCE_LEASE_MS / RENEWALS_PER_LEASE);
    try {
      const [before, { newest }] = await Promise.all([requireCurrent(worlds, world), worlds.journalOf(world, { limit: 1, bodies: false })]);
      const advanced = await moveClock({ token, world, to, limit, ran: [] }, before.now);
      return { ...advanced, move: await recordMove(world, { from: before.now, after: newest }, advanced) };
    } finally {
      clearInterval(renewing);
      flow.resume(world);
      // If this fails, the lease expires.
      await ifPossible(log, 'releasing a clock', () => worlds.releaseClock(world, token));
      flow.run(world);
    }
  }

  /** In a world with a seed, an advance runs only what falls due in it, however fast it follows the requests before it. */
  async function endEarlierWork(world: World, limit: WaitLimit): Promise<void> {
    const status = await worlds.status(world);
    if (!status?.advancing) await settle(world, limit);
  }

  /** An advance whose lease was lost fails when it sets the clock the next time. */
  function renewLease(world: World, token: string): void {
    worlds
      .renewClock(world, token, ADVANCE_LEASE_MS)
      .catch((error: unknown) => log.warn({ err: error, world }, 'renewing the lease of a clock failed'));
  }

  /** @returns the number of the record; undefined when there is nothing to record */
  async function recordMove(
    world: World,
    { from, after }: { readonly from: Ms; readonly after: number },
    { now, ran }: Advanced,
  ): Promise<number | undefined> {
    if (now === from && ran.length === 0) return undefined;
    const move = { from, to: now, movedAt: Date.now(), after, ran: ran.length, timers: ran.slice(0, KEPT_TIMERS) };
    let number: number | undefined;
    await ifPossible(log, 'recording a move of a clock', async () => {
      number = await addMove(worlds, world, move);
    });
    return number;
  }

  async function moveClock(advance: Advance, from: Ms): Promise<Advanced> {
    const { token, world, to, limit, ran } = advance;
    let now = from;
    const setClock = async (instant: Ms): Promise<void> => {
      now = Math.max(now, instant);
      if (!(await worlds.setClock(world, { now, flowing: false }, token))) throw await busyOrGone(worlds, world);
    };
    const runOne = (view: WorldView): Promise<boolean> => runWithinLimit(view, advance);
    await endRunningWork(world, limit);
    let outcome = await settle(world, limit, runOne);
    while (outcome.settled) {
      const next = (await worlds.status(world))?.next;
      if (!next || next.at > to) {
        await setClock(to);
        break;
      }
      if (limit.isOver() || stopping.aborted) return { now, ran, settled: false, waitingFor: [describeDue(next)] };
      await setClock(next.at);
      outcome = await settle(world, limit, runOne);
    }
    return { now, ran, ...outcome };
  }

  /** Waits until work that was leased before the advance has ended. From then on everything runs in order. */
  async function endRunningWork(world: World, limit: WaitLimit): Promise<void> {
    for (;;) {
      using change = changes.next(world, limit.atMost(POLL_MS));
      const status = await worlds.status(world);
      if (!status || status.running === 0 || limit.isOver()) return;
      await Promise.race([change.happened, limit.over]);
    }
  }

  async function runWithinLimit(view: WorldView, { token, limit, ran }: Advance): Promise<boolean> {
    const running = runner.runNext(view, token);
    const run = await Promise.race([running, limit.over.then(() => 'too late' as const)]);
    if (run !== 'too late') {
      if (run?.done) ran.push(timerOf(run));
      return run !== undefined;
    }
    const ending = running
      .catch((error: unknown) => log.warn({ err: error, world: view.world }, 'due work failed after its advance had timed out'))
      .finally(() => outlived.delete(ending));
    outlived.add(ending);
    return false;
  }

  return {
    advance,
    stop: async (): Promise<void> => {
      await Promise.all(outlived);
    },
  };
}

function timerOf({ item, requestId }: DispatchedItem): RanTimer {
  const { application, kind, key, at, correlationId } = item;
  return { application, kind, key, at, correlationId, requestId };
}

/** Why a clock could not be leased or set. @throws Problem unknown_rehearsal when its world was reset or deleted */
export async function busyOrGone(worlds: Pick<Directory, 'current'>, world: World): Promise<Problem> {
  await requireCurrent(worlds, world);
  return new Problem('clock_busy', 'This rehearsal’s clock is being advanced; wait until that has ended.', { retryAfter: 1 });
}
