import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { DueItem } from './due-work.ts';
import type { OutboxEntry } from './outbox.ts';

export interface Parked {
  readonly what: 'delivery' | 'due';
  readonly key: string;
  readonly error: string;
  readonly at: Ms;
}

/** A world's outstanding work. It is settled when the first three lists are empty and `next` is in the future. `counts` are complete. */
export interface Ledger {
  readonly unsent: readonly string[];
  readonly pending: readonly string[];
  /** Leased due work, including work that was cancelled or replaced after its run began: such runs continue. */
  readonly running: readonly string[];
  readonly parked: readonly Parked[];
  /** Due work that faults withhold. Its deliveries of events are not pending until they are released. */
  readonly withheld: readonly DueItem[];
  /** Due work that waits for an unavailable application, deliveries and parked work included. */
  readonly awaiting: readonly DueItem[];
  readonly counts: Readonly<Record<'unsent' | 'pending' | 'running' | 'parked' | 'withheld', number>>;
  readonly next?: DueItem;
}

/** The outstanding work of one event. */
export interface EventWork {
  /** The entry in the outbox, while the event is not on the bus. */
  readonly entry?: OutboxEntry;
  /** The fault that withholds it. */
  readonly withheldBy?: string;
  /** Subscribers that have not consumed it yet, even while it is withheld or postponed. */
  readonly pending: readonly Application[];
  readonly parked: readonly { readonly application: Application; readonly error: string }[];
}

/** Parked work to retry. A delivery comes with its event. */
export type Redriven =
  | { readonly what: 'due'; readonly key: string }
  | { readonly what: 'delivery'; readonly key: string; readonly event: OutboxEntry };

/** The outstanding work of a world, for settling and redriving. */
export interface LedgerStore {
  /** @param limit maximum length of each list */
  ledger(world: World, limit?: number): Promise<Ledger>;
  /** The due work with these names (`dueKey`), leased or not. A name without work is left out. The cost depends on the names alone. */
  scheduled(world: World, names: readonly string[]): Promise<readonly DueItem[]>;
  /** The cost does not depend on the amount of outstanding work. */
  eventWork(world: World, eventId: string): Promise<EventWork>;
  /**
   * Takes work out of the parked list and makes it due now. Due work returns as it was, unless other work now has its key. A delivery
   * becomes `DELIVER_AGAIN` of its subscriber and is pending from then on. @returns the work that was parked until then
   */
  redrive(world: World, again: readonly Redriven[]): Promise<readonly Redriven[]>;
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
