import type { z } from 'zod';
import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { reserveInventory as reserveInventoryApi } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/contract/handler.ts';
import { instant } from '../../../shared/simulation/context.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type Attempt, attempts, reservations } from '../collections.ts';
import { ABORT_HOLD } from '../due-kinds.ts';
import { heldForOrder, type Item, mergedItems } from '../reservation-rules.ts';
import { carryOn, end, NOTHING_HELD, openReservationOf, setOut, takeAndRecord } from '../reserving.ts';

type Asked = z.output<(typeof reserveInventoryApi)['serviceRequest']>;

/**
 * Mint the id → commit the attempt with the work that undoes it → take the stock → commit the reservation. Whoever runs this again
 * finds its own attempt and goes on from there.
 */
export const reserveInventory = handle(reserveInventoryApi)(async ({ body }, { work, call }) => {
  const { id, attempt: found } = await ownAttempt(work);
  if (found?.status === 'done') {
    const made = await work.get(reservations, id);
    if (!made) throw new Error(`The attempt ${id} is done and has no reservation.`);
    return made;
  }
  const attempt = found ? await carryOn(found, work) : await setOut(await asked(id, body, { work, call }), { work, call });
  const outcome = await takeAndRecord(attempt, { work, call });
  if (outcome instanceof Problem) leave(attempt, outcome, work);
  return outcome;
});

/** The id under which this request reserves, and how far it got. An id that was given up is never used again. */
async function ownAttempt(work: UnitOfWork): Promise<{ readonly id: string; readonly attempt: Attempt | undefined }> {
  for (let ended = 0; ; ended++) {
    const id = work.id('res', ended === 0 ? '' : String(ended));
    const attempt = await work.get(attempts, id);
    if (attempt?.status !== 'ended' && attempt?.status !== 'aborting') return { id, attempt };
  }
}

async function asked(
  id: string,
  { basketId, orderId, locationId, items, ttlSeconds }: Asked,
  { work, call }: Pick<Scope, 'work' | 'call'>,
) {
  return {
    id,
    ...(basketId !== undefined && { basketId }),
    ...(orderId !== undefined && { orderId }),
    ...(locationId !== undefined && { locationId }),
    items: mergedItems(items ?? (await linesOf(basketId ?? '', { work, call }))),
    ...(ttlSeconds !== null && { expiresAt: instant(work.now + ttlSeconds * 1_000) }),
  };
}

async function linesOf(basketId: string, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<readonly Item[]> {
  // Read before the basket: a hold that its order confirms meanwhile changes, and this is decided anew.
  const open = await openReservationOf(work, basketId);
  const { state, lines } = await call(getBasket, { params: { id: basketId } });
  if (state === 'converted' && open?.state === 'confirmed') throw heldForOrder(basketId, open);
  if (lines.length > 0) return lines.map(({ sku, qty }) => ({ sku, qty }));
  throw new Problem('basket_empty', `The basket "${basketId}" has no lines to reserve stock for.`, { objectType: 'basket', id: basketId });
}

/** Nothing was reserved; what the Inventory Service may hold all the same is undone at once by due work. */
function leave(attempt: Attempt, problem: Problem, work: UnitOfWork): void {
  if (NOTHING_HELD.has(problem.code)) return;
  // Nobody was there to do anything, and nobody else has asked: nothing is held.
  if (problem.code === 'dependency_unavailable' && !attempt.carriedOn) end(work, attempt);
  else work.due(ABORT_HOLD, attempt.id, work.now, {});
}
