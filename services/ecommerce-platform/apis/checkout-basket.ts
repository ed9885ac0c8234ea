import { checkoutBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import type { OutputOf } from '../../../shared/catalog/define.ts';
import { getBasketHold } from '../../../shared/catalog/inventory/internal.ts';
import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { isDependencyProblem, notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { applyDiscounts, pricesForSale } from '../basket/current-prices.ts';
import { appliedCodes, distinctCodes, evaluateDiscounts } from '../basket/discounts.ts';
import { changeCheckout } from '../checkout/change.ts';
import { type CheckoutBody, changedMembers, contactDigest, isChangeable, unchangeableCheckout } from '../checkout/changed-values.ts';
import { identifyCustomer, readLoyalty } from '../checkout/customer.ts';
import { convertAndPlaceOrder, submitOrder } from '../checkout/order-placement.ts';
import { checkoutOf, claimCheckout, giveUpCheckout, type LockedCheckout, refuseWhileChanging, settleCheckout } from '../checkout/record.ts';
import { holdStock } from '../checkout/stock-hold.ts';
import { lockVouchers } from '../checkout/voucher-uses.ts';
import { type Basket, baskets } from '../collections.ts';
import { basketIdle, checkoutTtl } from '../due-work.ts';

export const checkoutBasketHandler = handle(checkoutBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  try {
    const basket = await work.get(baskets, params.id);
    if (!basket) throw notFound('basket', params.id);
    if (isAgain(basketLifeCycle, basket, 'checkout')) return await repeatCheckout(scope, basket, body);
    const { locked, record } = await startCheckout(scope, basket, body);
    return body.placeOrder ? await convertAndPlaceOrder(scope, locked, record) : locked;
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveUpCheckout(work, params.id))) throw error;
    return error;
  }
});

/** A repeated checkout can change its values until the order exists, and places a missing order. */
async function repeatCheckout(scope: Scope, basket: Basket, body: CheckoutBody) {
  const record = await checkoutOf(scope.work, basket.id);
  if (basket.transactionId !== undefined && body.placeOrder) throw orderedByTill(basket, basket.transactionId);
  const changed = changedMembers(basket, body, record);
  if (changed.length > 0) {
    if (!isChangeable(basket)) throw unchangeableCheckout(basket, changed);
    const { locked, record: settled } = await changeCheckout(scope, await requireReservation(basket, scope), body);
    return body.placeOrder ? convertAndPlaceOrder(scope, locked, settled) : locked;
  }
  if (!body.placeOrder || !record) return again(basket);
  if (basket.state === 'locked') {
    await refuseWhileChanging(scope.work, basket);
    await identifyCustomer(scope, basket, { placeOrder: true });
    return convertAndPlaceOrder(scope, await requireReservation(basket, scope), record);
  }
  return record.phase === 'placing' ? submitOrder(scope, basket, record) : again(basket);
}

function orderedByTill({ id, state }: Basket, transactionId: string): Problem {
  return refusal(
    'basket',
    { id, state },
    'place-order',
    `The basket "${id}" belongs to the transaction "${transactionId}": the till places its order when it is paid.`,
    { transactionId },
  );
}

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

/** Placing an order does not wait longer for the SIM. */
const TIMEOUT_MS = 800;

/**
 * A client may release the reservation of a checkout and make another one. While the SIM does not answer, the stored reservation counts:
 * Confirm Order checks it again.
 * @returns the basket with the reservation that holds its lines
 * @throws Problem 409 `reservation_expired`
 */
async function requireReservation(basket: Basket, { call }: Scope): Promise<Basket> {
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

/** The source document does not specify it. */
const DEFAULT_SHIPPING_METHOD = 'STANDARD';

/**
 * Checks an open basket out: first the checks without effects, then the stock, the voucher uses, and the lock.
 * @throws Problem 404, 409, 503, 504
 */
async function startCheckout(scope: Scope, basket: Basket, body: CheckoutBody): Promise<LockedCheckout> {
  const { work } = scope;
  if (basket.lines.length === 0) {
    throw new Problem('basket_empty', `The basket "${basket.id}" has no lines to check out.`, { objectType: 'basket', id: basket.id });
  }
  const { shippingMethod = DEFAULT_SHIPPING_METHOD } = body;
  const lines = await pricesForSale(work, basket.lines);
  const customer = await identifyCustomer(scope, basket, body);
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await readLoyalty(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const attempt = (await checkoutOf(work, basket.id))?.attempt ?? 0;
  const codes = distinctCodes(body.voucherCodes ?? []);
  const offered = await evaluateDiscounts(scope, { basketId: basket.id, lines, codes, shopper, attempt });

  const record = await claimCheckout(work, basket.id, basket);
  const held = await holdStock(scope, { basket, record, vouchers: appliedCodes(offered).length > 0 });
  const discounts = await lockVouchers(scope, { basketId: basket.id, attempt: record.attempt, lines, discounts: offered, shopper });

  const { reservationId, expiresAt } = held.hold;
  work.cancel(basketIdle, basket.id);
  work.schedule(checkoutTtl, basket.id, Date.parse(expiresAt), null);
  const locked = work.transition(baskets, basket, 'checkout', {
    ...applyDiscounts(lines, discounts, shippingMethod),
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    shippingAddress: body.shippingAddress,
    shippingMethod,
    reservationId,
    expiresAt,
  });
  return { locked, record: settleCheckout(work, basket.id, { ...held, contact: contactDigest(body), cardUnread: customer?.cardUnread }) };
}
