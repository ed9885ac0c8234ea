import type { OutputOf } from '../../shared/catalog/define.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { earnPoints as earnPointsApi } from '../../shared/catalog/loyalty/apis.ts';
import { getOrderEarning } from '../../shared/catalog/order/internal.ts';
import { Order } from '../../shared/catalog/order/objects.ts';
import { Payment } from '../../shared/catalog/payment/objects.ts';
import { refundId } from '../../shared/catalog/payment/refunds.ts';
import { conflictingRepeat, invalid } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import { again, type EventHandler, handle, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { accounts, type Earning, type EarningRefund, earnings } from './collections.ts';
import { type Account, book, findMember, isOwnPurchase, memberByIdOrCard } from './members.ts';

/** Books the same points as the completion of the order. The first of the two books them. */
export const earnPoints = handle(earnPointsApi)(async ({ params, body: { orderId, amount } }, { work, call }) => {
  const { currency } = work.figures;
  const account = await memberByIdOrCard(work, params.id);
  const earned = (await work.get(earnings, orderId))?.earned;
  if (earned) {
    if (earned.accountId !== account.id) throw orderOfOtherMember(orderId, account.id);
    if (earned.amount === amount.amount) return again(account);
    const before = { amount: earned.amount, currency };
    const detail = `The order "${orderId}" has already earned for ${moneyInWords(before)}, not for ${moneyInWords(amount)}.`;
    throw conflictingRepeat(detail, { amount: before }, { objectType: 'order', id: orderId });
  }
  const order = await call(getOrderEarning, { params: { id: orderId } });
  if (!isOwnPurchase(account, order)) throw orderOfOtherMember(orderId, account.id);
  const earningAmount = earningAmountOf(order);
  if (amount.amount !== earningAmount) {
    const detail = `The order "${orderId}" earns for ${moneyInWords({ amount: earningAmount, currency })} (goods delivered and not paid by points), not for ${moneyInWords(amount)}.`;
    throw invalid('/amount', 'other_amount', detail);
  }
  const { overpaidAmount, earningRefunds: deducted } = order;
  const next = await earn(work, account, { orderId, amount: earningAmount, overpaid: overpaidAmount?.amount, deducted });
  // Less than the value of a point earns nothing, and the order cannot earn again.
  return next === account ? again(account) : next;
});

const orderOfOtherMember = (orderId: string, accountId: string) => {
  const detail = `The order "${orderId}" does not belong to the member "${accountId}"; it earns for its own member.`;
  return invalid('/orderId', 'order_of_another', detail);
};

const EARNING_STATES: readonly string[] = ['completed', 'return-in-progress'];

/** Minor units that earn. @throws Problem `invalid_state_transition` before the order is completed, and when it is cancelled */
function earningAmountOf({ id, state, earningAmount }: OutputOf<typeof getOrderEarning>): number {
  if (EARNING_STATES.includes(state)) return earningAmount?.amount ?? 0;
  const detail = `The order "${id}" is ${state}; an order earns its points automatically when it is completed.`;
  throw refusal('order', { id, state }, 'earn', detail, { allowedFrom: EARNING_STATES });
}

const CompletedOrder = Order.pick({
  id: true,
  state: true,
  loyaltyAccountId: true,
  earningAmount: true,
  overpaidAmount: true,
  earningRefunds: true,
});

/** A completed order earns points for its member once, unless Earn Points has booked them. */
export const onOrderChanged: EventHandler = async (event, { work, log }) => {
  const order = CompletedOrder.parse(event.data.object);
  const { id: orderId, state, loyaltyAccountId, earningAmount, overpaidAmount, earningRefunds: deducted } = order;
  if (state !== 'completed') return unchanged(`The order is ${state}: only a completed one earns points.`);
  if (loyaltyAccountId === undefined || !earningAmount) return unchanged('The order names no member.');
  if ((await work.get(earnings, orderId))?.earned) return unchanged('The order has already earned its points.');
  // A till stores the card number as account while this platform is down.
  const account = await findMember(work, loyaltyAccountId);
  if (!account) {
    log.warn({ orderId, loyaltyAccountId }, 'a completed order names an unknown member: no points booked');
    return unchanged(`There is no member "${loyaltyAccountId}".`);
  }
  await earn(work, account, { orderId, amount: earningAmount.amount, overpaid: overpaidAmount?.amount, deducted });
  return undefined;
};

const RefundedPayment = Payment.pick({ id: true, orderId: true, tender: true, refunds: true, disputes: true });

/**
 * A refund that succeeded, or a lost dispute, takes earned points back. Undecided and failed refunds, and open and won disputes, do not.
 * Payments by points or exchange credit earned none.
 */
export const onPaymentChanged: EventHandler = async (event, { work }) => {
  const { id, orderId, tender, refunds, disputes = [] } = RefundedPayment.parse(event.data.object);
  if (tender.type === 'loyalty' || tender.type === 'exchange-credit') return unchanged(`A payment by ${tender.type} earned no points.`);
  const ofDisputes = disputes.flatMap((dispute) => (dispute.state === 'lost' ? [{ id: dispute.id, amount: dispute.amount.amount }] : []));
  const ofRefunds = refunds.flatMap(({ state, amount, returnId }, index) =>
    state === 'succeeded'
      ? [{ id: refundId(id, index), amount: amount.amount, ...(returnId !== undefined && { ofReturn: true as const }) }]
      : [],
  );
  const earningRefunds = [...ofRefunds, ...ofDisputes];
  if (earningRefunds.length === 0) return unchanged('No refund of the payment takes points back.');
  const isNews = await noteRefunds(work, orderId, earningRefunds);
  return isNews ? undefined : unchanged('All refunds of the payment are already recorded.');
};

/**
 * Books the points of an order. Recorded refunds that are not subtracted from the amount take points back in the same commit. The caller
 * checks that the order has not earned yet. Instants do not identify refunds, because two may have the same one; so `deducted` has their ids.
 * @returns the same account when there was nothing to book
 */
async function earn(
  work: UnitOfWork,
  account: Account,
  { orderId, amount, overpaid, deducted = [] }: { orderId: string; amount: number; overpaid?: number; deducted?: readonly string[] },
): Promise<Account> {
  const before = await work.get(earnings, orderId);
  const points = pointsForAmount(amount, work.figures.loyalty);
  const earned = { accountId: account.id, points, amount, overpaid, deducted: [...deducted] };
  const booked = points === 0 ? account : book(work, account, { type: 'earn', points, orderId });
  return takeBack(work, booked, { id: orderId, version: 0, takenBack: 0, refunds: [], ...before, earned });
}

/** Records refunds of an order once. They take points back as soon as the order has earned points. @returns whether any refund is new */
async function noteRefunds(work: UnitOfWork, orderId: string, refunds: readonly Omit<EarningRefund, 'booked'>[]): Promise<boolean> {
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
    const due = pointsToTakeBack(noted, refund, work.figures.loyalty) - takenBack;
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

/** @param amount in minor units */
const pointsForAmount = (amount: number, { earnPer }: Figures['loyalty']): number => Math.floor(amount / earnPer);

/**
 * The points that the refunds of an order, up to and including this one, take back together: the earned points less the points for the
 * remaining amount. It is limited by the goods that the customer keeps, and by the money that the retailer keeps for them. Refunds that are
 * already subtracted from the earned amount take nothing.
 */
function pointsToTakeBack(
  { earned, refunds }: Pick<Earning, 'earned' | 'refunds'>,
  upTo: { readonly id: string },
  loyalty: Figures['loyalty'],
): number {
  if (!earned) return 0;
  const until = refunds.slice(0, refunds.findIndex(({ id }) => id === upTo.id) + 1).filter(({ id }) => !earned.deducted.includes(id));
  const goods = earned.amount - sumOf(until.filter(({ ofReturn }) => ofReturn));
  const kept = earned.amount + (earned.overpaid ?? 0) - sumOf(until);
  return earned.points - pointsForAmount(Math.max(0, Math.min(goods, kept)), loyalty);
}

const sumOf = (refunds: readonly Pick<EarningRefund, 'amount'>[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0);
