import { createReturn as createReturnApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { invalid, isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, returns } from '../returns/collections.ts';
import { attemptOf, beginRequest, endRequest, mergedLines, refuseLocation, requestReturn } from '../returns/request.ts';

/**
 * The intent, then the OMS's word: it alone knows what is with the customer, and fixes what that is worth. A request that gets no
 * answer is undone by due work, so that no units stay booked for a return that nobody has; repeated before that, it goes on.
 */
export const createReturn = handle(createReturnApi)(async ({ body }, scope) => {
  const { work } = scope;
  const { orderId } = body;
  const attempt = await attemptOf(work);
  const { id, resumed } = attempt;
  const found = await work.get(returns, id);
  if (found) return published(found);
  await refuseLocation(work, body);
  const asked = { ...body, lines: mergedLines(body.lines) };
  await beginRequest(work, attempt, orderId);
  try {
    return published(await requestReturn(id, asked, scope));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Nothing was booked: the OMS refused, or was not even reached. Anything else leaves that open.
    const isUnreached = error.code === 'dependency_unavailable' && !resumed;
    if (!isUnreached && (error.retryable || isDependencyProblem(error))) throw error;
    endRequest(work, { id, orderId, state: 'undone' });
    return pointed(error);
  }
});

/** What the OMS says of the way back is about a member of the request. */
function pointed(problem: Problem): Problem {
  const { message, context } = problem;
  if (context['action'] === 'collect') return invalid('/dropOff', 'no_address', message);
  return context['action'] === 'hand-in' ? invalid('/locationId', 'store_required', message) : problem;
}
