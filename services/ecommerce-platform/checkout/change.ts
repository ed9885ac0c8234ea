import type { Scope } from '../../../shared/work/handler.ts';
import { applyDiscounts, currentPrices } from '../basket/current-prices.ts';
import { appliedCodes, distinctCodes, evaluateDiscounts, givenCodes } from '../basket/discounts.ts';
import { type Basket, baskets, type CheckoutRecord } from '../collections.ts';
import { type CheckoutBody, contactDigest } from './changed-values.ts';
import { type Customer, identifyCustomer, readLoyalty } from './customer.ts';
import { checkoutOf, claimCheckout, type LockedCheckout, settleCheckout } from './record.ts';
import { keepVoucherUses, lockVouchers } from './voucher-uses.ts';

/**
 * Changes the values of a basket in checkout: it is priced again and its voucher uses are adjusted. Its reservation and expiry stay.
 * Members that the request leaves out keep their values.
 *
 * New uses are locked before the basket changes, and old ones released after it. If the request is interrupted, due work adjusts the
 * uses to the vouchers of the basket.
 */
export async function changeCheckout(scope: Scope, basket: Basket, body: CheckoutBody): Promise<LockedCheckout> {
  const { work } = scope;
  const { shippingMethod = basket.shippingMethod, voucherCodes = givenCodes(basket), shippingAddress } = body;
  const lines = await currentPrices(work, basket.lines);
  const before = await checkoutOf(work, basket.id);
  const customer = withCard(await identifyCustomer(scope, basket, body), basket, { body, before });
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await readLoyalty(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const codes = distinctCodes(voucherCodes);
  const attempt = before?.attempt ?? 0;
  const offered = await evaluateDiscounts(scope, { basketId: basket.id, lines, codes, shopper, attempt });

  const record = await claimCheckout(work, basket.id, basket, 'changing');
  const standing = appliedCodes(basket);
  const discounts = await lockVouchers(scope, {
    basketId: basket.id,
    attempt: record.attempt,
    lines,
    discounts: offered,
    shopper,
    standing,
  });
  const locked = work.transition(baskets, basket, 'change-checkout', {
    ...applyDiscounts(lines, discounts, shippingMethod),
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    shippingAddress,
    shippingMethod,
  });
  if (standing.length > 0) {
    await work.checkpoint();
    await keepVoucherUses(scope, locked, record.attempt);
  }
  return {
    locked,
    record: settleCheckout(work, basket.id, {
      ...record,
      contact: contactDigest(body) ?? record.contact,
      cardUnread: customer ? customer.cardUnread : record.cardUnread,
    }),
  };
}

/** A card that an earlier request could not read stays unread until a request gives a contact or another customer. */
function withCard(
  customer: Customer | undefined,
  { customerId }: Basket,
  { body, before }: { readonly body: CheckoutBody; readonly before: CheckoutRecord | undefined },
): Customer | undefined {
  const isStillUnread = before?.cardUnread && body.contact === undefined && customer?.id === customerId;
  return customer && isStillUnread ? { ...customer, cardUnread: true } : customer;
}
