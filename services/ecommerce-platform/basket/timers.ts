import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { basketIdle } from '../due-work.ts';

/** An open basket that nobody touches for this long is abandoned; our choice. */
export const IDLE_MS = 24 * 60 * 60 * 1_000;
/** How long a checkout holds stock and prices without an order; our choice. */
export const CHECKOUT_TTL_SECONDS = 900;

/** Starts the idle time of an open basket anew. @returns its `expiresAt` */
export function renewIdleTimer(work: UnitOfWork, basketId: string): string {
  const at = work.now + IDLE_MS;
  work.schedule(basketIdle, basketId, at, null);
  return instant(at);
}
