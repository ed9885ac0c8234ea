import type { Application } from '../../catalog/applications.ts';
import type { OwnData } from '../../catalog/control/own-data.ts';
import type { Ms } from '../../domain/time.ts';
import { carriesEvent, type DueItem } from '../ports/due-work.ts';
import { type ApplicationDump, type Snapshot, type SnapshotStore, WorldGone } from '../ports/rehearsals.ts';
import { type RedisAccess, type RedisConnection, runInWorld } from './connection.ts';
import { readCounter, readDue, readIndexMember, readObject } from './formats.ts';
import { PRESENT } from './keys.ts';

/** Number of attempts to read a world piece by piece without a change in between. */
const MOST_TRIES = 4;

type Reply = readonly string[];

export function createRedisSnapshots(access: RedisAccess): SnapshotStore {
  const { connection, keys } = access;
  const run = runInWorld(access);
  return {
    snapshot: async (world) => readSnapshot(connection, keys.world(world), Number(await run('now', world))),
    seed: async (world) => {
      const seed = await connection.idempotently((client) => client.get(`${keys.world(world)}:seed`));
      if (seed === null) throw new WorldGone(`The world ${world} is gone.`);
      return JSON.parse(seed) as Snapshot;
    },
    ownData: async (world) => {
      const data = await connection.idempotently((client) => client.get(`${keys.world(world)}:data`));
      return data === null ? undefined : (JSON.parse(data) as OwnData);
    },
  };
}

async function readSnapshot(connection: RedisConnection, key: string, now: Ms): Promise<Snapshot> {
  const { keys, due } = await readKeys(connection, key);
  return { now, applications: Object.fromEntries(dumps(keys)), due: dueOf(due.map(readDue), now) };
}

interface Contents {
  /** The value of each key of an application, by its name within the world. */
  readonly keys: ReadonlyMap<string, Reply>;
  /** Due records. */
  readonly due: Reply;
}

/**
 * Reads key by key, so that other commands run in between, and again after a change. The last attempt reads all keys in one step, which
 * delays other commands.
 */
async function readKeys(connection: RedisConnection, key: string): Promise<Contents> {
  const stamp = () => connection.idempotently((client) => client.hmget(key, 'createdAt', 'seq', 'changes'));
  for (let tries = 0; ; tries++) {
    const before = await stamp();
    if (before[0] === null) throw new WorldGone('This world is gone.');
    const all = await connection.idempotently((client) => client.smembers(`${key}:keys`));
    const names = all.filter((name) => /^[^:]+:[ouic]:/.test(name));
    const commands = [...names.map((name) => reading(key, name)), ['HVALS', `${key}:due`] as const];
    const replies =
      tries < MOST_TRIES
        ? await Promise.all(commands.map(([command, ...args]) => connection.idempotently((client) => client.call(command, ...args))))
        : await together(connection, commands);
    if (tries < MOST_TRIES && String(await stamp()) !== String(before)) continue;
    const due = replies.pop() as Reply;
    return { keys: new Map(names.map((name, position) => [name, replies[position] as Reply])), due };
  }
}

type Command = readonly [command: string, ...args: string[]];

const reading = (key: string, name: string): Command =>
  /^[^:]+:i:/.test(name) ? ['ZRANGE', `${key}:${name}`, '0', '-1'] : ['HGETALL', `${key}:${name}`];

async function together(connection: RedisConnection, commands: readonly Command[]): Promise<unknown[]> {
  const replies = await connection.idempotently((client) => client.multi(commands.map((command) => ['call', ...command])).exec());
  return (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}

function dumps(keys: ReadonlyMap<string, Reply>): Map<Application, ApplicationDump> {
  const found = new Map<Application, MutableDump>();
  for (const [path, reply] of keys) {
    const [application = '', kind = '', ...rest] = path.split(':');
    const dump = found.get(application as Application) ?? { objects: {}, unique: {}, index: {}, counters: {} };
    found.set(application as Application, dump);
    fill(dump, kind, rest.join(':'), reply);
  }
  return found;
}

type MutableDump = { -readonly [Part in keyof ApplicationDump]: Record<string, ApplicationDump[Part][string]> };

function fill(dump: MutableDump, kind: string, name: string, reply: Reply): void {
  if (kind === 'u') dump.unique[name] = Object.fromEntries(pairs(reply));
  else if (kind === 'i') dump.index[name] = reply.map(readIndexMember);
  else {
    const entries = pairs(reply).filter(([field]) => field !== PRESENT);
    if (entries.length === 0) return;
    if (kind === 'c') dump.counters[name] = Object.fromEntries(entries.map(([key, record]) => [key, readCounter(record)]));
    else dump.objects[name] = objectsOf(entries);
  }
}

function objectsOf(entries: readonly (readonly [id: string, record: string])[]): ApplicationDump['objects'][string] {
  const found = entries.map(([id, record]) => readObject(id, record));
  return found.sort((a, b) => a.order - b.order).map(({ id, version, json }) => ({ id, version, json }));
}

const pairs = (reply: Reply): [string, string][] =>
  Array.from({ length: reply.length / 2 }, (_, n) => [reply[2 * n] ?? '', reply[2 * n + 1] ?? '']);

/** Withheld events are left out. Other withheld work is due immediately. */
function dueOf(items: readonly DueItem[], now: Ms): Snapshot['due'] {
  return items
    .filter(({ kind }) => !carriesEvent(kind))
    .map((item) => ({ ...item, at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, withheldBy: _withheldBy, awaits: _awaits, hop: _hop, ...item }) => item);
}
