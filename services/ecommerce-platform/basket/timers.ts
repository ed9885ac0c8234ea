import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';

/** An open basket that nobody touches for this long is abandoned; our choice. */
export const IDLE_MS = 24 * 60 * 60 * 1_000;
/** How long a checkout holds stock and prices without an order; our choice. */
export const CHECKOUT_TTL_SECONDS = 900;

/** Due work that abandons an idle basket; its key is the basket's id. */
export const IDLE = 'basket-idle';
/** Due work that opens a basket again whose checkout led to no order. */
export const CHECKOUT_TTL = 'checkout-ttl';

/** Due work that gives back what is held for a basket that is over. */
export const RELEASE_HOLDS = 'release-holds';

/** Starts the idle time of an open basket anew. @returns its `expiresAt` */
export function renewIdleTimer(work: UnitOfWork, basketId: string): string {
  const at = work.now + IDLE_MS;
  work.schedule(IDLE, basketId, at, null);
  return instant(at);
}
