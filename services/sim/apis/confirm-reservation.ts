import { confirmReservation as confirmReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { reservations } from '../collections.ts';
import { EXPIRE_RESERVATION } from '../due-kinds.ts';
import { refuseOtherOrder, reservationExpired } from '../reservation-rules.ts';

export const confirmReservation = handle(confirmReservationApi)(async ({ params: { id }, body: { orderId } }, { work }) => {
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (found.state === 'expired') throw reservationExpired(found);
  const confirmed = isAgain(reservationLifeCycle, found, 'confirm');
  refuseOtherOrder(found, orderId);
  if (confirmed) return again(found);
  work.cancel(EXPIRE_RESERVATION, id);
  return work.transition(reservations, found, 'confirm', { expiresAt: undefined, orderId: orderId ?? found.orderId });
});
