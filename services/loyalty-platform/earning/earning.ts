import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, book } from '../account/ledger.ts';
import { accounts, type Earning, type EarningRefund, earnings } from '../collections.ts';

interface OrderToEarnFor {
  readonly orderId: string;
  /** Minor units. */
  readonly amount: number;
  /** Ids of the refunds that are already subtracted from the amount. Instants do not identify refunds: two events may have the same instant. */
  readonly deducted?: readonly string[];
}

/**
 * Books the points of an order. Recorded refunds that are not subtracted from the amount take points back in the same commit. The caller
 * checks that the order has not earned yet.
 * @returns the same account when there was nothing to book
 */
export async function earn(work: UnitOfWork, account: Account, { orderId, amount, deducted = [] }: OrderToEarnFor): Promise<Account> {
  const before = await work.get(earnings, orderId);
  const points = pointsForAmount(amount);
  const earned = { accountId: account.id, points, amount, deducted: [...deducted] };
  const booked = points === 0 ? account : book(work, account, { type: 'earn', points, orderId });
  return takeBack(work, booked, { id: orderId, version: 0, takenBack: 0, refunds: [], ...before, earned });
}

/**
 * Records refunds of an order once. If the order has earned points, they take points back; otherwise they wait.
 * @returns whether one of them is new
 */
export async function noteRefunds(work: UnitOfWork, orderId: string, refunds: readonly Omit<EarningRefund, 'booked'>[]): Promise<boolean> {
  const before: Earning = (await work.get(earnings, orderId)) ?? { id: orderId, version: 0, takenBack: 0, refunds: [] };
  const fresh = refunds.filter(({ id }) => !before.refunds.some((known) => known.id === id));
  if (fresh.length === 0) return false;
  const noted = { ...before, refunds: [...before.refunds, ...fresh.map((refund) => ({ ...refund, booked: false }))] };
  const account = noted.earned && (await work.get(accounts, noted.earned.accountId));
  if (account) takeBack(work, account, noted);
  else work.put(earnings, noted);
  return true;
}

/** Books one reversal per refund that has none yet. Points that the balance lacks become the shortfall of the entry. */
function takeBack(work: UnitOfWork, account: Account, noted: Earning): Account {
  let next = account;
  let { takenBack } = noted;
  for (const refund of noted.refunds.filter(({ booked }) => !booked)) {
    const due = pointsToTakeBack(noted, refund) - takenBack;
    if (due <= 0) continue;
    takenBack += due;
    const points = Math.min(due, next.pointsBalance);
    const shortfall = due - points;
    next = book(work, next, {
      type: 'reverse',
      points: points === 0 ? 0 : -points,
      orderId: noted.id,
      reference: refund.id,
      ...(shortfall > 0 && { shortfall }),
    });
  }
  work.put(earnings, { ...noted, takenBack, refunds: noted.refunds.map((refund) => ({ ...refund, booked: true })) });
  return next;
}

const MINOR_UNITS_PER_EARNED_POINT = 100;

/** One point per full 1.00. @param amount in minor units */
const pointsForAmount = (amount: number): number => Math.floor(amount / MINOR_UNITS_PER_EARNED_POINT);

/**
 * The points that the refunds of an order, up to and including this one, take back together: the earned points less the points for the
 * remaining amount. Refunds that are already subtracted from the earned amount take nothing.
 */
function pointsToTakeBack({ earned, refunds }: Pick<Earning, 'earned' | 'refunds'>, upTo: { readonly id: string }): number {
  if (!earned) return 0;
  const until = refunds.slice(0, refunds.findIndex(({ id }) => id === upTo.id) + 1);
  const refunded = until.filter(({ id }) => !earned.deducted.includes(id)).reduce((sum, { amount }) => sum + amount, 0);
  return earned.points - pointsForAmount(Math.max(0, earned.amount - refunded));
}
