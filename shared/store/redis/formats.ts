import type { Application, Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { type DueItem, dueKey, type PlannedDue } from '../ports/due-work.ts';
import type { Parked } from '../ports/ledger.ts';
import type { EventsAbout, Found, StoredEvent } from '../ports/objects.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import type { ExportedClaim, ExportedParked } from '../ports/world-data.ts';
import type { Argument } from './connection.ts';

/**
 * The records of the Redis adapter. Scripts never decode an object's JSON: the fields that they need precede it.
 *
 *   object record   `<version> <order> <JSON>`
 *   lease           `<until, wall time> <token>`
 *   due record      seven lines: at, seq, attempts (and after a blank the application that it awaits), withheldBy, token, until (of the lease, wall time), JSON of the rest
 *   claim record    seven lines: fingerprint, since, held (0: nothing committed; c: committed; 1: committed, precondition met), token, until, keepUntil (empty: not done), outcome
 *   parked record   three lines: at, error (JSON), JSON of the rest of a due record (empty: of a delivery)
 */

/** A command has a limit of arguments, and delays others as long as it runs. */
export const piecesOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

/** A list as a script reads it: its length first. */
export const listed = <T>(list: readonly T[], each: (one: T) => readonly Argument[]): readonly Argument[] => [
  list.length,
  ...list.flatMap(each),
];

/** A reference to a long text: its position among the arguments. */
export type TextNumber = number;
type KeepText = (text: string) => TextNumber;

/** A script's last arguments: a value in JSON, then its long texts, by number: Redis need not parse the texts. */
export function valueArguments(valueWith: (keep: KeepText) => object): readonly Argument[] {
  const texts: string[] = [];
  const value = valueWith((text) => texts.push(text));
  return [wellFormedJson(value), ...texts];
}

/** Lua's JSON refuses the escape of half a surrogate pair. U+FFFD replaces it, as in other arguments. */
function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'string' ? member.toWellFormed() : member));
}

/** A word within a record: without line ends, blanks, commas and equal signs. Names and tokens that the estate makes stay as they are. */
export const word = (text: string): string => encodeURIComponent(text);
export const unword = (text: string): string => decodeURIComponent(text);

/** The value of an index. NUL ends it. */
export const indexValue = (text: string): string => (/[%\0]/.test(text) ? text.replaceAll('%', '%25').replaceAll('\0', '%00') : text);
const plainValue = (text: string): string => (text.includes('%') ? text.replaceAll('%00', '\0').replaceAll('%25', '%') : text);

const ORDER_DIGITS = 16;
const padded = (order: number): string => String(order).padStart(ORDER_DIGITS, '0');

export const indexMember = (value: string, order: number, id: string): string => `${indexValue(value)}\0${padded(order)}\0${id}`;
export function readIndexMember(member: string): readonly [value: string, id: string] {
  const end = member.indexOf('\0');
  return [plainValue(member.slice(0, end)), member.slice(end + ORDER_DIGITS + 2)];
}

export const objectRecord = ({ version, order, json }: Omit<Found, 'id'>): string => `${version} ${order} ${json}`;
export function readObject(id: string, record: string): Found {
  const first = record.indexOf(' ');
  const second = record.indexOf(' ', first + 1);
  return { id, version: Number(record.slice(0, first)), order: Number(record.slice(first + 1, second)), json: record.slice(second + 1) };
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

/** The constant part of a due record. Its payload is JSON within JSON, so that scripts never decode and re-encode it. */
type DueRest = Pick<DueItem, 'application' | 'kind' | 'key' | 'correlationId' | 'traceparent' | 'hop' | 'occasion'> & {
  readonly payload: string;
};

export const dueRest = ({ application, kind, key, correlationId, traceparent, hop, occasion, payload }: DueRest): string =>
  JSON.stringify({ application, kind, key, correlationId, traceparent, hop, occasion, payload });

export const queueMember = (seq: number, name: string): string => `${padded(seq)}|${name}`;

type NewDue = DueRest & Pick<DueItem, 'at'> & Partial<Pick<DueItem, 'attempts' | 'awaits' | 'withheldBy'>>;

/** A free item of a new world. */
export function dueRecord(item: NewDue, seq: number): string {
  const { at, attempts = 0, awaits, withheldBy } = item;
  const tries = awaits === undefined ? attempts : `${attempts} ${awaits}`;
  return [at, seq, tries, withheldBy === undefined ? '' : word(withheldBy), '', 0, dueRest(item)].join('\n');
}

export function readDue(record: string): DueItem {
  const [at = '', seq = '', attempts = '', withheldBy = '', , , ...rest] = record.split('\n');
  const { payload, ...item } = JSON.parse(rest.join('\n')) as DueRest;
  const [tries, awaits] = attempts.split(' ');
  return {
    ...item,
    at: Number(at),
    seq: Number(seq),
    attempts: Number(tries),
    payload: JSON.parse(payload) as unknown,
    ...(awaits !== undefined && { awaits: awaits as Application }),
    ...(withheldBy !== '' && { withheldBy: unword(withheldBy) }),
  };
}

/** Due work of a plan, as scripts read it. A cancelled item has its name alone. */
export interface DueValue {
  readonly name: string;
  readonly at?: Ms;
  readonly rest?: TextNumber;
  readonly attempts?: number;
  readonly awaits?: Application | undefined;
  readonly withheldBy?: string | undefined;
  /** Revision of the faults when the fault was found. */
  readonly withheldAt?: number | undefined;
  /** The item is leased as soon as it is scheduled. */
  readonly lease?: { readonly token: string; readonly ms: Ms } | undefined;
}

export function dueValue(application: Owner, due: PlannedDue, keep: KeepText): DueValue {
  const name = dueKey(application, due.kind, due.key);
  if (due.at === null) return { name };
  const { at, attempts = 0, awaits, withheldBy, withheldAt, lease } = due;
  return {
    name,
    at,
    rest: keep(dueRest({ ...due, application })),
    attempts,
    awaits,
    withheldBy: withheldBy === undefined ? undefined : word(withheldBy),
    withheldAt,
    // `until` is on this machine's clock; Redis measures the lease by its own clock.
    lease: lease && { token: word(lease.token), ms: lease.until - Date.now() },
  };
}

export const outboxEntry = ({ id, topic, key, json, struck, committedAt, hop, outside }: OutboxEntry): string =>
  JSON.stringify({ id, topic, key, json, ...(struck && { struck }), committedAt, hop, outside });
export const readEntry = (entry: string): OutboxEntry => JSON.parse(entry) as OutboxEntry;

/** A filter of events, as members of `W:eventsabout` begin. */
export const eventsAbout = (about: EventsAbout): string => (about.by === 'named' ? 'named' : `${about.by} ${about.value}`);

export function readEvent([id, fields]: readonly [id: string, fields: readonly string[]]): StoredEvent {
  const { struck: _struck, committedAt: _committedAt, ...event } = readEntry(fields[1] ?? '');
  return { ...event, order: Number.parseInt(id, 10) };
}

/** An error in a parked record: on one line. */
export const parkedError = (error: string): string => JSON.stringify(error);
export function readParked(member: string, record: string): Parked {
  const [what, ...key] = member.split('|');
  const [at, error = '""'] = record.split('\n', 2);
  return { what: what === 'due' ? what : 'delivery', key: key.join('|'), error: JSON.parse(error) as string, at: Number(at) };
}

export const parkedRecord = ({ at, error, item }: ExportedParked): string =>
  [at, parkedError(error), item ? dueRest({ ...item, payload: JSON.stringify(item.payload) }) : ''].join('\n');
/** @returns undefined for a delivery, whose event its redrive reads */
export function readParkedItem(record: string): ExportedParked['item'] {
  const [, , ...rest] = record.split('\n');
  if (rest.join('') === '') return undefined;
  const { payload, ...item } = JSON.parse(rest.join('\n')) as DueRest;
  return { ...item, payload: JSON.parse(payload) as unknown };
}

/** A claim that no request holds. It is recent in the new world. */
export const claimRecord = ({ fingerprint, since, committed, preconditionHeld, done }: ExportedClaim): string =>
  [word(fingerprint), since, preconditionHeld ? '1' : committed ? 'c' : '0', '', Date.now(), done?.keepUntil ?? '', done?.json ?? ''].join(
    '\n',
  );
export function readClaim(key: string, record: string): ExportedClaim {
  const [fingerprint = '', since, held, , , keepUntil = '', ...json] = record.split('\n');
  return {
    key,
    fingerprint: unword(fingerprint),
    since: Number(since),
    preconditionHeld: held === '1',
    committed: held !== '0',
    ...(keepUntil !== '' && { done: { json: json.join('\n'), keepUntil: Number(keepUntil) } }),
  };
}

export function isHeldClaim(record: string): boolean {
  const [, , , token, until] = record.split('\n', 5);
  return token !== '' && Date.now() < Number(until);
}
