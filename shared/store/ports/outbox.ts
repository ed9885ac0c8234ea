import type { Application, Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { DELIVER_AGAIN, type PlannedDue } from './due-work.ts';

/** Default limit of the unpublished events of one application in one world. Beyond it, requests are refused. */
export const OUTBOX_LIMIT = 100_000;

/** Wall time of the lease that a commit gives its relay; short, because the process may die. A slower relay may publish twice. */
export const HAND_OVER_MS = 2_000;

export interface OutboxEntry {
  readonly id: string;
  readonly topic: string;
  /** Kafka key: the aggregate's id. */
  readonly key: string;
  readonly json: string;
  /** What clients get in place of `json`, if a fault changed it for them; null: nothing. The subscribers then get `json` as due work. */
  readonly outside?: string | null;
  /** Name of the fault that changed it for clients. */
  readonly changedBy?: string;
  /** Whether a fault withheld the event before. No further fault applies to it. */
  readonly struck?: true;
  /** Wall time. The relay measures the delay until publication from it. */
  readonly committedAt?: Ms;
  /** Request id of the hop that publishes it, for the journal. */
  readonly hop?: string;
}

/** Maximum number of events in a batch. */
export const BATCH_SIZE = 100;

/** The next events to publish. */
export interface Batch {
  readonly entries: readonly OutboxEntry[];
  /** Revision of the fault rules; 0 = none. */
  readonly faults: number;
}

/** A published event: the id of its entry in the batch, once per send; or the event itself, if a fault had withheld it. */
type SentEvent = string | OutboxEntry;

/** An entry of the batch that a fault withholds. `due` (of kind `PUBLISH_WITHHELD_EVENT`, with `withheldBy`) publishes it later. */
export interface WithheldEvent {
  readonly id: string;
  readonly due: PlannedDue;
}

/** The outcome of a relay's batch. */
export interface RelayProgress {
  /** Names the relay; it leases the outbox. */
  readonly token: string;
  /** The sent events, first sent first. Their order becomes the order of the world's events. */
  readonly sent?: readonly SentEvent[];
  readonly withheld?: readonly WithheldEvent[];
  /** The relay gets no further batch, and its lease is released although entries remain. */
  readonly isStopping?: boolean;
}

/** Unpublished events of one application, and the wall time of the oldest. */
export interface OutboxBacklog {
  readonly events: number;
  readonly oldestAt?: Ms;
}

/** One application's outbox, for its relay. */
export interface OutboxStore {
  readonly application: Owner;
  /**
   * Acknowledges the sent events, removes the withheld ones from the outbox, and returns the next batch. An empty outbox releases the lease of
   * the relay in the same atomic step, so that the next commit wakes a relay.
   * @returns undefined while another token holds the lease
   */
  drain(world: World, progress: RelayProgress): Promise<Batch | undefined>;
  /** Worlds with unpublished events of this application that no relay has leased. */
  unsent(): Promise<readonly World[]>;
  /** This application's unpublished events over all worlds. For metrics: it reads every such world. */
  outbox(): Promise<OutboxBacklog>;
}

/** Identifies the delivery of an event to an application within its world. */
export const deliveryKey = (application: string, eventId: string): string => `${application}|${eventId}`;

/** The reverse of `deliveryKey`. */
export function partsOfDelivery(delivery: string): { readonly application: Application; readonly eventId: string } {
  const end = delivery.indexOf('|');
  return { application: delivery.slice(0, end) as Application, eventId: delivery.slice(end + 1) };
}

interface DeliveryRetry {
  readonly event: RetriedEvent;
  readonly at: Ms;
  /** The unavailable application. */
  readonly awaits: Application;
}

/** Deliveries of events to one application, for its consumer. A `deliveryKey` identifies each. */
export interface DeliveryStore {
  /** Whether the delivery is still to be consumed. */
  isPending(world: World, delivery: string): Promise<boolean>;
  /** Parks a delivery (dead letter): it is listed as parked and no longer counts as pending. */
  park(world: World, delivery: string, error: string): Promise<void>;
  /** Postpones a delivery: it becomes `DELIVER_AGAIN`, and the ledger does not list it as pending while that work waits. */
  postpone(world: World, delivery: string, retry: DeliveryRetry): Promise<void>;
}

/** An event as a retried delivery keeps it. */
export type RetriedEvent = Pick<OutboxEntry, 'id' | 'json' | 'hop'>;

/** The due work that retries a delivery `<application>|<event id>`. */
export function deliveryAgain(delivery: string, event: RetriedEvent) {
  const { correlationid } = JSON.parse(event.json) as { readonly correlationid: string };
  return {
    application: partsOfDelivery(delivery).application,
    kind: DELIVER_AGAIN,
    key: event.id,
    correlationId: correlationid,
    hop: event.hop,
    payload: JSON.stringify(event),
  };
}
