import { handleDue } from '../../../shared/work/handler.ts';
import { baskets } from '../collections.ts';
import { basketIdle, releaseHolds } from '../due-work.ts';

/** Every change of an open basket restarts the timer, so the basket has been unchanged for the whole idle time. */
export const abandonIdleBasket = handleDue(basketIdle)(async ({ key }, { work }) => {
  const basket = await work.get(baskets, key);
  if (basket?.state !== 'open') return;
  // A client may have reserved stock for it, and confirmed that reservation.
  work.schedule(releaseHolds, key, work.now, null);
  work.transition(baskets, basket, 'abandon', { expiresAt: undefined });
});
