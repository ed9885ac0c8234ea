import { LRUCache } from 'lru-cache';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { type DueItem, SETTLING_MS, type Settling } from '../../shared/store/ports/due-work.ts';
import type { Ledger, LedgerStore } from '../../shared/store/ports/ledger.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import type { ChangeWaits } from './change-waits.ts';
import type { Flow } from './flow.ts';

/** Wall time after which a wait reads the world again without a change notification. */
export const POLL_MS = 250;
/** Wall time between two announcements of a world. Relays remember an announcement for longer. */
const ANNOUNCED_MS = SETTLING_MS / 2;
const MOST_ANNOUNCED = 1_000;
/** How many open items of each kind an answer names. */
const MOST_NAMED = 100;

export interface Settled {
  readonly settled: boolean;
  /** What the world waits for. Empty when it is settled. */
  readonly waitingFor: readonly string[];
}

interface SettleOptions {
  readonly worlds: Directory & LedgerStore & Settling;
  readonly changes: ChangeWaits;
  readonly flow: Flow;
  readonly stopping: AbortSignal;
}

/** Runs one due item of an advance. @returns whether there was one and it ended within the limit */
type RunOne = (view: WorldView) => Promise<boolean>;

export type Settle = (world: World, limit: WaitLimit, runOne?: RunOne) => Promise<Settled>;

/**
 * Waits until a world is settled. With `runOne`, this runs due work one by one; without it, the flowing clock does.
 * @throws Problem unknown_rehearsal when the world is reset or deleted
 */
export function createSettle({ worlds, changes, flow, stopping }: SettleOptions): Settle {
  // It forgets worlds that have ended, too.
  const announced = new LRUCache<World, true>({ max: MOST_ANNOUNCED, ttl: ANNOUNCED_MS, ttlAutopurge: true });

  /** Lets relays send events that they would gather for a moment. */
  function announce(world: World): void {
    if (announced.has(world)) return;
    announced.set(world, true);
    // Without the announcement, the events are sent a moment later.
    worlds.announceSettling(world).catch(() => undefined);
  }

  return async (world, limit, runOne) => {
    for (;;) {
      using change = changes.next(world, limit.atMost(POLL_MS));
      const view = await requireCurrent(worlds, world);
      if (runOne && !limit.isOver() && (await runOne(view))) continue;
      const ledger = await worlds.ledger(world, MOST_NAMED);
      // The clock is read after the ledger: while time flows, work may fall due between the two reads.
      const { now } = await requireCurrent(worlds, world);
      const waitingFor = openWork(ledger, now);
      if (waitingFor.length === 0) return { settled: true, waitingFor };
      if (ledger.counts.unsent > 0) announce(world);
      if (limit.isOver() || stopping.aborted) return { settled: false, waitingFor };
      if (!runOne) flow.run(world);
      await Promise.race([change.happened, limit.over]);
    }
  };
}

export const describeDue = ({ application, kind, key }: DueItem): string => `due ${application}|${kind}|${key}`;

/** The work that a world waits for. It names the first items of each kind and counts the others. */
function openWork({ unsent, pending, running, counts, next }: Ledger, now: Ms): readonly string[] {
  const named = (sort: string, keys: readonly string[], count: number): readonly string[] => [
    ...keys.map((key) => `${sort} ${key}`),
    ...(count > keys.length ? [`${sort} and ${count - keys.length} more`] : []),
  ];
  return [
    ...named('unsent', unsent, counts.unsent),
    ...named('pending', pending, counts.pending),
    ...named('running', running, counts.running),
    ...(next && next.at <= now ? [describeDue(next)] : []),
  ];
}

/** Ends a wait at a deadline in wall time, or earlier when the client disconnects. */
export interface WaitLimit extends Disposable {
  isOver(): boolean;
  /** Resolves when the wait must end. */
  readonly over: Promise<void>;
  /** The wall time that is left, at most `ms`. */
  atMost(ms: Ms): Ms;
}

/** @param gone aborted when the client has disconnected */
export function limitWait(timeoutMs: Ms, gone?: AbortSignal): WaitLimit {
  const until = Date.now() + timeoutMs;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const leave = (): void => resolve();
  if (gone?.aborted) leave();
  gone?.addEventListener('abort', leave);
  return {
    over,
    isOver: () => gone?.aborted === true || Date.now() >= until,
    atMost: (ms) => Math.max(0, Math.min(ms, until - Date.now())),
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', leave);
    },
  };
}
