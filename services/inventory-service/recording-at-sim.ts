import type { z } from 'zod';
import { recordReservation } from '../../shared/catalog/inventory/internal.ts';
import type { Reservation } from '../../shared/catalog/inventory/objects.ts';
import { didNothing, type Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds } from './collections.ts';
import { finishAllocationDue } from './due-work.ts';
import { giveBack } from './holds.ts';

/**
 * Commits one more attempt to record the reservation at the SIM, with the work that finishes it, before the SIM is called. This process keeps
 * the lease of the work until it has answered or died.
 * @returns the reservation at its new version
 */
export async function beginRecording(work: UnitOfWork, hold: Omit<Hold, 'version'>): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: countAttempt(hold) });
  work.schedule(finishAllocationDue, hold.id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return next;
}

/** Commits one more attempt by the due work itself, which must not be scheduled again. */
export async function repeatRecording(work: UnitOfWork, hold: Hold): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: countAttempt(hold) });
  await work.checkpoint();
  return next;
}

const lineOf = ({ id, line }: Pick<Hold, 'id' | 'line'>) => {
  if (!line) throw new Error(`The reservation ${id} belongs to no order line.`);
  return line;
};

const countAttempt = (hold: Pick<Hold, 'id' | 'line'>) => ({ ...lineOf(hold), attempts: lineOf(hold).attempts + 1 });

/** @throws Problem when the SIM refuses the record, or when it is unknown whether the SIM has it */
export async function recordAtSim(hold: Hold, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<z.output<typeof Reservation>> {
  const line = lineOf(hold);
  const { orderId, orderLineId, sku, qty } = line;
  const allocations = hold.allocations.map((held) => ({ orderLineId, ...held, fulfilledQty: 0, cancelledQty: 0 }));
  const reservation = await call(recordReservation, {
    params: { id: hold.id },
    body: { orderId, orderLineId, items: [{ sku, qty }], allocations },
  });
  work.put(holds, { ...hold, line: { ...line, recorded: true } });
  work.cancel(finishAllocationDue, hold.id);
  return reservation;
}

/** Whether the order has ended, so that the SIM never accepts the record. */
export const isFinalRefusal = ({ code }: Problem): boolean => code === 'invalid_state_transition';

/** Whether the SIM certainly has no record. One of several attempts may have succeeded although its answer was lost. */
export const mayWithdraw = (hold: Hold, problem: Problem): boolean =>
  isFinalRefusal(problem) || (didNothing(problem) && lineOf(hold).attempts === 1);

export function withdraw(work: UnitOfWork, hold: Hold): void {
  giveBack(work, hold, { state: 'given-back', reference: 'the SIM was not there' });
  work.cancel(finishAllocationDue, hold.id);
}

/** Keeps the stock, because the SIM may have the record. Due work repeats the record until the SIM has it. */
export function recordLater(work: UnitOfWork, hold: Hold): void {
  work.schedule(finishAllocationDue, hold.id, work.now, {});
}
