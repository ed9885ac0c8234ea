import type { ReturnStep } from '../../../shared/catalog/fulfillment/reference-data.ts';
import type { Progression } from '../../../shared/catalog/simulation/progression.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returnSteps, returnTasks, type StoredReturn } from './collections.ts';
import { returnStepDue } from './due-work.ts';

type Step = ReturnStep['step'];

/** What comes next by itself. One that comes by parcel is received by the carrier's scan; one that is inspected is settled. */
export function nextStep({ state, dropOff, rejecting }: Pick<StoredReturn, 'state' | 'dropOff' | 'rejecting'>): Step | undefined {
  if (rejecting) return undefined;
  switch (state) {
    case 'requested':
      return 'decide';
    case 'approved':
      return dropOff === 'store' ? 'receive' : undefined;
    case 'received':
      return 'inspect';
    case 'in-transit':
    case 'inspected':
    case 'refunded':
    case 'exchanged':
    case 'rejected':
      return undefined;
  }
}

const ENDED: ReadonlySet<StoredReturn['state']> = new Set(['inspected', 'refunded', 'exchanged', 'rejected']);

/**
 * Stores when a return moves by itself next, with the due work that moves it.
 * @param since when the step before was taken
 * @returns whether that is another moment than before
 */
export async function planStep(
  work: UnitOfWork,
  found: StoredReturn,
  { mode, since }: { readonly mode: Progression['returns']; readonly since: number },
): Promise<boolean> {
  const before = await work.get(returnTasks, found.id);
  const step = nextStep(found);
  const stepAt = step && (await momentOf(work, { step, mode, since }));
  work.put(returnTasks, { id: found.id, open: !ENDED.has(found.state), since, ...(stepAt !== undefined && { stepAt }) });
  if (stepAt !== undefined) work.schedule(returnStepDue, found.id, stepAt, {});
  else if (before?.stepAt !== undefined) work.cancel(returnStepDue, found.id);
  return stepAt !== before?.stepAt;
}

async function momentOf(
  work: UnitOfWork,
  { step, mode, since }: { readonly step: Step; readonly mode: Progression['returns']; readonly since: number },
): Promise<number | undefined> {
  if (mode === 'manual') return undefined;
  if (mode === 'immediate') return work.now;
  const afterMs = (await work.get(returnSteps, step))?.afterMs ?? 0;
  return Math.max(work.now, since + afterMs);
}
