import { redeemPoints as redeemPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { redemptions, referenceOf } from '../collections.ts';
import { book, memberBy } from '../members.ts';
import { bookedFor, published, RETURN_REDEMPTION, UNSPENT_MS } from '../redemption.ts';

export const redeemPoints = handle(redeemPointsApi)(async ({ params, body: { points, ...reference } }, { work }) => {
  const account = await memberBy(work, params.id);
  const before = await work.one(redemptions, 'reference', referenceOf(account.id, reference));
  if (before) return again({ account, redemption: published(before) });
  const redemption = work.put(redemptions, {
    id: work.id('rdm'),
    state: 'open',
    accountId: account.id,
    ...reference,
    points,
    spentPoints: 0,
    reversedPoints: 0,
  });
  work.due(RETURN_REDEMPTION, redemption.id, work.now + UNSPENT_MS, {});
  return {
    account: book(work, account, { type: 'redeem', points: -points, ...bookedFor(redemption) }),
    redemption: published(redemption),
  };
});
