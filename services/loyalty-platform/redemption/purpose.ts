import { Problem } from '../../../shared/catalog/problems.ts';
import type { LedgerRequest } from '../account/ledger.ts';
import type { Account } from '../account/ledger-rules.ts';
import { isOwnPurchase } from '../account/ownership.ts';
import type { RedemptionRecord } from './redemption.ts';

/**
 * A redemption pays for the order or basket that it was made for, and only for a purchase of its owner.
 * @throws Problem `redemption_not_applicable`
 */
export function refuseOtherPurpose(
  redemption: RedemptionRecord,
  account: Account,
  { orderId, purchase = {} }: Pick<LedgerRequest, 'orderId' | 'purchase'>,
): void {
  const refuse = (reason: string): Problem =>
    new Problem('redemption_not_applicable', `The redemption "${redemption.id}" ${reason}.`, {
      objectType: 'redemption',
      id: redemption.id,
    });
  if (redemption.orderId !== undefined && redemption.orderId !== orderId) throw refuse('was made for another order');
  if (redemption.basketId !== undefined && redemption.basketId !== purchase.basketId) throw refuse('was made for another basket');
  if (!isOwnPurchase(account, purchase)) throw refuse(`belongs to the member "${account.id}", and the order to another customer`);
}
