import { confirmReservation as confirmReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { fulfilmentHolds, reservations } from '../collections.ts';
import { EXPIRE_RESERVATION } from '../due-kinds.ts';
import { refuseOtherOrder, reservationExpired } from '../reservation-rules.ts';
import { refuseWhileReplaced } from '../reserving.ts';

export const confirmReservation = handle(confirmReservationApi)(async ({ params: { id }, body }, { work }) => {
  const { orderId, forFulfilment } = body;
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (found.state === 'expired') throw reservationExpired(found);
  const confirmed = isAgain(reservationLifeCycle, found, 'confirm');
  refuseOtherOrder(found, orderId);
  const isNew = forFulfilment && !(await work.get(fulfilmentHolds, id));
  if (confirmed && !isNew) return again(found);
  await refuseWhileReplaced(found, work);
  if (isNew) {
    // Whoever releases it at the same moment comes first, or finds this.
    work.expect(reservations, found);
    work.put(fulfilmentHolds, { id, ...(orderId !== undefined && { orderId }) });
  }
  if (confirmed) return again(found);
  work.cancel(EXPIRE_RESERVATION, id);
  return work.transition(reservations, found, 'confirm', { expiresAt: undefined, orderId: orderId ?? found.orderId });
});
