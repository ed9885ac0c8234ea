import { getBasket, getTransaction } from '../../../shared/catalog/commerce/internal.ts';
import { confirmReservation as confirmReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { getOrderStock } from '../../../shared/catalog/order/internal.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
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
  const isNew = forFulfilment && !(await work.get(fulfillmentHolds, id));
  // The reservation was confirmed before its order was stored.
  const isBound = orderId !== undefined && found.orderId === undefined;
  if (isConfirmed && !isNew && !isBound) return again(found);
  await refuseUnfit(found, orderId ?? found.orderId, scope);
  await refuseWhileReplaced(found, work);
  if (isNew) {
    // A concurrent release is either committed before, or finds this record.
    work.expect(reservations, found);
    work.put(fulfillmentHolds, { id, orderId });
  }
  if (isConfirmed) return isBound ? work.revise(reservations, found, { ...found, orderId }) : again(found);
  work.cancel(expireReservationDue, id);
  return work.transition(reservations, found, 'confirm', { expiresAt: undefined, orderId: orderId ?? found.orderId });
});

/** @throws Problem `not_found` for an order that neither the OMS nor a till has; `dependency_*` */
async function requireOrder(orderId: string, call: Scope['call']): Promise<void> {
  const known = await call(getOrderStock, { params: { id: orderId } }).catch(undefinedIfNotFound);
  const found = known ?? (await call(getTransaction, { params: { id: orderId } }).catch(undefinedIfNotFound));
  if (!found) throw notFound('order', orderId);
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}

/**
 * The OMS confirms for its own orders. For a caller from outside, the reservation of a basket is confirmed only for the order that the basket
 * became, and any other one only for an order that exists and has not ended: the end of the order releases the stock.
 * @throws Problem `not_found`, `validation_failed`, `invalid_state_transition`, `dependency_*`
 */
async function refuseUnfit(found: StoredReservation, orderId: string | undefined, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0 || orderId === undefined) return;
  const { basketId } = found;
  if (basketId === undefined) await requireOrder(orderId, call);
  // If the reservation already names the order, Reserve Inventory has checked it.
  else if (found.orderId === undefined) refuseForeignOrder(await call(getBasket, { params: { id: basketId } }), orderId);
  const ended = await findEnd(work, { orderId });
  if (ended) throw ended;
}
