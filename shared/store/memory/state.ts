import type { Owner } from '../../catalog/applications.ts';
import type { OwnData } from '../../catalog/control/own-data.ts';
import type { Progression } from '../../catalog/control/progression.ts';
import { LATEST_CLOCK } from '../../catalog/limits.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { DELIVER_AGAIN, type DueItem, dueKey } from '../ports/due-work.ts';
import type { Parked } from '../ports/ledger.ts';
import type { LogEntry, LogName } from '../ports/logs.ts';
import type { Found } from '../ports/objects.ts';
import { deliveryKey, type OutboxEntry } from '../ports/outbox.ts';
import type { Labels, RehearsalCredentials, TokenExpiry } from '../ports/rehearsals.ts';
import type { WorldData } from '../ports/world-data.ts';
import type { DueRecord, DueSchedule } from './due-schedule.ts';
import type { MemoryEvents } from './events.ts';
import type { MemoryJournal } from './journal.ts';
import { type Ordered, OrderedList } from './ordered-list.ts';
import type { RevokedTokens } from './revoked-tokens.ts';

export function putObject(state: ApplicationState, collection: string, found: Found): void {
  const objects = getOr(state.objects, collection, () => new Map());
  const { id, order } = found;
  if (!objects.has(id)) getOr(state.placed, collection, () => new OrderedList<Placed>()).put({ order, id });
  objects.set(id, found);
}

interface IndexEntry extends Placed {
  readonly value: string;
}

export function enterIndex(state: ApplicationState, name: string, { value, id, order }: IndexEntry): void {
  const values = getOr(state.index, name, () => new Map<string, OrderedList<Placed>>());
  getOr(values, value, () => new OrderedList<Placed>()).put({ order, id });
}

export function leaveIndex(state: ApplicationState, name: string, { value, order }: Omit<IndexEntry, 'id'>): void {
  const values = state.index.get(name);
  const placed = values?.get(value);
  placed?.remove(order);
  if (placed?.size === 0) values?.delete(value);
}

/** The data of the memory adapter: plain maps. Every change happens within one synchronous step. */

export interface ClaimRecord {
  fingerprint: string;
  since: Ms;
  preconditionHeld: boolean;
  /** Whether a commit was made under this claim. */
  committed: boolean;
  token: string | undefined;
  /** Wall time. */
  leaseUntil: number;
  done: { json: string; keepUntil: Ms } | undefined;
}

/** The position of an object by creation. */
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
  /** Unsent events by id, first committed first. */
  outbox: Map<string, OutboxEntry>;
  relay: { token: string; until: number } | undefined;
  /** Results of commits by operation id, newest last. A repeated operation gets its first result. */
  operations: Operations;
}

/** `at`: wall time. */
export type Operations = Map<string, { readonly seq: number; readonly at: Ms }>;

export interface WorldState {
  readonly rehearsal: string;
  readonly world: World;
  readonly createdAt: string;
  /** `idSource` of the world that this one continues. */
  readonly lineage: string | undefined;
  readonly seed: WorldData;
  readonly data: OwnData | undefined;
  /** The snapshot that the world was opened from. */
  readonly origin: string | undefined;
  /** Flowing: now = wall + offset. Frozen: now = at. */
  clock: { flowing: true; offset: number } | { flowing: false; at: Ms };
  applications: Map<Owner, ApplicationState>;
  readonly due: DueSchedule;
  pending: Set<string>;
  /** In a world with a seed: the owners of unsent events by id, first committed first. */
  readonly unsent: Map<string, Owner> | undefined;
  /** Parked work by kind and key, oldest first. Due work keeps its item for a redrive. */
  parked: Map<string, { readonly shown: Parked; readonly item?: DueRecord['item'] }>;
  /** Number of commits. */
  seq: number;
  /** The newest `seq` of due work. */
  dueSeq: number;
  order: number;
  /** Size of the text of objects, events and kept answers. */
  bytes: number;
  readonly events: MemoryEvents;
  readonly journal: MemoryJournal;
  /** The newest entries of each log, oldest first. */
  readonly logs: Record<LogName, readonly LogEntry[]>;
  /** `since`: the revision that set the fault. */
  faults: Map<string, { json: string; hits: number; struck: readonly string[]; chances: number; since: number }>;
  faultRevision: number;
  /** The last operation that changed reference data. */
  reference: string | undefined;
  progression: Progression | undefined;
  /** The last number of each name (`nextNumber`). */
  readonly numbers: Map<string, number>;
  /** With the end of each on the clock. */
  readonly revokedTokens: RevokedTokens;
  tokenExpiry: TokenExpiry | undefined;
  /** Lease of the driver that advances the clock. `until`: wall time; `flowed`: the clock flowed before. */
  driver: { readonly token: string; until: number; readonly flowed: boolean } | undefined;
}

export interface RehearsalState {
  world: WorldState;
  readonly credentials: RehearsalCredentials;
  readonly labels?: Labels | undefined;
  /** Wall time. */
  lastUsedAt: Ms;
  /** Wall time without use after which the rehearsal ends; null: it is kept. */
  readonly idleMs: Ms | null;
}

/** Maximum number of operation ids that an application keeps in one world. */
export const OPERATIONS_LIMIT = 10_000;

function emptyApplication(): ApplicationState {
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

export function applicationState(world: WorldState, application: Owner): ApplicationState {
  return getOr(world.applications, application, emptyApplication);
}

export function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** The first elements, up to a limit. It does not iterate over the others. */
export function firstOf<T>(things: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const thing of things) {
    if (first.length >= limit) break;
    first.push(thing);
  }
  return first;
}

/** Parks work. It replaces an entry of the same kind and key. */
export function park(world: WorldState, { what, key }: Pick<Parked, 'what' | 'key'>, error: string, item?: DueRecord['item']): void {
  const name = `${what}|${key}`;
  world.parked.delete(name);
  world.parked.set(name, { shown: { what, key, error, at: nowOf(world) }, item });
}

/** The name under which an item is parked. */
export const parkedAs = ({ application, kind, key }: Pick<DueItem, 'application' | 'kind' | 'key'>): Pick<Parked, 'what' | 'key'> =>
  kind === DELIVER_AGAIN ? { what: 'delivery', key: deliveryKey(application, key) } : { what: 'due', key: dueKey(application, kind, key) };

/** Removes the work from the list of parked work, because it runs again. */
export function unpark({ parked }: Pick<WorldState, 'parked'>, item: DueRecord['item']): void {
  const { what, key } = parkedAs(item);
  parked.delete(`${what}|${key}`);
}

const dueItems = new WeakMap<DueRecord['item'], DueItem>();

/** A due item whose payload is parsed on demand: the clock reads the next item after every change, and rarely needs the payload. */
export function dueItem(item: DueRecord['item']): DueItem {
  const known = dueItems.get(item);
  if (known) return known;
  const { payload, ...rest } = item;
  const made: DueItem = {
    ...rest,
    get payload(): unknown {
      return JSON.parse(payload);
    },
  };
  dueItems.set(item, made);
  return made;
}

/** Due work that this fault withholds, first withheld first. Default: the work of any fault. */
export function withheldItems(world: WorldState | undefined, fault?: string): readonly DueItem[] {
  const withheld = [...(world?.due.withheldBy(fault) ?? [])].sort((a, b) => a.seq - b.seq);
  return withheld.map(dueItem);
}

/** A flowing clock stops at the end of all clocks. */
export const nowOf = ({ clock }: WorldState): Ms => (clock.flowing ? Math.min(Date.now() + clock.offset, LATEST_CLOCK) : clock.at);

/** 0 = there are no faults. */
export const faultRevisionOf = ({ faults, faultRevision }: WorldState): number => (faults.size === 0 ? 0 : faultRevision);
