import type { Ms } from '../../domain/time.ts';

/** Unpublished events of one application, and the wall time of the oldest. */
export interface OutboxBacklog {
  readonly events: number;
  readonly oldestAt?: Ms;
}

/** Outstanding work of all current worlds together. */
export interface WorldsBacklog {
  readonly rehearsals: number;
  /** Deliveries not consumed yet. */
  readonly pending: number;
  /** Due work past its time without a lease. */
  readonly overdue: number;
  /** Leased due work. */
  readonly running: number;
  /** Due work whose time has not come. */
  readonly scheduled: number;
  /** Due work that faults withhold. */
  readonly withheld: number;
  readonly parked: number;
}

/** Measures the outstanding work, for metrics. */
export interface BacklogStore {
  backlog(): Promise<WorldsBacklog>;
}
