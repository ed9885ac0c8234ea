import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { applyDiscounts, pricesForSale } from '../basket/current-prices.ts';
import { evaluateDiscounts } from '../basket/discounts.ts';
import { appliedCodes, distinctCodes } from '../basket/vouchers.ts';
import { type Basket, baskets } from '../collections.ts';
import { basketIdle, checkoutTtl } from '../due-work.ts';
import { type CheckoutBody, contactDigest } from './changed-values.ts';
import { identifyCustomer } from './customer.ts';
import { readLoyalty } from './loyalty.ts';
import { checkoutOf, claimCheckout, type LockedCheckout, settleCheckout } from './record.ts';
import { holdStock } from './stock-hold.ts';
import { lockVouchers } from './voucher-uses.ts';

/** Our choice. */
const DEFAULT_SHIPPING_METHOD = 'STANDARD';

/**
 * Checks an open basket out: all checks that hold nothing come first, then stock, then voucher uses, then the basket is locked.
 * @throws Problem 404, 409, 503, 504
 */
export async function startCheckout(scope: Scope, basket: Basket, body: CheckoutBody): Promise<LockedCheckout> {
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
