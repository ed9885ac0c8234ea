import { releaseReservation as releaseReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { reservations } from '../collections.ts';
import { EXPIRE_RESERVATION, GIVE_BACK_STOCK } from '../due-kinds.ts';

/** The state first, then the stock: a unit that went back too early could be sold twice, one that goes back late only once. */
export const releaseReservation = handle(releaseReservationApi)(async ({ params: { id } }, { work }) => {
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (isAgain(reservationLifeCycle, found, 'release')) return again(found);
  work.cancel(EXPIRE_RESERVATION, id);
  work.due(GIVE_BACK_STOCK, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, 'release');
});
