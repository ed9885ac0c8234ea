import type { World } from '../../domain/world.ts';

/** Identifies the delivery of an event to an application within its world. */
export const deliveryKey = (application: string, eventId: string): string => `${application}|${eventId}`;

/** Deliveries of events to one application, as its consumer settles them. Each is named by its `deliveryKey`. */
export interface DeliveryStore {
  /** Whether the delivery is still to be consumed. */
  isPending(world: World, delivery: string): Promise<boolean>;
  /** Parks a delivery (dead letter): it is listed as parked and no longer counts as pending. */
  park(world: World, delivery: string, error: string): Promise<void>;
}
