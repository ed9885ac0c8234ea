import type { z } from 'zod';
import { redeemPoints as redeemPointsApi } from '../../shared/catalog/loyalty/apis.ts';
import { putLedgerEntry as putLedgerEntryCall } from '../../shared/catalog/loyalty/internal.ts';
import { conflictingRepeat, invalid, notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { accounts, issueKey, ledgerEntries, type RedemptionPurpose, redemptions, referenceOf, reversals } from './collections.ts';
import { type Account, book, isOwnPurchase, type LedgerRequest, memberByIdOrCard, valueOfPoints } from './members.ts';

/** Ledger entries of other applications, once per type and reference. */
export const putLedgerEntry = handle(putLedgerEntryCall)(async ({ params: { type, reference }, body }, { work }) => {
  if (type === 'issue') return issue(work, await memberOf(work, body), { ...body, reference });
  if (type === 'redeem') {
    if (body.points === undefined) throw invalid('/points', 'required', 'Name the number of points to redeem.');
    return redeem(work, await memberOf(work, body), { points: body.points, ...purposeOf(body, reference) });
  }
  if (type === 'spend') return spend(work, reference, body);
  if (type === 'reverse') return reverse(work, reference, body);
  throw notFound('type of ledger entry', type);
});

const purposeOf = ({ orderId }: LedgerRequest, reference: string) => (orderId === undefined ? { request: reference } : { orderId });

async function memberOf(work: UnitOfWork, { accountId }: LedgerRequest) {
  if (accountId === undefined) throw invalid('/accountId', 'required', 'Name the account.');
  return memberByIdOrCard(work, accountId);
}

/** Grants points once per reference and account. @throws Problem `conflicting_repeat` for another grant under the reference */
async function issue(work: UnitOfWork, account: Account, { points, reason, reference }: LedgerRequest & { readonly reference: string }) {
  if (points === undefined) throw invalid('/points', 'required', 'Name the number of points to issue.');
  const before = await work.findUnique(ledgerEntries, 'issue', issueKey(account.id, reference));
  if (before) {
    if (before.points === points && before.reason === reason) return { account, repeated: true };
    const detail = `The reference "${reference}" has already issued ${before.points} points; this request differs in points or reason.`;
    throw conflictingRepeat(detail, { points: before.points, reason: before.reason }, { objectType: 'loyalty-account', id: account.id });
  }
  const entry = { type: 'issue', points, reference, reason } as const;
  return { account: book(work, account, entry), repeated: false };
}

/** Returns the points of a redemption that nobody has spent. The key is the redemption. */
const returnRedemption = defineDueWork('return-redemption');

export const redeemPoints = handle(redeemPointsApi)(async ({ params, body }, { work }) => {
  const { repeated, ...answer } = await redeem(work, await memberByIdOrCard(work, params.id), body);
  return repeated ? again(answer) : answer;
});

/** Turns points into a redemption, one per purpose. @throws Problem `insufficient_points`; `conflicting_repeat` for other points */
async function redeem(work: UnitOfWork, account: Account, { points, ...purpose }: RedemptionPurpose & { readonly points: number }) {
  const before = await work.findUnique(redemptions, 'reference', referenceOf(account.id, purpose));
  if (before) {
    if (before.points !== points) throw redeemedOtherPoints(before, points);
    return { account, redemption: publishedRedemption(before, work.figures), repeated: true };
  }
  const redemption = work.put(redemptions, {
    id: work.id('rdm'),
    state: 'open',
    accountId: account.id,
    ...purpose,
    points,
    paidAmount: 0,
    returnedAmount: 0,
  });
  work.schedule(returnRedemption, redemption.id, work.now + work.figures.windowMs.redemption, {});
  const after = book(work, account, { type: 'redeem', points: -points, ...ledgerReference(redemption) });
  return { account: after, redemption: publishedRedemption(redemption, work.figures), repeated: false };
}

const redeemedOtherPoints = ({ id, state, points: redeemed }: RedemptionRecord, points: number): Problem => {
  const detail = `The redemption "${id}" for the same purpose has ${redeemed} points, not ${points}. ${state === 'open' ? 'Spend it, or redeem again after its points have been returned.' : 'It is spent.'}`;
  return conflictingRepeat(detail, { points: redeemed }, { objectType: 'redemption', id });
};

/** A redemption that nobody spent in time gives its points back, and its reference is free again. */
export const returnUnspentRedemption = handleDue(returnRedemption)(async ({ key }, { work }) => {
  const redemption = await work.get(redemptions, key);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account || redemption.state !== 'open') return;
  work.put(redemptions, { ...redemption, state: 'returned' });
  giveBack(work, account, { redemption, points: redemption.points });
});

/**
 * Spends a redemption on a payment once, whole or in part. The points that the payment does not need return to the balance.
 * @throws Problem `not_found`, `insufficient_points`, `redemption_not_applicable`
 */
export async function spend(work: UnitOfWork, paymentId: string, { redemptionId, orderId, amount, purchase }: LedgerRequest) {
  if (redemptionId === undefined) throw invalid('/redemptionId', 'required', 'Name the redemption to spend.');
  const redemption = await work.get(redemptions, redemptionId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) throw notFound('redemption', redemptionId);
  if (redemption.paymentId === paymentId) return { account, redemption: publishedRedemption(redemption, work.figures) };
  refuseOtherPurpose(redemption, account, { orderId, purchase });
  const paidAmount = (amount ?? valueOfPoints(redemption.points, work.figures)).amount;
  const points = pointsFor(paidAmount, work.figures);
  await refuseUnspendable(work, { redemption, paymentId, points });
  const spent = work.put(redemptions, {
    ...redemption,
    state: 'spent',
    paymentId,
    paidAmount,
    ...(orderId !== undefined && { paidOrderId: orderId }),
  });
  work.cancel(returnRedemption, redemption.id);
  const after = giveBack(work, account, { redemption: spent, points: redemption.points - points });
  return { account: after, redemption: publishedRedemption(spent, work.figures) };
}

async function refuseUnspendable(
  work: UnitOfWork,
  { redemption, paymentId, points }: { redemption: RedemptionRecord; paymentId: string; points: number },
): Promise<void> {
  const about = { objectType: 'redemption', id: redemption.id, requested: points };
  const refuse = (available: number, detail: string): Problem =>
    new Problem('insufficient_points', detail, { ...about, available, availableAmount: valueOfPoints(available, work.figures) });
  if (redemption.state !== 'open') throw refuse(0, `The redemption "${redemption.id}" is already ${redemption.state}.`);
  if (points > redemption.points) throw refuse(redemption.points, `The redemption "${redemption.id}" has ${redemption.points} points.`);
  if (await work.findUnique(redemptions, 'payment', paymentId)) throw refuse(0, `The payment "${paymentId}" has spent another redemption.`);
  // The reversal of a failed payment may arrive before its spending.
  if ((await work.find(reversals, 'payment', paymentId, { limit: 1 })).items.length > 0)
    throw refuse(0, `The payment "${paymentId}" has already been reversed.`);
}

/** A redemption pays only for its order or basket, and for a purchase of its owner. @throws Problem `redemption_not_applicable` */
function refuseOtherPurpose(
  redemption: RedemptionRecord,
  account: Account,
  { orderId, purchase = {} }: Pick<LedgerRequest, 'orderId' | 'purchase'>,
): void {
  const about = { objectType: 'redemption', id: redemption.id };
  const refuse = (reason: string): Problem =>
    new Problem('redemption_not_applicable', `The redemption "${redemption.id}" ${reason}.`, about);
  if (redemption.orderId !== undefined && redemption.orderId !== orderId) throw refuse('was made for another order');
  if (redemption.basketId !== undefined && redemption.basketId !== purchase.basketId) throw refuse('was made for another basket');
  if (!isOwnPurchase(account, purchase)) throw refuse(`belongs to the member "${account.id}", and the order to another customer`);
}

/**
 * Returns the points that a payment spent, once per reference: the requested amount, or all remaining points.
 * @returns the problem `not_found` for a payment that spent nothing. Even then the reversal is recorded, and refuses a late spending.
 */
async function reverse(work: UnitOfWork, reference: string, request: LedgerRequest) {
  const paymentId = request.paymentId ?? reference;
  const before = await work.get(reversals, reference);
  const redemption = await work.findUnique(redemptions, 'payment', paymentId);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account) {
    if (!before) work.put(reversals, { id: reference, paymentId, points: 0 });
    return notFound('spending of points by payment', paymentId);
  }
  if (before) return { account, redemption: publishedRedemption(redemption, work.figures) };
  const left = redemption.paidAmount - redemption.returnedAmount;
  const rest = left - Math.min(left, request.amount?.amount ?? left);
  const points = pointsFor(left, work.figures) - pointsFor(rest, work.figures);
  const next = work.put(redemptions, {
    ...redemption,
    returnedAmount: redemption.paidAmount - rest,
    state: rest === 0 ? 'returned' : redemption.state,
  });
  work.put(reversals, { id: reference, paymentId, points });
  return { account: giveBack(work, account, { redemption: next, points }), redemption: publishedRedemption(redemption, work.figures) };
}

/** The whole points that an amount needs. A refund gives a point back when its last minor unit is refunded. */
const pointsFor = (amount: number, { loyalty }: Pick<Figures, 'loyalty'>): number => Math.ceil(amount / loyalty.pointWorth);

type RedemptionRecord = z.output<typeof redemptions.schema>;

/** The redemption as callers see it: with its remaining value, or with the amount that it paid. */
const publishedRedemption = ({ id, state, points, paymentId, paidAmount }: RedemptionRecord, figures: Figures) => ({
  id,
  state,
  value: paymentId === undefined ? valueOfPoints(points, figures) : { amount: paidAmount, currency: figures.currency },
});

/** The purpose that its ledger entries name: the order, or the basket before the order exists. */
const ledgerReference = ({ orderId, paidOrderId, basketId }: Pick<RedemptionRecord, 'orderId' | 'paidOrderId' | 'basketId'>) => {
  const order = orderId ?? paidOrderId;
  return { orderId: order, ...(order === undefined && basketId !== undefined && { reference: basketId }) };
};

/** Returns points of a redemption to the balance. */
const giveBack = (work: UnitOfWork, account: Account, { redemption, points }: { redemption: RedemptionRecord; points: number }) =>
  points === 0 ? account : book(work, account, { type: 'reverse', points, ...ledgerReference(redemption) });
