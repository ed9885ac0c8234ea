import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import type { Progression } from '../simulation/progression.ts';
import {
  type DueItem,
  dueKey,
  type Ledger,
  PUBLISH_HELD_EVENT,
  type RehearsalCredentials,
  type RehearsalRecord,
  type Simulation,
  type Snapshot,
  type World,
  WorldGone,
  type Worlds,
  type WorldView,
} from './ports.ts';
import type { RedisChanges } from './redis-changes.ts';
import type { Argument, RedisConnection } from './redis-connection.ts';
import { parkedRecord, partsOf, type RedisKeys, readDue, readEvent, readObject, readParked, unword, word } from './redis-formats.ts';
import { LOOK_AGAIN_MS } from './redis-janitor.ts';
import type { RedisJournal } from './redis-journal.ts';
import type { ScriptName } from './redis-scripts.ts';
import { seedWorld } from './redis-seeding.ts';
import { readData, readSnapshot } from './redis-snapshot.ts';

interface Estate {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly journal: RedisJournal;
}

interface Control extends Estate {
  readonly changes: RedisChanges;
  /** Wall time after which a world is dropped that is no longer current. */
  readonly dropAfterMs: number;
}

/** Every world that there is, also those that are being opened or are no longer current. */
export async function allWorlds(connection: RedisConnection, keys: RedisKeys): Promise<readonly World[]> {
  return (await connection.idempotently((client) => client.zrange(keys.worlds, '0', '-1'))) as World[];
}

/** The estate-wide view of the Redis adapter. */
export function redisWorlds(control: Control): Worlds {
  const { connection, keys, journal, changes, dropAfterMs } = control;
  const run = (name: ScriptName, world: World, ...args: readonly Argument[]): Promise<unknown> =>
    connection.run(name, keys.world(world), args);
  const view = async (rehearsal: string, id: string): Promise<WorldView | undefined> =>
    readView(rehearsal, await connection.run('view', keys.rehearsal(rehearsal), [id]));
  const dropLater = (world: World): Promise<unknown> =>
    connection.idempotently((client) => client.zadd(keys.worlds, Date.now() + dropAfterMs, world));

  return {
    resolve: (rehearsal) => view(rehearsal, ''),
    current: (world) => view(partsOf(world).rehearsal, partsOf(world).id),
    list: () => list(control),
    open: async (rehearsal, from, credentials) => {
      const id = ulid();
      const world: World = `${rehearsal}~${id}`;
      // Noted before anything is there: if this process dies meanwhile, somebody drops what it left behind.
      await connection.idempotently((client) => client.zadd(keys.worlds, Date.now() + LOOK_AGAIN_MS, world));
      const counts = await seedWorld(connection, keys.world(world), from);
      const record = [id, JSON.stringify(credentials), new Date().toISOString(), from.now];
      const before = await connection.run('switch', keys.rehearsal(rehearsal), [
        ...record,
        Object.keys(counts).length,
        ...Object.entries(counts).flat(),
      ]);
      if (before !== '') await dropLater(`${rehearsal}~${before}`);
      return world;
    },
    remove: async (rehearsal) => {
      const id = await connection.run('remove', keys.rehearsal(rehearsal), [randomUUID()]);
      if (id === '') return false;
      await dropLater(`${rehearsal}~${id}`);
      return true;
    },
    snapshot: async (world) => readSnapshot(connection, keys.world(world), Number(await run('now', world))),
    seed: async (world) => {
      const seed = await connection.idempotently((client) => client.get(`${keys.world(world)}:seed`));
      if (seed === null) throw new WorldGone(`The world ${world} is gone.`);
      return JSON.parse(seed) as Snapshot;
    },
    ledger: async (world) => readLedger(await run('ledger', world)),
    setClock: async (world, { now, flowing }) => {
      await run('setClock', world, randomUUID(), now, flowing ? 1 : 0);
    },
    lease: async (world, token, ms) => (await run('lease', world, word(token), ms)) === 1,
    unlease: async (world, token) => {
      await run('unlease', world, word(token));
    },
    takeDue: async (world, upTo, token, leaseMs) => {
      const limit = Number.isFinite(upTo) ? upTo : '+inf';
      const record = String(await run('takeDue', world, randomUUID(), limit, word(token), leaseMs));
      return record === '' ? undefined : readDue(record);
    },
    putBackDue: async (world, item, token, then) => {
      const key = dueKey(item.application, item.kind, item.key);
      const args = 'parked' in then ? ['', '', parkedRecord({ what: 'due', key, error: then.parked })] : [then.at, then.attempts, ''];
      await run('putBackDue', world, key, word(token), ...args);
    },
    events: async (world, after, limit) => {
      const found = await connection.idempotently((client) =>
        client.xrange(`${keys.world(world)}:events`, `(${after}-0`, '+', 'COUNT', limit),
      );
      return found.map(readEvent);
    },
    journalOf: async (world, correlationId) => {
      const entries = await journal.of(world);
      return correlationId === undefined ? entries : entries.filter((entry) => entry.correlationId === correlationId);
    },
    setProgression: async (world, progression) => {
      await run('setProgression', world, JSON.stringify(progression));
    },
    setFault: async (world, name, json) => {
      await run('setFault', world, randomUUID(), word(name), json);
    },
    removeFault: async (world, name) => (await run('removeFault', world, randomUUID(), name === undefined ? '' : word(name))) === '1',
    object: async (world, application, collection, id) => {
      const [, record] = (await run('object', world, application, collection, id)) as string[];
      return record === undefined ? undefined : readObject(id, record);
    },
    dump: async (world, application) =>
      (await readData(connection, keys.world(world), application)).get(application) ?? { objects: {}, unique: {}, index: {}, counters: {} },
    watch: (listener) => changes.watch(listener),
  };
}

/** What every application needs of the simulation plane. */
export function redisSimulation({ connection, keys, journal }: Estate): Simulation {
  const strike = async (world: World, counted: 'hits' | 'chances', fault: string, limit: Argument): Promise<number | undefined> => {
    const count = await connection.run('strike', keys.world(world), [randomUUID(), counted, word(fault), limit]);
    return count === '' ? undefined : Number(count);
  };
  return {
    faults: async (world) => {
      const [revision, ...rest] = (await connection.run('faults', keys.world(world), [])) as string[];
      const rules = Array.from({ length: rest.length / 3 }, (_, n) => {
        const [name = '', json = '', hits] = rest.slice(3 * n);
        return { name: unword(name), json, hits: Number(hits) };
      });
      return { revision: Number(revision), rules };
    },
    hit: (world, fault, limit) => strike(world, 'hits', fault, limit ?? ''),
    chance: async (world, fault) => (await strike(world, 'chances', fault, '')) ?? 0,
    hits: async (world, fault) => Number(await connection.idempotently((client) => client.hget(`${keys.world(world)}:hits`, word(fault)))),
    journal: (world, entry) => journal.add(world, entry),
  };
}

function readView(rehearsal: string, reply: unknown): WorldView | undefined {
  const [id, credentials = '', flowing, now, progression = '', faults] = reply as readonly string[];
  if (id === undefined) return undefined;
  return {
    rehearsal,
    world: `${rehearsal}~${id}`,
    now: Number(now),
    flowing: flowing === '1',
    faults: Number(faults),
    progression: progression === '' ? undefined : (JSON.parse(progression) as Progression),
    credentials: JSON.parse(credentials) as RehearsalCredentials,
  };
}

/** In the order in which the rehearsals were created. */
async function list({ connection, keys }: Estate): Promise<readonly RehearsalRecord[]> {
  const worlds = await allWorlds(connection, keys);
  const found = await Promise.all(
    worlds.map(async (world) => {
      const { rehearsal, id } = partsOf(world);
      const [current, since] = await connection.idempotently((client) => client.hmget(keys.rehearsal(rehearsal), 'ulid', 'since'));
      if (current !== id) return [];
      const createdAt = await connection.idempotently((client) => client.hget(keys.world(world), 'createdAt'));
      return createdAt === null ? [] : [{ since: Number(since), record: { rehearsal, world, createdAt } }];
    }),
  );
  return found
    .flat()
    .sort((a, b) => a.since - b.since)
    .map(({ record }) => record);
}

function readLedger(reply: unknown): Ledger {
  const [unsent, pending, running, parked, kept, next] = reply as [string[], string[], string[], string[], string[], string];
  const held: readonly DueItem[] = kept.map(readDue);
  // Deliveries of events that a fault keeps are owed, and not pending until those are let go.
  const away = new Set(held.filter(({ kind }) => kind === PUBLISH_HELD_EVENT).map(({ key }) => key));
  return {
    unsent,
    pending: away.size === 0 ? pending : pending.filter((delivery) => !away.has(delivery.slice(delivery.indexOf('|') + 1))),
    running,
    parked: parked.map(readParked),
    held,
    next: next === '' ? undefined : readDue(next),
  };
}
