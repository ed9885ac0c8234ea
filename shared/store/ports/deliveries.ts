import type { World } from '../../domain/world.ts';

/** Deliveries of events to one application, as its consumer settles them. A delivery is named `<application>|<event id>`. */
export interface DeliveryStore {
  /** Whether the delivery is still to be consumed. */
  isPending(world: World, delivery: string): Promise<boolean>;
  /** Parks a delivery (dead letter): it is listed as parked and no longer counts as pending. */
  park(world: World, delivery: string, error: string): Promise<void>;
}
