import { createReturn as createReturnApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { didNothing, invalid, isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { published, returnRequests, returns } from '../returns/collections.ts';
import {
  attemptOf,
  beginRequest,
  endRequest,
  listStores,
  mergeLines,
  notAStore,
  type ReturnRequest,
  readDropOff,
  requestReturn,
} from '../returns/request.ts';

/**
 * The intent is committed first, then the OMS books the units: only the OMS has their value, and which of them the customer has. Without an
 * answer of the OMS, due work undoes the request, so that no units stay booked for an unknown return. A repeat that comes earlier resumes it.
 */
export const createReturn = handle(createReturnApi)(async ({ body }, scope) => {
  const { work } = scope;
  const { orderId } = body;
  const attempt = await attemptOf(work);
  const { id, resumed } = attempt;
  const found = await work.get(returns, id);
  if (found) return published(found);
  const dropOff = await readDropOff(work, body);
  const asked = { ...body, lines: mergeLines(body.lines), dropOff };
  await beginRequest(work, attempt, orderId);
  try {
    return published(await requestReturn(id, asked, scope));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // If the OMS refused or did nothing, nothing was booked. After any other failure, that is unknown.
    const isUntouched = didNothing(error) && !resumed;
    if (!isUntouched && (error.retryable || isDependencyProblem(error))) throw error;
    endRequest(work, { id, orderId, state: 'undone' });
    return error.code === 'return_quantity_exceeded' && (await isAnotherUndecided(work, { id, orderId }))
      ? retryable(error)
      : pointAtMember(work, error, body);
  }
});

/** Whether the OMS may have booked units of the order for another request, which is finished or undone later. */
async function isAnotherUndecided(work: UnitOfWork, { id, orderId }: { id: string; orderId: string }): Promise<boolean> {
  const { items } = await work.find(returnRequests, 'undecided', orderId);
  return items.some((request) => request.id !== id);
}

const retryable = ({ code, message, context }: Problem): Problem =>
  new Problem(code, `${message} Another return of this order is being created; send this request again when that has ended.`, {
    ...context,
    retryable: true,
    retryAfter: 1,
  });

/** Adds the member of the request to a refusal of the OMS that concerns it. */
async function pointAtMember(work: UnitOfWork, problem: Problem, { orderId, lines, dropOff, locationId }: ReturnRequest): Promise<Problem> {
  const { message, context } = problem;
  if (context['action'] === 'collect') {
    const stores = await listStores(work);
    if (dropOff === undefined && locationId !== undefined) return notAStore(locationId, stores, `${message} `);
    return invalid(
      '/dropOff',
      'no_address',
      `${message} Send dropOff "store", with a locationId if it is not the store of the till: ${stores}.`,
    );
  }
  if (context['action'] === 'hand-in') {
    const ways = `Name ${await listStores(work)} in locationId, or send dropOff "carrier": the carrier collects at the address of the order.`;
    return invalid('/locationId', 'store_required', `${message} ${ways}`);
  }
  const unknown = context['objectType'] === 'order line' ? lines.findIndex(({ orderLineId }) => orderLineId === context['id']) : -1;
  if (unknown < 0) return problem;
  return invalid(`/lines/${unknown}/orderLineId`, 'unknown_line', `The order "${orderId}" has no line "${lines[unknown]?.orderLineId}".`);
}
