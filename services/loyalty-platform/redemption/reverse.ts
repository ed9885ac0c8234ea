import { notFound, type Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, type LedgerRequest, pointsOfValue } from '../account/ledger.ts';
import { accounts, redemptions, reversals } from '../collections.ts';
import { giveBack, publishedRedemption } from './redemption.ts';

interface Reversed {
  account: Account;
  redemption: ReturnType<typeof publishedRedemption>;
}

/**
 * Returns the points that a payment spent, once per reference: the requested amount, or all remaining points.
 * @returns the problem `not_found` for a payment that spent nothing. The reversal is recorded nevertheless, and refuses a late spending.
 */
export async function reverse(work: UnitOfWork, reference: string, request: LedgerRequest): Promise<Reversed | Problem> {
  const paymentId = request.paymentId ?? reference;
  const before = await work.get(reversals, reference);
  const redemption = await work.findUnique(redemptions, 'payment', paymentId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) {
    if (!before) work.put(reversals, { id: reference, paymentId, points: 0 });
    return notFound('spending of points by payment', paymentId);
  }
  if (before) return { account, redemption: publishedRedemption(redemption) };
  const left = redemption.spentPoints - redemption.reversedPoints;
  const points = Math.min(left, request.amount ? pointsOfValue(request.amount) : left);
  const reversedPoints = redemption.reversedPoints + points;
  const next = work.put(redemptions, {
    ...redemption,
    reversedPoints,
    state: reversedPoints === redemption.spentPoints ? 'returned' : redemption.state,
  });
  work.put(reversals, { id: reference, paymentId, points });
  return { account: giveBack(work, account, { redemption: next, points }), redemption: publishedRedemption(redemption) };
}
