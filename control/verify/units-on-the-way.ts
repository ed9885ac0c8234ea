import type { z } from 'zod';
import type { Shipment as ShipmentSchema } from '../../shared/catalog/fulfillment/shipments.ts';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Check } from './invariant.ts';
import type { Return, ReturnBooking } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;
type Shipment = z.output<typeof ShipmentSchema>;

/** States of a parcel before the carrier has it. */
const BEFORE_HAND_OVER: ReadonlySet<string> = new Set(['pending', 'label-created']);

/**
 * Units sold, returned and on the way must agree per order line. A unit in a returned parcel is not with the customer, so it is in one
 * return, which must not be rejected, and which receives the parcel when it arrives.
 */
export function checkUnitsOnTheWay(world: WorldRecords, bookings: readonly ReturnBooking[], check: Check): void {
  const shipments = new Map(world.of<Shipment>('shipment').map((shipment) => [shipment.id, shipment]));
  const returned = new Set(bookings.flatMap(({ id, status }) => (status === 'refunded' || status === 'exchanged' ? [id] : [])));
  const gone = new Map<string, number>();
  for (const found of world.of<Return>('return')) {
    const { id, state, orderId, lines, rejecting } = found;
    const parcel = parcelAway(found, shipments);
    if (parcel) {
      check(state !== 'rejected', `return/${id}: rejected, and its goods are in shipment/${parcel.id}, which is ${parcel.state}`);
      const isWaiting = rejecting === undefined && found.writtenOffAt === undefined && (state === 'approved' || state === 'in-transit');
      check(!isWaiting || parcel.state !== 'delivered', `return/${id}: ${state}, and its shipment/${parcel.id} is delivered`);
    }
    if (!parcel && !returned.has(id)) continue;
    for (const { orderLineId, qty } of lines) gone.set(`${orderId} ${orderLineId}`, (gone.get(`${orderId} ${orderLineId}`) ?? 0) + qty);
  }
  for (const { id, lines } of world.of<Order>('order')) {
    for (const { lineId, fulfilledQty } of lines) {
      const units = gone.get(`${id} ${lineId}`) ?? 0;
      check(units <= fulfilledQty, `order/${id} ${lineId}: ${units} returned or on their way back, and ${fulfilledQty} delivered`);
    }
  }
}

/** The parcel with the goods of a return; undefined while they are with the customer, or after their inspection. */
function parcelAway({ shipments, lines }: Return, known: ReadonlyMap<string, Shipment>): Return['shipments'][number] | undefined {
  const parcel = shipments.at(-1);
  if (!parcel || BEFORE_HAND_OVER.has(parcel.state) || parcel.state === 'returned-to-sender') return undefined;
  if (lines.some(({ disposition }) => disposition !== undefined)) return undefined;
  const wasHandedOver = known.get(parcel.id)?.events.some(({ status }) => status !== 'label-created' && status !== 'lost') === true;
  return parcel.state === 'lost' && !wasHandedOver ? undefined : parcel;
}
