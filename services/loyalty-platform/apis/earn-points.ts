import { earnPoints as earnPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { earnings } from '../collections.ts';
import { book, memberBy } from '../members.ts';
import { pointsEarnedBy } from '../points-rules.ts';

export const earnPoints = handle(earnPointsApi)(async ({ params, body: { orderId, amount } }, { work }) => {
  const account = await memberBy(work, params.id);
  const earned = await work.get(earnings, orderId);
  if (earned?.accountId === account.id) return again(account);
  if (earned) throw invalid('/orderId', 'earned_by_another', `The order "${orderId}" has earned points for another member.`);
  const points = pointsEarnedBy(amount, '/amount/currency');
  work.put(earnings, { id: orderId, accountId: account.id, points });
  // Less than 1.00 earns nothing; the order has had its turn all the same.
  return points === 0 ? again(account) : book(work, account, { type: 'earn', points, orderId });
});
