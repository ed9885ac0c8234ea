import { releaseHolds as releaseHoldsCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { expireReservationDue, giveBackStockDue } from '../due-work.ts';
import { markEnded } from '../ended-owners.ts';
import { findOpenReservations } from '../open-reservations.ts';

/** A concurrent attempt to reserve stock is either committed before and released here, or finds that its order or basket has ended. */
export const releaseHolds = handle(releaseHoldsCall)(async ({ body: { basket, order, spare = [] } }, { work }) => {
  if (order) await markEnded(work, 'order', order);
  if (basket) await markEnded(work, 'basket', basket);
  const released = (await findOpenReservations(work, { orderId: order?.id, basketId: basket?.id })).filter(({ id }) => !spare.includes(id));
  for (const reservation of released) {
    work.cancel(expireReservationDue, reservation.id);
    work.schedule(giveBackStockDue, reservation.id, work.now, {}, { beforeReply: true });
    work.transition(reservations, reservation, 'release');
  }
  return { released: released.map(({ id }) => id) };
});
