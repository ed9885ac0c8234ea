import { type Application, GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { OwnData } from '../../catalog/control/own-data.ts';
import { Progression } from '../../catalog/control/progression.ts';
import { type Breathe, eachBreathing } from '../../domain/breathe.ts';
import type { Ms } from '../../domain/time.ts';
import { idSource, type World } from '../../domain/world.ts';
import { inTurns, nextTurn } from '../../process/waiting.ts';
import { carriesEvent, type DueItem } from '../ports/due-work.ts';
import { WorldGone } from '../ports/rehearsals.ts';
import type {
  ApplicationDump,
  ExportedApplication,
  ExportedFault,
  ExportedParked,
  ExportedWorld,
  WorldData,
  WorldDataStore,
} from '../ports/world-data.ts';
import { type RedisAccess, type RedisConnection, runInWorld } from './connection.ts';
import {
  isHeldClaim,
  readClaim,
  readCounter,
  readDue,
  readEntry,
  readEvent,
  readIndexMember,
  readObject,
  readParked,
  readParkedItem,
  unword,
} from './formats.ts';
import { PRESENT } from './keys.ts';

/** Rows that are parsed in one turn. */
const ROWS_PER_TURN = 200;
/** Number of attempts to read a world piece by piece without a change in between. */
const MOST_TRIES = 4;

type Reply = readonly string[];
export type Command = readonly [command: string, ...args: string[]];

/** Commands by the name of their reply. */
type Commands = ReadonlyMap<string, Command>;

export function createRedisWorldData(access: RedisAccess): WorldDataStore {
  const { connection, keys } = access;
  const run = runInWorld(access);
  return {
    data: async (world) => readData(connection, keys.world(world), Number(await run('now', world))),
    seed: async (world) => {
      const seed = await connection.idempotently((client) => client.get(`${keys.world(world)}:seed`));
      if (seed === null) throw new WorldGone(`The world ${world} is gone.`);
      return JSON.parse(seed) as WorldData;
    },
    ownData: async (world) => {
      const data = await connection.idempotently((client) => client.get(`${keys.world(world)}:data`));
      return data === null ? undefined : (JSON.parse(data) as OwnData);
    },
    origin: async (world) => (await connection.idempotently((client) => client.hget(keys.world(world), 'origin'))) ?? undefined,
    exportWorld: (world) => exportWorld(access, world),
  };
}

async function readData(connection: RedisConnection, key: string, now: Ms): Promise<WorldData> {
  const replies = await onUnchangedWorld(
    connection,
    key,
    (names) => new Map([...readings(key, names, /^[ouic]:/), ['due', ['HVALS', `${key}:due`]]]),
  );
  const due = replies.get('due') as Reply;
  return { now, applications: Object.fromEntries(await dumps(replies)), due: dueOf(due.map(readDue), now) };
}

/**
 * Runs a command per key, so that other commands can run in between. If the world changes in between, all run again. The last attempt
 * runs them in one step, which delays other commands.
 * @param plan makes the commands from the names of the applications' keys; executing them twice is harmless
 */
export async function onUnchangedWorld(
  connection: RedisConnection,
  key: string,
  plan: (names: readonly string[]) => Commands,
): Promise<Map<string, unknown>> {
  const stamp = () => connection.idempotently((client) => client.hmget(key, 'createdAt', 'seq', 'changes'));
  for (let tries = 0; ; tries++) {
    const before = await stamp();
    if (before[0] === null) throw new WorldGone('This world is gone.');
    const names = await connection.idempotently((client) => client.smembers(`${key}:keys`));
    const commands = plan(names);
    const replies = await (tries < MOST_TRIES ? oneByOne : inOneStep)(connection, [...commands.values()]);
    if (tries < MOST_TRIES && String(await stamp()) !== String(before)) continue;
    return new Map([...commands.keys()].map((name, position) => [name, replies[position]]));
  }
}

const oneByOne = (connection: RedisConnection, commands: readonly Command[]): Promise<unknown[]> =>
  Promise.all(commands.map(([command, ...args]) => connection.idempotently((client) => client.call(command, ...args))));

async function inOneStep(connection: RedisConnection, commands: readonly Command[]): Promise<unknown[]> {
  const replies = await connection.idempotently((client) => client.multi(commands.map((command) => ['call', ...command])).exec());
  return (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}

/** Reads the keys of applications whose names, after the application, match. */
const readings = (key: string, names: readonly string[], which: RegExp): readonly (readonly [string, Command])[] =>
  names.filter((name) => which.test(name.slice(name.indexOf(':') + 1))).map((name) => [name, reading(key, name)] as const);

const reading = (key: string, name: string): Command =>
  /^[^:]+:(?:i:|claims$|outbox$)/.test(name) ? ['ZRANGE', `${key}:${name}`, '0', '-1'] : ['HGETALL', `${key}:${name}`];

const HASHES = ['due', 'numbers', 'parkings', 'rules', 'since', 'hits', 'chances'];
const LISTS = ['running', 'pending', 'parked', 'faults'];

export async function exportWorld(access: RedisAccess, world: World): Promise<ExportedWorld> {
  const key = access.keys.world(world);
  const replies = await onUnchangedWorld(
    access.connection,
    key,
    (names) =>
      new Map<string, Command>([
        ...readings(key, names.filter(belongsToWorld), /^(?:[ouic]:|(?:idem|claims|entries|outbox)$)/),
        ['about', ['HGETALL', key]],
        ['events', ['XRANGE', `${key}:events`, '-', '+']],
        ...['seed', 'data'].map((name) => [name, ['GET', `${key}:${name}`]] as const),
        ...HASHES.map((name) => [name, ['HGETALL', `${key}:${name}`]] as const),
        ...LISTS.map((name) => [name, ['ZRANGE', `${key}:${name}`, '0', '-1']] as const),
      ]),
  );
  const list = (name: string): Reply => replies.get(name) as Reply;
  const hash = (name: string): ReadonlyMap<string, string> => new Map(pairs(list(name)));
  const text = (name: string): string | null => replies.get(name) as string | null;
  const about = hash('about');
  const data = text('data');
  const progression = about.get('progression');
  return {
    lineage: lineageOf(world, about),
    now: Number(await runInWorld(access)('clockOf', world)),
    flowing: (about.get('flowed') ?? about.get('flowing')) === '1',
    applications: Object.fromEntries(await exportedApplications(replies)),
    due: [...hash('due').values()]
      .map(readDue)
      .filter(({ application }) => application !== GATEWAY)
      .sort((a, b) => a.seq - b.seq),
    dueSeq: Number(about.get('dueSeq') ?? 0),
    running: [...list('running').map((key) => `due ${key}`), ...requestsIn(replies)],
    parked: list('parked')
      .filter((member) => !member.startsWith(`due|${GATEWAY}|`))
      .map((member) => exportedParked(member, hash('parkings').get(member) ?? '')),
    pending: list('pending'),
    events: await eachBreathing(replies.get('events') as Parameters<typeof readEvent>[0][], inTurns(ROWS_PER_TURN), (reply) => {
      const { order: _order, ...event } = readEvent(reply);
      return event;
    }),
    faults: { revision: Number(about.get('revision')), rules: list('faults').map((name) => exportedFault(name, hash)) },
    progression: progression === undefined ? undefined : Progression.parse(JSON.parse(progression)),
    numbers: Object.fromEntries([...hash('numbers')].map(([name, number]) => [name, Number(number)])),
    seed: seedOfCopy(text('seed')),
    data: data === null ? undefined : (JSON.parse(data) as OwnData),
    origin: about.get('origin'),
  };
}

/** Registered webhooks belong to the rehearsal. */
export const belongsToWorld = (name: string): boolean => !name.startsWith(`${GATEWAY}:`);

export function seedOfCopy(json: string | null): WorldData {
  const seed = JSON.parse(json ?? '{}') as WorldData;
  const { [GATEWAY]: _webhooks, ...applications } = seed.applications;
  return { ...seed, applications };
}

export const lineageOf = (world: World, about: ReadonlyMap<string, string>): string =>
  idSource({ lineage: about.get('lineage'), seed: about.get('seed'), world });

async function exportedApplications(replies: ReadonlyMap<string, unknown>): Promise<Map<Owner, ExportedApplication>> {
  const found = new Map<Owner, ExportedApplication>();
  for (const [application, dump] of await dumps(replies)) {
    await nextTurn();
    const entries = new Map(pairs((replies.get(`${application}:entries`) ?? []) as Reply));
    const claims = new Map(pairs((replies.get(`${application}:idem`) ?? []) as Reply));
    found.set(application, {
      ...dump,
      claims: ((replies.get(`${application}:claims`) ?? []) as Reply).map((key) => readClaim(key, claims.get(key) ?? '')),
      outbox: ((replies.get(`${application}:outbox`) ?? []) as Reply).map((id) => readEntry(entries.get(id) ?? '')),
    });
  }
  return found;
}

/** The lease is compared with the clock of this machine. */
function requestsIn(replies: ReadonlyMap<string, unknown>): string[] {
  const idem = [...replies].filter(([name]) => name.endsWith(':idem'));
  return idem.flatMap(([name, reply]) => {
    const held = pairs(reply as Reply).filter(([, record]) => isHeldClaim(record));
    return held.map(() => `request at ${name.slice(0, name.indexOf(':'))}`);
  });
}

function exportedParked(member: string, record: string): ExportedParked {
  const item = readParkedItem(record);
  return { ...readParked(member, record), ...(item && { item }) };
}

const exportedFault = (name: string, hash: (name: string) => ReadonlyMap<string, string>): ExportedFault => ({
  name: unword(name),
  json: hash('rules').get(name) ?? '',
  hits: Number(hash('hits').get(name) ?? 0),
  chances: Number(hash('chances').get(name) ?? 0),
  since: Number(hash('since').get(name)),
});

/** The dump of each application that has a key. */
async function dumps(replies: ReadonlyMap<string, unknown>): Promise<Map<Owner, ApplicationDump>> {
  const breathe = inTurns(ROWS_PER_TURN);
  const found = new Map<Owner, MutableDump>();
  for (const [path, reply] of replies) {
    const [application = '', kind, ...rest] = path.split(':');
    if (kind === undefined) continue;
    const dump = found.get(application as Application) ?? { objects: {}, unique: {}, index: {}, counters: {} };
    found.set(application as Application, dump);
    await fill(dump, { kind, name: rest.join(':'), reply: reply as Reply }, breathe);
  }
  return found;
}

type MutableDump = { -readonly [Part in keyof ApplicationDump]: Record<string, ApplicationDump[Part][string]> };

interface Filling {
  readonly kind: string;
  readonly name: string;
  readonly reply: Reply;
}

async function fill(dump: MutableDump, { kind, name, reply }: Filling, breathe: Breathe): Promise<void> {
  if (kind === 'u') dump.unique[name] = Object.fromEntries(pairs(reply));
  else if (kind === 'i') dump.index[name] = await eachBreathing(reply, breathe, readIndexMember);
  else if (kind === 'c' || kind === 'o') {
    const entries = pairs(reply).filter(([field]) => field !== PRESENT);
    if (entries.length === 0) return;
    if (kind === 'c') dump.counters[name] = Object.fromEntries(entries.map(([key, record]) => [key, readCounter(record)]));
    else {
      const objects = await eachBreathing(entries, breathe, ([id, record]) => readObject(id, record));
      dump.objects[name] = objects.sort((a, b) => a.order - b.order);
    }
  }
}

const pairs = (reply: Reply): [string, string][] =>
  Array.from({ length: reply.length / 2 }, (_, n) => [reply[2 * n] ?? '', reply[2 * n + 1] ?? '']);

/** Withheld events are left out. Other withheld work is due immediately. */
function dueOf(items: readonly DueItem[], now: Ms): WorldData['due'] {
  return items
    .filter(({ kind }) => !carriesEvent(kind))
    .map((item) => ({ ...item, at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, withheldBy: _withheldBy, awaits: _awaits, hop: _hop, ...item }) => item);
}
