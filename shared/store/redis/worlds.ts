import { randomUUID } from 'node:crypto';
import type { Application } from '../../catalog/applications.ts';
import type { Progression } from '../../catalog/simulation/progression.ts';
import type { World } from '../../domain/world.ts';
import { deliveryAgain } from '../delivery-again.ts';
import type { ClockStatus } from '../ports/clock.ts';
import { type RehearsalCredentials, WorldGone, type WorldView } from '../ports/directory.ts';
import { dueKey } from '../ports/due-work.ts';
import type { Simulation, Store, Worlds } from '../ports/estate-store.ts';
import type { Ledger, Redriven } from '../ports/ledger.ts';
import type { Snapshot } from '../ports/snapshots.ts';
import { worldsBacklog } from './backlog.ts';
import type { RedisChanges } from './changes.ts';
import { listed } from './commit.ts';
import type { Argument, RedisConnection } from './connection.ts';
import { dueRest, eventsAbout, parkedError, partsOf, type RedisKeys, readDue, readEvent, readParked, unword, word } from './formats.ts';
import type { RedisJournal } from './journal.ts';
import type { RedisLifetimes } from './lifetimes.ts';
import { redisRehearsals } from './rehearsals.ts';
import type { ScriptName } from './scripts.ts';
import { readSnapshot } from './snapshot.ts';

interface Estate {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly journal: RedisJournal;
}

interface Control extends Estate {
  readonly changes: RedisChanges;
  readonly store: (application: Application) => Store;
  readonly lifetimes: RedisLifetimes;
  /** Wall time after which a world is dropped that is no longer current. */
  readonly dropAfterMs: number;
}

/** Every world that there is, also those that are being opened or are no longer current. */
/** The estate-wide view of the Redis adapter. */
export function redisWorlds(control: Control): Worlds {
  const { connection, keys, journal, changes, store } = control;
  const rehearsals = redisRehearsals(control);
  const run = (name: ScriptName, world: World, ...args: readonly Argument[]): Promise<unknown> =>
    connection.run(name, keys.world(world), args);
  const view = async (rehearsal: string, id: string): Promise<WorldView | undefined> =>
    readView(rehearsal, await connection.run('view', keys.rehearsal(rehearsal), [id]));
  return {
    resolve: (rehearsal) => view(rehearsal, ''),
    current: (world) => view(partsOf(world).rehearsal, partsOf(world).id),
    ...rehearsals,
    snapshot: async (world) => readSnapshot(connection, keys.world(world), Number(await run('now', world))),
    seed: async (world) => {
      const seed = await connection.idempotently((client) => client.get(`${keys.world(world)}:seed`));
      if (seed === null) throw new WorldGone(`The world ${world} is gone.`);
      return JSON.parse(seed) as Snapshot;
    },
    ledger: async (world, limit = Number.POSITIVE_INFINITY) =>
      readLedger(await run('ledger', world, Number.isFinite(limit) ? limit : ''), limit),
    status: async (world) => readClock(await run('status', world)),
    setClock: async (world, { now, flowing }, driver) =>
      (await run('setClock', world, randomUUID(), now, flowing ? 1 : 0, driver === undefined ? '' : word(driver))) === '1',
    leaseClock: async (world, token, ms) => (await run('leaseClock', world, word(token), ms)) === 1,
    renewClock: async (world, token, ms) => (await run('renewClock', world, word(token), ms)) === 1,
    releaseClock: async (world, token) => {
      await run('releaseClock', world, word(token));
    },
    leaseNext: async (world, upTo, token, leaseMs, driver) => {
      const limit = Number.isFinite(upTo) ? upTo : '+inf';
      const asked = [randomUUID(), limit, word(token), leaseMs, driver === undefined ? '' : word(driver)];
      const record = String(await run('leaseNext', world, ...asked));
      return record === '' ? undefined : readDue(record);
    },
    requeue: async (world, item, token, then) => {
      const key = dueKey(item.application, item.kind, item.key);
      const args = 'parked' in then ? ['', '', parkedError(then.parked)] : [then.at, then.attempts, ''];
      await run('requeue', world, key, word(token), ...args);
    },
    redrive: async (world, again) => {
      const driven = String(await run('redrive', world, randomUUID(), ...listed(again, redrivenArguments)));
      return again.filter((_one, position) => driven[position] === '1');
    },
    events: async (world, after, limit) => {
      const found = await connection.idempotently((client) =>
        client.xrange(`${keys.world(world)}:events`, `(${after}-0`, '+', 'COUNT', limit),
      );
      return found.map(readEvent);
    },
    eventsAbout: async (world, about, after, limit) => {
      for (;;) {
        const reply = (await run('eventsAbout', world, eventsAbout(about), after, limit)) as readonly unknown[];
        const [last, ...found] = reply as [number?, ...(readonly [string, readonly string[]])[]];
        if (last !== undefined) return { events: found.map(readEvent), last };
      }
    },
    journalOf: (world, ask = {}) => journal.page(world, ask),
    journaled: (world, requestIds) => journal.has(world, requestIds),
    setProgression: async (world, progression) => {
      await run('setProgression', world, JSON.stringify(progression));
    },
    setFault: async (world, name, json) => {
      await run('setFault', world, randomUUID(), word(name), json);
    },
    removeFault: async (world, name) => (await run('removeFault', world, randomUUID(), name === undefined ? '' : word(name))) === '1',
    object: (world, application, collection, id) => store(application).object(world, collection, id),
    all: (world, application, collection, page) => store(application).all(world, collection, page),
    counters: (world, application, counter, names) => store(application).counters(world, counter, names),
    backlog: async () =>
      worldsBacklog(
        control,
        (await rehearsals.list()).flatMap(({ current }) => current?.world ?? []),
      ),
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

/** What it is, its key, and, of a delivery, the due work that tries it again. */
function redrivenArguments(again: Redriven): readonly Argument[] {
  if (again.what === 'due') return [again.what, again.key, '', ''];
  const item = deliveryAgain(again.key, again.event);
  return [again.what, again.key, dueKey(item.application, item.kind, item.key), dueRest(item)];
}

function readClock(reply: unknown): ClockStatus | undefined {
  const [now, flowing, advancing, running, next] = reply as readonly string[];
  if (now === undefined) return undefined;
  return {
    now: Number(now),
    flowing: flowing === '1',
    advancing: advancing === '1',
    running: Number(running),
    next: next ? readDue(next) : undefined,
  };
}

function readLedger(reply: unknown, limit: number): Ledger {
  const [unsent, pending, running, parked, parkings, kept, counts, next] = reply as [
    ...lists: [string[], string[], string[], string[], string[], string[]],
    counts: number[],
    next: string,
  ];
  const [unsentCount = 0, pendingCount = 0, runningCount = 0, parkedCount = 0, heldCount = 0] = counts;
  return {
    unsent: unsent.slice(0, limit),
    pending,
    running,
    parked: parked.map((member, position) => readParked(member, parkings[position] ?? '')),
    held: kept.map(readDue),
    counts: { unsent: unsentCount, pending: pendingCount, running: runningCount, parked: parkedCount, held: heldCount },
    next: next === '' ? undefined : readDue(next),
  };
}
