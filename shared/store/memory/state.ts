import type { Application } from '../../catalog/applications.ts';
import type { Progression } from '../../catalog/simulation/progression.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { RehearsalCredentials } from '../ports/directory.ts';
import type { DueItem } from '../ports/due-work.ts';
import type { Parked } from '../ports/ledger.ts';
import type { Found } from '../ports/objects.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import type { ApplicationDump, Snapshot } from '../ports/snapshots.ts';
import type { DueRecord, DueSchedule } from './due-schedule.ts';
import type { MemoryEvents } from './events.ts';
import type { MemoryJournal } from './journal.ts';
import { createOrderedList, type Ordered, type OrderedList } from './ordered-list.ts';

/** What the memory adapter keeps. Plain maps; every change happens within one synchronous step. */

export interface ClaimRecord {
  fingerprint: string;
  since: Ms;
  preconditionHeld: boolean;
  token: string | undefined;
  /** Wall time. */
  leaseUntil: number;
  done: { json: string; keepUntil: Ms } | undefined;
}

/** Where an object stands in the order of creation. */
export interface Placed extends Ordered {
  readonly id: string;
}

export interface ApplicationState {
  objects: Map<string, Map<string, Found>>;
  /** collection -> objects by order of creation */
  placed: Map<string, OrderedList<Placed>>;
  unique: Map<string, Map<string, string>>;
  /** index -> value -> objects by order of creation */
  index: Map<string, Map<string, OrderedList<Placed>>>;
  counters: Map<string, Map<string, Map<string, number>>>;
  claims: Map<string, ClaimRecord>;
  /** By id, in the order of the commits. */
  outbox: Map<string, OutboxEntry>;
  relay: { token: string; until: number } | undefined;
  /** Results of commits by operation id, newest last; a repeat is answered, not repeated. */
  operations: Operations;
}

/** `at`: wall time. */
export type Operations = Map<string, { readonly seq: number; readonly at: Ms }>;

export interface WorldState {
  readonly rehearsal: string;
  readonly world: World;
  readonly createdAt: string;
  readonly seed: Snapshot;
  /** Flowing: now = wall + offset. Frozen: now = at. */
  clock: { flowing: true; offset: number } | { flowing: false; at: Ms };
  applications: Map<Application, ApplicationState>;
  readonly due: DueSchedule;
  pending: Set<string>;
  /** By what it is and its key, oldest first. Due work keeps what it needs to be done again. */
  parked: Map<string, { readonly shown: Parked; readonly item?: DueRecord['item'] }>;
  seq: number;
  order: number;
  /** The text of objects, events and kept answers. */
  bytes: number;
  readonly events: MemoryEvents;
  readonly journal: MemoryJournal;
  /** `since`: the revision with which it was set. */
  faults: Map<string, { json: string; hits: number; chances: number; since: number }>;
  faultRevision: number;
  progression: Progression | undefined;
  /** Who advances the clock, and whether it flowed before. */
  driver: { readonly token: string; until: number; readonly flowed: boolean } | undefined;
}

export interface RehearsalState {
  world: WorldState;
  readonly credentials: RehearsalCredentials;
  /** Wall time. */
  lastUsedAt: Ms;
  /** Wall time without use after which it ends; null: it is kept. */
  readonly idleMs: Ms | null;
}

/** How many operation ids an application remembers. */
export const OPERATIONS_LIMIT = 10_000;

export function emptyApplication(): ApplicationState {
  return {
    objects: new Map(),
    placed: new Map(),
    unique: new Map(),
    index: new Map(),
    counters: new Map(),
    claims: new Map(),
    outbox: new Map(),
    relay: undefined,
    operations: new Map(),
  };
}

export function applicationState(world: WorldState, application: Application): ApplicationState {
  return getOr(world.applications, application, emptyApplication);
}

export function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** The first so many, and no look at the others. */
export function firstOf<T>(things: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const thing of things) {
    if (first.length >= limit) break;
    first.push(thing);
  }
  return first;
}

/** Lists work that was given up; what was parked before under the same name goes. */
export function park(world: WorldState, { what, key }: Pick<Parked, 'what' | 'key'>, error: string, item?: DueRecord['item']): void {
  const name = `${what}|${key}`;
  world.parked.delete(name);
  world.parked.set(name, { shown: { what, key, error, at: nowOf(world) }, ...(item && { item }) });
}

/** Due work that faults keep, in the order in which it was held. */
export function heldItems(world: WorldState | undefined, fault?: string): readonly DueItem[] {
  const held = [...(world?.due.withheldBy(fault) ?? [])].sort((a, b) => a.seq - b.seq);
  return held.map((item) => ({ ...item, payload: JSON.parse(item.payload) as unknown }));
}

export const nowOf = (world: WorldState): Ms => (world.clock.flowing ? Date.now() + world.clock.offset : world.clock.at);

/** Fills an application's maps from a dump; objects keep the order in which they are listed. */
export function load(world: WorldState, application: Application, dump: ApplicationDump): void {
  const state = applicationState(world, application);
  for (const [collection, found] of Object.entries(dump.objects)) {
    for (const { id, version, json } of found) {
      putObject(state, collection, { id, version, json, order: ++world.order });
      world.bytes += json.length;
    }
  }
  for (const [name, values] of Object.entries(dump.unique)) state.unique.set(name, new Map(Object.entries(values)));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    for (const [value, id] of entries) enterIndex(state, name, { value, id, order: state.objects.get(collection)?.get(id)?.order ?? 0 });
  }
  for (const [name, keys] of Object.entries(dump.counters)) {
    const counter = getOr(state.counters, name, () => new Map());
    for (const [key, fields] of Object.entries(keys)) counter.set(key, new Map(Object.entries(fields)));
  }
}

export function putObject(state: ApplicationState, collection: string, found: Found): void {
  const objects = getOr(state.objects, collection, () => new Map());
  const { id, order } = found;
  if (!objects.has(id)) getOr(state.placed, collection, createOrderedList<Placed>).put({ order, id });
  objects.set(id, found);
}

interface Entered extends Placed {
  readonly value: string;
}

export function enterIndex(state: ApplicationState, name: string, { value, id, order }: Entered): void {
  const values = getOr(state.index, name, () => new Map<string, OrderedList<Placed>>());
  getOr(values, value, createOrderedList<Placed>).put({ order, id });
}

export function leaveIndex(state: ApplicationState, name: string, { value, order }: Omit<Entered, 'id'>): void {
  const values = state.index.get(name);
  const placed = values?.get(value);
  placed?.remove(order);
  if (placed?.size === 0) values?.delete(value);
}

export function dump(state: ApplicationState): ApplicationDump {
  const record = <V, T>(map: Map<string, V>, of: (value: V) => T): Record<string, T> =>
    Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));
  return {
    // A map keeps the order in which things came into it first, which is that of their creation.
    objects: record(state.objects, (objects) => [...objects.values()].map(({ id, version, json }) => ({ id, version, json }))),
    unique: record(state.unique, (values) => Object.fromEntries(values)),
    index: record(state.index, (values) => [...values].flatMap(([value, placed]) => [...placed].map(({ id }) => [value, id] as const))),
    counters: record(state.counters, (keys) => record(keys, (fields) => Object.fromEntries(fields))),
  };
}
