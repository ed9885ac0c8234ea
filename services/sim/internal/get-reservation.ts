import { getReservation as getReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';

export const getReservation = handle(getReservationCall)(async ({ params: { id } }, { work }) => {
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  return found;
});
