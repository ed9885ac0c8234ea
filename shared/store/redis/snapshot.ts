import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { WorldGone } from '../ports/directory.ts';
import { carriesEvent, type DueItem } from '../ports/due-work.ts';
import type { ApplicationDump, Snapshot } from '../ports/snapshots.ts';
import type { RedisConnection } from './connection.ts';
import { readCounter, readDue, readIndexMember, readObject } from './formats.ts';

/** How often a world is read piece by piece in the hope that nothing changes meanwhile. */
const TRIES = 4;

type Reply = readonly string[];

export async function readSnapshot(connection: RedisConnection, key: string, now: Ms): Promise<Snapshot> {
  const { keys, due } = await readKeys(connection, key);
  return { now, applications: Object.fromEntries(dumps(keys)), due: dueOf(due.map(readDue), now) };
}

interface Contents {
  /** What each key of an application holds, by its name within the world. */
  readonly keys: ReadonlyMap<string, Reply>;
  /** Due records. */
  readonly due: Reply;
}

/**
 * Reads key by key, so that others come in between, and again when they changed something. In a world that never rests it is read
 * in one step, for which others wait.
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
      tries < TRIES
        ? await Promise.all(commands.map(([command, ...args]) => connection.idempotently((client) => client.call(command, ...args))))
        : await together(connection, commands);
    if (tries < TRIES && String(await stamp()) !== String(before)) continue;
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
  if (kind === 'o') {
    const found = pairs(reply).map(([id, record]) => readObject(id, record));
    dump.objects[name] = found.sort((a, b) => a.order - b.order).map(({ id, version, json }) => ({ id, version, json }));
  } else if (kind === 'u') dump.unique[name] = Object.fromEntries(pairs(reply));
  else if (kind === 'i') dump.index[name] = reply.map(readIndexMember);
  else dump.counters[name] = Object.fromEntries(pairs(reply).map(([key, record]) => [key, readCounter(record)]));
}

const pairs = (reply: Reply): [string, string][] =>
  Array.from({ length: reply.length / 2 }, (_, n) => [reply[2 * n] ?? '', reply[2 * n + 1] ?? '']);

/** Events on their way stay behind; other work that a fault keeps is due at once. */
function dueOf(items: readonly DueItem[], now: Ms): Snapshot['due'] {
  return items
    .filter(({ kind }) => !carriesEvent(kind))
    .map((item) => ({ ...item, at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, withheldBy: _withheldBy, ...item }) => item);
}
