import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { releaseReservation as releaseReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { isBeingBought } from '../basket-holds.ts';
import { attempts, fulfilmentHolds, reservations, type StoredReservation } from '../collections.ts';
import { expireReservation, giveBackStock } from '../due-work.ts';
import { beingSent, heldForTill, isOpen } from '../reservation-rules.ts';

/** The state first, then the stock: a unit that went back too early could be sold twice, one that goes back late only once. */
export const releaseReservation = handle(releaseReservationApi)(async ({ params: { id } }, scope) => {
  const { work } = scope;
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (isAgain(reservationLifeCycle, found, 'release')) return again(found);
  await refuseBeingSent(found, scope);
  await refuseOfTill(found, scope);
  work.cancel(expireReservation, id);
  work.schedule(giveBackStock, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, 'release');
});

/** Only the OMS can stop goods that are being sent, and does so first. @throws Problem 409 for anybody else */
async function refuseBeingSent(found: StoredReservation, { work, context }: Scope): Promise<void> {
  if (context.chain.at(-1) === 'oms') return;
  const held = await work.get(fulfilmentHolds, found.id);
  if (held) throw beingSent(found, held.orderId);
  work.expect(fulfilmentHolds, { id: found.id, version: ABSENT });
}

/**
 * The goods of a sale lie on the counter and leave with the customer: without their hold they would stay in the stock records.
 * @throws Problem 409 for anybody outside; `dependency_*` when nobody says what became of the basket
 */
async function refuseOfTill(found: StoredReservation, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0 || found.basketId === undefined || !isOpen(found)) return;
  const attempt = await work.get(attempts, found.id);
  if (!attempt || attempt.expiresAt !== undefined) return;
  // The till holds first, and has the basket made after that.
  const basket = await call(getBasket, { params: { id: found.basketId } }).catch(unlessUnknown);
  if (!basket || isBeingBought(basket)) throw heldForTill(found, basket?.transactionId);
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}

const ABSENT = 0;
