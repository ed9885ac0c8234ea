import { notFound, type Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { accounts, redemptions, reversals } from '../collections.ts';
import { giveBack, type LedgerRequest, published } from '../redemption/redemption.ts';
import { type Account, pointsWorth } from './points-rules.ts';

type Reversed = { account: Account; redemption: ReturnType<typeof published> };

/**
 * Gives back what a payment spent, all of it or as much as is asked for, never more than is left, once per reference.
 * A payment that spent nothing is answered with a problem that keeps the note of its reversal: a spending that arrives later is void.
 */
export async function reverse(work: UnitOfWork, reference: string, asked: LedgerRequest): Promise<Reversed | Problem> {
  const paymentId = asked.paymentId ?? reference;
  const before = await work.get(reversals, reference);
  const redemption = await work.findUnique(redemptions, 'payment', paymentId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) {
    if (!before) work.put(reversals, { id: reference, paymentId, points: 0 });
    return notFound('spending of points by payment', paymentId);
  }
  if (before) return { account, redemption: published(redemption) };
  const left = redemption.spentPoints - redemption.reversedPoints;
  const points = Math.min(left, asked.amount ? pointsWorth(asked.amount, '/amount/currency') : left);
  const reversedPoints = redemption.reversedPoints + points;
  const next = work.put(redemptions, {
    ...redemption,
    reversedPoints,
    state: reversedPoints === redemption.spentPoints ? 'returned' : redemption.state,
  });
  work.put(reversals, { id: reference, paymentId, points });
  return { account: giveBack(work, account, { redemption: next, points }), redemption: published(redemption) };
}
