import { getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import type { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { conflictingRepeat, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { linesBySku, type SkuUnits } from '../../shared/work/lines-by-sku.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { finishRival } from './attempts.ts';
import { attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { findOpenReservation } from './open-reservations.ts';
import { refuseForeignOrder } from './reservation-rules.ts';

export type ReserveRequest = InputOf<typeof reserveInventory>['body'];
type BasketRequest = ReserveRequest & { readonly basketId: string };
type Basket = OutputOf<typeof getBasket>;

interface WantedHold {
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
export async function decideBasketHold(request: BasketRequest, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<WantedHold> {
  const { basketId } = request;
  // This is read first: a later attempt for the basket changes it, so this request then conflicts and runs again.
  await work.get(basketAttempts, basketId);
  await finishRival(basketId, { work, call });
  const standing = await findOpenReservation(work, basketId);
  const attempt = standing && (await work.get(attempts, standing.id));
  const basket = await call(getBasket, { params: { id: basketId } });
  refuseForeignOrder(basket, request.orderId);
  if (standing && isBeingBought(basket)) return confirmStanding(request, standing, basket);
  const items = linesBySku(request.items ?? linesOf(basket), '/items');
  if (standing && basket.state === 'open' && isSameRequest({ ...request, items }, standing, attempt?.ttlSeconds))
    return { items, standing };
  await refuseUnholdable(basket, work);
  return { items };
}

/** Whether the reservation of the basket belongs to its checkout. */
export const isBeingBought = (basket: Basket): boolean => isInCheckout(basket) || basket.checkoutUnderWay === true;

const isInCheckout = ({ state }: Basket): boolean => state === 'locked' || state === 'converted';

/** @throws Problem `conflicting_repeat` for other items or another location */
function confirmStanding({ basketId, items, locationId }: BasketRequest, standing: StoredReservation, basket: Basket): WantedHold {
  const hasSameItems = items === undefined || areSameItems(linesBySku(items, '/items'), standing.items);
  if (hasSameItems && isAt(locationId, standing)) return { items: standing.items, standing };
  const { id: reservationId, items: held, allocations } = standing;
  throw conflictingRepeat(
    `The basket "${basketId}" is in checkout, and the reservation "${reservationId}" holds its stock; other items or another location cannot be held.`,
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

const HOLDABLE_STATES = ['open', 'locked', 'converted'];

/** @throws Problem `invalid_state_transition` for a basket that has ended, is paid at the till, or whose goods have left */
async function refuseUnholdable(basket: Basket, work: UnitOfWork): Promise<void> {
  const { id, state, channel } = basket;
  if (state === 'open') return;
  const refuse = (why: string): Problem =>
    refusal('basket', { id, state }, 'reserve', `The basket "${id}" ${why}.`, {
      allowedFrom: HOLDABLE_STATES.filter((one) => one !== state),
    });
  if (!isInCheckout(basket)) throw refuse(`is ${state}; no stock is reserved for it any more`);
  if (channel === 'pos') throw refuse('is paid at the till, which reserves nothing for it: its goods lie on the counter');
  const { items } = await work.find(reservations, 'basket', id);
  if (items.some(({ state: was }) => was === 'fulfilled' || was === 'cancelled')) {
    throw refuse('became an order whose goods have left; no stock is reserved for it any more');
  }
}
