import type { DueHandler } from '../../../shared/work/handler.ts';
import { reservations } from '../collections.ts';
import { GIVE_BACK_STOCK } from '../due-kinds.ts';

export const expireReservation: DueHandler = async ({ key }, { work }) => {
  const found = await work.get(reservations, key);
  if (found?.state !== 'requested') return;
  work.schedule(GIVE_BACK_STOCK, key, work.now, {}, { beforeReply: true });
  work.transition(reservations, found, 'expire');
};
