import type { OutputOf } from '../../../shared/catalog/define.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { earnPoints as earnPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { getOrderEarning } from '../../../shared/catalog/order/internal.ts';
import { conflictingRepeat, invalid } from '../../../shared/catalog/problems.ts';
import { moneyInWords } from '../../../shared/domain/money.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { pointsOfValue, valueOfPoints } from '../account/ledger.ts';
import { isOwnPurchase, memberByIdOrCard } from '../account/members.ts';
import { earnings } from '../collections.ts';
import { earn } from '../earning/earning.ts';

/** Books the same points as the completion of the order. The first of the two books them. */
export const earnPoints = handle(earnPointsApi)(async ({ params, body: { orderId, amount } }, { work, call }) => {
  const account = await memberByIdOrCard(work, params.id);
  const requested = pointsOfValue(amount);
  const earned = (await work.get(earnings, orderId))?.earned;
  if (earned) {
    if (earned.accountId !== account.id) throw orderOfOtherMember(orderId, account.id);
    if (earned.amount === requested) return again(account);
    throw conflictingRepeat(
      `The order "${orderId}" has already earned for ${moneyInWords(valueOfPoints(earned.amount))}, not for ${moneyInWords(amount)}.`,
      { amount: valueOfPoints(earned.amount) },
      { objectType: 'order', id: orderId },
    );
  }
  const order = await call(getOrderEarning, { params: { id: orderId } });
  if (!isOwnPurchase(account, order)) throw orderOfOtherMember(orderId, account.id);
  const earningAmount = earningAmountOf(order);
  if (requested !== earningAmount) {
    const detail = `The order "${orderId}" earns for ${moneyInWords(valueOfPoints(earningAmount))} (goods delivered and not paid by points), not for ${moneyInWords(amount)}.`;
    throw invalid('/amount', 'other_amount', detail);
  }
  const next = await earn(work, account, { orderId, amount: earningAmount, deducted: order.earningRefunds });
  // Less than 1.00 earns nothing, and the order cannot earn again.
  return next === account ? again(account) : next;
});

const orderOfOtherMember = (orderId: string, accountId: string) =>
  invalid(
    '/orderId',
    'order_of_another',
    `The order "${orderId}" does not belong to the member "${accountId}"; it earns for its own member.`,
  );

const EARNING_STATES: readonly string[] = ['completed', 'return-in-progress'];

/** Minor units that earn. @throws Problem `invalid_state_transition` before the order is completed, and when it is cancelled */
function earningAmountOf({ id, state, earningAmount }: OutputOf<typeof getOrderEarning>): number {
  if (EARNING_STATES.includes(state)) return earningAmount ? pointsOfValue(earningAmount) : 0;
  throw refusal(
    'order',
    { id, state },
    'earn',
    `The order "${id}" is ${state}; an order earns its points automatically when it is completed.`,
    { allowedFrom: EARNING_STATES },
  );
}
