import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { RehearsalCredentials } from '../ports/directory.ts';
import type { Lifetime, RehearsalRecord, RehearsalStore } from '../ports/rehearsals.ts';
import type { Snapshot } from '../ports/snapshots.ts';
import type { RedisConnection } from './connection.ts';
import { partsOf, type RedisKeys } from './formats.ts';
import { LOOK_AGAIN_MS } from './janitor.ts';
import type { RedisLifetimes } from './lifetimes.ts';
import { seedWorld } from './seeding.ts';

export interface RedisRehearsalsOptions {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly lifetimes: RedisLifetimes;
  /** Wall time after which a world is dropped that is no longer current. */
  readonly dropAfterMs: number;
}

/** Which rehearsals there are, for how long, and what world each stands for. */
export function redisRehearsals(options: RedisRehearsalsOptions): RehearsalStore {
  const { connection, keys, lifetimes, dropAfterMs } = options;

  /** The world of a rehearsal, if there is one. */
  const currentOf = async (rehearsal: string): Promise<World | undefined> => {
    const id = await connection.idempotently((client) => client.hget(keys.rehearsal(rehearsal), 'ulid'));
    return id === null ? undefined : `${rehearsal}~${id}`;
  };
  const dropAfter = (world: World, ms: number): Promise<unknown> => connection.run('dropAt', keys.worlds, [ms, world]);

  /** @param is how it must be with the rehearsal when its world is switched @returns undefined when it is not so */
  async function open(is: 'any' | 'absent' | 'present', { rehearsal, from, credentials }: Opened): Promise<World | undefined> {
    const id = ulid();
    const world: World = `${rehearsal}~${id}`;
    // Noted before anything is there: if this process dies meanwhile, somebody drops what it left behind.
    const noted = Date.now() + LOOK_AGAIN_MS;
    await connection.idempotently((client) => client.zadd(keys.worlds, noted, world));
    try {
      const counts = await seedWorld(connection, keys.world(world), from);
      for (;;) {
        const before = await currentOf(rehearsal);
        if (before) await dropAfter(before, LOOK_AGAIN_MS);
        const switched = await connection.run('switch', keys.rehearsal(rehearsal), [
          ...[is, before ? partsOf(before).id : '', id, JSON.stringify(credentials), new Date().toISOString(), from.now],
          ...[Object.keys(counts).length, ...Object.entries(counts).flat()],
        ]);
        if (switched === 'another') continue;
        if (switched === 'no') break;
        await connection.run('rest', keys.worlds, [world, noted]);
        if (before) await dropAfter(before, dropAfterMs);
        return world;
      }
    } catch (error) {
      // What was written of it makes room again; the janitor finds it also when this fails.
      await dropAfter(world, dropAfterMs).catch(() => undefined);
      throw error;
    }
    await dropAfter(world, dropAfterMs);
    return undefined;
  }

  async function create(rehearsal: string, idleMs: Ms | null, opened: Omit<Opened, 'rehearsal'>): Promise<World | undefined> {
    const world = await open('absent', { rehearsal, ...opened });
    if (world) await lifetimes.opened(rehearsal, idleMs);
    return world;
  }

  /** Its place goes last: if this process dies before, the sweep finds out what became of it. */
  async function remove(rehearsal: string, onlyOver: boolean): Promise<boolean> {
    const note = await lifetimes.leave(rehearsal, onlyOver);
    if (onlyOver && note === '') return false;
    const operation = randomUUID();
    for (;;) {
      const world = await currentOf(rehearsal);
      // Before it is removed, since nobody could find its world afterwards.
      if (world) await dropAfter(world, LOOK_AGAIN_MS);
      const removed = world && (await connection.run('remove', keys.rehearsal(rehearsal), [partsOf(world).id, operation]));
      if (removed === 'another') continue;
      if (note !== '') await lifetimes.left(rehearsal, note);
      if (world) await dropAfter(world, dropAfterMs);
      return world !== undefined;
    }
  }

  async function expire(): Promise<readonly string[]> {
    const ended: string[] = [];
    for (const { rehearsal, unfinished } of await lifetimes.over()) {
      const isThere = unfinished && (await currentOf(rehearsal)) !== undefined;
      if (isThere) await lifetimes.found(rehearsal);
      else if ((await remove(rehearsal, true)) && !unfinished) ended.push(rehearsal);
    }
    return ended;
  }

  return {
    list: async () => {
      const found = await Promise.all((await lifetimes.all()).map((lifetime) => summary(options, lifetime)));
      return found
        .flat()
        .sort((a, b) => a.since - b.since)
        .map(({ record }) => record);
    },
    create: async (rehearsal, { from, credentials, idleMs, most }) => {
      const place = await lifetimes.enter(rehearsal, idleMs, most);
      if (place.is === 'full') return { is: 'too-many', longestIdle: place.longestIdle };
      const world = await create(rehearsal, idleMs, { from: from(), credentials });
      return world ? { is: 'created', world } : { is: 'exists' };
    },
    replace: async (rehearsal, from) => {
      const world = await open('present', { rehearsal, from, credentials: NONE });
      if (world) await lifetimes.use(rehearsal);
      return world;
    },
    open: async (rehearsal, from, credentials) => {
      await lifetimes.enter(rehearsal, null);
      const world = (await open('any', { rehearsal, from, credentials })) as World;
      await lifetimes.found(rehearsal);
      return world;
    },
    remove: (rehearsal) => remove(rehearsal, false),
    use: (rehearsal) => lifetimes.use(rehearsal),
    expire,
  };
}

interface Opened {
  readonly rehearsal: string;
  readonly from: Snapshot;
  readonly credentials: RehearsalCredentials;
}

/** A rehearsal that is there has its credentials already. */
const NONE: RehearsalCredentials = { bearer: '', apiKey: '', webhookSecret: '' };

type Summary = { readonly since: number; readonly record: RehearsalRecord };

/** Nothing when it is being opened or removed. What cannot be read does not keep the others from being listed. */
async function summary(
  { connection, keys }: RedisRehearsalsOptions,
  { rehearsal, lastUsedAt, endsAt }: Lifetime & { readonly rehearsal: string },
): Promise<readonly Summary[]> {
  try {
    const reply = (await connection.run('summary', keys.rehearsal(rehearsal), [])) as readonly string[];
    const [id, since, createdAt = '', now, objects, events, journal, bytes] = reply;
    if (id === undefined) return [];
    const contents = {
      objects: Number(objects),
      events: Number(events),
      journal: Number(journal),
      bytes: Math.max(0, Number(bytes)),
    };
    const current = { world: `${rehearsal}~${id}` as World, createdAt, now: Number(now), contents };
    // While it is being opened nobody has used it yet.
    return [{ since: Number(since), record: { rehearsal, lastUsedAt: lastUsedAt || Number(since), endsAt, current } }];
  } catch (error) {
    return [{ since: Number.POSITIVE_INFINITY, record: { rehearsal, lastUsedAt, endsAt, trouble: (error as Error).message } }];
  }
}
