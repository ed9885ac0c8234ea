import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { OutboxEntry } from './outbox.ts';

/** A stored object. `order` is its position by creation within its world. */
export interface Found {
  readonly id: string;
  readonly version: number;
  readonly order: number;
  readonly json: string;
}

export interface PageRequest {
  /** Only objects created after this `order`. With `newestFirst`: created before it, and 0 starts at the newest. */
  readonly after: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

type CounterFields = Readonly<Record<string, number>>;

export interface ObjectStore {
  object(world: World, collection: string, id: string): Promise<Found | undefined>;
  unique(world: World, collection: string, unique: string, value: string): Promise<Found | undefined>;
  index(world: World, collection: string, index: string, value: string, page: PageRequest): Promise<readonly Found[]>;
  /** Counts the objects that an index lists under each of these values. */
  count(world: World, collection: string, index: string, values: readonly string[]): Promise<readonly number[]>;
  all(world: World, collection: string, page: PageRequest): Promise<readonly Found[]>;
  /** Reads several keys together, in the sequence of `keys`. A field that never moved is absent. */
  counters(world: World, counter: string, keys: readonly string[]): Promise<readonly CounterFields[]>;
}

export type StoredEvent = Pick<OutboxEntry, 'id' | 'topic' | 'key' | 'json' | 'hop' | 'outside'> & { readonly order: number };

/** The JSON of an event as clients get it; undefined when a fault keeps it from them. */
export const jsonForClients = ({ json, outside }: Pick<StoredEvent, 'json' | 'outside'>): string | undefined =>
  outside === null ? undefined : (outside ?? json);

/** A filter of events; a type is named without its prefix. `named`: all events except the additional ones. */
export type EventsAbout = { readonly by: 'id' | 'correlation' | 'subject' | 'type'; readonly value: string } | { readonly by: 'named' };

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The order of the world's last event at that moment. */
  readonly last: number;
  /** Number of all events that match. */
  readonly count: number;
}

export interface EventReader {
  events(world: World, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Reads the events that match a filter. The cost does not depend on the number of other events. */
  eventsAbout(world: World, about: EventsAbout, after: number, limit: number): Promise<EventPage>;
  /** As `eventsAbout`, but the newest events, newest first. */
  newestEventsAbout(world: World, about: EventsAbout, limit: number): Promise<readonly StoredEvent[]>;
}

/** The objects of a type in the store of their owner, and the states to count. */
export interface CountedObjects {
  readonly application: Owner;
  readonly collection: string;
  /** The states to count. Empty for objects without a life cycle. */
  readonly states: readonly string[];
}

/** A collection in the store of its owner, and the name of one of its indexes or unique values. */
interface IndexedObjects {
  readonly application: Owner;
  readonly collection: string;
  readonly name: string;
}

export interface ObjectCount {
  readonly count: number;
  /** One entry per requested state, in the given order. */
  readonly states: readonly number[];
}

/** The objects and counters of every application of a world; read as an application reads its own. */
export interface ObjectReader {
  object(world: World, application: Owner, collection: string, id: string): Promise<Found | undefined>;
  all(world: World, application: Owner, collection: string, page: PageRequest): Promise<readonly Found[]>;
  /** The objects that an index lists under a value, paged as `all` pages them. */
  indexed(world: World, of: IndexedObjects, value: string, page: PageRequest): Promise<readonly Found[]>;
  /** The object with a unique value, such as the product with a SKU. */
  unique(world: World, of: IndexedObjects, value: string): Promise<Found | undefined>;
  /** Counts objects of several types by state. The cost does not depend on their number. */
  countObjects(world: World, of: readonly CountedObjects[]): Promise<readonly ObjectCount[]>;
  counters(world: World, application: Owner, counter: string, keys: readonly string[]): Promise<readonly CounterFields[]>;
}
