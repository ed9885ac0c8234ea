import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { DueItem } from './due-work.ts';

/** The stored data of one application, as plain JSON. */
export interface ApplicationDump {
  readonly objects: Readonly<Record<string, readonly { readonly id: string; readonly version: number; readonly json: string }[]>>;
  readonly unique: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly index: Readonly<Record<string, readonly (readonly [value: string, id: string])[]>>;
  readonly counters: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
}

/**
 * Data, clock and due work of a world. It excludes the outbox, withheld events, deliveries, journal, faults and idempotency records; other
 * work that a fault withholds is therefore due immediately. It does not store which hop scheduled the work.
 */
export interface Snapshot {
  readonly now: Ms;
  readonly applications: Readonly<Partial<Record<Application, ApplicationDump>>>;
  readonly due: readonly Omit<DueItem, 'seq' | 'attempts' | 'withheldBy' | 'awaits' | 'hop'>[];
}

export interface SnapshotStore {
  snapshot(world: World): Promise<Snapshot>;
  /** The snapshot that the world was seeded from. */
  seed(world: World): Promise<Snapshot>;
}
