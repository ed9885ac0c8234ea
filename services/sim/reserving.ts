import { reserveInventory as reserveInventoryApi } from '../../shared/catalog/inventory/apis.ts';
import { didNothing, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import { linesBySku, type SkuUnits } from '../../shared/work/lines-by-sku.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { beginAttempt, endAttempt, markCarriedOn, type NewAttempt, NOTHING_HELD_CODES, takeAndRecord } from './attempts.ts';
import { decideBasketHold, type ReserveRequest } from './basket-reservations.ts';
import { type Attempt, attempts, reservations } from './collections.ts';
import { abortHoldDue } from './due-work.ts';

/** The source document does not specify it. */
const DEFAULT_TTL_SECONDS = 900;

/** Commits the attempt with the work that undoes it, takes the stock, commits the reservation. A further run continues its own attempt. */
export const reserveInventory = handle(reserveInventoryApi)(async ({ body }, scope) => {
  const { work, call } = scope;
  const { id, attempt: found } = await findOwnAttempt(work);
  if (found?.status === 'done') {
    const made = await work.get(reservations, id);
    if (!made) throw new Error(`The attempt ${id} is done and has no reservation.`);
    return made;
  }
  if (found) return finishAttempt(await markCarriedOn(found, work), { work, call });
  const wanted = await decideHold(body, scope);
  if (wanted.standing) return again(wanted.standing);
  const attempt = await beginAttempt(attemptFor(id, { ...body, items: [...wanted.items] }, scope), { work, call });
  return finishAttempt(attempt, { work, call });
});

async function finishAttempt(attempt: Attempt, { work, call }: Pick<Scope, 'work' | 'call'>) {
  const outcome = await takeAndRecord(attempt, { work, call });
  if (outcome instanceof Problem) undoLater(attempt, outcome, work);
  return outcome;
}

/** The id for this request, and its attempt if an earlier run began one. An id that was given up is never used again. */
async function findOwnAttempt(work: UnitOfWork): Promise<{ readonly id: string; readonly attempt: Attempt | undefined }> {
  for (let ended = 0; ; ended++) {
    const id = work.id('res', ended === 0 ? '' : String(ended));
    const attempt = await work.get(attempts, id);
    if (attempt?.status !== 'ended' && attempt?.status !== 'aborting') return { id, attempt };
  }
}

/** Applications send all items of their basket. For callers from outside, the basket and its open reservation decide. */
async function decideHold(body: ReserveRequest, scope: Scope): ReturnType<typeof decideBasketHold> {
  const { basketId, items = [] } = body;
  const isOutside = scope.context.chain.length === 0;
  return basketId === undefined || !isOutside ? { items } : decideBasketHold({ ...body, basketId }, scope);
}

function attemptFor(
  id: string,
  {
    basketId,
    orderId,
    locationId,
    prefer,
    items,
    ttlSeconds = DEFAULT_TTL_SECONDS,
    takesOverLines,
  }: ReserveRequest & { readonly items: SkuUnits[] },
  { work, context }: Scope,
): NewAttempt {
  return {
    id,
    items: linesBySku(items, '/items'),
    basketId,
    orderId,
    locationId,
    prefer,
    ...(ttlSeconds !== null && { ttlSeconds, expiresAt: instant(work.now + ttlSeconds * 1_000) }),
    ...(context.chain.length > 0 && { forCheckout: true }),
    takesOverLines,
  };
}

/** Schedules work that returns the stock, because the Inventory Service may have reserved it in spite of the problem. */
function undoLater(attempt: Attempt, problem: Problem, work: UnitOfWork): void {
  if (NOTHING_HELD_CODES.has(problem.code)) return;
  // The only call so far did nothing, so nothing is reserved.
  if (didNothing(problem) && !attempt.carriedOn) endAttempt(work, attempt);
  else work.schedule(abortHoldDue, attempt.id, work.now, {});
}
