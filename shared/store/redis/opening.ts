import { type Owner, owners } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { inTurns, nextTurn } from '../../process/waiting.ts';
import { type DueItem, dueKey } from '../ports/due-work.ts';
import { CLAIM_KEPT_MS } from '../ports/plan.ts';
import { type ExportedApplication, type ExportedWorld, isExported, type WorldData } from '../ports/world-data.ts';
import type { Argument, RedisConnection } from './connection.ts';
import {
  claimRecord,
  counterRecord,
  dueRecord,
  indexMember,
  objectRecord,
  outboxEntry,
  parkedRecord,
  piecesOf,
  queueMember,
  word,
} from './formats.ts';
import { PRESENT } from './keys.ts';

/** Maximum number of entries of a command. A command of this length delays others no longer than reading a page of objects. */
const ENTRIES_PER_WRITE = 200;
const WRITES_AT_ONCE = 4;
/** Number of writes that are measured in one turn. */
const WRITES_PER_TURN = 10;

interface Write {
  readonly command: 'hset' | 'zadd' | 'sadd' | 'set' | 'events';
  readonly key: string;
  readonly args: readonly Argument[];
}

/** A world whose keys are filled. `fields` of its hash are set when it becomes current. */
export interface FilledWorld {
  readonly now: Ms;
  readonly fields: Readonly<Record<string, Argument>>;
  /** The applications with unsent events. */
  readonly unsent: readonly Owner[];
}

/** Fills the keys of a new world in pieces, before it becomes current. Executing it twice is harmless. */
export async function openWorld(connection: RedisConnection, key: string, from: WorldData | ExportedWorld): Promise<FilledWorld> {
  const { writes, filled } = await writesOf(key, from);
  const write = ({ command, key: target, args }: Write): Promise<unknown> =>
    command === 'events'
      ? connection.run('addEvents', target, args)
      : connection.idempotently((client) => client.call(command, target, ...args));
  const [events, others] = [writes.filter(({ command }) => command === 'events'), writes.filter(({ command }) => command !== 'events')];
  for (let next = 0; next < others.length; next += WRITES_AT_ONCE) {
    await Promise.all(others.slice(next, next + WRITES_AT_ONCE).map(write));
  }
  for (const piece of events) await write(piece);
  return filled;
}

type Entries = readonly (readonly Argument[])[];
type Add = (command: 'hset' | 'zadd' | 'sadd', name: string, entries: Entries) => void;

/** A long world takes several turns. */
async function writesOf(key: string, from: WorldData | ExportedWorld): Promise<{ writes: readonly Write[]; filled: FilledWorld }> {
  const exported = isExported(from) ? from : undefined;
  const { data, ...seed } = from as WorldData;
  const writes: Write[] = [{ command: 'set', key: `${key}:seed`, args: [JSON.stringify(exported?.seed ?? seed)] }];
  if (data !== undefined) writes.push({ command: 'set', key: `${key}:data`, args: [JSON.stringify(data)] });
  const names: string[] = [];
  const add: Add = (command, name, entries) => {
    for (const piece of piecesOf(entries, ENTRIES_PER_WRITE)) writes.push({ command, key: `${key}:${name}`, args: piece.flat() });
    if (entries.length > 0 && name.includes(':')) names.push(name);
  };
  const breathe = inTurns(WRITES_PER_TURN);
  let order = 0;
  const unsent: Owner[] = [];
  for (const application of owners) {
    const dump: ExportedApplication | undefined = from.applications[application];
    if (!dump) continue;
    const own: Add = (command, name, entries) => add(command, `${application}:${name}`, entries);
    order = addData(own, dump, order);
    addRequests(own, dump);
    if (dump.outbox && dump.outbox.length > 0) unsent.push(application);
    await nextTurn();
  }
  addDue(add, from.due);
  add('sadd', 'unsent', each(unsent));
  if (exported) addHistory(add, exported);
  for (const [n, piece] of piecesOf(exported?.events ?? [], ENTRIES_PER_WRITE).entries()) {
    writes.push({ command: 'events', key, args: [n * ENTRIES_PER_WRITE, ...piece.map(outboxEntry)] });
    await nextTurn();
  }
  add('sadd', 'keys', each(names));
  let bytes = 0;
  for (const { args } of writes) {
    const waiting = breathe();
    if (waiting) await waiting;
    bytes += textOf(args);
  }
  const beginning = fieldsOfBeginning(exported?.seed ?? seed);
  const stands = !exported && seed.beginning?.startsAt !== undefined;
  const fields = {
    order,
    dueSeq: from.due.length,
    bytes,
    ...beginning,
    ...(stands && { flowing: '0', clock: from.now }),
    ...(exported && fieldsOf(exported)),
  };
  return { writes, filled: { now: from.now, fields, unsent } };
}

export function fieldsOfBeginning({ beginning: { seed, startsAt } = {} }: Pick<WorldData, 'beginning'>): FilledWorld['fields'] {
  return {
    ...(seed !== undefined && { seed }),
    ...(startsAt !== undefined && { startsAt }),
  };
}

function fieldsOf({
  lineage,
  now,
  flowing,
  applications,
  dueSeq,
  pending,
  parked,
  faults,
  progression,
  origin,
}: ExportedWorld): FilledWorld['fields'] {
  return {
    lineage,
    outSeq: Math.max(0, ...Object.values(applications).map(({ outbox = [] }) => outbox.length)),
    dueSeq,
    owedSeq: pending.length,
    parkSeq: parked.length,
    faultSeq: faults.rules.length,
    revision: faults.revision,
    ...(!flowing && { flowing: '0', clock: now }),
    ...(progression && { progression: JSON.stringify(progression) }),
    ...(origin !== undefined && { origin }),
  };
}

const textOf = (args: readonly Argument[]): number => args.reduce<number>((sum, arg) => sum + String(arg).length, 0);

const each = (members: readonly Argument[]): Entries => members.map((member) => [member]);
/** Members of a sorted set, scored by their place. */
const placed = (members: readonly string[]): Entries => members.map((member, place) => [place + 1, member]);

const withPresent = (entries: Entries): Entries => (entries.length > 0 ? [[PRESENT, ''], ...entries] : []);

/** @param last order of the last object so far @returns order of the last object after these */
function addData(add: Add, dump: ExportedApplication, last: number): number {
  let newest = last;
  const orders = new Map<string, number>();
  for (const [collection, objects] of Object.entries(dump.objects)) {
    const found = objects.map(({ order = newest + 1, ...object }) => {
      newest = Math.max(newest, order);
      orders.set(`${collection}/${object.id}`, order);
      return { ...object, order };
    });
    add('hset', `o:${collection}`, withPresent(found.map((object) => [object.id, objectRecord(object)])));
    const places = found.map(({ id, order }) => [order, id]);
    add('zadd', `a:${collection}`, places);
  }
  for (const [name, values] of Object.entries(dump.unique)) add('hset', `u:${name}`, Object.entries(values));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    const members = entries.map(([value, id]) => [0, indexMember(value, orders.get(`${collection}/${id}`) ?? 0, id)]);
    add('zadd', `i:${name}`, members);
  }
  for (const [counter, keys] of Object.entries(dump.counters)) {
    add('hset', `c:${counter}`, withPresent(Object.entries(keys).map(([name, fields]) => [name, counterRecord(fields)])));
  }
  return newest;
}

function addRequests(add: Add, { claims = [], outbox = [] }: ExportedApplication): void {
  const records = claims.map((claim) => [claim.key, claimRecord(claim)]);
  const ends = claims.map(({ key, since, done }) => [done?.keepUntil ?? since + CLAIM_KEPT_MS, key]);
  const entries = outbox.map((entry) => [entry.id, outboxEntry(entry)]);
  add('hset', 'idem', records);
  add('zadd', 'claims', ends);
  add('hset', 'entries', entries);
  add('zadd', 'outbox', placed(outbox.map(({ id }) => id)));
}

function addDue(add: Add, items: (WorldData | ExportedWorld)['due']): void {
  const due = items.map((item: WorldData['due'][number] & Partial<DueItem>, position) => {
    const { at, seq = position + 1, awaits, withheldBy } = item;
    const record = dueRecord({ ...item, payload: JSON.stringify(item.payload) }, seq);
    return { name: dueKey(item.application, item.kind, item.key), at, seq, awaits, withheldBy, record };
  });
  const named = (some: typeof due): Entries => some.map(({ seq, name }) => [seq, name]);
  const records = due.map(({ name, record }) => [name, record]);
  const queue = due.map(({ name, at, seq }) => [at, queueMember(seq, name)]);
  add('hset', 'due', records);
  add('zadd', 'queue', queue);
  add('zadd', 'kept', named(due.filter(({ withheldBy }) => withheldBy !== undefined)));
  add('zadd', 'awaiting', named(due.filter(({ awaits }) => awaits !== undefined)));
}

function addHistory(add: Add, { pending, parked, faults, numbers }: ExportedWorld): void {
  add('hset', 'numbers', Object.entries(numbers));
  const memberOf = ({ what, key }: ExportedWorld['parked'][number]): string => `${what}|${key}`;
  add('zadd', 'pending', placed(pending));
  add('zadd', 'parked', placed(parked.map(memberOf)));
  const parkings = parked.map((one) => [memberOf(one), parkedRecord(one)]);
  add('hset', 'parkings', parkings);
  const rules = faults.rules.map((fault) => ({ ...fault, name: word(fault.name) }));
  add('zadd', 'faults', placed(rules.map(({ name }) => name)));
  const byName = (member: 'json' | 'since' | 'hits' | 'chances'): Entries => rules.map((fault) => [fault.name, fault[member]]);
  add('hset', 'rules', byName('json'));
  for (const member of ['since', 'hits', 'chances'] as const) add('hset', member, byName(member));
}
