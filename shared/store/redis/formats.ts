import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { type DueItem, dueKey, type PlannedDue } from '../ports/due-work.ts';
import type { EventsAbout, StoredEvent } from '../ports/inspection.ts';
import type { Parked } from '../ports/ledger.ts';
import type { Found } from '../ports/objects.ts';
import type { OutboxEntry } from '../ports/outbox.ts';

/**
 * What the Redis adapter keeps, key by key. The Lua in `redis-lua` reads and writes the same; nobody else does.
 *
 * Keys. `R` is `<prefix>{<rehearsal>}`, `W` is `R~<ULID>`: the world's name, its rehearsal in braces. The braces make every key of a
 * rehearsal share one slot of a Redis Cluster, so a script may touch them all, and one read finds a rehearsal's current world.
 *
 *   <prefix>worlds       zset   world -> wall time from which it may be dropped, if it is not current by then; `inf` when it is current
 *   L                    is `<prefix>{.rehearsals}`: which rehearsals there are, for how long
 *   L:ends               zset   rehearsal -> wall time at which it ends if nobody uses it, `inf` when it is kept; all of them are in it
 *   L:used               zset   rehearsal -> wall time of its last use; those that are being opened or removed are not in it
 *   L:idle               hash   rehearsal -> wall time without use after which it ends, or `kept`
 *   L:sweep              string who removes those whose end has come, for a few seconds
 *   <prefix>unsent:<app> zset   world in which the application may have unsent events -> wall time at which it was announced
 *   <prefix>changed      channel; a message is `<W> <number>`, the number counts the changes of that world
 *   <prefix>pulse        channel; a message is `<process> <number>`, by which a process learns that messages reach it
 *   R                    hash   ulid (of the current world), credentials (JSON), since (wall time)
 *   W                    hash   createdAt, flowing (1 or 0), clock (flowing: now − wall time; else now), progression (JSON), driver
 *                               (lease of who advances the clock), flowed (whether it did before that), revision (of the faults),
 *                               removedBy (operation that removed its rehearsal), bytes (of text), counts: seq, order, dueSeq, outSeq, owedSeq, parkSeq, faultSeq, changes
 *   W:seed               string the snapshot it was opened from (JSON)
 *   W:keys               set    names of this world's keys of applications, so that dropping it needs no SCAN
 *   W:ops, W:opslog      hash operation -> what came of it; list `<wall time> <operation>`, oldest first: a repeat is answered. Both
 *                               go a minute after the last one
 *   W:due                hash   due key -> due record
 *   W:queue              zset   `<seq, 16 digits>|<due key>` by instant: free items, lowest `(at, seq)` first
 *   W:running            zset   due key by end of its lease, wall time
 *   W:runs               zset   `<token>|<due key>` by end of the lease: whom the clock gave something to run
 *   W:kept               zset   due key by seq: what faults keep
 *   W:pending            zset   delivery `<application>|<event id>` in the order in which they became owed
 *   W:parked, W:parkings zset `<delivery or due>|<key>` by the order in which they were parked; hash of parked records by the same
 *   W:unsent             set    applications whose outbox has something
 *   W:relays             hash   application -> lease
 *   W:events             stream `<order>-0`, field `e`: outbox entry (JSON), in the order in which they were sent
 *   W:eventsabout        zset   `<correlation, subject or type> <value>\0<order, 16 digits>` and `named\0<order>` of events up to the order
 *                               `eventsEntered` of W, all with score 0: read by lexical range
 *   W:hops, W:anonymous  stream `<number>-0`, fields r (request id), c (correlation id), b (bytes), w (wall time), j (JSON of the hop);
 *                               W has `hopSeq`, and of each its `…Bytes` and `…Truncated`
 *   W:hopsabout, W:anonymousabout zset `<correlation id>\0<number, 16 digits>` with score 0: read by lexical range
 *   W:hopids             hash   request id -> number of its hop
 *   W:journal            list   journal entry (JSON): of an older release, until the first look into the journal, or the first hop
 *   W:faults             zset   names in the order in which they were set first; W:rules, W:since
 *                               (revision with which it was set), W:hits, W:chances: hashes by name
 *   W:<app>:o:<collection>         hash  id -> object record
 *   W:<app>:a:<collection>         zset  id by order of creation
 *   W:<app>:u:<collection>.<name>  hash  unique value -> id
 *   W:<app>:i:<collection>.<name>  zset  `<value>\0<order, 16 digits>\0<id>`, all with score 0: read by lexical range
 *   W:<app>:c:<counter>            hash  key -> `field=integer,field=integer`
 *   W:<app>:idem                   hash  claim key -> claim record
 *   W:<app>:claims                 zset  claim key by the end of its time, on the rehearsal's clock
 *   W:<app>:outbox, W:<app>:entries  zset event id by place; hash event id -> outbox entry (JSON)
 *
 * Values. An object's JSON is never decoded by a script: what a script needs stands before it.
 *
 *   object record   `<version> <order> <JSON>`
 *   lease           `<until, wall time> <token>`
 *   due record      seven lines: at, seq, attempts, withheldBy, token, until (of the lease, wall time), JSON of the rest
 *   claim record    seven lines: fingerprint, since, preconditionHeld (1 or 0), token, until, keepUntil (empty: not done), outcome
 *   parked record   three lines: at, error (JSON), JSON of the rest of a due record (empty: of a delivery)
 *
 * Wall time is Redis's own clock in milliseconds, so leases do not depend on the clocks of the machines that take them.
 */

/** Names of the keys that every world may have besides those in `W:keys`. */
export const WORLD_KEYS = [
  'seed',
  'keys',
  'ops',
  'opslog',
  'due',
  'queue',
  'running',
  'runs',
  'kept',
  'pending',
  'parked',
  'parkings',
  'unsent',
  'relays',
  'events',
  'eventsabout',
  'hops',
  'hopsabout',
  'anonymous',
  'anonymousabout',
  'hopids',
  'journal',
  'faults',
  'rules',
  'since',
  'hits',
  'chances',
] as const;

/** The keys of one installation: several may share a Redis under different prefixes. */
export function redisKeys(prefix: string) {
  return {
    worlds: `${prefix}worlds`,
    /** No rehearsal has a dot in its name. */
    rehearsals: `${prefix}{.rehearsals}`,
    changed: `${prefix}changed`,
    pulse: `${prefix}pulse`,
    announced: (application: Application): string => `${prefix}unsent:${application}`,
    rehearsal: (name: string): string => `${prefix}{${name}}`,
    world: (world: World): string => {
      const { rehearsal, id } = partsOf(world);
      return `${prefix}{${rehearsal}}~${id}`;
    },
    /** The reverse of `world`. */
    worldOf: (key: string): World => key.slice(prefix.length).replace(/^\{(.*)\}~/, '$1~') as World,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;

export function partsOf(world: World): { readonly rehearsal: string; readonly id: string } {
  const at = world.lastIndexOf('~');
  return { rehearsal: world.slice(0, at), id: world.slice(at + 1) };
}

/** A word within a record: free of line ends, blanks, commas and equal signs. Names and tokens that code chose stay as they are. */
export const word = (text: string): string => encodeURIComponent(text);
export const unword = (text: string): string => decodeURIComponent(text);

/** The value of an index: NUL parts it from what follows. */
export const indexValue = (text: string): string => (/[%\0]/.test(text) ? text.replaceAll('%', '%25').replaceAll('\0', '%00') : text);
const plainValue = (text: string): string => (text.includes('%') ? text.replaceAll('%00', '\0').replaceAll('%25', '%') : text);

const DIGITS = 16;
export const padded = (order: number): string => String(order).padStart(DIGITS, '0');

export const indexMember = (value: string, order: number, id: string): string => `${indexValue(value)}\0${padded(order)}\0${id}`;
export function readIndexMember(member: string): readonly [value: string, id: string] {
  const end = member.indexOf('\0');
  return [plainValue(member.slice(0, end)), member.slice(end + DIGITS + 2)];
}

export const objectRecord = ({ version, order, json }: Omit<Found, 'id'>): string => `${version} ${order} ${json}`;
export function readObject(id: string, record: string): Found {
  const first = record.indexOf(' ');
  const second = record.indexOf(' ', first + 1);
  return {
    id,
    version: Number(record.slice(0, first)),
    order: Number(record.slice(first + 1, second)),
    json: record.slice(second + 1),
  };
}

export const counterRecord = (fields: Readonly<Record<string, number>>): string =>
  Object.entries(fields)
    .map(([field, value]) => `${word(field)}=${value}`)
    .join(',');
export function readCounter(record: string | null): Readonly<Record<string, number>> {
  if (!record) return {};
  return Object.fromEntries(
    record.split(',').map((part) => {
      const at = part.indexOf('=');
      return [unword(part.slice(0, at)), Number(part.slice(at + 1))];
    }),
  );
}

/** The part of a due record that never changes; its payload is JSON within JSON, so that nothing decodes and encodes it anew. */
interface DueRest {
  readonly application: Application;
  readonly kind: string;
  readonly key: string;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly payload: string;
}

export const dueRest = ({ application, kind, key, correlationId, traceparent, payload }: DueRest): string =>
  JSON.stringify({ application, kind, key, correlationId, traceparent, payload });

export const queueMember = (seq: number, name: string): string => `${padded(seq)}|${name}`;

/** A free item, as a world starts with. */
export const dueRecord = (rest: DueRest, at: number, seq: number): string => [at, seq, 0, '', '', 0, dueRest(rest)].join('\n');

export function readDue(record: string): DueItem {
  const [at = '', seq = '', attempts = '', withheldBy = '', , , ...rest] = record.split('\n');
  const { payload, ...item } = JSON.parse(rest.join('\n')) as DueRest;
  return {
    ...item,
    at: Number(at),
    seq: Number(seq),
    attempts: Number(attempts),
    payload: JSON.parse(payload) as unknown,
    ...(withheldBy !== '' && { withheldBy: unword(withheldBy) }),
  };
}

/** Due work as scripts take it: name, instant (empty: cancel), rest, fault and revision, token and lease of who holds it from the start. */
export function dueArguments(application: Application, due: PlannedDue): readonly string[] {
  return [
    dueKey(application, due.kind, due.key),
    due.at === null ? '' : String(due.at),
    dueRest({ ...due, application }),
    due.withheldBy === undefined ? '' : word(due.withheldBy),
    due.withheldAt === undefined ? '' : String(due.withheldAt),
    due.lease ? word(due.lease.token) : '',
    // The lease was reckoned on this machine's clock; Redis counts it on its own.
    due.lease ? String(due.lease.until - Date.now()) : '0',
  ];
}

export const outboxEntry = ({ id, topic, key, json, struck, committedAt }: OutboxEntry): string =>
  JSON.stringify({ id, topic, key, json, ...(struck && { struck }), committedAt });
export const readEntry = (entry: string): OutboxEntry => JSON.parse(entry) as OutboxEntry;

/** What events can be asked for by, as it begins the members of `W:eventsabout`. */
export const eventsAbout = (about: EventsAbout): string => (about.by === 'named' ? 'named' : `${about.by} ${about.value}`);

export function readEvent([id, fields]: readonly [id: string, fields: readonly string[]]): StoredEvent {
  const { struck: _struck, committedAt: _committedAt, ...event } = readEntry(fields[1] ?? '');
  return { ...event, order: Number.parseInt(id, 10) };
}

/** What went wrong, as a parked record has it: on one line. */
export const parkedError = (error: string): string => JSON.stringify(error);
export function readParked(member: string, record: string): Parked {
  const [what, ...key] = member.split('|');
  const [at, error = '""'] = record.split('\n', 2);
  return { what: what === 'due' ? what : 'delivery', key: key.join('|'), error: JSON.parse(error) as string, at: Number(at) };
}
