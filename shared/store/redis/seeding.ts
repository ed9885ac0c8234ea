import { applicationNames } from '../../catalog/applications.ts';
import { dueKey } from '../ports/due-work.ts';
import type { ApplicationDump, Snapshot } from '../ports/snapshots.ts';
import type { Argument, RedisConnection } from './connection.ts';
import { counterRecord, dueRecord, indexMember, objectRecord, queueMember } from './formats.ts';
import { PRESENT } from './keys.ts';

/** Most characters of a command. A command of this length delays others no longer than reading a page of objects. */
const ENTRIES_PER_WRITE = 200;
const WRITES_AT_ONCE = 4;

interface Write {
  readonly command: 'hset' | 'zadd' | 'sadd' | 'set';
  readonly key: string;
  readonly args: readonly Argument[];
}

/** Fills the keys of a new world in pieces, before it becomes current. @returns its counts, to be set when it becomes current */
export async function seedWorld(connection: RedisConnection, key: string, from: Snapshot): Promise<Readonly<Record<string, number>>> {
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

function seedWrites(key: string, from: Snapshot): { writes: readonly Write[]; counts: Readonly<Record<string, number>> } {
  const writes: Write[] = [{ command: 'set', key: `${key}:seed`, args: [JSON.stringify(from)] }];
  const names: string[] = [];
  const add = (command: Write['command'], name: string, entries: readonly (readonly Argument[])[]): void => {
    for (let next = 0; next < entries.length; next += ENTRIES_PER_WRITE) {
      writes.push({ command, key: `${key}:${name}`, args: entries.slice(next, next + ENTRIES_PER_WRITE).flat() });
    }
    if (entries.length > 0 && name.includes(':')) names.push(name);
  };
  let order = 0;
  for (const application of applicationNames) {
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
