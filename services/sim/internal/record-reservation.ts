import { recordReservation as recordReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { endOf } from '../ended-owners.ts';

/** The stock is held already; here it only becomes known, once per id. What is refused since its order is over is never recorded. */
export const recordReservation = handle(recordReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  if (found) return again(found);
  const ended = await endOf(work, body);
  if (ended) throw ended;
  return work.create(reservations, 'allocate', { id, ...body });
});
