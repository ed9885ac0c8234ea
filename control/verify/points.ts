import { tierAt } from '../../shared/catalog/loyalty/objects.ts';
import { lostIn, shippingOf } from '../../shared/catalog/payment/cover.ts';
import { refundId, succeededOf } from '../../shared/catalog/payment/refunds.ts';
import { floorShare } from '../../shared/domain/money.ts';
import { type Check, findings, grouped, type InvariantResult, sums } from './invariant.ts';
import {
  type Account,
  accountsOf,
  type Basket,
  type LedgerEntry,
  type Order,
  type Payment,
  type Redemption,
  seededAccounts,
} from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

export function points(world: WorldRecords): InvariantResult {
  const { check, result } = findings('points');
  const accounts = accountsOf(world);
  for (const { id, pointsBalance, entryCount, shortfall: noted = 0, ledger } of accounts) {
    const sum = ledger.reduce((all, entry) => all + entry.points, 0);
    check(pointsBalance >= 0, `loyalty-account/${id}: negative balance ${pointsBalance}`);
    check(sum === pointsBalance, `loyalty-account/${id}: entries add up to ${sum}, and the balance is ${pointsBalance}`);
    check(entryCount === ledger.length, `loyalty-account/${id}: it counts ${entryCount} entries, and the ledger has ${ledger.length}`);
    const open = ledger.reduce((all, { shortfall = 0 }) => all + shortfall, 0);
    check(open === noted, `loyalty-account/${id}: its shortfall is ${noted}, and the entries add up to ${open}`);
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
const pointsKeptBy =
  (pointWorth: number) =>
  ({ state, points: all, paidAmount, returnedAmount }: Redemption): number =>
    state === 'open' ? all : Math.ceil((paidAmount - returnedAmount) / pointWorth);

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
  const keptBy = pointsKeptBy(world.figures.loyalty.pointWorth);
  const kept = sums(redemptions, ({ accountId }) => accountId, keptBy);
  // A world may be seeded from another one: only changes since the seed count.
  const keptBefore = sums(seeded<Redemption>(begun['redemptions']), ({ accountId }) => accountId, keptBy);
  const redeemedBefore = sums(seededAccounts(world), ({ id }) => id, redeemed);
  for (const account of accounts) {
    const gone = redeemed(account) - (redeemedBefore.get(account.id) ?? 0);
    const there = (kept.get(account.id) ?? 0) - (keptBefore.get(account.id) ?? 0);
    check(
      gone === there,
      `loyalty-account/${account.id}: ${gone} points were redeemed and not given back, and its redemptions keep ${there}`,
    );
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
    const given = redemption === undefined ? 0 : redemption.paidAmount - redemption.returnedAmount;
    const isGoingBack = given > bound && queued('payment-hub', payment.id, 'give-back-points');
    check(
      bound === given || isGoingBack,
      `payment/${payment.id}: it has an amount of ${bound} from points, and ${given} was redeemed for it`,
    );
  }
}

/** The points that an order earned and its refunds took back, as the Loyalty Platform stores them. */
interface Earning {
  readonly id: string;
  readonly earned?: { readonly points: number; readonly amount: number };
  readonly takenBack: number;
  readonly refunds: readonly { readonly id: string; readonly booked: boolean }[];
}

/** Points and exchange credit earn no points. */
const isEarning = ({ tender }: Payment): boolean => tender.type !== 'loyalty' && tender.type !== 'exchange-credit';

/** The succeeded refunds and the lost disputes of a payment, by the names under which the Loyalty Platform books them, in minor units. */
const paidBackBy = ({ id, refunds, disputes = [] }: Payment): readonly (readonly [name: string, amount: number])[] => [
  ...refunds.flatMap(({ state, amount }, index) => (state === 'succeeded' ? [[refundId(id, index), amount.amount] as const] : [])),
  ...disputes.flatMap((dispute) => (dispute.state === 'lost' ? [[dispute.id, dispute.amount.amount] as const] : [])),
];

/** Orders must earn their points once, and refunds must take them back. */
function checkEarned(world: WorldRecords, accounts: readonly Account[], check: Check): void {
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
    const worth = Math.floor(earningAmount.amount / world.figures.loyalty.earnPer);
    const points = earned.get(id) ?? 0;
    check(!hasEarned || points === worth, `order/${id}: worth ${worth} points, and it earned ${points}`);
  }
  checkTakenBack(world, earnings, check);
  checkKept(world, earnings, check);
}

const kept = ({ capturedAmount, refunds, disputes }: Payment): number => capturedAmount.amount - succeededOf(refunds) - lostIn(disputes);

const sumOver = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

/** Minor units of the delivered units, returned ones included. */
const deliveredIn = ({ lines }: Order): number =>
  sumOver(lines, ({ lineTotal, cancelledQty, qty }) => lineTotal.amount - floorShare(lineTotal.amount, cancelledQty, qty));

/**
 * An order earns for the delivered goods that were not paid by points or exchange credit, at most what the retailer has kept for them. Later
 * it keeps the points for the rest of that amount after its returns, again at most what the retailer keeps, whatever was refunded, has
 * failed, or was disputed.
 */
function checkKept({ of, queued, figures, swapped }: WorldRecords, earnings: ReadonlyMap<string, Earning>, check: Check): void {
  if (swapped.has('payment-hub')) return;
  const paymentsOf = grouped(of<Payment>('payment'), ({ orderId }) => orderId);
  for (const order of of<Order>('order')) {
    const { id, totals, earningAmount, earningRefunds: deducted = [] } = order;
    const { earned, takenBack = 0 } = earnings.get(id) ?? {};
    const payments = paymentsOf.get(id) ?? [];
    const isOpen = queued('loyalty-platform', id) || payments.some((payment) => queued('loyalty-platform', payment.id));
    if (!earningAmount || !earned || isOpen) continue;
    const shipping = shippingOf(totals);
    const earning = payments.filter(isEarning);
    const others = payments.filter((payment) => !isEarning(payment));
    const keptThen = (payment: Payment): number =>
      payment.capturedAmount.amount - sumOver(paidBackBy(payment), ([name, amount]) => (deducted.includes(name) ? amount : 0));
    const worth = Math.max(0, Math.min(deliveredIn(order) - sumOver(others, keptThen), sumOver(earning, keptThen) - shipping));
    check(
      worth === earningAmount.amount,
      `order/${id}: its goods and payments were worth ${worth} when it was completed, and it earned for ${earningAmount.amount}`,
    );
    const returned = sumOver(earning, ({ refunds }) => succeededOf(refunds.filter(({ returnId }) => returnId !== undefined)));
    const rest = Math.max(0, Math.min(earned.amount - returned, sumOver(earning, kept) - shipping));
    const should = Math.floor(rest / figures.loyalty.earnPer);
    check(
      earned.points - takenBack === should,
      `order/${id}: its customer keeps goods of ${rest} that are paid and earn ${should} points, and the order keeps ${earned.points - takenBack}`,
    );
  }
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
    for (const [refund] of isEarning(payment) ? paidBackBy(payment) : []) {
      check(noted.has(refund) || queued('loyalty-platform', payment.id), `${refund}: the Loyalty Platform has not received it`);
    }
  }
}

/** The buyer and the basket of an order or sale. */
interface Purchase {
  /** Absent for an order with given prices. */
  readonly basketId?: string;
  readonly customerId?: string;
  readonly loyaltyAccountId?: string;
}

/** A redemption may pay only for the order or basket that it was made for, and only for its owner. */
function checkPurpose({ of, records }: WorldRecords, accounts: readonly Account[], check: Check): void {
  const payments = new Map(of<Payment>('payment').map((payment) => [payment.id, payment]));
  const owners = new Map(accounts.map((account) => [account.id, account]));
  const purchases = new Map<string, Purchase>();
  // Until the OMS has the order of a sale, its basket names the buyer.
  for (const basket of of<Basket>('basket')) {
    if (basket.transactionId !== undefined) purchases.set(basket.transactionId, { ...basket, basketId: basket.id });
  }
  for (const order of of<Order>('order')) purchases.set(order.id, order);
  for (const redemption of records<Redemption>('loyalty-platform', 'redemptions')) {
    const payment = payments.get(redemption.paymentId ?? '');
    const owner = owners.get(redemption.accountId);
    if (!payment || !owner) continue;
    const purchase = purchases.get(payment.orderId);
    const named = `redemption/${redemption.id}: made for`;
    const paid = `and it paid for order/${payment.orderId}`;
    const { orderId, basketId } = redemption;
    check(orderId === undefined || orderId === payment.orderId, `${named} order/${orderId}, ${paid}`);
    if (!purchase) continue;
    check(basketId === undefined || basketId === purchase.basketId, `${named} basket/${basketId}, ${paid}`);
    check(isOwnedBy(purchase, owner), `${named} loyalty-account/${owner.id}, ${paid}, which belongs to another customer`);
  }
}

/** A purchase without customer and account belongs to the bearer of the receipt. */
function isOwnedBy(
  { customerId, loyaltyAccountId }: Pick<Purchase, 'customerId' | 'loyaltyAccountId'>,
  { id, cardNumber, customerId: owner }: Account,
): boolean {
  if (loyaltyAccountId !== undefined) return loyaltyAccountId === id || loyaltyAccountId === cardNumber;
  return customerId === undefined || customerId === owner;
}

/** The lifetime points of an entry: earned and issued points count, reversed ones are subtracted. */
const countsFor = ({ type, points, shortfall = 0 }: LedgerEntry): number => {
  if (type === 'earn' || type === 'issue') return points;
  return type === 'reverse' && points <= 0 ? points - shortfall : 0;
};

const counted = ({ ledger }: Account): number => ledger.reduce((sum, entry) => sum + countsFor(entry), 0);

/** The tier must follow from the lifetime points. */
function checkTiers(world: WorldRecords, accounts: readonly Account[], check: Check): void {
  const begun = new Map(seededAccounts(world).map((account) => [account.id, account]));
  for (const account of accounts) {
    const { id, lifetimePoints, tier } = account;
    const before = begun.get(id);
    const since = counted(account) - (before ? counted(before) : 0);
    const should = (before?.lifetimePoints ?? 0) + since;
    check(lifetimePoints === should, `loyalty-account/${id}: ${lifetimePoints} lifetime points, and its entries leave ${should}`);
    const reached = tierAt(lifetimePoints, world.figures.loyalty);
    check(tier === reached, `loyalty-account/${id}: ${tier} with ${lifetimePoints} lifetime points, which reach ${reached}`);
  }
}
