import { recordReservation as recordReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { reservations } from '../collections.ts';

/** The stock is held already; here it only becomes known, once per id. */
export const recordReservation = handle(recordReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  return found ? again(found) : work.create(reservations, 'allocate', { id, ...body });
});
