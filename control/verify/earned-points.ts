import type { z } from 'zod';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import type { Check } from './invariant.ts';
import { isOwnedBy } from './redemption-purpose.ts';
import type { Account } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;
type Payment = z.output<typeof PaymentSchema>;

/** The points that an order earned and its refunds took back, as the Loyalty Platform stores them. */
interface Earning {
  readonly id: string;
  readonly earned?: { readonly points: number };
  readonly takenBack: number;
  readonly refunds: readonly { readonly id: string; readonly booked: boolean }[];
}

/** One point per full 1.00 of the currency. */
const MINOR_UNITS_PER_POINT = 100;

/** The names under which the Loyalty Platform books the refunds of a payment. */
const refundsOf = ({ id, tender, refunds }: Payment): readonly string[] => {
  if (tender.type === 'loyalty' || tender.type === 'exchange-credit') return [];
  // Refunds with a reference but without a return are for goods that were never delivered, which earned nothing.
  return refunds.flatMap(({ reference, returnId }, index) =>
    reference === undefined || returnId !== undefined ? [`${id}.refund-${index + 1}`] : [],
  );
};

/** Orders must earn their points once, and refunds must take them back. */
export function checkEarned(world: WorldRecords, accounts: readonly Account[], check: Check): void {
  const earnings = new Map(world.records<Earning>('loyalty-platform', 'earnings').map((one) => [one.id, one]));
  // An offline till passes on the card number instead of the account's id.
  const members = new Set(accounts.flatMap(({ id, cardNumber }) => [id, cardNumber]));
  const orders = new Map(world.of<Order>('order').map((order) => [order.id, order]));
  const earned = checkEntries(orders, accounts, check);
  for (const order of orders.values()) {
    const { id, completedAt, loyaltyAccountId, earningAmount } = order;
    if (completedAt === undefined || earningAmount === undefined) continue;
    const hasEarned = earnings.get(id)?.earned !== undefined;
    const isWaiting = loyaltyAccountId === undefined || !members.has(loyaltyAccountId) || world.queued('loyalty-platform', id);
    check(hasEarned || isWaiting, `order/${id}: completed, and loyalty-account/${loyaltyAccountId} earned nothing for it`);
    const worth = Math.floor(earningAmount.amount / MINOR_UNITS_PER_POINT);
    const points = earned.get(id) ?? 0;
    check(!hasEarned || points === worth, `order/${id}: worth ${worth} points, and it earned ${points}`);
  }
  checkTakenBack(world, earnings, check);
}

/** Each earn entry must name a completed order of its member. @returns the points that each order earned, by its id */
function checkEntries(orders: ReadonlyMap<string, Order>, accounts: readonly Account[], check: Check): ReadonlyMap<string, number> {
  const earned = new Map<string, number>();
  for (const account of accounts) {
    for (const { type, orderId, points } of account.ledger) {
      if (type !== 'earn' || orderId === undefined) continue;
      earned.set(orderId, (earned.get(orderId) ?? 0) + points);
      const order = orders.get(orderId);
      const named = `loyalty-account/${account.id}: earned ${points} points for order/${orderId}`;
      check(order !== undefined, `${named}, which does not exist`);
      if (!order) continue;
      check(order.completedAt !== undefined, `${named}, which was never completed`);
      check(isOwnedBy(order, account), `${named}, which belongs to another customer`);
    }
  }
  return earned;
}

function checkTakenBack({ of, queued }: WorldRecords, earnings: ReadonlyMap<string, Earning>, check: Check): void {
  for (const { id, earned, takenBack, refunds } of earnings.values()) {
    const most = earned?.points ?? 0;
    check(takenBack <= most, `order/${id}: earned ${most} points, and ${takenBack} were taken back`);
    check(earned === undefined || refunds.every(({ booked }) => booked), `order/${id}: earned, and a refund of it has not been booked`);
  }
  for (const payment of of<Payment>('payment')) {
    const noted = new Set(earnings.get(payment.orderId)?.refunds.map(({ id }) => id));
    for (const refund of refundsOf(payment)) {
      check(noted.has(refund) || queued('loyalty-platform', payment.id), `${refund}: the Loyalty Platform has not received it`);
    }
  }
}
