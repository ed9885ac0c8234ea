import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returns, type StoredReturn } from '../returns/collections.ts';
import { returnStepDue } from '../returns/due-work.ts';
import { approve, inspect, receive } from '../returns/moves.ts';
import { beginRejection } from '../returns/rejection.ts';
import { nextStep, RETURN_WINDOW_MS } from '../returns/return-clock.ts';

const TOO_LATE = 'Announced later than 30 days after the order was completed.';

/** Takes the next step of policy, store or warehouse, unless the progression of returns is manual. */
export const takeReturnStep = handleDue(returnStepDue)(async ({ key }, scope) => {
  const { work, context } = scope;
  if (progressionOf(context).returns === 'manual') return;
  const found = await work.get(returns, key);
  const step = found && nextStep(found);
  if (!found || !step) return;
  if (step === 'receive') await receive(found, scope);
  else if (step === 'inspect') await inspect(found, undefined, scope);
  else if (isInTime(found)) await approve(found, scope);
  else beginRejection(work, found, { reason: TOO_LATE, at: work.now });
});

/** Compares the date of the announcement, not the date of the decision, with the return window. */
const isInTime = ({ createdAt, completedAt }: StoredReturn): boolean => Date.parse(createdAt) <= Date.parse(completedAt) + RETURN_WINDOW_MS;
