import type { Owner } from '../../catalog/applications.ts';
import type { OwnData } from '../../catalog/control/own-data.ts';
import type { Progression, ProgressionInput } from '../../catalog/control/progression.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { DueItem } from './due-work.ts';

/** The size of a world. The store keeps each number up to date, so that reading them costs the same for every world. */
interface WorldContents {
  readonly objects: number;
  readonly events: number;
  /** Journal records. */
  readonly journal: number;
  /** Approximately: the text of objects, events, kept answers and journal, without the overhead of the store. */
  readonly bytes: number;
}

/** The lifetime of a rehearsal, in wall time. */
export interface Lifetime {
  readonly lastUsedAt: Ms;
  /** The end unless the rehearsal is used before it; null: it is kept until it is deleted. */
  readonly endsAt: Ms | null;
}

export interface RehearsalRecord extends Lifetime {
  readonly rehearsal: string;
  /** Absent when the rehearsal cannot be read; `trouble` has the reason. */
  readonly current?: { readonly world: World; readonly createdAt: string; readonly now: Ms; readonly contents: WorldContents };
  readonly trouble?: string;
}

export interface NewRehearsal {
  /** Makes the seed data. It is called only when there is room for the rehearsal. */
  readonly from: () => Snapshot;
  readonly credentials: RehearsalCredentials;
  /** Wall time without use after which the rehearsal ends; null: it is kept. */
  readonly idleMs: Ms | null;
  /** Limit of the number of rehearsals, this one included. */
  readonly most: number;
}

type CreatedRehearsal =
  | { readonly is: 'created'; readonly world: World }
  | { readonly is: 'exists' }
  /** `longestIdle`: among the rehearsals that are not kept. */
  | { readonly is: 'too-many'; readonly longestIdle?: Lifetime & { readonly rehearsal: string } };

export interface RehearsalStore {
  /** Sorted by creation. An unreadable rehearsal is listed with the known part of its record. */
  list(): Promise<readonly RehearsalRecord[]>;
  /** As `list` shows it. Reading does not count as use. @returns undefined when the rehearsal does not exist */
  record(rehearsal: string): Promise<RehearsalRecord | undefined>;
  /** Of concurrent calls, one creates the rehearsal, and together they keep to the limit. */
  create(rehearsal: string, created: NewRehearsal): Promise<CreatedRehearsal>;
  /**
   * Seeds a new world, then switches the rehearsal to it. The old world is dropped after a minute. Credentials and lifetime stay;
   * the call counts as use. @returns undefined when the rehearsal does not exist (any more)
   */
  replace(rehearsal: string, from: Snapshot): Promise<World | undefined>;
  /** Replaces the rehearsal's world, or creates the rehearsal without a limit. A rehearsal created here is kept until it is removed. */
  open(rehearsal: string, from: Snapshot, credentials: RehearsalCredentials): Promise<World>;
  /** Removes the rehearsal. Its credentials answer 401 from then on. @returns false when it did not exist */
  remove(rehearsal: string): Promise<boolean>;
  /** Notes that a rehearsal is used now. @returns its `idleMs`; null also when it does not exist */
  use(rehearsal: string): Promise<Ms | null>;
  /** Removes the rehearsals that have ended, and reads only these. One process at a time does this. @returns their names */
  expire(): Promise<readonly string[]>;
}

export interface ProgressionStore {
  /** Sets the given members in one step and keeps the others. @returns the whole progression */
  setProgression(world: World, input: ProgressionInput): Promise<Progression>;
}

/** HMACs of the credentials bound to a rehearsal. The secrets themselves are in the answer of its creation only. */
export interface RehearsalCredentials {
  readonly bearer: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Of the rehearsal's OAuth client. Absent in a rehearsal of an older release. */
  readonly clientSecret?: string;
}

/** The part of a rehearsal that the gateway, the consumers and the relay need. One read gets it. */
export interface WorldView {
  readonly rehearsal: string;
  readonly world: World;
  readonly now: Ms;
  readonly flowing: boolean;
  /** How often the clock was moved by an advance. */
  readonly moves: number;
  /** Revision of the fault rules; 0 = none. */
  readonly faults: number;
  /** Size of the text of objects, events and kept answers, as `WorldContents` counts it, without the journal. */
  readonly bytes: number;
  /** Automatic progressions of this rehearsal; absent while they are the default. */
  readonly progression?: Progression;
  readonly credentials: RehearsalCredentials;
  /** The text that the world's ids derive from. Without it they derive from the world, or are random. */
  readonly seed?: string;
  /** The instant of the clock at the start, if the creator chose it. */
  readonly startsAt?: Ms;
}

/** What the creator of a rehearsal chose. The world keeps it for its reset. */
export type Beginning = Pick<WorldView, 'seed' | 'startsAt'>;

export interface Directory {
  resolve(rehearsal: string): Promise<WorldView | undefined>;
  /** @returns undefined after a reset or deletion of the world */
  current(world: World): Promise<WorldView | undefined>;
  /** Counts within a world: 1 for the first call with a name, then 2. An unanswered call may skip a number. @throws WorldGone */
  nextNumber(world: World, name: string): Promise<number>;
}

/** An access token that is refused from now on. */
export interface Revocation {
  readonly world: World;
  readonly id: string;
  /** Its end on the rehearsal's clock. Afterwards the store may forget the revocation. */
  readonly endsAt: Ms;
}

export interface RevocationStore {
  /** Revoking twice, or in a dropped world, changes nothing. */
  revokeToken(revocation: Revocation): Promise<void>;
  isTokenRevoked(revocation: Pick<Revocation, 'world' | 'id'>): Promise<boolean>;
}

/** Thrown when a request names a dropped world: its rehearsal was reset or deleted more than a minute ago. */
export class WorldGone extends Error {
  override readonly name = 'WorldGone';
}

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
  readonly applications: Readonly<Partial<Record<Owner, ApplicationDump>>>;
  readonly due: readonly Omit<DueItem, 'seq' | 'attempts' | 'withheldBy' | 'awaits' | 'hop'>[];
  /** The own data that a world is seeded with. The world keeps it for its reset; a snapshot of the world has none. */
  readonly data?: OwnData;
  /** With `startsAt`, the clock of the new world stands at `now`. Otherwise it flows from there. */
  readonly beginning?: Beginning;
}

export interface SnapshotStore {
  snapshot(world: World): Promise<Snapshot>;
  /** The snapshot that the world was seeded from, without its own data. */
  seed(world: World): Promise<Snapshot>;
  /** @returns undefined for a world without own data */
  ownData(world: World): Promise<OwnData | undefined>;
}
