import type { Scope } from '../../../shared/work/handler.ts';
import { currentPrices, pricedMembers } from '../basket/price.ts';
import { distinctCodes, evaluateDiscounts } from '../basket/promotions.ts';
import { type Basket, baskets, type CheckoutRecord } from '../collections.ts';
import { customerAtCheckout, loyaltyAtCheckout } from './customer.ts';
import { keepVoucherUses, lockVouchers } from './holds.ts';
import { beginCheckout, checkoutOf, settleCheckout } from './record.ts';
import { type CheckoutBody, codesOf, contactDigest } from './repeat.ts';

/** The codes of which a basket has a use. */
export const appliedTo = ({ vouchers }: Basket): string[] => vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code);

/**
 * A basket in checkout is checked out with other values: priced anew and its voucher uses adjusted, while its hold and its time stay.
 * Uses are taken before the basket says so and given back after it; whatever stops this in between, due work leaves the basket the
 * uses that it says. Members that were left out stand.
 */
export async function changeCheckout(
  scope: Scope,
  basket: Basket,
  body: CheckoutBody,
): Promise<{ readonly locked: Basket; readonly record: CheckoutRecord }> {
  const { work } = scope;
  const { shippingMethod = basket.shippingMethod, voucherCodes = codesOf(basket), shippingAddress } = body;
  const lines = await currentPrices(work, basket.lines);
  const customer = await customerAtCheckout(scope, basket, body);
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await loyaltyAtCheckout(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };

  const codes = distinctCodes(voucherCodes);
  const begun = (await checkoutOf(work, basket.id))?.attempt ?? 0;
  const offered = await evaluateDiscounts(scope, { basketId: basket.id, lines, codes, shopper, attempt: begun });

  const record = await beginCheckout(work, basket.id, basket, 'changing');
  const { attempt } = record;
  const standing = appliedTo(basket);
  const discounts = await lockVouchers(scope, { basketId: basket.id, attempt, lines, discounts: offered, shopper, standing });
  const locked = work.transition(baskets, basket, 'change-checkout', {
    ...pricedMembers(lines, discounts, shippingMethod),
    ...{ customerId, loyaltyAccountId: accountId, loyalty, shippingAddress, shippingMethod },
  });
  if (standing.length > 0) {
    await work.checkpoint();
    await keepVoucherUses(scope, locked, attempt);
  }
  return { locked, record: settleCheckout(work, basket.id, { ...record, contact: contactDigest(body) ?? record.contact }) };
}
