import type { Owner } from '../../catalog/applications.ts';
import type { OwnData } from '../../catalog/control/own-data.ts';
import type { Progression } from '../../catalog/control/progression.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { DueItem } from './due-work.ts';
import type { JournalEntry } from './journal.ts';
import type { Parked } from './ledger.ts';
import type { Found, StoredEvent } from './objects.ts';
import type { OutboxEntry } from './outbox.ts';

/** What the creator of a rehearsal chose. */
export interface Beginning {
  /** The text that the world's ids derive from. Without it they derive from the world, or are random. */
  readonly seed?: string;
  /** The instant of the clock at the start. */
  readonly startsAt?: Ms;
}

/** A stored object. Seed data has no `order`: its objects are created in the given sequence. */
type ObjectData = Omit<Found, 'order'> & Partial<Pick<Found, 'order'>>;

/** The stored data of one application, as plain JSON. */
export interface ApplicationDump {
  readonly objects: Readonly<Record<string, readonly ObjectData[]>>;
  readonly unique: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly index: Readonly<Record<string, readonly (readonly [value: string, id: string])[]>>;
  readonly counters: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
}

/**
 * Data, clock and due work of a world. It excludes the outbox, withheld events, deliveries, journal, faults and idempotency records; other
 * work that a fault withholds is therefore due immediately. It does not store which hop scheduled the work.
 */
export interface WorldData {
  readonly now: Ms;
  readonly applications: Readonly<Partial<Record<Owner, ApplicationDump>>>;
  readonly due: readonly Omit<DueItem, 'seq' | 'attempts' | 'withheldBy' | 'awaits' | 'hop'>[];
  /** The own data that a world is seeded with. The world keeps it for its reset; data read from the world has none. */
  readonly data?: OwnData;
  /** With `startsAt`, the clock of the new world stands at `now`. Otherwise it flows from there. */
  readonly beginning?: Beginning;
}

/** An idempotency record. A claim that a running request holds is exported as released. */
export interface ExportedClaim {
  readonly key: string;
  readonly fingerprint: string;
  readonly since: Ms;
  readonly preconditionHeld: boolean;
  /** Whether a commit was made under this claim. */
  readonly committed: boolean;
  /** The answer. Absent: the request has not ended. */
  readonly done?: { readonly json: string; readonly keepUntil: Ms };
}

export interface ExportedApplication extends ApplicationDump {
  /** Sorted by expiry. */
  readonly claims?: readonly ExportedClaim[];
  /** Unsent events, first committed first. */
  readonly outbox?: readonly OutboxEntry[];
}

/** Parked work. Due work has the item for its redrive. */
export type ExportedParked = Parked & { readonly item?: Omit<DueItem, 'at' | 'seq' | 'attempts' | 'withheldBy' | 'awaits'> };

export interface ExportedFault {
  readonly name: string;
  readonly json: string;
  readonly hits: number;
  readonly chances: number;
  /** Revision that set it. */
  readonly since: number;
}

/**
 * Everything that a world needs to continue as it would have: its data, clock, due work, faults, idempotency records, events and
 * deliveries. It excludes what belongs to the rehearsal (credentials, registered webhooks, revoked tokens), the journal and the moves of
 * the clock. Lists without a named order have the order of the store.
 */
export interface ExportedWorld {
  /** `idSource` of this world, and of each world that continues it. */
  readonly lineage: string;
  readonly now: Ms;
  /** Whether the clock flows, or flowed before the advance that is in progress. */
  readonly flowing: boolean;
  readonly applications: Readonly<Partial<Record<Owner, ExportedApplication>>>;
  /** First scheduled first. The idempotency keys of an item's calls derive from its `seq`. */
  readonly due: readonly DueItem[];
  /** The highest `seq` so far. */
  readonly dueSeq: number;
  /** Due items and requests that are running: half of their effects may be in the export. `due <key>`, `request at <application>`. */
  readonly running: readonly string[];
  readonly parked: readonly ExportedParked[];
  /** Deliveries that are still to be consumed, withheld and postponed ones included. */
  readonly pending: readonly string[];
  /** Published events, in order. */
  readonly events: readonly Omit<StoredEvent, 'order'>[];
  readonly faults: { readonly revision: number; readonly rules: readonly ExportedFault[] };
  readonly progression?: Progression;
  /** The last number of each name (`nextNumber`). */
  readonly numbers: Readonly<Record<string, number>>;
  /** The data that the world was seeded with, for the invariants, and how it began. */
  readonly seed: WorldData;
  readonly data?: OwnData;
  /** The snapshot that the world was opened from. A reset returns to it. */
  readonly origin?: string;
  /** Hops that the new world begins with, oldest first. An export has none: its caller may add them. */
  readonly journal?: readonly JournalEntry[];
}

/** The data of a new world. */
export type WorldSource = WorldData | ExportedWorld | { readonly copyOf: World; readonly seed?: string };

export const isExported = (from: WorldData | ExportedWorld): from is ExportedWorld => 'events' in from;

export interface WorldDataStore {
  data(world: World): Promise<WorldData>;
  /** The data that the world was seeded with, without its own data. */
  seed(world: World): Promise<WorldData>;
  /** @returns undefined for a world without own data */
  ownData(world: World): Promise<OwnData | undefined>;
  /** The snapshot that the world was opened from. @returns undefined for a world that was seeded */
  origin(world: World): Promise<string | undefined>;
  /** Exports a world as of one instant. @throws WorldGone */
  exportWorld(world: World): Promise<ExportedWorld>;
}
