import { reserveInventory as reserveInventoryApi } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { heldForBasket, type Reserving } from '../basket-holds.ts';
import { type Attempt, attempts, reservations } from '../collections.ts';
import { abortHold } from '../due-work.ts';
import { type Item, mergedItems } from '../reservation-rules.ts';
import { type Asked, carryOn, end, NOTHING_HELD, setOut, takeAndRecord } from '../attempt.ts';

/** Our choice. */
const DEFAULT_TTL_SECONDS = 900;

/**
 * Mint the id → commit the attempt with the work that undoes it → take the stock → commit the reservation. Whoever runs this again
 * finds its own attempt and goes on from there.
 */
export const reserveInventory = handle(reserveInventoryApi)(async ({ body }, scope) => {
  const { work, call } = scope;
  const { id, attempt: found } = await ownAttempt(work);
  if (found?.status === 'done') {
    const made = await work.get(reservations, id);
    if (!made) throw new Error(`The attempt ${id} is done and has no reservation.`);
    return made;
  }
  if (found) return outcomeOf(await carryOn(found, work), { work, call });
  const wanted = await wantedBy(body, scope);
  if (wanted.standing) return again(wanted.standing);
  return outcomeOf(await setOut(asked(id, { ...body, items: [...wanted.items] }, scope), { work, call }), { work, call });
});

async function outcomeOf(attempt: Attempt, { work, call }: Pick<Scope, 'work' | 'call'>) {
  const outcome = await takeAndRecord(attempt, { work, call });
  if (outcome instanceof Problem) leave(attempt, outcome, work);
  return outcome;
}

/** The id under which this request reserves, and how far it got. An id that was given up is never used again. */
async function ownAttempt(work: UnitOfWork): Promise<{ readonly id: string; readonly attempt: Attempt | undefined }> {
  for (let ended = 0; ; ended++) {
    const id = work.id('res', ended === 0 ? '' : String(ended));
    const attempt = await work.get(attempts, id);
    if (attempt?.status !== 'ended' && attempt?.status !== 'aborting') return { id, attempt };
  }
}

/** A service knows what its basket needs; for anybody else the basket and its open hold decide. */
async function wantedBy(body: Reserving, scope: Scope): ReturnType<typeof heldForBasket> {
  const { basketId, items = [] } = body;
  const isOutside = scope.context.chain.length === 0;
  return basketId === undefined || !isOutside ? { items } : heldForBasket({ ...body, basketId }, scope);
}

function asked(
  id: string,
  {
    basketId,
    orderId,
    locationId,
    prefer,
    items,
    ttlSeconds = DEFAULT_TTL_SECONDS,
    takesOverLines,
  }: Reserving & { readonly items: Item[] },
  { work, context }: Scope,
): Asked {
  return {
    ...{ id, items: mergedItems(items) },
    ...(basketId !== undefined && { basketId }),
    ...(orderId !== undefined && { orderId }),
    ...(locationId !== undefined && { locationId }),
    ...(prefer !== undefined && { prefer }),
    ...(ttlSeconds !== null && { ttlSeconds, expiresAt: instant(work.now + ttlSeconds * 1_000) }),
    ...(context.chain.length > 0 && { forCheckout: true }),
    ...(takesOverLines && { takesOverLines }),
  };
}

/** Nothing was reserved; what the Inventory Service may hold all the same is undone at once by due work. */
function leave(attempt: Attempt, problem: Problem, work: UnitOfWork): void {
  if (NOTHING_HELD.has(problem.code)) return;
  // Nobody was there to do anything, and nobody else has asked: nothing is held.
  if (problem.code === 'dependency_unavailable' && !attempt.carriedOn) end(work, attempt);
  else work.schedule(abortHold, attempt.id, work.now, {});
}
