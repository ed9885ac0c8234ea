import { type StateKind, stateKinds } from '../../shared/catalog/state-kinds.ts';
import type { OperationOutput } from '../call-types.ts';
import type { Difference } from './run.ts';

export type BookEntry = OperationOutput<'read-books'>['entries'][number];

/** Entries of books by `book entry`, counted from the world before the story. */
export type Effects = ReadonlyMap<string, Effect>;

interface Effect {
  readonly book: BookEntry['book'];
  readonly entry: string;
  /** Groups objects of one type, whatever their states. */
  readonly group: string;
  /** Of an object: whether it ended without its intended outcome, such as a cancelled order, or is only the record of a guest. */
  readonly holdsNothing: boolean;
  /** What the story changed. */
  readonly change: number;
  readonly value: number;
}

/** What a story changed in the books of its world. */
export function effectsOf(before: readonly BookEntry[], after: readonly BookEntry[]): Effects {
  const was = new Map(before.map((one) => [keyOf(one), one]));
  const is = new Map(after.map((one) => [keyOf(one), one]));
  const effects = new Map<string, Effect>();
  for (const [key, entry] of [...was, ...is]) {
    if (!isBusiness(entry)) continue;
    const value = is.get(key)?.value ?? 0;
    const change = value - (was.get(key)?.value ?? 0);
    if (change !== 0) effects.set(key, { ...describe(entry), change, value });
  }
  return effects;
}

const keyOf = ({ book, entry }: Pick<BookEntry, 'book' | 'entry'>): string => `${book} ${entry}`;

/** Published events and outstanding work follow from the objects. Parked work may be a delivery to a receiver that ended with the command. */
const isBusiness = ({ book }: BookEntry): boolean => book !== 'events' && book !== 'work';

function describe({ book, entry }: BookEntry): Pick<Effect, 'book' | 'entry' | 'group' | 'holdsNothing'> {
  if (book !== 'objects') return { book, entry, group: keyOf({ book, entry }), holdsNothing: false };
  const [type = '', state] = entry.split(' ');
  const kinds: Readonly<Record<string, Readonly<Record<string, StateKind>>>> = stateKinds;
  return {
    book,
    entry,
    group: `objects ${type}`,
    holdsNothing: entry === GUEST || (state !== undefined && kinds[type]?.[state] === 'failed'),
  };
}

/** Each basket without a customer makes one. */
const GUEST = 'customer anonymous';

/** A basket holds neither money nor stock nor points, and expires. */
const HARMLESS = 'objects basket';

/** Whether a story that failed left work that nothing ends, or an effect. */
export const hasLeft = (effects: Effects): boolean =>
  [...effects.values()].some(({ group, holdsNothing }) => group !== HARMLESS && !holdsNothing);

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Something happened more often than in the baseline, such as a second order. */
  readonly hasMore: boolean;
  /** Something is missing. */
  readonly hasLess: boolean;
  /** Something happened that the baseline does not have. */
  readonly hasOther: boolean;
}

/**
 * Compares what two stories changed. A try may leave further objects that failed, such as the cancelled draft of an order that was begun
 * again, and further baskets and guests.
 */
export function compareEffects(baseline: Effects, tried: Effects): Comparison {
  const keys = [...new Set([...baseline.keys(), ...tried.keys()])];
  const changesOf = (key: string) => ({ from: baseline.get(key)?.change ?? 0, to: tried.get(key)?.change ?? 0 });
  const isNoise = (key: string): boolean => {
    const { group = '', holdsNothing = false } = baseline.get(key) ?? tried.get(key) ?? {};
    const { from, to } = changesOf(key);
    return (holdsNothing || group === HARMLESS) && to >= from;
  };
  const differing = keys.filter((key) => changesOf(key).from !== changesOf(key).to && !isNoise(key));
  const groups = new Set(differing.map((key) => (baseline.get(key) ?? tried.get(key))?.group ?? ''));
  // Points and stock follow from orders and money: a second refund takes back points.
  const causes = [...groups].filter((group) => /^(?:objects|money) /.test(group));
  const sums = (causes.length > 0 ? causes : [...groups]).map((group) => ({ from: sumOf(baseline, group), to: sumOf(tried, group) }));
  return {
    differences: differing.map((key) => differenceOf(baseline.get(key), tried.get(key))),
    hasMore: sums.some(({ from, to }) => from !== 0 && Math.sign(to) === Math.sign(from) && Math.abs(to) > Math.abs(from)),
    hasLess: sums.some(({ from, to }) => from !== 0 && (to === 0 || (Math.sign(to) === Math.sign(from) && Math.abs(to) < Math.abs(from)))),
    hasOther: sums.some(({ from, to }) => (from === 0 && to !== 0) || Math.sign(from) * Math.sign(to) < 0),
  };
}

/**
 * Whether a repetition completed a story: it has the same objects and points. Its clock ran longer, so states and the way of money and
 * stock may differ.
 */
export function isCompletedBy(baseline: Effects, repeated: Effects): boolean {
  const groups = new Set([...baseline.values(), ...repeated.values()].map(({ group }) => group));
  return [...groups]
    .filter((group) => group !== HARMLESS && /^(?:objects|points|money refunded)/.test(group))
    .every((group) => sumOf(baseline, group) === sumOf(repeated, group));
}

/** The sum of a group, without objects that failed: a cancelled order does not replace a confirmed one. */
const sumOf = (effects: Effects, group: string): number =>
  [...effects.values()].filter((one) => one.group === group && !one.holdsNothing).reduce((sum, { change }) => sum + change, 0);

function differenceOf(baseline: Effect | undefined, tried: Effect | undefined): Difference {
  const shown = baseline ?? (tried as Effect);
  // Both worlds had the same value before.
  const before = shown.value - shown.change;
  return { what: wordsOf(shown), baseline: String(baseline?.value ?? before), tried: String(tried?.value ?? before) };
}

/** `order in-fulfilment`, `captured (minor units)` */
function wordsOf({ book, entry }: Pick<Effect, 'book' | 'entry'>): string {
  if (book === 'money') return `${entry} (minor units)`;
  return book === 'points' ? `points of ${entry}` : entry;
}
