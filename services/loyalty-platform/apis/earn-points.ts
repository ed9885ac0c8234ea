import { earnPoints as earnPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { instant } from '../../../shared/simulation/context.ts';
import { earnings } from '../collections.ts';
import { earn } from '../earning.ts';
import { memberBy } from '../members.ts';
import { pointsWorth } from '../points-rules.ts';

export const earnPoints = handle(earnPointsApi)(async ({ params, body: { orderId, amount } }, { work }) => {
  const account = await memberBy(work, params.id);
  const earned = (await work.get(earnings, orderId))?.earned;
  if (earned?.accountId === account.id) return again(account);
  if (earned) throw invalid('/orderId', 'earned_by_another', `The order "${orderId}" has earned points for another member.`);
  const next = await earn(work, account, { orderId, amount: pointsWorth(amount, '/amount/currency'), since: instant(work.now) });
  // Less than 1.00 earns nothing; the order has had its turn all the same.
  return next === account ? again(account) : next;
});
