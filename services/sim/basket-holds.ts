import { getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import type { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { conflictingRepeat, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { type Item, mergedItems, refuseForeignOrder } from './reservation-rules.ts';
import { finishRival, openReservationOf } from './attempt.ts';

export type Reserving = InputOf<typeof reserveInventory>['body'];
type Asked = Reserving & { readonly basketId: string };
type Basket = OutputOf<typeof getBasket>;

/** What is to be held for a basket, or the hold that is the answer already. */
interface Wanted {
  readonly items: readonly Item[];
  readonly standing?: StoredReservation;
}

/**
 * Somebody outside reserves for a basket. While it is open, the same request is answered by the hold that it has, and any other one
 * adjusts that hold, also one of a checkout that came to nothing. Once it is in checkout, and while it is being checked out, its hold
 * is the checkout's: it is the answer, and other items are refused.
 * @throws Problem `conflicting_repeat`, `basket_empty`, `invalid_state_transition`, `validation_failed` for the order of another basket
 */
export async function heldForBasket(asked: Asked, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<Wanted> {
  const { basketId } = asked;
  // Read before everything else: a hold that sets out for the basket from now on changes it, and this is decided anew.
  await work.get(basketAttempts, basketId);
  await finishRival(basketId, { work, call });
  const standing = await openReservationOf(work, basketId);
  const attempt = standing && (await work.get(attempts, standing.id));
  const basket = await call(getBasket, { params: { id: basketId } });
  refuseForeignOrder(basket, asked.orderId);
  if (standing && isBeingBought(basket)) return asStanding(asked, standing);
  const items = mergedItems(asked.items ?? linesOf(basket));
  if (standing && basket.state === 'open' && asksForSame({ ...asked, items }, standing, attempt?.ttlSeconds)) return { items, standing };
  await refuseUnholdable(basket, work);
  return { items };
}

/** What is held for it is its checkout's. */
export const isBeingBought = (basket: Basket): boolean => isInCheckout(basket) || basket.checkoutUnderWay === true;

const isInCheckout = ({ state }: Basket): boolean => state === 'locked' || state === 'converted';

/** @throws Problem `conflicting_repeat` for other items, or another location */
function asStanding({ basketId, items, locationId }: Asked, standing: StoredReservation): Wanted {
  const sameItems = items === undefined || isSameItems(mergedItems(items), standing.items);
  if (sameItems && isAt(locationId, standing)) return { items: standing.items, standing };
  const { id: reservationId, items: held, allocations } = standing;
  throw conflictingRepeat(
    `The basket "${basketId}" is in checkout, and the reservation "${reservationId}" holds its stock; it cannot be held otherwise.`,
    { reservationId, items: held, allocations },
    { objectType: 'basket', id: basketId },
  );
}

/** Members that were left out ask for nothing. */
function asksForSame(
  { items, locationId, ttlSeconds }: Asked & { items: readonly Item[] },
  standing: StoredReservation,
  heldFor: number | undefined,
): boolean {
  const sameTime = ttlSeconds === undefined || (standing.state === 'requested' && ttlSeconds === heldFor);
  return sameTime && isSameItems(items, standing.items) && isAt(locationId, standing);
}

const isAt = (locationId: string | undefined, { allocations }: StoredReservation): boolean =>
  locationId === undefined || allocations.every((allocation) => allocation.locationId === locationId);

const isSameItems = (some: readonly Item[], others: readonly Item[]): boolean =>
  some.length === others.length && some.every(({ sku, qty }) => others.some((other) => other.sku === sku && other.qty === qty));

/** @throws Problem `basket_empty` */
function linesOf({ id, lines }: Basket): readonly Item[] {
  if (lines.length > 0) return lines.map(({ sku, qty }) => ({ sku, qty }));
  throw new Problem('basket_empty', `The basket "${id}" has no lines to reserve stock for.`, { objectType: 'basket', id });
}

/** @throws Problem `invalid_state_transition` for a basket that has ended, whose goods lie on the counter, or have left */
async function refuseUnholdable(basket: Basket, work: UnitOfWork): Promise<void> {
  const { id, state, channel } = basket;
  if (state === 'open') return;
  const refuse = (why: string): Problem =>
    new Problem('invalid_state_transition', `The basket "${id}" ${why}.`, {
      ...{ objectType: 'basket', id, currentState: state, action: 'reserve', allowedFrom: ['open', 'locked', 'converted'] },
    });
  if (!isInCheckout(basket)) throw refuse(`is ${state}; no stock is held for it any more`);
  if (channel === 'pos') throw refuse('is paid at the till, which holds nothing for it: its goods lie on the counter');
  const { items } = await work.find(reservations, 'basket', id);
  if (items.some(({ state: was }) => was === 'fulfilled' || was === 'cancelled')) {
    throw refuse('became an order whose goods have left; there is nothing to hold any more');
  }
}
