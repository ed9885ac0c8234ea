import type { z } from 'zod';
import type { LoyaltyAccount as LoyaltyAccountSchema } from '../../../shared/catalog/loyalty/objects.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../../shared/catalog/payment/objects.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, type InvariantResult, sums } from './invariant.ts';

type Account = z.output<typeof LoyaltyAccountSchema>;
type Order = z.output<typeof OrderSchema>;
type Payment = z.output<typeof PaymentSchema>;
/** Points turned into money, as the Loyalty Platform keeps them. */
interface Redemption {
  readonly id: string;
  readonly state: 'open' | 'spent' | 'returned';
  readonly accountId: string;
  readonly points: number;
  readonly paymentId?: string;
  readonly spentPoints: number;
  readonly reversedPoints: number;
}
/** What an order earned, and what its refunds took back. */
interface Earning {
  readonly id: string;
  readonly earned?: { readonly points: number };
  readonly takenBack: number;
  readonly refunds: readonly { readonly id: string; readonly booked: boolean }[];
}
type Check = ReturnType<typeof findings>['check'];

export function points(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'points',
    'Every point is in a balance, in a redemption that can be spent, or in what it paid; what was bought earned once, and what was paid back did not',
  );
  const accounts = held.of<Account>('loyalty-account');
  for (const { id, pointsBalance, entries } of accounts) {
    const sum = entries.reduce((all, entry) => all + entry.points, 0);
    check(pointsBalance >= 0, `loyalty-account/${id}: negative balance ${pointsBalance}`);
    check(sum === pointsBalance, `loyalty-account/${id}: entries add up to ${sum}, the balance is ${pointsBalance}`);
  }
  checkRedeemed(held, accounts, check);
  checkSpent(held, check);
  // A till that could not ask whose card it was passes its number on.
  checkEarned(held, new Set(accounts.flatMap(({ id, cardNumber }) => [id, cardNumber])), check);
  return result();
}

/** Points that a redemption keeps from its account. */
const keptBy = ({ state, points: all, spentPoints, reversedPoints }: Redemption): number => {
  if (state === 'open') return all;
  return spentPoints - reversedPoints;
};

/** Points that left the balance for redemptions, less those that came back. */
const redeemed = ({ entries }: Account): number =>
  entries
    .filter(({ type, points: by }) => type === 'redeem' || (type === 'reverse' && by > 0))
    .reduce((sum, entry) => sum - entry.points, 0);

function checkRedeemed({ records, queued, seed }: HeldWorld, accounts: readonly Account[], check: Check): void {
  const begun = seed.applications['loyalty-platform']?.objects ?? {};
  const seeded = <T>(rows: readonly { readonly json: string }[] = []): T[] => rows.map(({ json }) => JSON.parse(json) as T);
  const redemptions = records<Redemption>('loyalty-platform', 'redemptions');
  const kept = sums(redemptions, ({ accountId }) => accountId, keptBy);
  // A world may begin where another one was: only what happened since counts.
  const keptBefore = sums(seeded<Redemption>(begun['redemptions']), ({ accountId }) => accountId, keptBy);
  const redeemedBefore = sums(seeded<Account>(begun['accounts']), ({ id }) => id, redeemed);
  for (const account of accounts) {
    const gone = redeemed(account) - (redeemedBefore.get(account.id) ?? 0);
    const there = (kept.get(account.id) ?? 0) - (keptBefore.get(account.id) ?? 0);
    check(gone === there, `loyalty-account/${account.id}: ${gone} points were redeemed and not given back, its redemptions keep ${there}`);
  }
  for (const { id, state } of redemptions) {
    check(state !== 'open' || queued('loyalty-platform', id), `redemption/${id}: open, and nothing will ever give its points back`);
  }
}

/** Minor units that a payment binds or has taken. */
const boundBy = ({ state, authorizedAmount, capturedAmount, refundedAmount }: Payment): number => {
  if (state === 'authorised') return authorizedAmount.amount;
  return capturedAmount.amount - refundedAmount.amount;
};

/** What the Payment Hub took from redemptions, and what the Loyalty Platform gave for them. */
function checkSpent({ of, records, queued }: HeldWorld, check: Check): void {
  const spent = new Map(records<Redemption>('loyalty-platform', 'redemptions').map((one) => [one.paymentId, one]));
  const payments = of<Payment>('payment').filter(({ tender }) => tender.type === 'loyalty');
  const known = new Set<string | undefined>(payments.map(({ id }) => id));
  for (const { id, paymentId, state } of spent.values()) {
    check(state !== 'spent' || known.has(paymentId), `redemption/${id}: spent by payment/${paymentId}, which nobody stores`);
  }
  for (const payment of payments) {
    if (payment.state === 'pending') continue;
    const redemption = spent.get(payment.id);
    const bound = boundBy(payment);
    const given = redemption === undefined ? 0 : keptBy(redemption);
    const isGoingBack = given > bound && queued('payment-hub', payment.id, 'give-back-points');
    check(bound === given || isGoingBack, `payment/${payment.id}: it has ${bound} of points, and ${given} were spent for it`);
  }
}

/** What is refunded of a payment, under the name by which the Loyalty Platform knows it. */
const refundsOf = ({ id, tender, refunds }: Payment): readonly string[] => {
  if (tender.type === 'loyalty' || tender.type === 'exchange-credit') return [];
  // What the estate refunds under a reference is for goods that were never delivered and earned nothing, unless they came back.
  return refunds.flatMap(({ reference, returnId }, index) =>
    reference === undefined || returnId !== undefined ? [`${id}.refund-${index + 1}`] : [],
  );
};

function checkEarned({ of, records, queued }: HeldWorld, members: ReadonlySet<string>, check: Check): void {
  const earnings = new Map(records<Earning>('loyalty-platform', 'earnings').map((one) => [one.id, one]));
  for (const { id, completedAt, loyaltyAccountId, earningAmount } of of<Order>('order')) {
    if (completedAt === undefined || loyaltyAccountId === undefined || earningAmount === undefined) continue;
    check(
      earnings.get(id)?.earned !== undefined || !members.has(loyaltyAccountId) || queued('loyalty-platform', id),
      `order/${id}: completed, and loyalty-account/${loyaltyAccountId} earned nothing for it`,
    );
  }
  for (const { id, earned, takenBack, refunds } of earnings.values()) {
    const most = earned?.points ?? 0;
    check(takenBack <= most, `order/${id}: earned ${most} points, and ${takenBack} were taken back`);
    check(earned === undefined || refunds.every(({ booked }) => booked), `order/${id}: earned, and a refund of it has not been booked`);
  }
  for (const payment of of<Payment>('payment')) {
    const noted = new Set(earnings.get(payment.orderId)?.refunds.map(({ id }) => id));
    for (const refund of refundsOf(payment)) {
      check(noted.has(refund) || queued('loyalty-platform', payment.id), `${refund}: the Loyalty Platform has not heard of it`);
    }
  }
}
