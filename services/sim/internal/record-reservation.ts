import { recordReservation as recordReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { findEnd } from '../ended-owners.ts';

/** Records stock that the Inventory Service holds already, once per id. For an order that has ended, nothing is recorded. */
export const recordReservation = handle(recordReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  if (found) return again(found);
  const ended = await findEnd(work, body);
  if (ended) throw ended;
  return work.create(reservations, 'allocate', { id, ...body });
});
