import { earnPoints as earnPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { getOrderEarning } from '../../../shared/catalog/order/internal.ts';
import { conflictingRepeat, invalid } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { memberBy } from '../account/members.ts';
import { pointsWorth, worthOf } from '../account/points-rules.ts';
import { earnings } from '../collections.ts';
import { earn } from '../earning/earning.ts';
import { amountToEarnFor } from '../earning/order-value.ts';
import { isOwnPurchase } from '../redemption/ownership.ts';

/** Books what the order's completion books: whichever of the two comes first, the order earns once, and exactly what it is worth. */
export const earnPoints = handle(earnPointsApi)(async ({ params, body: { orderId, amount } }, { work, call }) => {
  const account = await memberBy(work, params.id);
  const asked = pointsWorth(amount, '/amount/currency');
  const earned = (await work.get(earnings, orderId))?.earned;
  if (earned) {
    if (earned.accountId !== account.id) throw orderOfAnother(orderId, account.id);
    if (earned.amount === asked) return again(account);
    throw conflictingRepeat(
      `The order "${orderId}" has earned for ${earned.amount} (minor units) already, not for ${asked}.`,
      { amount: worthOf(earned.amount) },
      { objectType: 'order', id: orderId },
    );
  }
  const order = await call(getOrderEarning, { params: { id: orderId } });
  if (!isOwnPurchase(account, order)) throw orderOfAnother(orderId, account.id);
  const worth = amountToEarnFor(order);
  if (asked !== worth) {
    const detail = `The order "${orderId}" earns for ${worth} (minor units: goods delivered and paid otherwise than by points), not for ${asked}.`;
    throw invalid('/amount', 'other_amount', detail);
  }
  const next = await earn(work, account, { orderId, amount: worth, deducted: order.earningRefunds });
  // Less than 1.00 earns nothing; the order has had its turn all the same.
  return next === account ? again(account) : next;
});

const orderOfAnother = (orderId: string, accountId: string) =>
  invalid('/orderId', 'order_of_another', `The order "${orderId}" is not the member "${accountId}"’s; it earns points for its own member.`);
