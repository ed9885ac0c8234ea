import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import {
  applyReturnsProgression as applyReturnsProgressionCall,
  moveReturn as moveReturnCall,
} from '../../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Figures } from '../../../shared/catalog/retailer.ts';
import { lengthInWords } from '../../../shared/domain/duration.ts';
import { walkPages } from '../../../shared/handlers/all-pages.ts';
import { requireObject } from '../../../shared/handlers/require-object.ts';
import { handle, handleDue, type Scope } from '../../../shared/work/handler.ts';
import { returnStepDue, TAKE_OVER_MS } from '../due-work.ts';
import { published, returns, returnTasks, type StoredReturn } from './collections.ts';
import { approve, inspect, nextStep, planStep, receive, refuseOnceWrittenOff, writeOff } from './moves.ts';
import { hasRefund } from './refunds.ts';
import { beginRejection, carryOnRejection } from './rejection.ts';

/** Moves a return when the control plane requests it. Otherwise the progression moves it. */
export const moveReturn = handle(moveReturnCall)(async ({ params, body }, scope) => {
  const found = await requireObject(scope.work, returns, params.id);
  switch (body.verb) {
    case 'approve':
      return published(await approve(found, scope));
    case 'receive':
      return published(await receive(found, scope));
    case 'inspect':
      return published(await inspect(found, body.lines, scope));
    case 'write-off':
      return published(await writeOff(found, scope));
    case 'reject': {
      const outcome = await reject(found, body.reason, scope);
      return outcome instanceof Problem ? outcome : published(outcome);
    }
  }
});

async function reject(found: StoredReturn, reason: string | undefined, scope: Scope): Promise<StoredReturn | Problem> {
  const { work } = scope;
  // A rejection that has begun is continued.
  if (found.rejecting) return carryOnRejection(found, scope);
  refuseOnceWrittenOff(found, 'reject');
  const rejecting = beginRejection(work, found, { reason, at: work.now + TAKE_OVER_MS });
  await work.checkpoint();
  return carryOnRejection(rejecting, scope);
}

const tooLate = ({ windowMs }: Figures): string => `Announced later than ${lengthInWords(windowMs.return)} after the order was completed.`;

/** Takes the next step of policy, store or warehouse, unless the progression of returns is manual. */
export const takeReturnStep = handleDue(returnStepDue)(async ({ key }, scope) => {
  const { work, context } = scope;
  if (progressionOf(context).returns === 'manual') return;
  const found = await work.get(returns, key);
  const step = found && nextStep(found);
  if (!found || !step) return;
  if (step === 'receive') await receive(found, scope);
  else if (step === 'inspect') await inspect(found, undefined, scope);
  else if (hasRefund(found) || isInTime(found, work.figures)) await approve(found, scope);
  else beginRejection(work, found, { reason: tooLate(work.figures), at: work.now });
});

/** Compares the date of the announcement, not the date of the decision, with the return window. */
const isInTime = ({ createdAt, completedAt }: StoredReturn, { windowMs }: Figures): boolean =>
  Date.parse(createdAt) <= Date.parse(completedAt) + windowMs.return;

export const applyReturnsProgression = handle(applyReturnsProgressionCall)(async ({ body: { returns: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const { id, since } of walkPages((cursor) => work.find(returnTasks, 'open', 'yes', { cursor }))) {
    const found = await work.get(returns, id);
    if (found && (await planStep(work, found, { mode, since }))) rescheduled += 1;
  }
  return { rescheduled };
});
