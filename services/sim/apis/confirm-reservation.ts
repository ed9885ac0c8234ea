import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { confirmReservation as confirmReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseWhileReplaced } from '../attempt.ts';
import { fulfillmentHolds, reservations, type StoredReservation } from '../collections.ts';
import { expireReservationDue } from '../due-work.ts';
import { findEnd } from '../ended-owners.ts';
import { refuseForeignOrder, refuseOtherOrder, reservationExpired } from '../reservation-rules.ts';

export const confirmReservation = handle(confirmReservationApi)(async ({ params: { id }, body }, scope) => {
  const { work } = scope;
  const { orderId, forFulfilment } = body;
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (found.state === 'expired') throw reservationExpired(found);
  const isConfirmed = isAgain(reservationLifeCycle, found, 'confirm');
  refuseOtherOrder(found, orderId);
  if (orderId !== undefined && found.orderId === undefined) await refuseUnfit(found, orderId, scope);
  const isNew = forFulfilment && !(await work.get(fulfillmentHolds, id));
  // Confirmed before its order was known.
  const isBound = orderId !== undefined && found.orderId === undefined;
  if (isConfirmed && !isNew && !isBound) return again(found);
  await refuseWhileReplaced(found, work);
  if (isNew) {
    // A release at the same moment is committed first, or finds this record.
    work.expect(reservations, found);
    work.put(fulfillmentHolds, { id, ...(orderId !== undefined && { orderId }) });
  }
  if (isConfirmed) return isBound ? work.revise(reservations, found, { ...found, orderId }) : again(found);
  work.cancel(expireReservationDue, id);
  return work.transition(reservations, found, 'confirm', { expiresAt: undefined, orderId: orderId ?? found.orderId });
});

/**
 * The OMS knows its orders. A caller from outside confirms the reservation of a basket only for the order that the basket became, and
 * no reservation for an order that has ended.
 * @throws Problem `validation_failed`, `invalid_state_transition`, `dependency_*`
 */
async function refuseUnfit({ basketId }: StoredReservation, orderId: string, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0) return;
  if (basketId !== undefined) refuseForeignOrder(await call(getBasket, { params: { id: basketId } }), orderId);
  const ended = await findEnd(work, { orderId });
  if (ended) throw ended;
}
