import type { z } from 'zod';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type CustomerRecord, idleAt } from './customer-rules.ts';
import { idle } from './due-work.ts';

interface IdleTimer {
  readonly at: number;
  readonly payload: z.output<typeof idle.payload>;
}

/** @returns undefined for a customer whose state no inactivity changes */
export function idleTimerOf(customer: CustomerRecord): IdleTimer | undefined {
  const at = idleAt(customer);
  if (at === undefined || customer.lastActivityAt === undefined) return undefined;
  return { at, payload: { since: customer.lastActivityAt } };
}

/** Replaces the running timer of a customer whose activity or state has just changed. */
export function restartIdleTimer(work: UnitOfWork, customer: CustomerRecord): void {
  const timer = idleTimerOf(customer);
  if (timer) work.schedule(idle, customer.id, timer.at, timer.payload);
  else work.cancel(idle, customer.id);
}
