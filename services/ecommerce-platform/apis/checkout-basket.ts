import { checkoutBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { pricedMembers, pricesForSale } from '../basket/price.ts';
import { distinctCodes, evaluateDiscounts } from '../basket/promotions.ts';
import { changeCheckout } from '../checkout/change.ts';
import { customerAtCheckout, loyaltyAtCheckout } from '../checkout/customer.ts';
import { appliedCodes, holdStock, lockVouchers } from '../checkout/holds.ts';
import { convertAndPlaceOrder, submitOrder } from '../checkout/order-placement.ts';
import { beginCheckout, checkoutOf, giveCheckoutUp, refuseWhileChanging, settleCheckout } from '../checkout/record.ts';
import { type CheckoutBody, changedMembers, checkoutStands, contactDigest } from '../checkout/repeat.ts';
import { type Basket, baskets, type CheckoutRecord } from '../collections.ts';
import { basketIdle, checkoutTtl } from '../due-work.ts';

/** Our choice. */
const DEFAULT_METHOD = 'STANDARD';

export const checkoutBasketHandler = handle(checkoutBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  try {
    const basket = await work.get(baskets, params.id);
    if (!basket) throw notFound('basket', params.id);
    if (isAgain(basketLifeCycle, basket, 'checkout')) return await repeat(scope, basket, body);
    const { locked, record } = await lockBasket(scope, basket, body);
    return body.placeOrder ? await convertAndPlaceOrder(scope, locked, record) : locked;
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveCheckoutUp(work, params.id))) throw error;
    return error;
  }
});

/**
 * A checkout that has been. What it asks for besides is applied while there is no order; an order that was asked for and is not there yet
 * is placed.
 */
async function repeat(scope: Scope, basket: Basket, body: CheckoutBody) {
  const record = await checkoutOf(scope.work, basket.id);
  if (basket.transactionId !== undefined && body.placeOrder) throw paidAtTheTill(basket, basket.transactionId);
  const changed = changedMembers(basket, body, record);
  if (changed.length > 0) {
    if (basket.state !== 'locked' || basket.transactionId !== undefined) throw checkoutStands(basket, changed);
    const { locked, record: settled } = await changeCheckout(scope, basket, body);
    return body.placeOrder ? convertAndPlaceOrder(scope, locked, settled) : locked;
  }
  if (!body.placeOrder || !record) return again(basket);
  if (basket.state === 'locked') {
    await refuseWhileChanging(scope.work, basket);
    await customerAtCheckout(scope, basket, { placeOrder: true });
    return convertAndPlaceOrder(scope, basket, record);
  }
  return record.phase === 'placing' ? submitOrder(scope, basket, record) : again(basket);
}

/** The order of a transaction is placed by its till, once it is paid. */
function paidAtTheTill({ id, state }: Basket, transactionId: string): Problem {
  return new Problem(
    'invalid_state_transition',
    `The basket "${id}" belongs to the transaction "${transactionId}": its order comes from the till.`,
    {
      objectType: 'basket',
      id,
      currentState: state,
      action: 'place-order',
      allowedFrom: [],
      transactionId,
    },
  );
}

/** Everything that can refuse a checkout without holding anything comes first; then stock, then vouchers, then the basket. */
async function lockBasket(scope: Scope, basket: Basket, body: CheckoutBody): Promise<{ locked: Basket; record: CheckoutRecord }> {
  const { work } = scope;
  if (basket.lines.length === 0) {
    throw new Problem('basket_empty', `The basket "${basket.id}" has no lines to check out.`, { objectType: 'basket', id: basket.id });
  }
  const { shippingMethod = DEFAULT_METHOD } = body;
  const lines = await pricesForSale(work, basket.lines);
  const customer = await customerAtCheckout(scope, basket, body);
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await loyaltyAtCheckout(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const begun = (await checkoutOf(work, basket.id))?.attempt ?? 0;
  const offered = await evaluateDiscounts(scope, {
    basketId: basket.id,
    lines,
    codes: distinctCodes(body.voucherCodes ?? []),
    shopper,
    attempt: begun,
  });

  const record = await beginCheckout(work, basket.id, basket);
  const holding = await holdStock(scope, { basket, record, vouchers: appliedCodes(offered).length > 0 });
  const discounts = await lockVouchers(scope, { basketId: basket.id, attempt: record.attempt, lines, discounts: offered, shopper });

  const { reservationId, expiresAt } = holding.hold;
  work.cancel(basketIdle, basket.id);
  work.schedule(checkoutTtl, basket.id, Date.parse(expiresAt), null);
  const locked = work.transition(baskets, basket, 'checkout', {
    ...pricedMembers(lines, discounts, shippingMethod),
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    shippingAddress: body.shippingAddress,
    shippingMethod,
    reservationId,
    expiresAt,
  });
  return { locked, record: settleCheckout(work, basket.id, { ...holding, contact: contactDigest(body) }) };
}
