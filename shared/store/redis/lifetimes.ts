import { randomUUID } from 'node:crypto';
import { DEFAULT_REHEARSAL } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { Lifetime } from '../ports/rehearsals.ts';
import type { Argument, RedisConnection } from './connection.ts';
import { partsOf, type RedisKeys } from './formats.ts';
import type { ScriptName } from './scripts.ts';

/** Wall time after which it is looked at what became of a rehearsal that was being opened or removed. */
const UNFINISHED_MS = 60_000;
/** How long one process sweeps before another may. */
const SWEEP_LEASE_MS = 10_000;
const OVER_AT_ONCE = 50;
/** How long a rehearsal lives without use that an older version has opened. */
const ADOPTED_IDLE_MS: Ms = 24 * 60 * 60 * 1_000;

const KEPT = 'kept';

export type Place = { readonly is: 'entered' } | { readonly is: 'full'; readonly longestIdle?: Lifetime & { readonly rehearsal: string } };

/** Which rehearsals there are and for how long; `redis-lua/lifetimes.ts` says how that and the rehearsals themselves stay together. */
export function redisLifetimes({ connection, keys }: { readonly connection: RedisConnection; readonly keys: RedisKeys }) {
  const run = (name: ScriptName, ...args: readonly Argument[]): Promise<unknown> => connection.run(name, keys.rehearsals, args);
  const sweeper = randomUUID();
  const idleText = (idleMs: Ms | null): Argument => idleMs ?? KEPT;
  const endsAt = (score: string): Ms | null => (score === 'inf' ? null : Number(score));

  async function use(rehearsal: string, how: 'opened' | 'found' | '', idle: Argument): Promise<Ms | null> {
    const has = String(await run('use', rehearsal, how, idle));
    return has === KEPT ? null : Number(has);
  }

  return {
    /** @param most how many there may be with it */
    async enter(rehearsal: string, idleMs: Ms | null, most?: number): Promise<Place> {
      const reply = (await run('enter', rehearsal, most ?? '', UNFINISHED_MS, idleText(idleMs))) as readonly string[];
      const [is, idlest, lastUsedAt, ends = ''] = reply;
      if (is !== 'full') return { is: 'entered' };
      if (idlest === undefined) return { is: 'full' };
      return { is: 'full', longestIdle: { rehearsal: idlest, lastUsedAt: Number(lastUsedAt), endsAt: endsAt(ends) } };
    },
    /** Nothing happens when there is none. @returns its idle time */
    use: (rehearsal: string): Promise<Ms | null> => use(rehearsal, '', ''),
    /** It is there from now on. */
    opened: (rehearsal: string, idleMs: Ms | null): Promise<Ms | null> => use(rehearsal, 'opened', idleText(idleMs)),
    /** It is there: what was not finished of opening or removing it has left it so. */
    found: (rehearsal: string): Promise<Ms | null> => use(rehearsal, 'found', KEPT),
    /** It is about to go. @returns by what its place is given up; '' when it stays, or has none */
    leave: async (rehearsal: string, onlyOver: boolean): Promise<string> =>
      String(await run('leave', rehearsal, onlyOver ? 1 : 0, UNFINISHED_MS)),
    left: async (rehearsal: string, note: string): Promise<void> => {
      await run('left', rehearsal, note);
    },
    /** Those whose end has come; `unfinished` are those that were being opened or removed. Nothing while another process sweeps. */
    async over(): Promise<readonly { readonly rehearsal: string; readonly unfinished: boolean }[]> {
      const reply = (await run('over', sweeper, SWEEP_LEASE_MS, OVER_AT_ONCE)) as readonly string[];
      return Array.from({ length: reply.length / 2 }, (_, n) => ({ rehearsal: reply[2 * n] ?? '', unfinished: reply[2 * n + 1] === '0' }));
    },
    async all(): Promise<readonly (Lifetime & { readonly rehearsal: string })[]> {
      const reply = (await run('lifetimes')) as readonly string[];
      return Array.from({ length: reply.length / 3 }, (_, n) => {
        const [rehearsal = '', ends = '', used] = reply.slice(3 * n);
        return { rehearsal, endsAt: endsAt(ends), lastUsedAt: Number(used) };
      });
    },
    /** A rehearsal that is there and has no place: an older version has opened it. */
    async adopt(world: World): Promise<void> {
      const { rehearsal } = partsOf(world);
      const known = await connection.idempotently((client) => client.zscore(`${keys.rehearsals}:ends`, rehearsal));
      if (known === null) await use(rehearsal, 'found', rehearsal === DEFAULT_REHEARSAL ? KEPT : ADOPTED_IDLE_MS);
    },
  };
}

export type RedisLifetimes = ReturnType<typeof redisLifetimes>;
