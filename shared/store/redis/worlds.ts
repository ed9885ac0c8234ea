import type { Application } from '../../catalog/applications.ts';
import { DEFAULT_PROGRESSION, type Progression } from '../../catalog/control/progression.ts';
import type { World } from '../../domain/world.ts';
import { STATE_INDEX } from '../collections.ts';
import type { Directory, RehearsalCredentials, WorldView } from '../ports/directory.ts';
import type { Store, Worlds } from '../ports/estate-store.ts';
import type { CountedObjects, EventPage, EventReader, EventsAbout, ObjectCount } from '../ports/inspection.ts';
import { worldsBacklog } from './backlog.ts';
import type { RedisChanges } from './changes.ts';
import { createRedisClock } from './clock.ts';
import { type RedisAccess, type RunInWorld, runInWorld } from './connection.ts';
import { createRedisFaultControl } from './faults.ts';
import { eventsAbout, listed, readEvent } from './formats.ts';
import type { RedisJournal } from './journal.ts';
import { partsOf } from './keys.ts';
import { createRedisLedger } from './ledger.ts';
import type { RedisLifetimes } from './lifetimes.ts';
import { createRedisRehearsals } from './rehearsals.ts';
import { createRedisRuns } from './runs.ts';
import { createRedisSnapshots } from './snapshot.ts';

interface WorldsOptions extends RedisAccess {
  readonly journal: RedisJournal;
  readonly changes: RedisChanges;
  readonly store: (application: Application) => Store;
  readonly lifetimes: RedisLifetimes;
  readonly dropAfterMs: number;
}

/** The estate-wide view of the Redis adapter. */
export function createRedisWorlds(options: WorldsOptions): Worlds {
  const { journal, changes, store } = options;
  const run = runInWorld(options);
  const rehearsals = createRedisRehearsals(options);
  return {
    ...createDirectory(options),
    ...rehearsals,
    ...createRedisSnapshots(options),
    ...createRedisLedger(options),
    ...createRedisClock(options),
    ...createRedisFaultControl(options),
    ...createEventReader(options),
    ...createRedisRuns(options),
    ...journal.reader,
    setProgression: async (world, input) =>
      JSON.parse((await run('setProgression', world, JSON.stringify(input), JSON.stringify(DEFAULT_PROGRESSION))) as string),
    object: (world, application, collection, id) => store(application).object(world, collection, id),
    all: (world, application, collection, page) => store(application).all(world, collection, page),
    indexed: (world, { application, collection, name }, value, page) => store(application).index(world, collection, name, value, page),
    unique: (world, { application, collection, name }, value) => store(application).unique(world, collection, name, value),
    countObjects: (world, of) => countObjects(run, world, of),
    counters: (world, application, counter, names) => store(application).counters(world, counter, names),
    backlog: async () => {
      const worlds = (await rehearsals.list()).flatMap(({ current }) => current?.world ?? []);
      return worldsBacklog(options, worlds);
    },
    watch: (listener) =>
      changes.watch((world, waitMs) => {
        journal.expect(world);
        listener(world, waitMs);
      }),
  };
}

async function countObjects(run: RunInWorld, world: World, of: readonly CountedObjects[]): Promise<readonly ObjectCount[]> {
  const asked = listed(of, ({ application, collection, states }) => [application, collection, ...listed(states, (state) => [state])]);
  const counts = (await run('countObjects', world, STATE_INDEX, ...asked)) as readonly (readonly number[])[];
  return counts.map(([count = 0, ...states]) => ({ count, states }));
}

function createDirectory({ connection, keys }: RedisAccess): Directory {
  const view = async (rehearsal: string, id: string): Promise<WorldView | undefined> =>
    readView(rehearsal, await connection.run('view', keys.rehearsal(rehearsal), [id]));
  return { resolve: (rehearsal) => view(rehearsal, ''), current: (world) => view(partsOf(world).rehearsal, partsOf(world).id) };
}

function readView(rehearsal: string, reply: unknown): WorldView | undefined {
  const [id, credentials = '', flowing, now, progression = '', faults, bytes] = reply as readonly string[];
  if (id === undefined) return undefined;
  return {
    rehearsal,
    world: `${rehearsal}~${id}`,
    now: Number(now),
    flowing: flowing === '1',
    faults: Number(faults),
    bytes: Number(bytes),
    progression: progression === '' ? undefined : (JSON.parse(progression) as Progression),
    credentials: JSON.parse(credentials) as RehearsalCredentials,
  };
}

function createEventReader(access: RedisAccess): EventReader {
  const { connection, keys } = access;
  const run = runInWorld(access);
  /** An empty reply requests another call: a long index is built in pieces. */
  async function find(world: World, about: EventsAbout, after: number | '', limit: number): Promise<EventPage> {
    for (;;) {
      const reply = (await run('eventsAbout', world, eventsAbout(about), after, limit)) as readonly unknown[];
      const [last, count, ...found] = reply as [number?, number?, ...(readonly [string, readonly string[]])[]];
      if (last !== undefined && count !== undefined) return { events: found.map(readEvent), last, count };
    }
  }
  return {
    events: async (world, after, limit) => {
      const found = await connection.idempotently((client) =>
        client.xrange(`${keys.world(world)}:events`, `(${after}-0`, '+', 'COUNT', limit),
      );
      return found.map(readEvent);
    },
    eventsAbout: find,
    newestEventsAbout: async (world, about, limit) => (await find(world, about, '', limit)).events,
  };
}
