import type { Application } from '../catalog/applications.ts';
import type { World } from '../domain/world.ts';
import type { State } from '../process/readiness.ts';

export interface BusMessage {
  readonly topic: string;
  /** The aggregate's id: order is kept per key. */
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: string;
}

/** Why a message goes to the dead letters: its delivery was parked after its attempts, or it is none of the estate's events. */
export interface Refused {
  readonly as: 'parked' | 'foreign';
  readonly reason: string;
}

/**
 * Hands over one event. Resolves when it was consumed, is nobody's business any more, or was refused for good.
 * What it throws is no refusal: the event comes again after a pause, before those behind it of the same key.
 */
export type Deliver = (world: World, eventId: string, json: string) => Promise<Refused | undefined>;

/** Transport only, at least once, ordered per key; the ledger in the store knows what is still to be consumed. */
export interface Bus {
  publish(batch: readonly BusMessage[]): Promise<void>;
  /** Returns at once; a transport that has to join something first goes on with that until it has. */
  subscribe(application: Application, topics: readonly string[], deliver: Deliver): Promise<{ stop(): Promise<void> }>;
  /** Ready once it has connected and every subscription has begun; what breaks later is `degraded`, since the outbox keeps events. */
  state(): State;
  /** Sends what was begun, then parts. */
  close(): Promise<void>;
}
