import type { Application, Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';

/** Due work as an application schedules it; `at: null` cancels. It replaces earlier work of the same application, kind and key. */
export interface PlannedDue extends Omit<DueItem, 'application' | 'at' | 'seq' | 'attempts' | 'payload'> {
  readonly at: Ms | null;
  readonly payload: string;
  /** Set when the committing process runs the work before it replies. Other processes wait until `until`, in wall time. */
  readonly lease?: { readonly token: string; readonly until: number };
  /** Revision of the faults when a fault withheld the work. A fault set after it does not withhold the work. */
  readonly withheldAt?: number;
  /** Number of failed attempts that the work begins with. Default: 0. */
  readonly attempts?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Rehearsal time before each retry of failed due work, while another application is unavailable or another action is in progress: a week in all.
 * After the last attempt the work is parked. Redriven work gets one attempt.
 */
export const BACKOFF_MS: readonly Ms[] = [
  5_000,
  30_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  ...Array<Ms>(13).fill(12 * HOUR_MS),
];

/** Retries of work that was refused or failed because of a defect. After them it is parked, in less than three hours. */
export const MOST_ATTEMPTS_AFTER_REFUSAL = 5;

/** Rehearsal time between the attempts of parked work whose application was unavailable. */
export const PROBE_MS: Ms = 7 * 24 * HOUR_MS;

export interface DueItem {
  readonly application: Owner;
  readonly kind: string;
  readonly key: string;
  readonly at: Ms;
  readonly seq: number;
  readonly attempts: number;
  readonly correlationId: string;
  /** Trace of the job that scheduled the work. */
  readonly traceparent?: string;
  /** Request id of the hop that scheduled it, if it is known. */
  readonly hop?: string;
  /** Distinguishes this work from other work of the same kind and key, in a world with a seed. Otherwise `seq` does. */
  readonly occasion?: string;
  readonly payload: unknown;
  /** The fault that withholds the work until `at` (`NEVER`: while it exists). Setting it anew or deleting it makes the work due. */
  readonly withheldBy?: string;
  /** The application that was unavailable at the last attempt. The work becomes due as soon as the application is back. */
  readonly awaits?: Application;
}

/** Identifies a due item within its world. */
export const dueKey = (application: string, kind: string, key: string): string => `${application}|${kind}|${key}`;

/** Due work of every application: put an event that a fault withheld back into the outbox. Key: the event's id; payload: its entry. */
export const PUBLISH_WITHHELD_EVENT = 'publish-held-event';

/** Due work of a subscriber: retries a delivery that was parked or postponed. Key: the event's id; payload: its outbox entry. */
export const DELIVER_AGAIN = 'deliver-again';

/** Whether due work carries an event. To keep the order, one such item per application and kind runs at a time. `WorldData` excludes it. */
export const carriesEvent = (kind: string): boolean => kind === PUBLISH_WITHHELD_EVENT || kind === DELIVER_AGAIN;

/**
 * Due work of the gateway: makes the deliveries of published events to registered webhooks. The store schedules it, now, whenever it records
 * published events in a world with an active registration: so an event and the work that delivers it are certain together.
 */
export const TAKE_EVENTS = { kind: 'take-events', key: 'all', correlationId: 'webhooks', payload: 'null' } as const;

/** Due work of the gateway: delivers an event to a registered webhook. Its payload has the `order` of the event. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

/** The index that lists the active registrations, in the gateway's store. */
export const ACTIVE_WEBHOOKS = { collection: 'webhooks', index: 'active', value: 'yes' } as const;

/** Maximum number of waiting items that one search for the next item skips. */
export const MOST_PASSED = 200;

/** The lease of one due item of an application. */
export interface ItemLease {
  readonly kind: string;
  readonly key: string;
  readonly token: string;
}

export interface DueWorkStore {
  /** The item; undefined when it does not exist or another token leases it. */
  due(world: World, lease: ItemLease): Promise<DueItem | undefined>;
  /** Ends the lease, if its token still leases the item. The item stays due for the clock driver. */
  releaseDue(world: World, lease: ItemLease): Promise<void>;
  /** Due work that this fault withholds, first withheld first. */
  withheld(world: World, fault: string): Promise<readonly DueItem[]>;
}

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

interface ItemLeaseRequest {
  /** Instant on the rehearsal's clock. */
  readonly upTo: Ms;
  /** Names the lease. */
  readonly token: string;
  /** Wall time. */
  readonly leaseMs: Ms;
  /** Token of the driver that advances the clock. */
  readonly driver?: string;
}

export type RequeuedAt = Pick<DueItem, 'at' | 'attempts' | 'awaits'>;

export interface RequeuedParked {
  /** The error of the last attempt. */
  readonly parked: string;
  readonly awaits?: Application;
}

/** The clock of a world and the due work that it drives. */
export interface ClockStore {
  /** Reads the clock. A clock that a dead driver froze flows again. @returns undefined after a reset or deletion of the world */
  status(world: World): Promise<ClockStatus | undefined>;
  /**
   * @param driver token of the driver that advances the clock. Absent: the clock is set only while no driver advances it
   * @returns false when the caller may not set it
   */
  setClock(world: World, clock: { readonly now: Ms; readonly flowing: boolean }, driver?: string): Promise<boolean>;
  /** Leases and freezes the clock for an advance; an expired lease is taken over. @returns false while another token holds it */
  leaseClock(world: World, token: string, ms: number): Promise<boolean>;
  /** @returns false when the lease was lost */
  renewClock(world: World, token: string, ms: number): Promise<boolean>;
  /** Ends the lease. A clock that flowed before continues from its present time. */
  releaseClock(world: World, token: string): Promise<void>;
  /** Leases the lowest free item by `(at, seq)` that is due by an instant; during an advance only its driver may. */
  leaseNext(world: World, request: ItemLeaseRequest): Promise<DueItem | undefined>;
  /**
   * Reschedules a leased item, or parks it. A retried delivery is parked as a delivery. Parked work that awaits an application is due
   * again after `PROBE_MS`. If an item that awaited an application fails for another reason, the application is back.
   */
  requeue(world: World, item: DueItem, token: string, then: RequeuedAt | RequeuedParked): Promise<void>;
  /** Makes the work that awaits an application due, in the world of every rehearsal: its process has started. */
  noteReturn(application: Application): Promise<void>;
}

/** @param waitMs wall time after which due work may begin because of the change; `Infinity` when none can */
export type WorldListener = (world: World, waitMs: Ms) => void;

export interface WorldChanges {
  /** Calls back when events, deliveries or due work of a world changed. @returns a function that stops the calls */
  watch(listener: WorldListener): () => void;
}

/** Relays remember an announcement for this wall time: other work of the world may follow. */
export const SETTLING_MS = 1_000;

/** Relays gather events for a moment before they send them, unless somebody waits for these events. */
export interface Settling {
  /** Announces to the relays of every process that a client or an application waits for events of a world. An announcement may be lost. */
  announceSettling(world: World): Promise<void>;
  /** @returns a function that stops the calls */
  watchSettling(listener: (world: World) => void): () => void;
}
