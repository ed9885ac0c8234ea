import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type CustomerRecord, idleAt } from './customer-rules.ts';

export const IDLE = 'idle';

/** Due work as the store and a seed know it. */
interface IdleTimer {
  readonly kind: string;
  readonly key: string;
  readonly at: number;
  readonly payload: { readonly since: string };
}

/** What happens to a customer next if nothing happens. `since` tells the timer of one activity from that of the next. */
export function idleTimerOf(customer: CustomerRecord): IdleTimer | undefined {
  const at = idleAt(customer);
  if (at === undefined || customer.lastActivityAt === undefined) return undefined;
  return { kind: IDLE, key: customer.id, at, payload: { since: customer.lastActivityAt } };
}

/** Starts the timer of a customer as just changed, in place of the one that ran. */
export function restartIdleTimer(work: UnitOfWork, customer: CustomerRecord): void {
  const timer = idleTimerOf(customer);
  if (timer) work.schedule(timer.kind, timer.key, timer.at, timer.payload);
  else work.cancel(IDLE, customer.id);
}

/** Whether a timer that ran out is still about the customer's newest activity. */
export const isAbout = (customer: CustomerRecord, payload: unknown): boolean =>
  (payload as { since?: unknown } | null)?.since === customer.lastActivityAt;
