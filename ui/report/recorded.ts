import type { Scenario, StepRecord } from '../../rehearsal/scenario.ts';
import type { NoteKind, Report } from '../../rehearsal/stage.ts';
import type { ListedHop } from '../data/hop.ts';

/** The limits of a report for each scenario. */
export const MOST = { entries: 500, hops: 1_000, events: 500, violations: 20 } as const;

/** A step or a note. Its wall time begins at the end of the previous entry. */
export type Entry = { readonly since: number; readonly until: number } & (
  | { readonly step: StepRecord }
  | { readonly note: string; readonly kind: NoteKind }
);

/** An event without its data. */
export interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly source: string;
  readonly cause: string;
}

/** The record of a scenario. */
export interface Recorded {
  readonly scenario: Pick<Scenario, 'name' | 'title'>;
  /** The file of a user's scenario. */
  readonly file: string | undefined;
  readonly rehearsal: string | undefined;
  readonly startedAt: number;
  readonly entries: readonly Entry[];
  readonly hops: readonly ListedHop[];
  readonly events: readonly RecordedEvent[];
  /** The entries, hops and events beyond the limits, and whether the journal has lost hops. */
  readonly omitted: { readonly entries: number; readonly hops: number; readonly events: number; readonly journal: boolean };
  readonly invariants: Parameters<Report['invariants']>[0];
  readonly failure: string | undefined;
  /** The file of the world at the failure, beside the report, or why there is none. Absent: the scenario passed, or failed after its end. */
  readonly world?: { readonly file: string } | { readonly missing: string };
  /** The comparison of an operation with the real system in its shadow. */
  readonly comparison?: Comparison;
  /** Why it did not run. */
  readonly skipped?: string;
  readonly ms: number;
}

export interface Comparison {
  readonly compared: number;
  readonly equal: number;
  readonly skipped: number;
  readonly differences: readonly {
    /** Empty: the answer as a whole. */
    readonly pointer: string;
    readonly count: number;
    readonly ours: string;
    readonly theirs: string;
    /** The rehearsal and the trace that had it first. */
    readonly rehearsal: string;
    readonly correlationId: string;
  }[];
}

/** The input of the reports. */
export interface ReportedRun {
  /**
   * Default: a rehearsal. Each scenario of a conformance run is a check of a real system, or ran with it. Each one of a fidelity run is
   * an operation.
   */
  readonly kind?: 'conformance' | 'fidelity';
  readonly scenarios: readonly Recorded[];
  readonly gateway: string;
  readonly version: string;
  readonly startedAt: number;
}
