import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import {
  isMeant,
  type Labels,
  type Lifetime,
  type RehearsalCredentials,
  type RehearsalRecord,
  type RehearsalStore,
} from '../ports/rehearsals.ts';
import type { WorldSource } from '../ports/world-data.ts';
import { type FormatsStore, incompatible } from '../ports/world-formats.ts';
import type { RedisAnnouncements } from './announcements.ts';
import type { RedisAccess } from './connection.ts';
import { copyWorld } from './copying.ts';
import { listed } from './formats.ts';
import type { RedisJournal } from './journal.ts';
import { partsOf } from './keys.ts';
import { LOOK_AGAIN_MS, type RedisLifetimes, type RemovalOptions } from './lifetimes.ts';
import { openWorld } from './opening.ts';

interface RedisRehearsalsOptions extends RedisAccess {
  readonly lifetimes: RedisLifetimes;
  readonly announcements: RedisAnnouncements;
  readonly journal: Pick<RedisJournal, 'add'>;
  readonly formats: Pick<FormatsStore, 'foreignOf'>;
  /** Wall time after which a replaced or removed world is dropped. */
  readonly dropAfterMs: number;
}

export function createRedisRehearsals(options: RedisRehearsalsOptions): RehearsalStore {
  const { connection, keys, lifetimes, announcements, journal, dropAfterMs } = options;

  async function presentOf(rehearsal: string): Promise<{ world?: World; credentials?: RehearsalCredentials }> {
    const [id, credentials] = await connection.idempotently((client) => client.hmget(keys.rehearsal(rehearsal), 'ulid', 'credentials'));
    return id ? { world: `${rehearsal}~${id}`, credentials: JSON.parse(credentials ?? 'null') ?? undefined } : {};
  }
  const currentOf = async (rehearsal: string): Promise<World | undefined> => (await presentOf(rehearsal)).world;
  const dropAfter = (world: World, ms: number): Promise<unknown> => connection.run('scheduleDrop', keys.worlds, [ms, world]);

  /** @param only required state of the rehearsal @returns undefined when the rehearsal has the other state */
  async function open(
    only: 'any' | 'absent' | 'present',
    { rehearsal, from, credentials, labels, meant }: Opened,
  ): Promise<World | undefined> {
    const id = ulid();
    const world: World = `${rehearsal}~${id}`;
    // Noted first: if this process dies, another one drops the unfinished world.
    const noted = Date.now() + LOOK_AGAIN_MS;
    await connection.idempotently((client) => client.zadd(keys.worlds, noted, world));
    try {
      const { now, fields, unsent } = await ('copyOf' in from
        ? copyWorld(options, from, world)
        : openWorld(connection, keys.world(world), from));
      for (const application of unsent) await announcements.announce(application, world);
      for (;;) {
        const { world: before, credentials: present } = await presentOf(rehearsal);
        if (meant && !isMeant({ world: before, credentials: present }, meant)) break;
        if (before) await dropAfter(before, LOOK_AGAIN_MS);
        const switched = await connection.run('switch', keys.rehearsal(rehearsal), [
          only,
          before ? partsOf(before).id : '',
          id,
          JSON.stringify(credentials),
          labels ? JSON.stringify(labels) : '',
          new Date().toISOString(),
          now,
          ...listed(Object.entries(fields), (field) => field),
        ]);
        if (switched === 'another') continue;
        if (switched === 'no') break;
        await connection.run('markCurrent', keys.worlds, [world, noted]);
        if (before) await dropAfter(before, dropAfterMs);
        if ('journal' in from) for (const hop of from.journal ?? []) journal.add(world, hop);
        return world;
      }
    } catch (error) {
      // Frees the memory soon. If this fails, the janitor finds the world by its first note.
      await dropAfter(world, dropAfterMs).catch(() => undefined);
      throw error;
    }
    await dropAfter(world, dropAfterMs);
    return undefined;
  }

  async function create(rehearsal: string, idleMs: Ms | null, opened: Omit<Opened, 'rehearsal'>): Promise<World | undefined> {
    const world = await open('absent', { rehearsal, ...opened });
    if (world) await lifetimes.noteOpened(rehearsal, idleMs);
    return world;
  }

  /**
   * The list entry is removed last: if this process dies before, the sweep completes the removal.
   * @param expected the world that is removed; undefined: any world
   */
  async function remove(rehearsal: string, { onlyEnded }: RemovalOptions, expected?: World): Promise<boolean> {
    const note = await lifetimes.beginRemoval(rehearsal, { onlyEnded });
    if (onlyEnded && note === '') return false;
    const operation = randomUUID();
    for (;;) {
      const world = await currentOf(rehearsal);
      if (world && expected && world !== expected) {
        await lifetimes.noteFound(rehearsal);
        return false;
      }
      // Noted before the removal: afterwards nothing refers to the world.
      if (world) await dropAfter(world, LOOK_AGAIN_MS);
      const removed = world && (await connection.run('remove', keys.rehearsal(rehearsal), [partsOf(world).id, operation]));
      if (removed === 'another') continue;
      if (note !== '') await lifetimes.endRemoval(rehearsal, note);
      if (world) await dropAfter(world, dropAfterMs);
      return world !== undefined;
    }
  }

  async function expire(): Promise<readonly string[]> {
    const ended: string[] = [];
    for (const { rehearsal, unfinished } of await lifetimes.ended()) {
      const world = await currentOf(rehearsal);
      if (unfinished && world) await lifetimes.noteFound(rehearsal);
      else if ((await remove(rehearsal, { onlyEnded: true }, world)) && !unfinished) ended.push(rehearsal);
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
    record: async (rehearsal) => {
      const found = await Promise.all((await lifetimes.of(rehearsal)).map((lifetime) => summary(options, lifetime)));
      return found.flat()[0]?.record;
    },
    create: async (rehearsal, { from, credentials, labels, idleMs, most }) => {
      const entry = await lifetimes.enter(rehearsal, idleMs, most);
      if (entry.is === 'full') return { is: 'too-many', longestIdle: entry.longestIdle };
      const world = await create(rehearsal, idleMs, { from: from(), credentials, labels });
      return world ? { is: 'created', world } : { is: 'exists' };
    },
    replace: async (rehearsal, from, only) => {
      const world = await open('present', { rehearsal, from, credentials: NONE, meant: only });
      if (world) await lifetimes.use(rehearsal);
      return world;
    },
    open: async (rehearsal, from, credentials) => {
      await lifetimes.enter(rehearsal, null);
      const world = (await open('any', { rehearsal, from, credentials })) as World;
      await lifetimes.noteFound(rehearsal);
      return world;
    },
    remove: async (rehearsal, only) =>
      (only === undefined || (await currentOf(rehearsal)) === only) && remove(rehearsal, { onlyEnded: false }, only),
    use: (rehearsal) => lifetimes.use(rehearsal),
    expire,
  };
}

interface Opened {
  readonly rehearsal: string;
  readonly from: WorldSource;
  readonly credentials: RehearsalCredentials;
  readonly labels?: Labels | undefined;
  /** The credentials, or the world, that the rehearsal must have. */
  readonly meant?: RehearsalCredentials | World | undefined;
}

/** Credentials are stored only with a new rehearsal. */
const NONE: RehearsalCredentials = { bearer: '', apiKey: '', webhookSecret: '' };

type Summary = { readonly since: number; readonly record: RehearsalRecord };

/** Empty while the rehearsal is being opened or removed. A failed read becomes `trouble`, so that the others are listed. */
async function summary(
  { connection, keys, formats }: RedisRehearsalsOptions,
  { rehearsal, lastUsedAt, endsAt }: Lifetime & { readonly rehearsal: string },
): Promise<readonly Summary[]> {
  try {
    const reply = (await connection.run('summary', keys.rehearsal(rehearsal), [])) as readonly string[];
    const [id, since, createdAt = '', now, objects, events, journal, bytes, noted = ''] = reply;
    const labels = noted === '' ? undefined : (JSON.parse(noted) as Labels);
    if (id === undefined) return [];
    if (reply.length === 2) {
      const foreign = await formats.foreignOf(rehearsal);
      const trouble = foreign ? incompatible(foreign) : 'It was opened again during this request.';
      return [{ since: Number(since), record: { rehearsal, lastUsedAt: lastUsedAt || Math.floor(Number(since)), endsAt, trouble } }];
    }
    const contents = { objects: Number(objects), events: Number(events), journal: Number(journal), bytes: Math.max(0, Number(bytes)) };
    const current = { world: `${rehearsal}~${id}` as World, createdAt, now: Number(now), contents };
    // A rehearsal that is being opened has no last use yet.
    return [{ since: Number(since), record: { rehearsal, lastUsedAt: lastUsedAt || Math.floor(Number(since)), endsAt, labels, current } }];
  } catch (error) {
    return [{ since: Number.POSITIVE_INFINITY, record: { rehearsal, lastUsedAt, endsAt, trouble: (error as Error).message } }];
  }
}
