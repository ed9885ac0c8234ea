import { randomUUID } from 'node:crypto';
import { applicationNames } from '../../catalog/applications.ts';
import { DEFAULT_REHEARSAL } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { Lifetime } from '../ports/rehearsals.ts';
import type { Argument, RedisAccess, RedisBackground } from './connection.ts';
import { partsOf, WORLD_KEYS } from './keys.ts';
import type { ScriptName } from './scripts.ts';
import { repeatedly } from './sweep.ts';

/** Wall time after which the sweep checks a rehearsal that was being opened or removed. */
const UNFINISHED_MS = 60_000;
/** Lease of the process that sweeps, in wall time. */
const SWEEP_LEASE_MS = 10_000;
const ENDED_AT_ONCE = 50;
/** Idle time, in wall time, of a rehearsal that the list did not have. */
const ADOPTED_IDLE_MS: Ms = 24 * 60 * 60 * 1_000;

const ALWAYS_KEPT = 'kept';

type Entry = { readonly is: 'entered' } | { readonly is: 'full'; readonly longestIdle?: Lifetime & { readonly rehearsal: string } };

export interface RemovalOptions {
  /** Whether the rehearsal is removed only if it has expired. */
  readonly onlyEnded: boolean;
}

/** The list of rehearsals with their lifetimes. `lua/lifetimes.ts` explains how it stays consistent with the rehearsals themselves. */
export function createRedisLifetimes({ connection, keys }: RedisAccess) {
  const run = (name: ScriptName, ...args: readonly Argument[]): Promise<unknown> => connection.run(name, keys.rehearsals, args);
  const sweeper = randomUUID();
  const idleText = (idleMs: Ms | null): Argument => idleMs ?? ALWAYS_KEPT;
  const endOf = (score: string): Ms | null => (score === 'inf' ? null : Number(score));
  const lifetimesIn = (reply: unknown): readonly (Lifetime & { readonly rehearsal: string })[] => {
    const parts = reply as readonly string[];
    return Array.from({ length: parts.length / 3 }, (_, n) => {
      const [rehearsal = '', ends = '', used] = parts.slice(3 * n);
      return { rehearsal, endsAt: endOf(ends), lastUsedAt: Number(used) };
    });
  };

  async function use(rehearsal: string, how: 'opened' | 'found' | '', idle: Argument): Promise<Ms | null> {
    const has = String(await run('use', rehearsal, how, idle));
    return has === ALWAYS_KEPT ? null : Number(has);
  }

  return {
    /** Enters a rehearsal that is about to be opened. @param most limit of the number of rehearsals, this one included */
    async enter(rehearsal: string, idleMs: Ms | null, most?: number): Promise<Entry> {
      const reply = (await run('enter', rehearsal, most ?? '', UNFINISHED_MS, idleText(idleMs))) as readonly string[];
      const [is, idlest, lastUsedAt, ends = ''] = reply;
      if (is !== 'full') return { is: 'entered' };
      if (idlest === undefined) return { is: 'full' };
      return { is: 'full', longestIdle: { rehearsal: idlest, lastUsedAt: Number(lastUsedAt), endsAt: endOf(ends) } };
    },
    /** Notes the use of a rehearsal, if it exists. @returns its idle time; null: it is kept */
    use: (rehearsal: string): Promise<Ms | null> => use(rehearsal, '', ''),
    /** Notes that a rehearsal has been opened. */
    noteOpened: (rehearsal: string, idleMs: Ms | null): Promise<Ms | null> => use(rehearsal, 'opened', idleText(idleMs)),
    /** Notes that a rehearsal exists, after an unfinished opening or removal. */
    noteFound: (rehearsal: string): Promise<Ms | null> => use(rehearsal, 'found', ALWAYS_KEPT),
    /** Begins a removal. @returns the note for `endRemoval`; '' when the rehearsal stays or is not in the list */
    beginRemoval: async (rehearsal: string, { onlyEnded }: RemovalOptions): Promise<string> =>
      String(await run('beginRemoval', rehearsal, onlyEnded ? 1 : 0, UNFINISHED_MS)),
    endRemoval: async (rehearsal: string, note: string): Promise<void> => {
      await run('endRemoval', rehearsal, note);
    },
    /** Ended rehearsals; `unfinished`: it was being opened or removed. Empty while another process sweeps. */
    async ended(): Promise<readonly { readonly rehearsal: string; readonly unfinished: boolean }[]> {
      const reply = (await run('ended', sweeper, SWEEP_LEASE_MS, ENDED_AT_ONCE)) as readonly string[];
      return Array.from({ length: reply.length / 2 }, (_, n) => ({ rehearsal: reply[2 * n] ?? '', unfinished: reply[2 * n + 1] === '0' }));
    },
    all: async () => lifetimesIn(await run('lifetimes')),
    /** The lifetime of a rehearsal; empty if the list does not have it. */
    of: async (rehearsal: string) => lifetimesIn(await run('lifetime', rehearsal)),
    /** Adds the rehearsal of a current world to the list if it is missing there. */
    async adopt(world: World): Promise<void> {
      const { rehearsal } = partsOf(world);
      const known = await connection.idempotently((client) => client.zscore(`${keys.rehearsals}:ends`, rehearsal));
      if (known === null) await use(rehearsal, 'found', rehearsal === DEFAULT_REHEARSAL ? ALWAYS_KEPT : ADOPTED_IDLE_MS);
    },
  };
}

export type RedisLifetimes = ReturnType<typeof createRedisLifetimes>;

const WORLDS_PER_READ = 10;
/** Wall time from the moment that opening or replacing a world begins, until the janitor checks the world. */
export const LOOK_AGAIN_MS = 600_000;

interface JanitorOptions extends RedisBackground {
  readonly lifetimes: RedisLifetimes;
  /** Pause between sweeps, in wall time. */
  readonly sweepMs: number;
}

/**
 * Drops replaced and removed worlds, one after the other, so that other commands are hardly delayed. Every process runs a janitor; if one
 * dies, another continues. It frees memory before it writes anything, and never reads current worlds.
 */
export function createJanitor({ connection, keys, lifetimes, sweepMs, onError }: JanitorOptions) {
  let stopped = false;

  async function sweep(): Promise<void> {
    for (let found = WORLDS_PER_READ; found === WORLDS_PER_READ && !stopped; ) {
      const reply = (await connection.run('droppable', keys.worlds, [WORLDS_PER_READ])) as readonly string[];
      found = reply.length / 2;
      for (let at = 0; at < reply.length && !stopped; at += 2) await drop(reply[at] as World, reply[at + 1] ?? '');
    }
  }

  /** @param since earliest wall time of the drop */
  async function drop(world: World, since: string): Promise<void> {
    const { rehearsal, id } = partsOf(world);
    if ((await connection.run('drop', keys.rehearsal(rehearsal), [id, ...WORLD_KEYS])) === 0) {
      await lifetimes.adopt(world);
      await connection.run('markCurrent', keys.worlds, [world, since]);
      return;
    }
    for (const application of applicationNames) {
      await connection.idempotently((client) => client.zrem(keys.announced(application), world));
    }
    await connection.idempotently((client) => client.zrem(keys.worlds, world));
  }

  const stopSweeping = repeatedly(sweepMs, sweep, { onError, atOnce: false });
  return {
    stop(): void {
      stopped = true;
      stopSweeping();
    },
  };
}
