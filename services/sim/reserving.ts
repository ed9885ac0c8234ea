import { getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { reserveInventory as reserveInventoryApi } from '../../shared/catalog/inventory/apis.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { linesBySku, type SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { conflictingRepeat, didNothing, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  beginAttempt,
  endAttempt,
  finishRival,
  markCarriedOn,
  type NewAttempt,
  NOTHING_RESERVED_CODES,
  takeAndRecord,
} from './attempts.ts';
import { type Attempt, attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { abortReservationDue } from './due-work.ts';
import { findOpenReservation, readEnds, refuseForeignOrder } from './reservation-rules.ts';

/** Commits the attempt with the work that undoes it, takes the stock, commits the reservation. A further run continues its own attempt. */
export const reserveInventory = handle(reserveInventoryApi)(async ({ body }, scope) => {
  const { work, call } = scope;
  const [{ id, attempt: found }] = await Promise.all([
    findOwnAttempt(work),
    ...readEnds(work, body),
    ...(body.basketId === undefined ? [] : [work.get(basketAttempts, body.basketId)]),
  ]);
  if (found?.status === 'done') {
    const made = await work.get(reservations, id);
    if (!made) throw new Error(`The attempt ${id} is done and has no reservation.`);
    return made;
  }
  if (found) return finishAttempt(await markCarriedOn(found, work), { work, call });
  const wanted = await decideReservation(body, scope);
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
async function decideReservation(body: ReserveRequest, scope: Scope): ReturnType<typeof decideBasketReservation> {
  const { basketId, items = [] } = body;
  const isOutside = scope.context.chain.length === 0;
  return basketId === undefined || !isOutside ? { items } : decideBasketReservation({ ...body, basketId }, scope);
}

function attemptFor(
  id: string,
  {
    basketId,
    orderId,
    locationId,
    collectAt,
    prefer,
    items,
    ttlSeconds: requestedTtl,
    forReplacement,
    takesOverLines,
  }: ReserveRequest & { readonly items: SkuUnits[] },
  { work, context }: Scope,
): NewAttempt {
  const ttlSeconds = requestedTtl === undefined ? Math.ceil(work.figures.windowMs.checkoutHold / 1_000) : requestedTtl;
  return {
    id,
    items: linesBySku(items, '/items'),
    basketId,
    orderId,
    locationId,
    collectAt,
    prefer,
    ...(ttlSeconds !== null && { ttlSeconds, expiresAt: instant(work.now + ttlSeconds * 1_000) }),
    ...(context.chain.length > 0 && { forCheckout: true }),
    forReplacement,
    takesOverLines,
  };
}

/** Schedules work that returns the stock, because the Inventory Service may have reserved it before the call failed. */
function undoLater(attempt: Attempt, problem: Problem, work: UnitOfWork): void {
  if (NOTHING_RESERVED_CODES.has(problem.code)) return;
  // The only call so far did nothing, so nothing is reserved.
  if (didNothing(problem) && !attempt.carriedOn) endAttempt(work, attempt);
  else work.schedule(abortReservationDue, attempt.id, work.now, {});
}

type ReserveRequest = InputOf<typeof reserveInventoryApi>['body'];
type BasketRequest = ReserveRequest & { readonly basketId: string };
type Basket = OutputOf<typeof getBasket>;

interface WantedReservation {
  readonly items: readonly SkuUnits[];
  /** An open reservation that already fulfils the request. */
  readonly standing?: StoredReservation;
}

/**
 * Decides what a request from outside the estate reserves for a basket. For an open basket, the same request gets the open reservation
 * as its answer, and any other request replaces it, even if a failed checkout left it behind. Once checkout has begun, the
 * reservation belongs to the checkout: it is the answer, and other items are refused.
 * @throws Problem `conflicting_repeat`, `basket_empty`, `invalid_state_transition`, `validation_failed` for the order of another basket
 */
async function decideBasketReservation(request: BasketRequest, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<WantedReservation> {
  const { basketId } = request;
  // This is read first: a later attempt for the basket changes it, so this request then conflicts and runs again.
  await work.get(basketAttempts, basketId);
  await finishRival(basketId, { work, call });
  const standing = await findOpenReservation(work, basketId);
  const attempt = standing && (await work.get(attempts, standing.id));
  const basket = await call(getBasket, { params: { id: basketId } });
  refuseForeignOrder(basket, request.orderId);
  if (standing && isBeingBought(basket)) return confirmStanding(request, standing, basket);
  // A merged basket has no lines either, and no line can be added to it.
  if (basket.lines.length === 0) await refuseUnreservable(basket, work);
  const items = linesBySku(request.items ?? linesOf(basket), '/items');
  if (standing && basket.state === 'open' && isSameRequest({ ...request, items }, standing, attempt?.ttlSeconds))
    return { items, standing };
  await refuseUnreservable(basket, work);
  return { items };
}

/** Whether the reservation of the basket belongs to its checkout. */
export const isBeingBought = (basket: Basket): boolean => isInCheckout(basket) || basket.checkoutUnderWay === true;

const isInCheckout = ({ state }: Basket): boolean => state === 'locked' || state === 'converted';

/** @throws Problem `conflicting_repeat` for other items or another location */
function confirmStanding({ basketId, items, locationId }: BasketRequest, standing: StoredReservation, basket: Basket): WantedReservation {
  const hasSameItems = items === undefined || areSameItems(linesBySku(items, '/items'), standing.items);
  if (hasSameItems && isAt(locationId, standing)) return { items: standing.items, standing };
  const { id: reservationId, items: held, allocations } = standing;
  throw conflictingRepeat(
    `The basket "${basketId}" is in checkout, and the reservation "${reservationId}" has its stock; other items or another location cannot be reserved.`,
    { reservationId, items: held, allocations },
    // `retryable`, because a failed checkout releases the reservation.
    { objectType: 'basket', id: basketId, ...(!isInCheckout(basket) && { retryable: true, retryAfter: 1 }) },
  );
}

/** An omitted member matches any value. */
function isSameRequest(
  { items, locationId, ttlSeconds }: BasketRequest & { items: readonly SkuUnits[] },
  standing: StoredReservation,
  standingTtlSeconds: number | undefined,
): boolean {
  const hasSameTtl = ttlSeconds === undefined || (standing.state === 'requested' && ttlSeconds === standingTtlSeconds);
  return hasSameTtl && areSameItems(items, standing.items) && isAt(locationId, standing);
}

const isAt = (locationId: string | undefined, { allocations }: StoredReservation): boolean =>
  locationId === undefined || allocations.every((allocation) => allocation.locationId === locationId);

const areSameItems = (some: readonly SkuUnits[], others: readonly SkuUnits[]): boolean =>
  some.length === others.length && some.every(({ sku, qty }) => others.some((other) => other.sku === sku && other.qty === qty));

/** @throws Problem `basket_empty` */
function linesOf({ id, lines }: Basket): readonly SkuUnits[] {
  if (lines.length > 0) return lines.map(({ sku, qty }) => ({ sku, qty }));
  throw new Problem('basket_empty', `The basket "${id}" has no lines to reserve stock for.`, { objectType: 'basket', id });
}

const RESERVABLE_STATES = ['open', 'locked', 'converted'];

/** @throws Problem `invalid_state_transition` for a basket that has ended, is paid at the till, or whose goods have left */
async function refuseUnreservable(basket: Basket, work: UnitOfWork): Promise<void> {
  const { id, state, channel } = basket;
  if (state === 'open') return;
  const refuse = (why: string): Problem =>
    refusal('basket', { id, state }, 'reserve', `The basket "${id}" ${why}.`, {
      allowedFrom: RESERVABLE_STATES.filter((one) => one !== state),
    });
  if (!isInCheckout(basket)) throw refuse(`is ${state}; no stock is reserved for it any more`);
  if (channel === 'pos') throw refuse('is paid at the till, which reserves nothing for it: its goods lie on the counter');
  const { items } = await work.find(reservations, 'basket', id);
  if (items.some(({ state: was }) => was === 'fulfilled' || was === 'cancelled')) {
    throw refuse('became an order whose goods have left; no stock is reserved for it any more');
  }
}
