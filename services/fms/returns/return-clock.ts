import type { Progression } from '../../../shared/catalog/control/progression.ts';
import type { ReturnStep } from '../../../shared/catalog/fulfillment/reference-data.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returnSteps, returnTasks, type StoredReturn } from './collections.ts';
import { returnStepDue } from './due-work.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A return may be announced for this rehearsal time after its order is completed. */
export const RETURN_WINDOW_MS = 30 * DAY_MS;

/** Rehearsal time that an inspected return waits for the order of its exchange. */
export const EXCHANGE_WAIT_MS = 7 * DAY_MS;

/** Rehearsal time after which a return is given up if its parcel is lost or went back to the customer. */
export const GIVE_UP_MS = 7 * DAY_MS;

type Step = ReturnStep['step'];

/** The next step by policy, store or warehouse. A scan receives a return by parcel, and a settlement ends an inspected one. */
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

/** Stores the time of a return's next step and its due work. @param since the previous step, epoch ms @returns whether it changed */
export async function planStep(
  work: UnitOfWork,
  found: StoredReturn,
  { mode, since }: { readonly mode: Progression['returns']; readonly since: number },
): Promise<boolean> {
  const before = await work.get(returnTasks, found.id);
  const step = nextStep(found);
  const stepAt = step && (await momentOf(work, { step, mode, since }));
  work.put(returnTasks, { id: found.id, open: !ENDED.has(found.state), since, stepAt });
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
