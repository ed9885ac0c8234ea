import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { RetriedEvent } from '../delivery-again.ts';

/** Identifies the delivery of an event to an application within its world. */
export const deliveryKey = (application: string, eventId: string): string => `${application}|${eventId}`;

export interface DeliveryRetry {
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
  putOff(world: World, delivery: string, retry: DeliveryRetry): Promise<void>;
}
