import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { basketIdle } from '../due-work.ts';

/** An open basket without changes for this long is abandoned. The source document does not specify it. */
const IDLE_MS = 24 * 60 * 60 * 1_000;

/** Restarts the idle time of an open basket. @returns its `expiresAt` */
export function restartIdleTimer(work: UnitOfWork, basketId: string): string {
  const at = work.now + IDLE_MS;
  work.schedule(basketIdle, basketId, at, null);
  return instant(at);
}
