import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { book } from '../account/members.ts';
import { type Account, pointsForAmount, pointsToTakeBack } from '../account/points-rules.ts';
import { accounts, type Earning, type EarningRefund, earnings } from '../collections.ts';

interface Earned {
  readonly orderId: string;
  readonly amount: number;
  /** Refunds that are not in the amount, by name. By time it could not be told: a refund of the same moment may be in it or not. */
  readonly deducted?: readonly string[] | undefined;
}

/**
 * An order earns, once: refunds that were heard of before, and are not in the amount, take back what they have to at once.
 * @returns the account as it is afterwards; the same when there was nothing to book
 */
export async function earn(work: UnitOfWork, account: Account, { orderId, amount, deducted = [] }: Earned): Promise<Account> {
  const before = await work.get(earnings, orderId);
  const points = pointsForAmount(amount);
  const earned = { accountId: account.id, points, amount, deducted: [...deducted] };
  const booked = points === 0 ? account : book(work, account, { type: 'earn', points, orderId });
  return takeBack(work, booked, { id: orderId, version: 0, takenBack: 0, refunds: [], ...before, earned });
}

/** Notes refunds of an order once each, and takes points back for them if it has earned any yet. */
export async function noteRefunds(work: UnitOfWork, orderId: string, refunds: readonly Omit<EarningRefund, 'booked'>[]): Promise<void> {
  const before: Earning = (await work.get(earnings, orderId)) ?? { id: orderId, version: 0, takenBack: 0, refunds: [] };
  const fresh = refunds.filter(({ id }) => !before.refunds.some((known) => known.id === id));
  if (fresh.length === 0) return;
  const noted = { ...before, refunds: [...before.refunds, ...fresh.map((refund) => ({ ...refund, booked: false }))] };
  const account = noted.earned && (await work.get(accounts, noted.earned.accountId));
  if (account) takeBack(work, account, noted);
  else work.put(earnings, noted);
}

/** Books what every refund takes back that the ledger has not answered yet: one entry each, never below a balance of zero. */
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
