import type { Application } from '../catalog/applications.ts';
import type { Progression } from '../simulation/progression.ts';
import type { DueRecord, DueSchedule } from './due-schedule.ts';
import type {
  ApplicationDump,
  DueItem,
  Found,
  JournalEntry,
  Ms,
  OutboxEntry,
  Parked,
  RehearsalCredentials,
  Snapshot,
  StoredEvent,
  World,
} from './ports.ts';

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

export interface ApplicationState {
  objects: Map<string, Map<string, Found>>;
  unique: Map<string, Map<string, string>>;
  /** index -> value -> id -> order */
  index: Map<string, Map<string, Map<string, number>>>;
  counters: Map<string, Map<string, Map<string, number>>>;
  claims: Map<string, ClaimRecord>;
  outbox: OutboxEntry[];
  relay: { token: string; until: number } | undefined;
  /** Results of commits by operation id, newest last; a repeat is answered, not repeated. */
  operations: Map<string, number>;
}

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
  events: StoredEvent[];
  journal: JournalEntry[];
  /** `since`: the revision with which it was set. */
  faults: Map<string, { json: string; hits: number; chances: number; since: number }>;
  faultRevision: number;
  progression: Progression | undefined;
  /** Who advances the clock, and whether it flowed before. */
  driver: { readonly token: string; until: number; readonly flowed: boolean } | undefined;
}

export interface RehearsalState {
  world: WorldState;
  credentials: RehearsalCredentials;
}

/** How many journal records a world keeps. */
export const JOURNAL_LIMIT = 5_000;
/** How many operation ids an application remembers. */
export const OPERATIONS_LIMIT = 10_000;

export function emptyApplication(): ApplicationState {
  return {
    objects: new Map(),
    unique: new Map(),
    index: new Map(),
    counters: new Map(),
    claims: new Map(),
    outbox: [],
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

/** Lists work that was given up; what was parked before under the same name goes. */
export function park(world: WorldState, { what, key }: Pick<Parked, 'what' | 'key'>, error: string, item?: DueRecord['item']): void {
  const name = `${what}|${key}`;
  world.parked.delete(name);
  world.parked.set(name, { shown: { what, key, error, at: nowOf(world) }, ...(item && { item }) });
}

/** Due work that faults keep, in the order in which it was held. */
export function heldItems(world: WorldState | undefined): readonly DueItem[] {
  const held = [...(world?.due.heldByFaults() ?? [])].sort((a, b) => a.seq - b.seq);
  return held.map((item) => ({ ...item, payload: JSON.parse(item.payload) as unknown }));
}

export const nowOf = (world: WorldState): Ms => (world.clock.flowing ? Date.now() + world.clock.offset : world.clock.at);

/** Fills an application's maps from a dump; objects keep the order in which they are listed. */
export function load(world: WorldState, application: Application, dump: ApplicationDump): void {
  const state = applicationState(world, application);
  for (const [collection, found] of Object.entries(dump.objects)) {
    const objects = getOr(state.objects, collection, () => new Map());
    for (const { id, version, json } of found) objects.set(id, { id, version, json, order: ++world.order });
  }
  for (const [name, values] of Object.entries(dump.unique)) state.unique.set(name, new Map(Object.entries(values)));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    const values = getOr(state.index, name, () => new Map());
    for (const [value, id] of entries) {
      getOr(values, value, () => new Map()).set(id, state.objects.get(collection)?.get(id)?.order ?? 0);
    }
  }
  for (const [name, keys] of Object.entries(dump.counters)) {
    const counter = getOr(state.counters, name, () => new Map());
    for (const [key, fields] of Object.entries(keys)) counter.set(key, new Map(Object.entries(fields)));
  }
}

export function dump(state: ApplicationState): ApplicationDump {
  const record = <V, T>(map: Map<string, V>, of: (value: V) => T): Record<string, T> =>
    Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));
  return {
    objects: record(state.objects, (objects) =>
      [...objects.values()].sort((a, b) => a.order - b.order).map(({ id, version, json }) => ({ id, version, json })),
    ),
    unique: record(state.unique, (values) => Object.fromEntries(values)),
    index: record(state.index, (values) => [...values].flatMap(([value, ids]) => [...ids.keys()].map((id) => [value, id] as const))),
    counters: record(state.counters, (keys) => record(keys, (fields) => Object.fromEntries(fields))),
  };
}
