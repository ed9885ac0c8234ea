import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';

/** The facts of a hop that its trace summarises. */
export interface HopFacts {
  /** A request comes from outside the estate, a call from an application. A delivery brings an event. The clock runs due work. */
  readonly kind: 'request' | 'call' | 'delivery' | 'due';
  readonly application: string;
  /** The application that made the call, or that signed the request. Absent for other requests, deliveries and due work. */
  readonly caller?: string;
  readonly api: string;
  readonly method: string;
  readonly path: string;
  /** 0: no answer was sent. */
  readonly status: number;
  /** Wall time. */
  readonly startedAt: Ms;
  /** The rehearsal's clock. */
  readonly at: Ms;
  /** Wall time. */
  readonly durationMs: number;
  /** Names of the faults that struck. */
  readonly faults: readonly string[];
}

export interface JournalEntry {
  readonly requestId: string;
  readonly correlationId: string;
  /** JSON of the record without its bodies. */
  readonly head: string;
  /** JSON of an object with the bodies. Absent: there are none. */
  readonly bodies?: string;
  readonly facts: HopFacts;
  /** The caller had no credential. Such hops get little space and never displace others. */
  readonly anonymous?: true;
}

/** An entry that was read. It lacks `bodies` if they were not requested. */
export interface RecordedHop extends Omit<JournalEntry, 'facts'> {
  /** Position in the journal of the world, from 1, sorted by recording. */
  readonly sequence: number;
  /** Wall time since it was recorded. */
  readonly ageMs: Ms;
}

export interface JournalAsk {
  readonly correlationId?: string;
  /** Selects the oldest hops after this sequence. Absent: the newest hops. */
  readonly after?: number;
  /** Number of hops; absent: all. */
  readonly limit?: number;
  /** Default: true. */
  readonly bodies?: boolean;
}

export interface JournalPage {
  /** Oldest first. */
  readonly entries: readonly RecordedHop[];
  /** Hops up to this sequence may have been discarded, not counting callers without a credential; 0: none was. */
  readonly discardedTo: number;
  /** Sequence of the world's newest hop at that moment; 0 without any. */
  readonly newest: number;
}

export interface JournalSize {
  readonly traces: number;
  readonly hops: number;
  /** Number of whole traces that were discarded, not counting callers without a credential. */
  readonly discarded: number;
}

/** Counts of all hops of a world, including discarded hops. */
export interface HopCounts {
  readonly applications: readonly {
    readonly application: string;
    readonly hops: number;
    /** Number of hops that answered 400 or above, or not at all. */
    readonly failed: number;
    /** Names of the faults that struck. */
    readonly faults: string[];
  }[];
  /** Requests and calls by caller: an application, or `client`. */
  readonly calls: { readonly from: string; readonly to: string; readonly calls: number; readonly failed: number }[];
}

/** Names of faults that the counts keep for an application. */
export const MOST_FAULT_NAMES = 200;

/** Records the hops of a world. */
export interface JournalWriter {
  journal(world: World, entry: JournalEntry): void;
  /** Notes that other processes have just recorded hops of a world. Reads of this process wait until these hops are written. */
  expectHops(world: World): void;
}

/** Reads the hops of a world. The cost of a read depends on the size of its result, not on the length of the journal. */
export interface JournalReader extends TraceReader {
  journalOf(world: World, ask?: JournalAsk): Promise<JournalPage>;
  /** The latest hop with this request id. */
  hop(world: World, requestId: string): Promise<RecordedHop | undefined>;
  /** @returns the requests that have a hop in the journal */
  journaled(world: World, requestIds: readonly string[]): Promise<ReadonlySet<string>>;
  journalSize(world: World): Promise<JournalSize>;
  hopCounts(world: World): Promise<HopCounts>;
}

/**
 * All hops of one correlation id, summed as they are recorded, discarded ones too. The trace is discarded with its last hop. `startedAt` and
 * `at` belong to its first hop, and `faults` to all hops. The other facts describe one request from outside: the one with the worst answer,
 * then the latest. Without one, they describe the first hop.
 */
export interface StoredTrace extends Omit<HopFacts, 'kind' | 'caller'> {
  readonly correlationId: string;
  /** Position of the trace by its start: the sequence of its first hop. */
  readonly sequence: number;
  /** Wall time of the end of its latest hop. */
  readonly lastAt: Ms;
  readonly requests: number;
  readonly calls: number;
  /** Number of deliveries of events. */
  readonly deliveries: number;
  /** Number of hops that answered 400 or above, or not at all. */
  readonly failed: number;
  readonly applications: readonly string[];
  readonly apis: readonly string[];
}

export interface TracePage {
  /** Newest first. There may be fewer than the limit although there are older ones. */
  readonly traces: readonly StoredTrace[];
  /** The value of `before` for the next page. Absent: there are no older traces. */
  readonly next?: number;
}

export interface TraceReader {
  /** Lists traces that began before a sequence; absent: the newest. */
  traces(world: World, page: { readonly before?: number; readonly limit: number }): Promise<TracePage>;
  /** Reads the traces of these correlation ids, in any order. */
  tracesOf(world: World, correlationIds: readonly string[]): Promise<readonly StoredTrace[]>;
}
