import { handleDue } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { expireReservation as expireReservationWork, giveBackStock } from '../due-work.ts';

export const expireReservation = handleDue(expireReservationWork)(async ({ key }, { work }) => {
  const found = await work.get(reservations, key);
  if (found?.state !== 'requested') return;
  work.schedule(giveBackStock, key, work.now, {}, { beforeReply: true });
  work.transition(reservations, found, 'expire');
});
