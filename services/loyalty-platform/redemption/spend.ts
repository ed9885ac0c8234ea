import { invalid, notFound, Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, type LedgerRequest, pointsOfValue, valueOfPoints } from '../account/ledger.ts';
import { isOwnPurchase } from '../account/members.ts';
import { accounts, redemptions, reversals } from '../collections.ts';
import { returnRedemption } from '../due-work.ts';
import { giveBack, publishedRedemption, type RedemptionRecord } from './redemption.ts';

/**
 * Has a payment spend a redemption once, whole or in part. The points that the payment does not need return to the balance.
 * @throws Problem `not_found`, `insufficient_points`, `redemption_not_applicable`
 */
export async function spend(work: UnitOfWork, paymentId: string, { redemptionId, orderId, amount, purchase }: LedgerRequest) {
  if (redemptionId === undefined) throw invalid('/redemptionId', 'required', 'Name the redemption to spend.');
  const redemption = await work.get(redemptions, redemptionId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) throw notFound('redemption', redemptionId);
  if (redemption.paymentId === paymentId) return { account, redemption: publishedRedemption(redemption) };
  refuseOtherPurpose(redemption, account, { orderId, purchase });
  const points = amount ? pointsOfValue(amount) : redemption.points;
  await refuseUnspendable(work, { redemption, paymentId, points });
  const spent = work.put(redemptions, {
    ...redemption,
    state: 'spent',
    paymentId,
    spentPoints: points,
    ...(orderId !== undefined && { paidOrderId: orderId }),
  });
  work.cancel(returnRedemption, redemption.id);
  const after = giveBack(work, account, { redemption: spent, points: redemption.points - points });
  return { account: after, redemption: publishedRedemption(spent) };
}

async function refuseUnspendable(
  work: UnitOfWork,
  { redemption, paymentId, points }: { redemption: RedemptionRecord; paymentId: string; points: number },
): Promise<void> {
  const refuse = (available: number, detail: string): Problem =>
    new Problem('insufficient_points', detail, {
      ...{ objectType: 'redemption', id: redemption.id },
      ...{ requested: points, available, availableAmount: valueOfPoints(available) },
    });
  if (redemption.state !== 'open') throw refuse(0, `The redemption "${redemption.id}" is already ${redemption.state}.`);
  if (points > redemption.points) throw refuse(redemption.points, `The redemption "${redemption.id}" has ${redemption.points} points.`);
  if (await work.findUnique(redemptions, 'payment', paymentId)) throw refuse(0, `The payment "${paymentId}" has spent another redemption.`);
  // The reversal of a failed payment may arrive before its spending.
  if ((await work.find(reversals, 'payment', paymentId, { limit: 1 })).items.length > 0)
    throw refuse(0, `The payment "${paymentId}" has already been reversed.`);
}

/** A redemption pays only for its order or basket, and for a purchase of its owner. @throws Problem `redemption_not_applicable` */
function refuseOtherPurpose(
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
