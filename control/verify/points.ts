import type { z } from 'zod';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { checkEarned } from './earned-points.ts';
import { type Check, findings, type InvariantResult, sums } from './invariant.ts';
import { checkPurpose } from './redemption-purpose.ts';
import { type Account, accountsOf, type Redemption, seededAccounts } from './stored-records.ts';
import { checkTiers } from './tiers.ts';
import type { WorldRecords } from './world-records.ts';

type Payment = z.output<typeof PaymentSchema>;

export function points(world: WorldRecords): InvariantResult {
  const { check, result } = findings(
    'points',
    'Each point is in a balance, in an open redemption or in the payment it was redeemed for; a completed order earns once, refunds take points back, and the tier follows the points earned',
  );
  const accounts = accountsOf(world);
  for (const { id, pointsBalance, entryCount, shortfall: noted = 0, ledger } of accounts) {
    const sum = ledger.reduce((all, entry) => all + entry.points, 0);
    check(pointsBalance >= 0, `loyalty-account/${id}: negative balance ${pointsBalance}`);
    check(sum === pointsBalance, `loyalty-account/${id}: entries add up to ${sum}, the balance is ${pointsBalance}`);
    check(entryCount === ledger.length, `loyalty-account/${id}: it counts ${entryCount} entries, the ledger has ${ledger.length}`);
    const open = ledger.reduce((all, { shortfall = 0 }) => all + shortfall, 0);
    check(open === noted, `loyalty-account/${id}: its shortfall is ${noted}, the entries add up to ${open}`);
    check(open >= 0, `loyalty-account/${id}: ${-open} points too many were taken back`);
    check(
      open <= 0 || pointsBalance === 0,
      `loyalty-account/${id}: ${open} points are still to be taken back, and the balance is ${pointsBalance}`,
    );
  }
  checkRedeemed(world, accounts, check);
  checkSpent(world, check);
  checkPurpose(world, accounts, check);
  checkEarned(world, accounts, check);
  checkTiers(world, accounts, check);
  return result();
}

/** Points that a redemption withholds from its account. */
const pointsKeptBy = ({ state, points: all, spentPoints, reversedPoints }: Redemption): number => {
  if (state === 'open') return all;
  return spentPoints - reversedPoints;
};

/** Points that left the balance for redemptions, less those that came back. */
const redeemed = ({ ledger }: Account): number =>
  ledger
    .filter(({ type, points: by }) => type === 'redeem' || (type === 'reverse' && by > 0))
    .reduce((sum, entry) => sum - entry.points, 0);

function checkRedeemed(world: WorldRecords, accounts: readonly Account[], check: Check): void {
  const { records, queued, seed } = world;
  const begun = seed.applications['loyalty-platform']?.objects ?? {};
  const seeded = <T>(rows: readonly { readonly json: string }[] = []): T[] => rows.map(({ json }) => JSON.parse(json) as T);
  const redemptions = records<Redemption>('loyalty-platform', 'redemptions');
  const kept = sums(redemptions, ({ accountId }) => accountId, pointsKeptBy);
  // A world may be seeded from another one: only changes since the seed count.
  const keptBefore = sums(seeded<Redemption>(begun['redemptions']), ({ accountId }) => accountId, pointsKeptBy);
  const redeemedBefore = sums(seededAccounts(world), ({ id }) => id, redeemed);
  for (const account of accounts) {
    const gone = redeemed(account) - (redeemedBefore.get(account.id) ?? 0);
    const there = (kept.get(account.id) ?? 0) - (keptBefore.get(account.id) ?? 0);
    check(gone === there, `loyalty-account/${account.id}: ${gone} points were redeemed and not given back, its redemptions keep ${there}`);
  }
  for (const { id, state } of redemptions) {
    check(state !== 'open' || queued('loyalty-platform', id), `redemption/${id}: open, and nothing will ever give its points back`);
  }
}

/** Minor units that a payment has authorised, or captured and not refunded. */
const amountCommittedBy = ({ state, authorizedAmount, capturedAmount, refundedAmount }: Payment): number => {
  if (state === 'authorised') return authorizedAmount.amount;
  return capturedAmount.amount - refundedAmount.amount;
};

/** Payments in points of the Payment Hub must match the redemptions of the Loyalty Platform. */
function checkSpent({ of, records, queued }: WorldRecords, check: Check): void {
  const spent = new Map(records<Redemption>('loyalty-platform', 'redemptions').map((one) => [one.paymentId, one]));
  const payments = of<Payment>('payment').filter(({ tender }) => tender.type === 'loyalty');
  const known = new Set<string | undefined>(payments.map(({ id }) => id));
  for (const { id, paymentId, state } of spent.values()) {
    check(state !== 'spent' || known.has(paymentId), `redemption/${id}: spent by payment/${paymentId}, which does not exist`);
  }
  for (const payment of payments) {
    if (payment.state === 'pending') continue;
    const redemption = spent.get(payment.id);
    const bound = amountCommittedBy(payment);
    const given = redemption === undefined ? 0 : pointsKeptBy(redemption);
    const isGoingBack = given > bound && queued('payment-hub', payment.id, 'give-back-points');
    check(bound === given || isGoingBack, `payment/${payment.id}: it has ${bound} of points, and ${given} were spent for it`);
  }
}
