import type { OutputOf } from '../../../shared/catalog/define.ts';
import { getBasketHold } from '../../../shared/catalog/inventory/internal.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Basket } from '../collections.ts';

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

/** Placing an order does not wait longer for the SIM. */
const TIMEOUT_MS = 800;

/**
 * A client may release the reservation of a checkout and make another one. While the SIM does not answer, the stored reservation counts:
 * Confirm Order checks it again.
 * @returns the basket with the reservation that holds its lines
 * @throws Problem 409 `reservation_expired`
 */
export async function requireHold(basket: Basket, { call }: Scope): Promise<Basket> {
  const answer = await call(getBasketHold, { params: { basketId: basket.id } }, { timeoutMs: TIMEOUT_MS }).catch(undefinedIfAway);
  if (!answer) return basket;
  const { reservation } = answer;
  if (reservation && holdsLines(reservation, basket)) return { ...basket, reservationId: reservation.id };
  throw holdIsGone(basket, reservation);
}

function undefinedIfAway(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}

const holdsLines = ({ allocations }: Hold, { lines }: Basket): boolean =>
  lines.every(({ sku, qty }) => {
    const held = allocations.filter((allocation) => allocation.sku === sku).reduce((sum, allocation) => sum + allocation.qty, 0);
    return held >= qty;
  });

function holdIsGone({ id: basketId, reservationId, lines }: Basket, other: Hold | undefined): Problem {
  const why = other
    ? `The reservation "${other.id}" does not hold all lines of the basket "${basketId}"; release it, and reserve again`
    : `The reservation "${reservationId}" of the basket "${basketId}" expired or was released; reserve again`;
  return new Problem('reservation_expired', `${why} with the basketId alone. Then repeat the checkout.`, {
    objectType: 'basket',
    id: basketId,
    reservationId: other?.id ?? reservationId,
    skus: lines.map(({ sku, qty }) => ({ sku, requested: qty })),
  });
}
