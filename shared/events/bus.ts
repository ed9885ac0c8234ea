import type { Application } from '../catalog/applications.ts';
import type { World } from '../domain/world.ts';
import type { State } from '../process/readiness.ts';

export interface BusMessage {
  readonly topic: string;
  /** The object's id. Order is kept per key. */
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: string;
}

/** Why a message becomes a dead letter: its delivery was parked after its attempts, or it is not an event of the estate. */
export interface DeadLetterCause {
  readonly as: 'parked' | 'foreign';
  readonly reason: string;
}

/** Headers of a message, which other senders may leave out. */
interface DeliveredHeaders {
  /** Request id of the hop that published the event. */
  readonly hop?: string;
  /** Type of the event, with prefix. */
  readonly type?: string;
}

/** An event as it arrives at a subscriber. */
export interface DeliveredEvent {
  readonly world: World;
  readonly id: string;
  readonly json: string;
  readonly headers: DeliveredHeaders;
}

/** The events that an application gets. */
export interface WantedEvents {
  readonly topics: readonly string[];
  /** Whether an event of a type, with prefix, is only for other subscribers of its topic. Such an event is skipped without being parsed. */
  readonly isForOthers?: (type: string) => boolean;
}

/**
 * Delivers one event. Resolves when the event is consumed or no longer pending, or with the cause of a final refusal. After an error and a
 * pause, the event is delivered again, before later events of the same key.
 */
export type Deliver = (event: DeliveredEvent) => Promise<DeadLetterCause | undefined>;

/** Header with the type of an event, as the Kafka binding of CloudEvents names it. */
export const TYPE_HEADER = 'ce_type';

/** Header with the name of the fault that changed an event for clients. Applications do not get such a message. */
export const CHANGED_BY_HEADER = 'fault';

/** Transport of events: at least once, ordered per key. The ledger in the store has the pending deliveries. */
export interface Bus {
  publish(batch: readonly BusMessage[]): Promise<void>;
  /** Wall time that events without a subscriber in the estate may wait for others, because a batch costs little more than one event. */
  readonly lingerMs?: number;
  /** Returns before the transport is joined, which continues in the background. */
  subscribe(application: Application, wanted: WantedEvents, deliver: Deliver): Promise<{ stop(): Promise<void> }>;
  /** Called once, when every application of the process has subscribed. A transport that outlives the process does not need it. */
  readonly resume?: () => void;
  /** Ready once it is connected and every subscription has started. Later failures are `degraded`, because the outbox keeps events. */
  state(): State;
  /** Finishes sends in progress, then disconnects. */
  close(): Promise<void>;
}
