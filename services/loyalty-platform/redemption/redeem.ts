import { conflictingRepeat, type Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, book } from '../account/ledger.ts';
import { type RedemptionPurpose, redemptions, referenceOf } from '../collections.ts';
import { returnRedemption } from '../due-work.ts';
import { ledgerReference, publishedRedemption, type RedemptionRecord } from './redemption.ts';

/** A redemption that is not spent in this time gives its points back. */
const UNSPENT_MS = 15 * 60 * 1_000;

/** Turns points into a redemption, one per purpose. @throws Problem `insufficient_points`; `conflicting_repeat` for other points */
export async function redeem(work: UnitOfWork, account: Account, { points, ...purpose }: RedemptionPurpose & { readonly points: number }) {
  const before = await work.findUnique(redemptions, 'reference', referenceOf(account.id, purpose));
  if (before) {
    if (before.points !== points) throw redeemedOtherPoints(before, points);
    return { account, redemption: publishedRedemption(before), repeated: true };
  }
  const redemption = work.put(redemptions, {
    id: work.id('rdm'),
    state: 'open',
    accountId: account.id,
    ...purpose,
    points,
    spentPoints: 0,
    reversedPoints: 0,
  });
  work.schedule(returnRedemption, redemption.id, work.now + UNSPENT_MS, {});
  const after = book(work, account, { type: 'redeem', points: -points, ...ledgerReference(redemption) });
  return { account: after, redemption: publishedRedemption(redemption), repeated: false };
}

const redeemedOtherPoints = ({ id, state, points: redeemed }: RedemptionRecord, points: number): Problem =>
  conflictingRepeat(
    `The redemption "${id}" for the same purpose has ${redeemed} points, not ${points}. ${
      state === 'open' ? 'Spend it, or redeem again after its points have been returned.' : 'It is spent.'
    }`,
    { points: redeemed },
    { objectType: 'redemption', id },
  );
