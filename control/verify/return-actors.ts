import type { z } from 'zod';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Return, ReturnBooking } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;

export const bookingsIn = (world: WorldRecords): readonly ReturnBooking[] => world.records<ReturnBooking>('oms', 'return-bookings');

/** The actor that moves an open return next; undefined when no actor will. */
export function nextActorOnReturn(world: WorldRecords, found: Return): string | undefined {
  const { id, state, dropOff, rejecting, shipments } = found;
  const isQueued = world.queued('fms', id);
  if (rejecting !== undefined) return isQueued ? 'the OMS' : undefined;
  switch (state) {
    case 'requested':
      return 'customer service';
    case 'approved':
      if (shipments.at(-1)?.state === 'lost') return world.queued('fms', id, 'give-up-return') ? 'its customer, or a week' : undefined;
      return dropOff === 'store' ? 'its customer' : 'its customer and the carrier';
    case 'in-transit': {
      if (found.writtenOffAt !== undefined) return refunderOf(world, id);
      const isStuck = shipments.some((parcel) => parcel.state === 'lost' || parcel.state === 'returned-to-sender');
      if (isStuck) return world.queued('fms', id, 'give-up-return') ? 'the carrier, or a week without its parcel' : undefined;
      return 'the carrier';
    }
    case 'received':
      return 'the warehouse';
    case 'inspected': {
      const exchange = world.of<Order>('order').some((one) => one.exchangeForReturnId === id && one.state !== 'cancelled');
      return exchange && !isQueued ? 'the order that it is exchanged for' : refunderOf(world, id);
    }
    case 'refunded':
    case 'exchanged':
    case 'rejected':
      return undefined;
  }
}

/** The FMS while it has work for the return; otherwise a caller, if the OMS left the refund open. */
function refunderOf(world: WorldRecords, id: string): string | undefined {
  if (world.queued('fms', id)) return 'the FMS';
  return bookingsIn(world).some((booking) => booking.id === id && booking.status === 'open') ? 'a caller of Refund Payment' : undefined;
}

export const isEnded = ({ state }: Return): boolean => state === 'refunded' || state === 'exchanged' || state === 'rejected';
