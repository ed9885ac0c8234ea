import { releaseReservation as releaseReservationApi } from '../../../shared/catalog/inventory/apis.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { fulfilmentHolds, reservations, type StoredReservation } from '../collections.ts';
import { EXPIRE_RESERVATION, GIVE_BACK_STOCK } from '../due-kinds.ts';
import { beingSent } from '../reservation-rules.ts';

/** The state first, then the stock: a unit that went back too early could be sold twice, one that goes back late only once. */
export const releaseReservation = handle(releaseReservationApi)(async ({ params: { id } }, scope) => {
  const { work } = scope;
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  if (isAgain(reservationLifeCycle, found, 'release')) return again(found);
  await refuseBeingSent(found, scope);
  work.cancel(EXPIRE_RESERVATION, id);
  work.due(GIVE_BACK_STOCK, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, 'release');
});

/** Only the OMS can stop goods that are being sent, and does so first. @throws Problem 409 for anybody else */
async function refuseBeingSent(found: StoredReservation, { work, context }: Scope): Promise<void> {
  if (context.chain.at(-1) === 'oms') return;
  const held = await work.get(fulfilmentHolds, found.id);
  if (held) throw beingSent(found, held.orderId);
  work.expect(fulfilmentHolds, { id: found.id, version: ABSENT });
}

const ABSENT = 0;
