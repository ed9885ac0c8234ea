import { randomUUID } from 'node:crypto';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { ClockStore } from '../../shared/store/ports/clock.ts';
import type { Directory, WorldView } from '../../shared/store/ports/directory.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { Ledger, LedgerStore } from '../../shared/store/ports/ledger.ts';
import type { Changes } from './changes.ts';
import { type Patience, patience } from './patience.ts';

/** Wall time for which an advance keeps the clock without a sign of life: that long a clock stands whose driver died. */
const ADVANCE_LEASE_MS = 6_000;
/** How many times it gives a sign of life meanwhile. */
const RENEWALS = 4;
/** Wall time after which a wait looks again although nobody told of a change. */
const POLL_MS = 250;
/** How many things of a kind are named that somebody waits for. */
const NAMED = 100;

export interface Settled {
  readonly settled: boolean;
  readonly waitingFor: readonly string[];
}

export interface Advanced extends Settled {
  readonly now: Ms;
  readonly ran: readonly DueItem[];
}

/** An advance: what it ran so far, and by which token it keeps the clock. */
export interface Advance {
  readonly token: string;
  readonly ran: DueItem[];
}

export interface SettlingOptions {
  readonly worlds: Directory & ClockStore & LedgerStore;
  readonly changes: Changes;
  readonly log: Logger;
  /** Runs the lowest item that is due. @returns it and whether it is done, or undefined when there is none to take */
  readonly runNext: (view: WorldView, advance: Advance) => Promise<{ readonly item: DueItem; readonly done: boolean } | undefined>;
  /** Has run what is due in a world whose time flows. */
  readonly pump: (world: World) => void;
  /** Told when an advance of this process begins and ends: meanwhile it runs what is due. */
  readonly advancing: (world: World, begun: boolean) => void;
  readonly stopped: () => boolean;
}

const GONE: Settled = { settled: false, waitingFor: ['the rehearsal was reset or deleted meanwhile'] };

/**
 * Waiting for a world to come to rest, and moving its clock from rest to rest. Both have one deadline for all that they do, and end when
 * the client has gone: work that runs goes on by itself, and no more work begins.
 */
export function createSettling({ worlds, changes, log, runNext, pump, advancing, stopped }: SettlingOptions) {
  /** Items whose advance did not wait for their end. */
  const leftAlone = new Set<Promise<unknown>>();

  /** Waits for quiet; an advance runs what is due itself, one by one. */
  async function settle(world: World, waits: Patience, advance?: Advance): Promise<Settled> {
    for (;;) {
      const change = changes.next(world, waits.atMost(POLL_MS));
      try {
        const view = await worlds.current(world);
        if (!view) return GONE;
        if (advance && !waits.isOver() && (await ranOne(view, waits, advance))) continue;
        const ledger = await worlds.ledger(world, NAMED);
        // Read after the ledger: while time flows, what was just written falls due later than the clock said before.
        const now = (await worlds.current(world))?.now ?? view.now;
        const open = waitingFor(ledger, now);
        if (open.length === 0) return { settled: true, waitingFor: [] };
        if (waits.isOver() || stopped()) return { settled: false, waitingFor: open };
        if (!advance) pump(world);
        await Promise.race([change.happened, waits.over]);
      } finally {
        change.forget();
      }
    }
  }

  /** @returns whether there was something to run, and it ended while somebody waited */
  async function ranOne(view: WorldView, waits: Patience, advance: Advance): Promise<boolean> {
    const running = runNext(view, advance);
    const next = await Promise.race([running, waits.over.then(() => 'too late' as const)]);
    if (next !== 'too late') {
      if (next?.done) advance.ran.push(next.item);
      return next !== undefined;
    }
    const ending = running
      .catch((error: unknown) => log.warn({ err: error, world: view.world }, 'due work failed that nobody waited for any more'))
      .finally(() => leftAlone.delete(ending));
    leftAlone.add(ending);
    return false;
  }

  /** What others run of the time before ends first: from then on everything is in order. */
  async function othersDone(world: World, waits: Patience): Promise<void> {
    for (;;) {
      const change = changes.next(world, waits.atMost(POLL_MS));
      try {
        const status = await worlds.status(world);
        if (!status || status.running === 0 || waits.isOver()) return;
        await Promise.race([change.happened, waits.over]);
      } finally {
        change.forget();
      }
    }
  }

  async function advance(world: World, to: Ms, waits: Patience): Promise<Advanced> {
    const token = randomUUID();
    if (!(await worlds.leaseClock(world, token, ADVANCE_LEASE_MS))) throw clockBusy();
    advancing(world, true);
    const renewing = setInterval(() => renew(world, token), ADVANCE_LEASE_MS / RENEWALS);
    try {
      return await advanceUnder({ token, ran: [] }, { world, to, waits });
    } finally {
      clearInterval(renewing);
      advancing(world, false);
      await worlds.releaseClock(world, token);
      pump(world);
    }
  }

  /** An advance that lost its clock hears so when it sets it the next time. */
  function renew(world: World, token: string): void {
    worlds.renewClock(world, token, ADVANCE_LEASE_MS).catch((error: unknown) => log.warn({ err: error, world }, 'a clock was not kept'));
  }

  async function advanceUnder(advance: Advance, { world, to, waits }: { world: World; to: Ms; waits: Patience }): Promise<Advanced> {
    const before = await worlds.current(world);
    if (!before) throw new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted meanwhile.');
    let { now } = before;
    const moveTo = async (instant: Ms): Promise<void> => {
      now = Math.max(now, instant);
      if (!(await worlds.setClock(world, { now, flowing: false }, advance.token))) throw clockBusy();
    };
    await othersDone(world, waits);
    let outcome = await settle(world, waits, advance);
    while (outcome.settled) {
      const next = (await worlds.status(world))?.next;
      if (!next || next.at > to) {
        await moveTo(to);
        break;
      }
      if (waits.isOver() || stopped()) return { now, ran: advance.ran, settled: false, waitingFor: [due(next)] };
      await moveTo(next.at);
      outcome = await settle(world, waits, advance);
    }
    return { now, ran: advance.ran, ...outcome };
  }

  return {
    async settle(world: World, timeoutMs: number, gone?: AbortSignal): Promise<Settled> {
      using waits = patience(timeoutMs, gone);
      return await settle(world, waits);
    },
    /** @param timeoutMs for all of it. @param gone aborted when the client has gone */
    async advance(world: World, to: Ms, timeoutMs: number, gone?: AbortSignal): Promise<Advanced> {
      using waits = patience(timeoutMs, gone);
      return await advance(world, to, waits);
    },
    stop: async (): Promise<void> => {
      await Promise.all(leftAlone);
    },
  };
}

export const clockBusy = (): Problem =>
  new Problem('clock_busy', 'This rehearsal’s clock is being advanced; wait for that to end.', { retryAfter: 1 });

const due = ({ application, kind, key }: DueItem): string => `due ${application}|${kind}|${key}`;

/** What there is to wait for: the first by name, the others by number. */
function waitingFor({ unsent, pending, running, counts, next }: Ledger, now: Ms): readonly string[] {
  const named = (what: string, keys: readonly string[], count: number): readonly string[] => [
    ...keys.map((key) => `${what} ${key}`),
    ...(count > keys.length ? [`${what} and ${count - keys.length} more`] : []),
  ];
  return [
    ...named('unsent', unsent, counts.unsent),
    ...named('pending', pending, counts.pending),
    ...named('running', running, counts.running),
    ...(next && next.at <= now ? [due(next)] : []),
  ];
}
