import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { DueItem } from './due-work.ts';

/** The state of a clock, which its drivers poll. Reading it costs the same for any amount of due work. */
export interface ClockStatus {
  readonly now: Ms;
  readonly flowing: boolean;
  /** A driver advances the clock, and no other driver leases due work. */
  readonly advancing: boolean;
  /** Number of leased items. */
  readonly running: number;
  /** The lowest item that can be leased. */
  readonly next?: DueItem;
}

export interface ItemLeaseRequest {
  /** Instant on the rehearsal's clock. */
  readonly upTo: Ms;
  /** Names the lease. */
  readonly token: string;
  /** Wall time. */
  readonly leaseMs: Ms;
  /** Token of the driver that advances the clock. */
  readonly driver?: string;
}

export interface RequeuedAt {
  readonly at: Ms;
  readonly attempts: number;
  readonly awaits?: Application;
}

export interface RequeuedParked {
  /** The error of the last attempt. */
  readonly parked: string;
  readonly awaits?: Application;
}

/** Due work that ran while a clock was moved. */
export interface RanTimer {
  readonly application: Application;
  readonly kind: string;
  readonly key: string;
  readonly at: Ms;
  readonly correlationId: string;
  /** Its hop in the journal. */
  readonly requestId: string;
}

/** What an advance did. */
export interface ClockMove {
  readonly from: Ms;
  readonly to: Ms;
  /** Wall time. */
  readonly movedAt: Ms;
  /** Sequence of the newest hop when the advance began. */
  readonly after: number;
  /** Number of the timers that ran. */
  readonly ran: number;
  /** The first of them, at most `KEPT_TIMERS`. */
  readonly timers: readonly RanTimer[];
}

/** Moves are numbered from 1 in each world. */
export type RecordedMove = ClockMove & { readonly number: number };

/** The clock of a world and the due work that it drives. */
export interface ClockStore {
  /** Reads the clock. A clock that a dead driver froze flows again. @returns undefined for a world that is no longer current */
  status(world: World): Promise<ClockStatus | undefined>;
  /** @param driver token of the advancing driver; without it, only while none advances @returns false when the caller may not set it */
  setClock(world: World, clock: { readonly now: Ms; readonly flowing: boolean }, driver?: string): Promise<boolean>;
  /** Leases and freezes the clock for an advance; an expired lease is taken over. @returns false while another token holds it */
  leaseClock(world: World, token: string, ms: number): Promise<boolean>;
  /** @returns false when the lease was lost */
  renewClock(world: World, token: string, ms: number): Promise<boolean>;
  /** Ends the lease. A clock that flowed before continues from its present time. */
  releaseClock(world: World, token: string): Promise<void>;
  /** Records what an advance did; the newest `KEPT_MOVES` stay. @returns its number */
  addMove(world: World, move: ClockMove): Promise<number>;
  /** The moves with a lower number, newest first. Absent: the newest. */
  moves(world: World, page: { readonly before?: number; readonly limit: number }): Promise<readonly RecordedMove[]>;
  /** Leases the lowest free item by `(at, seq)` that is due by an instant; during an advance only its driver may. */
  leaseNext(world: World, request: ItemLeaseRequest): Promise<DueItem | undefined>;
  /**
   * Reschedules a leased item, or parks it. A retried delivery is parked as a delivery. Parked work that awaits an application is due
   * again after `PROBE_MS`. If an item that awaited an application fails for another reason, the application is back.
   */
  requeue(world: World, item: DueItem, token: string, then: RequeuedAt | RequeuedParked): Promise<void>;
}

/** @param waitMs wall time after which due work may begin because of the change; `Infinity` when none can */
export type WorldListener = (world: World, waitMs: Ms) => void;

export interface WorldChanges {
  /** Calls back when events, deliveries or due work of a world changed. @returns a function that stops the calls */
  watch(listener: WorldListener): () => void;
}
