import type { z } from 'zod';
import { recordReservation } from '../../shared/catalog/inventory/internal.ts';
import type { Reservation } from '../../shared/catalog/inventory/objects.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds } from './collections.ts';
import { finishAllocation } from './due-work.ts';
import { giveBack } from './holds.ts';

/**
 * Commits that somebody is about to hand the record to the SIM, before doing so. The due work belongs to this process until it
 * has answered, or died.
 * @returns the hold at its new version
 */
export async function setOut(work: UnitOfWork, hold: Omit<Hold, 'version'>): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: attemptOf(hold) });
  work.schedule(finishAllocation, hold.id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return next;
}

/** The same for the due work itself, which must not schedule itself anew. */
export async function setOutAgain(work: UnitOfWork, hold: Hold): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: attemptOf(hold) });
  await work.checkpoint();
  return next;
}

const lineOf = ({ id, line }: Pick<Hold, 'id' | 'line'>) => {
  if (!line) throw new Error(`The hold ${id} is not an order line's.`);
  return line;
};

const attemptOf = (hold: Pick<Hold, 'id' | 'line'>) => ({ ...lineOf(hold), attempts: lineOf(hold).attempts + 1 });

/** @throws Problem when the SIM refuses, or nobody knows whether it has the record now */
export async function recordAtSim(hold: Hold, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<z.output<typeof Reservation>> {
  const line = lineOf(hold);
  const { orderId, orderLineId, sku, qty } = line;
  const allocations = hold.allocations.map((held) => ({ orderLineId, ...held, fulfilledQty: 0, cancelledQty: 0 }));
  const reservation = await call(recordReservation, {
    params: { id: hold.id },
    body: { orderId, orderLineId, items: [{ sku, qty }], allocations },
  });
  work.put(holds, { ...hold, line: { ...line, recorded: true } });
  work.cancel(finishAllocation, hold.id);
  return reservation;
}

/** The order is over: the SIM has no such record, and will never take one. */
export const isRefused = ({ code }: Problem): boolean => code === 'invalid_state_transition';

/**
 * Only a record that nobody else has set out to write, and that the SIM certainly did not take, may be withdrawn: another attempt
 * may have succeeded although nothing here shows it yet.
 */
export const mayGiveBack = (hold: Hold, problem: Problem): boolean =>
  isRefused(problem) || (problem.code === 'dependency_unavailable' && lineOf(hold).attempts === 1);

export function withdraw(work: UnitOfWork, hold: Hold): void {
  giveBack(work, hold, { state: 'given-back', reference: 'the SIM was not there' });
  work.cancel(finishAllocation, hold.id);
}

/** The stock stays held: the SIM may have the record already. The clock's driver hands it over again until it has. */
export function leaveToTheClock(work: UnitOfWork, hold: Hold): void {
  work.schedule(finishAllocation, hold.id, work.now, {});
}
