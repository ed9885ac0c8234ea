import { originOf, withOwnAddresses } from '../../shared/control/world-addresses.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { published, type StoredShipment } from './collections.ts';

/** The published parcel. In a copy of a world, the address of its label leads to this world. */
export const withOwnLabel = (shipment: StoredShipment, scope: Pick<Scope, 'context' | 'webhooks'>) =>
  withOwnAddresses(published(shipment), originOf(scope));
