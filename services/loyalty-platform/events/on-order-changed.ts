import { Order } from '../../../shared/catalog/order/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { pointsOfValue } from '../account/ledger.ts';
import { findMember } from '../account/members.ts';
import { earnings } from '../collections.ts';
import { earn } from '../earning/earning.ts';

const CompletedOrder = Order.pick({ id: true, state: true, loyaltyAccountId: true, earningAmount: true, earningRefunds: true });

/** A completed order earns points for its member once, unless Earn Points booked them before. */
export const onOrderChanged: EventHandler = async (event, { work, log }) => {
  const { id: orderId, state, loyaltyAccountId, earningAmount, earningRefunds: deducted } = CompletedOrder.parse(event.data.object);
  if (state !== 'completed') return unchanged(`The order is ${state}: only a completed one earns points.`);
  if (loyaltyAccountId === undefined || !earningAmount) return unchanged('The order names no member.');
  if ((await work.get(earnings, orderId))?.earned) return unchanged('The order has earned its points before.');
  // A till stores the card number as account while this platform is down.
  const account = await findMember(work, loyaltyAccountId);
  if (!account) {
    log.warn({ orderId, loyaltyAccountId }, 'a completed order names an unknown member: no points booked');
    return unchanged(`There is no member "${loyaltyAccountId}".`);
  }
  const amount = pointsOfValue(earningAmount);
  await earn(work, account, { orderId, amount, deducted });
  return undefined;
};
