import type { World } from '../../domain/world.ts';

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

export type CounterFields = Readonly<Record<string, number>>;

export interface ObjectStore {
  object(world: World, collection: string, id: string): Promise<Found | undefined>;
  unique(world: World, collection: string, unique: string, value: string): Promise<Found | undefined>;
  index(world: World, collection: string, index: string, value: string, page: PageRequest): Promise<readonly Found[]>;
  /** Counts the objects that an index lists under each of these values. */
  count(world: World, collection: string, index: string, values: readonly string[]): Promise<readonly number[]>;
  all(world: World, collection: string, page: PageRequest): Promise<readonly Found[]>;
  /** Reads several keys together, sorted as `keys`. A field that never moved is absent. */
  counters(world: World, counter: string, keys: readonly string[]): Promise<readonly CounterFields[]>;
}
