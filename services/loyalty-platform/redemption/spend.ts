import { invalid, notFound, Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, pointsWorth } from '../account/points-rules.ts';
import { accounts, redemptions, reversals } from '../collections.ts';
import { returnRedemption } from '../due-work.ts';
import { refuseOtherPurpose } from './purpose.ts';
import { giveBack, type LedgerRequest, published, type RedemptionRecord } from './redemption.ts';

/** A payment spends a redemption: once, whole or in part; what the payment does not need goes back to the balance. */
export async function spend(work: UnitOfWork, paymentId: string, { redemptionId, orderId, amount, purchase }: LedgerRequest) {
  if (redemptionId === undefined) throw invalid('/redemptionId', 'required', 'Say which redemption is spent.');
  const redemption = await work.get(redemptions, redemptionId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) throw notFound('redemption', redemptionId);
  if (redemption.paymentId === paymentId) return { account, redemption: published(redemption) };
  refuseOtherPurpose(redemption, account, { orderId, purchase });
  const points = amount ? pointsWorth(amount, '/amount/currency') : redemption.points;
  await refuseUnspendable(work, { redemption, paymentId, points });
  const spent = work.put(redemptions, {
    ...redemption,
    state: 'spent',
    paymentId,
    spentPoints: points,
    ...(orderId !== undefined && { paidOrderId: orderId }),
  });
  work.cancel(returnRedemption, redemption.id);
  const left: Account = giveBack(work, account, { redemption: spent, points: redemption.points - points });
  return { account: left, redemption: published(spent) };
}

async function refuseUnspendable(
  work: UnitOfWork,
  { redemption, paymentId, points }: { redemption: RedemptionRecord; paymentId: string; points: number },
): Promise<void> {
  const refuse = (available: number, detail: string): Problem =>
    new Problem('insufficient_points', detail, { objectType: 'redemption', id: redemption.id, requested: points, available });
  if (redemption.state !== 'open') throw refuse(0, `The redemption "${redemption.id}" is ${redemption.state} already.`);
  if (points > redemption.points)
    throw refuse(redemption.points, `The redemption "${redemption.id}" is worth ${redemption.points} points.`);
  if (await work.findUnique(redemptions, 'payment', paymentId)) throw refuse(0, `The payment "${paymentId}" has spent another redemption.`);
  // A payment that was given up before its spending arrived must not spend any more.
  if ((await work.find(reversals, 'payment', paymentId, { limit: 1 })).items.length > 0)
    throw refuse(0, `The payment "${paymentId}" was reversed already.`);
}
