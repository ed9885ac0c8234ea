import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { finishRejectionDue } from '../returns/due-work.ts';
import { carryOnRejection } from '../returns/rejection.ts';

/** Finishes a rejection by policy, or one that got no answer. The OMS decides. */
export const finishRejection = handleDue(finishRejectionDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (!found?.rejecting) return;
  const outcome = await carryOnRejection(found, scope);
  if (outcome instanceof Problem) scope.log.warn({ returnId: key, code: outcome.code }, `rejecting a return failed: ${outcome.message}`);
});
