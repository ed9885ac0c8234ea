import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { owners } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { dueKey } from '../ports/due-work.ts';
import type { ApplicationDump, Lifetime, RehearsalCredentials, RehearsalRecord, RehearsalStore, Snapshot } from '../ports/rehearsals.ts';
import type { Argument, RedisAccess, RedisConnection } from './connection.ts';
import { counterRecord, dueRecord, indexMember, listed, objectRecord, queueMember } from './formats.ts';
import { PRESENT, partsOf } from './keys.ts';
import { LOOK_AGAIN_MS, type RedisLifetimes, type RemovalOptions } from './lifetimes.ts';

interface RedisRehearsalsOptions extends RedisAccess {
  readonly lifetimes: RedisLifetimes;
  /** Wall time after which a replaced or removed world is dropped. */
  readonly dropAfterMs: number;
}

export function createRedisRehearsals(options: RedisRehearsalsOptions): RehearsalStore {
  const { connection, keys, lifetimes, dropAfterMs } = options;

  const currentOf = async (rehearsal: string): Promise<World | undefined> => {
    const id = await connection.idempotently((client) => client.hget(keys.rehearsal(rehearsal), 'ulid'));
    return id === null ? undefined : `${rehearsal}~${id}`;
  };
  const dropAfter = (world: World, ms: number): Promise<unknown> => connection.run('scheduleDrop', keys.worlds, [ms, world]);

  /** @param only required state of the rehearsal @returns undefined when the rehearsal has the other state */
  async function open(only: 'any' | 'absent' | 'present', { rehearsal, from, credentials }: Opened): Promise<World | undefined> {
    const id = ulid();
    const world: World = `${rehearsal}~${id}`;
    // Noted first: if this process dies, another one drops the unfinished world.
    const noted = Date.now() + LOOK_AGAIN_MS;
    await connection.idempotently((client) => client.zadd(keys.worlds, noted, world));
    try {
      const counts = await seedWorld(connection, keys.world(world), from);
      for (;;) {
        const before = await currentOf(rehearsal);
        if (before) await dropAfter(before, LOOK_AGAIN_MS);
        const switched = await connection.run('switch', keys.rehearsal(rehearsal), [
          only,
          before ? partsOf(before).id : '',
          id,
          JSON.stringify(credentials),
          new Date().toISOString(),
          from.now,
          from.beginning?.seed ?? '',
          from.beginning?.startsAt ?? '',
          ...listed(Object.entries(counts), (count) => count),
        ]);
        if (switched === 'another') continue;
        if (switched === 'no') break;
        await connection.run('markCurrent', keys.worlds, [world, noted]);
        if (before) await dropAfter(before, dropAfterMs);
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

  /** The list entry is removed last: if this process dies before, the sweep completes the removal. */
  async function remove(rehearsal: string, { onlyEnded }: RemovalOptions): Promise<boolean> {
    const note = await lifetimes.beginRemoval(rehearsal, { onlyEnded });
    if (onlyEnded && note === '') return false;
    const operation = randomUUID();
    for (;;) {
      const world = await currentOf(rehearsal);
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
      const exists = unfinished && (await currentOf(rehearsal)) !== undefined;
      if (exists) await lifetimes.noteFound(rehearsal);
      else if ((await remove(rehearsal, { onlyEnded: true })) && !unfinished) ended.push(rehearsal);
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
    create: async (rehearsal, { from, credentials, idleMs, most }) => {
      const entry = await lifetimes.enter(rehearsal, idleMs, most);
      if (entry.is === 'full') return { is: 'too-many', longestIdle: entry.longestIdle };
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
      await lifetimes.noteFound(rehearsal);
      return world;
    },
    remove: (rehearsal) => remove(rehearsal, { onlyEnded: false }),
    use: (rehearsal) => lifetimes.use(rehearsal),
    expire,
  };
}

interface Opened {
  readonly rehearsal: string;
  readonly from: Snapshot;
  readonly credentials: RehearsalCredentials;
}

/** Credentials are stored only with a new rehearsal. */
const NONE: RehearsalCredentials = { bearer: '', apiKey: '', webhookSecret: '' };

type Summary = { readonly since: number; readonly record: RehearsalRecord };

/** Empty while the rehearsal is being opened or removed. A failed read becomes `trouble`, so that the others are listed. */
async function summary(
  { connection, keys }: RedisRehearsalsOptions,
  { rehearsal, lastUsedAt, endsAt }: Lifetime & { readonly rehearsal: string },
): Promise<readonly Summary[]> {
  try {
    const reply = (await connection.run('summary', keys.rehearsal(rehearsal), [])) as readonly string[];
    const [id, since, createdAt = '', now, objects, events, journal, bytes] = reply;
    if (id === undefined) return [];
    const contents = { objects: Number(objects), events: Number(events), journal: Number(journal), bytes: Math.max(0, Number(bytes)) };
    const current = { world: `${rehearsal}~${id}` as World, createdAt, now: Number(now), contents };
    // A rehearsal that is being opened has no last use yet.
    return [{ since: Number(since), record: { rehearsal, lastUsedAt: lastUsedAt || Math.floor(Number(since)), endsAt, current } }];
  } catch (error) {
    return [{ since: Number.POSITIVE_INFINITY, record: { rehearsal, lastUsedAt, endsAt, trouble: (error as Error).message } }];
  }
}

/** Most characters of a command. A command of this length delays others no longer than reading a page of objects. */
const ENTRIES_PER_WRITE = 200;
const WRITES_AT_ONCE = 4;

interface Write {
  readonly command: 'hset' | 'zadd' | 'sadd' | 'set';
  readonly key: string;
  readonly args: readonly Argument[];
}

/** Fills the keys of a new world in pieces, before it becomes current. @returns its counts, to be set when it becomes current */
async function seedWorld(connection: RedisConnection, key: string, from: Snapshot): Promise<Readonly<Record<string, number>>> {
  const { writes, counts } = seedWrites(key, from);
  for (let next = 0; next < writes.length; next += WRITES_AT_ONCE) {
    await Promise.all(
      writes
        .slice(next, next + WRITES_AT_ONCE)
        .map(({ command, key: target, args }) => connection.idempotently((client) => client.call(command, target, ...args))),
    );
  }
  return counts;
}

function seedWrites(key: string, { data, ...from }: Snapshot): { writes: readonly Write[]; counts: Readonly<Record<string, number>> } {
  const writes: Write[] = [{ command: 'set', key: `${key}:seed`, args: [JSON.stringify(from)] }];
  if (data !== undefined) writes.push({ command: 'set', key: `${key}:data`, args: [JSON.stringify(data)] });
  const names: string[] = [];
  const add = (command: Write['command'], name: string, entries: readonly (readonly Argument[])[]): void => {
    for (let next = 0; next < entries.length; next += ENTRIES_PER_WRITE) {
      writes.push({ command, key: `${key}:${name}`, args: entries.slice(next, next + ENTRIES_PER_WRITE).flat() });
    }
    if (entries.length > 0 && name.includes(':')) names.push(name);
  };
  let order = 0;
  for (const application of owners) {
    const dump = from.applications[application];
    if (dump) order = addApplication((command, name, entries) => add(command, `${application}:${name}`, entries), dump, order);
  }
  const due = from.due.map((item, position) => {
    const name = dueKey(item.application, item.kind, item.key);
    return {
      name,
      at: item.at,
      seq: position + 1,
      record: dueRecord({ ...item, payload: JSON.stringify(item.payload) }, item.at, position + 1),
    };
  });
  add(
    'hset',
    'due',
    due.map(({ name, record }) => [name, record]),
  );
  add(
    'zadd',
    'queue',
    due.map(({ name, at, seq }) => [at, queueMember(seq, name)]),
  );
  add(
    'sadd',
    'keys',
    names.map((name) => [name]),
  );
  return { writes, counts: { order, dueSeq: due.length, bytes: writes.reduce((sum, { args }) => sum + textOf(args), 0) } };
}

const textOf = (args: readonly Argument[]): number => args.reduce<number>((sum, arg) => sum + String(arg).length, 0);

const withPresent = (entries: readonly (readonly Argument[])[]): readonly (readonly Argument[])[] =>
  entries.length > 0 ? [[PRESENT, ''], ...entries] : [];

type Add = (command: Write['command'], name: string, entries: readonly (readonly Argument[])[]) => void;

/** @param last order of the last object so far @returns order of the last object of this application */
function addApplication(add: Add, dump: ApplicationDump, last: number): number {
  let order = last;
  const orders = new Map<string, number>();
  for (const [collection, objects] of Object.entries(dump.objects)) {
    const placed = objects.map((object) => ({ ...object, order: ++order }));
    for (const { id, order: place } of placed) orders.set(`${collection}/${id}`, place);
    add('hset', `o:${collection}`, withPresent(placed.map((object) => [object.id, objectRecord(object)])));
    add(
      'zadd',
      `a:${collection}`,
      placed.map(({ id, order: place }) => [place, id]),
    );
  }
  for (const [name, values] of Object.entries(dump.unique)) add('hset', `u:${name}`, Object.entries(values));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    add(
      'zadd',
      `i:${name}`,
      entries.map(([value, id]) => [0, indexMember(value, orders.get(`${collection}/${id}`) ?? 0, id)]),
    );
  }
  for (const [counter, keys] of Object.entries(dump.counters)) {
    add('hset', `c:${counter}`, withPresent(Object.entries(keys).map(([name, fields]) => [name, counterRecord(fields)])));
  }
  return order;
}
