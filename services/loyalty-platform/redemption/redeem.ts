import { conflictingRepeat, type Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { book } from '../account/members.ts';
import type { Account } from '../account/points-rules.ts';
import { type RedemptionPurpose, redemptions, referenceOf } from '../collections.ts';
import { returnRedemption } from '../due-work.ts';
import { bookedFor, published, type RedemptionRecord, UNSPENT_MS } from './redemption.ts';

/**
 * Turns points into a redemption, one at a time for each purpose: asked for again, the first one is the answer.
 * @throws Problem `insufficient_points`, `conflicting_repeat` for another number of points than it was made of
 */
export async function redeem(work: UnitOfWork, account: Account, { points, ...purpose }: RedemptionPurpose & { readonly points: number }) {
  const before = await work.findUnique(redemptions, 'reference', referenceOf(account.id, purpose));
  if (before) {
    if (before.points !== points) throw madeOfOtherPoints(before, points);
    return { account, redemption: published(before), repeated: true };
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
  const after = book(work, account, { type: 'redeem', points: -points, ...bookedFor(redemption) });
  return { account: after, redemption: published(redemption), repeated: false };
}

const madeOfOtherPoints = ({ id, state, points: standing }: RedemptionRecord, points: number): Problem =>
  conflictingRepeat(
    `The redemption "${id}" for the same purpose is made of ${standing} points, not of ${points}. ${
      state === 'open' ? 'Spend it, or redeem again when its points have gone back unspent.' : 'It is spent.'
    }`,
    { points: standing },
    { objectType: 'redemption', id },
  );
