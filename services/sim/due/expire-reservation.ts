import { handleDue } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { expireReservationDue, giveBackStockDue } from '../due-work.ts';

export const expireReservation = handleDue(expireReservationDue)(async ({ key }, { work }) => {
  const found = await work.get(reservations, key);
  if (found?.state !== 'requested') return;
  work.schedule(giveBackStockDue, key, work.now, {}, { beforeReply: true });
  work.transition(reservations, found, 'expire');
});
