import type { DueHandler } from '../../../shared/work/handler.ts';
import { RELEASE_HOLDS } from '../basket/timers.ts';
import { baskets } from '../collections.ts';

/** Every change of an open basket puts this off by 24 h; when it runs, nobody has touched it for that long. */
export const abandonIdleBasket: DueHandler = async ({ key }, { work }) => {
  const basket = await work.get(baskets, key);
  if (basket?.state !== 'open') return;
  // Somebody may have had stock held for it by hand, and confirmed that hold.
  work.schedule(RELEASE_HOLDS, key, work.now, null);
  work.transition(baskets, basket, 'abandon', { expiresAt: undefined });
};
