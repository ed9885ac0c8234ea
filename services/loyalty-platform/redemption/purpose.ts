import { Problem } from '../../../shared/catalog/problems.ts';
import type { Account } from '../account/points-rules.ts';
import { isOwnPurchase } from './ownership.ts';
import type { LedgerRequest, RedemptionRecord } from './redemption.ts';

/**
 * A redemption pays for the order or the basket that it was made for, and for a purchase of its owner.
 * @throws Problem `redemption_not_applicable`
 */
export function refuseOtherPurpose(
  redemption: RedemptionRecord,
  account: Account,
  { orderId, purchase = {} }: Pick<LedgerRequest, 'orderId' | 'purchase'>,
): void {
  const refuse = (why: string): Problem =>
    new Problem('redemption_not_applicable', `The redemption "${redemption.id}" ${why}.`, { objectType: 'redemption', id: redemption.id });
  if (redemption.orderId !== undefined && redemption.orderId !== orderId) throw refuse('was made for another order');
  if (redemption.basketId !== undefined && redemption.basketId !== purchase.basketId) throw refuse('was made for another basket');
  if (!isOwnPurchase(account, purchase)) throw refuse(`is the member "${account.id}"’s, and the order somebody else’s`);
}
