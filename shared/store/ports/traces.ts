import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';

/** All hops of one correlation id, summed as they are recorded, discarded ones too. The trace is discarded with its last hop. */
export interface StoredTrace {
  readonly correlationId: string;
  /** Position of the trace by its start: the sequence of its first hop. */
  readonly sequence: number;
  /** Wall time of the start of its first hop. */
  readonly startedAt: Ms;
  /** Wall time of the end of its latest hop. */
  readonly lastAt: Ms;
  /** The rehearsal's clock at its first hop. */
  readonly at: Ms;
  /**
   * This member and the next five describe one request from outside: the one with the worst answer, then the latest. Without one, they
   * describe the first hop.
   */
  readonly method: string;
  readonly path: string;
  readonly api: string;
  readonly application: string;
  readonly status: number;
  /** Wall time. */
  readonly durationMs: number;
  readonly requests: number;
  readonly calls: number;
  /** Number of deliveries of events. */
  readonly deliveries: number;
  /** Number of hops that answered 400 or above, or not at all. */
  readonly failed: number;
  /** Names of the faults that struck. */
  readonly faults: readonly string[];
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
