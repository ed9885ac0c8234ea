import type { ChangeName } from '../../catalog/control/drift.ts';
import { OPEN_LISTS, STATING_ABSENCE, TEXTS, UNORDERED_LISTS } from '../../catalog/control/drift.ts';
import { objects } from '../../catalog/objects.ts';
import { isObject, type JsonObject, type Place, type Spot } from './shapes.ts';

/** A number from 0 up to, but not including, the given one. */
export type Draw = (below: number) => number;

/** Facts about the document that its schema does not have. */
export interface Circumstances {
  readonly draw: Draw;
  /** The state before the change that an event reports. */
  readonly previousState?: string | undefined;
}

interface BodyChange {
  /** Whether a place of a schema can have the change. */
  readonly fits: (place: Place) => boolean;
  /** Changes a document at places that fit. @returns false when it stays as it is */
  readonly apply: (spots: readonly Spot[], circumstances: Circumstances) => boolean;
}

/** The changes of a document that its schema describes. */
export const bodyChanges: { readonly [Name in ChangeName]?: BodyChange } = {
  'unknown-member': {
    fits: ({ shape }) => shape.members.size > 0 && !shape.isClosed && !shape.members.has(ADDED),
    apply: (spots) => each(spots, ({ value }) => isObject(value) && add(value)),
  },
  'member-order': {
    fits: ({ shape }) => shape.members.size > 1,
    apply: (spots) => each(spots, ({ value }) => isObject(value) && reverseMembers(value)),
  },
  'item-order': {
    fits: ({ shape, member }) => shape.items !== undefined && UNORDERED_LISTS.includes(member),
    apply: (spots) => each(spots, ({ value }) => Array.isArray(value) && reverseItems(value)),
  },
  'absent-member': {
    fits: ({ within, member }) => within?.members.has(member) === true && !within.required.has(member) && !STATING_ABSENCE.includes(member),
    apply: (spots, { draw }) => one(spots, draw, ({ holder, key }) => delete (holder as JsonObject)[key]),
  },
  'open-value': {
    fits: ({ shape }) => OPEN_LISTS.some((name) => shape.names.has(name)),
    apply: (spots, { draw }) =>
      one(
        spots.filter(({ value }) => typeof value === 'string'),
        draw,
        (spot) => set(spot, spot.shape.values.some((known) => String(known).includes('_')) ? 'added_later' : 'added-later'),
      ),
  },
  'timestamp-form': {
    fits: ({ shape }) => shape.format === 'date-time',
    apply: (spots) => each(spots, (spot) => set(spot, withOffset(spot.value))),
  },
  'long-text': {
    fits: ({ shape, member }) =>
      TEXTS.includes(member) && shape.types.has('string') && shape.format === undefined && shape.values.length === 0,
    apply: (spots) => each(spots, (spot) => set(spot, lengthened(spot))),
  },
  'wrong-total': {
    fits: ({ shape }) => shape.names.has(MONEY),
    apply: (spots, { draw }) => one(totalsAmong(spots), draw, ({ value }) => setAmount(value, (amount) => amount + 1)),
  },
  'wrong-minor-units': {
    fits: ({ shape }) => shape.names.has(MONEY),
    apply: (spots) => each(spots, ({ value }) => setAmount(value, (amount) => amount * 100)),
  },
  'previous-state': {
    fits: ({ shape, member }) => member === 'state' && shape.values.some((state) => statesBefore(shape.values, state).length > 0),
    apply: (spots, circumstances) => {
      return outermostOf(spots).some((spot) => putBack(spot, circumstances));
    },
  },
  'missing-item': {
    fits: ({ shape, member, depth }) => depth === 1 && member === 'items' && shape.items !== undefined,
    apply: (spots, { draw }) =>
      each(spots, ({ value }) => Array.isArray(value) && value.length > 0 && value.splice(draw(value.length), 1).length > 0),
  },
};

/** The member of `unknown-member`. */
export const ADDED = 'addedLater';
const MONEY = 'Money';

/** @returns whether one of the places has changed */
const each = (spots: readonly Spot[], change: (spot: Spot) => boolean): boolean => spots.filter(change).length > 0;

/** Changes one of the places. */
function one(spots: readonly Spot[], draw: Draw, change: (spot: Spot) => boolean): boolean {
  const drawn = spots[spots.length === 0 ? 0 : draw(spots.length)];
  return drawn !== undefined && change(drawn);
}

function set({ holder, key, value }: Spot, changed: unknown): boolean {
  if (changed === undefined || changed === value) return false;
  (holder as JsonObject)[key] = changed;
  return true;
}

function add(object: JsonObject): boolean {
  object[ADDED] = { since: 'a later version', values: [1, 2] };
  return true;
}

/** In place, because other places refer to the object. */
function reverseMembers(object: JsonObject): boolean {
  const members = Object.entries(object);
  for (const [name] of members) delete object[name];
  for (const [name, value] of members.toReversed()) object[name] = value;
  return members.length > 1;
}

function reverseItems(items: unknown[]): boolean {
  const before = JSON.stringify(items);
  items.reverse();
  return JSON.stringify(items) !== before;
}

const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(\d{3})Z$/;
/** India: neither whole hours, nor daylight-saving time. */
const OFFSET_MS = 330 * 60_000;

/** The same instant with an offset and microseconds. */
function withOffset(value: unknown): string | undefined {
  if (typeof value !== 'string' || !IN_UTC.test(value)) return undefined;
  const local = new Date(Date.parse(value) + OFFSET_MS);
  if (Number.isNaN(local.getTime())) return undefined;
  const text = local.toISOString();
  // Years beyond 9999 have another form.
  return IN_UTC.test(text) ? text.replace('Z', '000+05:30') : undefined;
}

/** Latin with marks, Greek, Cyrillic, Arabic, Han, Hangul and an emoji beyond the first plane. */
const OTHER_SCRIPTS = ' Ærøskøbing Ἀθῆναι Žluťoučký Москва القاهرة 東京都 서울 🧡';
const LONG = 400;

function lengthened({ value, shape }: Spot): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const most = Math.min(shape.longest ?? LONG, LONG);
  const text = (value + OTHER_SCRIPTS.repeat(Math.ceil(LONG / OTHER_SCRIPTS.length))).slice(0, most);
  // A cut must not leave a blank or half of a character.
  const whole = text.replace(/[\uD800-\uDBFF]$/, '').trimEnd();
  return whole.length > value.length ? whole : undefined;
}

/** The places come with the outermost first. */
const outermostOf = (spots: readonly Spot[]): readonly Spot[] => spots.filter(({ depth }) => depth === spots[0]?.depth);

/** Totals are the outermost amounts, and those named so if there are any. */
function totalsAmong(spots: readonly Spot[]): readonly Spot[] {
  const outermost = outermostOf(spots);
  const named = outermost.filter(({ member }) => /total/i.test(member));
  return named.length > 0 ? named : outermost;
}

function setAmount(value: unknown, change: (amount: number) => number): boolean {
  if (!isObject(value) || typeof value['amount'] !== 'number') return false;
  const { amount } = value;
  const changed = change(amount);
  if (changed === amount || !Number.isSafeInteger(changed)) return false;
  value['amount'] = changed;
  return true;
}

const lifeCycles = objects.flatMap(({ lifeCycle }) => lifeCycle ?? []);

/** The life cycle with these states. */
const lifeCycleOf = (states: readonly unknown[]) =>
  lifeCycles.find((one) => one.states.length === new Set(states).size && one.states.every((state) => states.includes(state)));

/** The states that precede a state. An object with one state has none. */
const statesBefore = (states: readonly unknown[], state: unknown): readonly string[] => {
  const leading = (lifeCycleOf(states)?.rows ?? []).filter(({ to }) => (to as readonly unknown[]).includes(state));
  return [...new Set(leading.flatMap(({ from }) => from.filter((before): before is string => before !== null && before !== state)))];
};

/** Sets the state and the version before the last change. */
function putBack(spot: Spot, { draw, previousState }: Circumstances): boolean {
  const before = statesBefore(spot.shape.values, spot.value);
  if (before.length === 0) return false;
  const reported = before.find((state) => state === previousState);
  if (!set(spot, reported ?? before[draw(before.length)])) return false;
  const object = spot.holder as JsonObject;
  if (typeof object['version'] === 'number' && object['version'] > 1) object['version'] -= 1;
  return true;
}
