import { Order } from '../../../shared/catalog/order/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { knownMember } from '../account/members.ts';
import { pointsWorth } from '../account/points-rules.ts';
import { earnings } from '../collections.ts';
import { earn } from '../earning/earning.ts';

const CompletedOrder = Order.pick({
  id: true,
  state: true,
  loyaltyAccountId: true,
  earningAmount: true,
  earningRefunds: true,
});

/** A completed order earns for the member who bought: once, however often it is heard of, or somebody called Earn Points for it. */
export const onOrderChanged: EventHandler = async (event, { work, log }) => {
  const { id: orderId, state, loyaltyAccountId, earningAmount, earningRefunds: deducted } = CompletedOrder.parse(event.data.object);
  if (state !== 'completed' || loyaltyAccountId === undefined || !earningAmount) return;
  if ((await work.get(earnings, orderId))?.earned) return;
  // While this platform was down a till took the card's number for the account.
  const account = await knownMember(work, loyaltyAccountId);
  if (!account) {
    log.warn({ orderId, loyaltyAccountId }, 'an order was completed for a member whom nobody knows');
    return;
  }
  const amount = pointsWorth(earningAmount, '/earningAmount');
  await earn(work, account, { orderId, amount, deducted });
};
