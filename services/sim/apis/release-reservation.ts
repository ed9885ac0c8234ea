import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { releaseReservation as releaseReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { isBeingBought } from '../basket-holds.ts';
import { attempts, fulfillmentHolds, reservations, type StoredReservation } from '../collections.ts';
import { expireReservationDue, giveBackStockDue } from '../due-work.ts';
import { isOpen, stockAtTill, stockBeingSent } from '../reservation-rules.ts';

const NEVER_WRITTEN = 0;

/** Commits the state before the stock is returned: a unit that is returned too early could be sold twice. */
export const releaseReservation = handle(releaseReservationApi)(async ({ params: { id } }, scope) => {
  const { work } = scope;
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (isAgain(reservationLifeCycle, found, 'release')) return again(found);
  await refuseBeingSent(found, scope);
  await refuseAtTill(found, scope);
  work.cancel(expireReservationDue, id);
  work.schedule(giveBackStockDue, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, 'release');
});

/** Only the OMS can stop a shipment, and it does so before the release. @throws Problem `invalid_state_transition` */
async function refuseBeingSent(found: StoredReservation, { work, context }: Scope): Promise<void> {
  if (context.chain.at(-1) === 'oms') return;
  const held = await work.get(fulfillmentHolds, found.id);
  if (held) throw stockBeingSent(found, held.orderId);
  work.expect(fulfillmentHolds, { id: found.id, version: NEVER_WRITTEN });
}

/**
 * The goods of a sale leave with the customer. If their reservation were released, they would stay in the stock records.
 * @throws Problem `invalid_state_transition` for a caller from outside; `dependency_*`
 */
async function refuseAtTill(found: StoredReservation, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0 || found.basketId === undefined || !isOpen(found)) return;
  const attempt = await work.get(attempts, found.id);
  if (!attempt || attempt.expiresAt !== undefined) return;
  // The till reserves the stock before the basket exists.
  const basket = await call(getBasket, { params: { id: found.basketId } }).catch(undefinedIfNotFound);
  if (!basket || isBeingBought(basket)) throw stockAtTill(found, basket?.transactionId);
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
