import type { z } from 'zod';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Account, book, valueOfPoints } from '../account/ledger.ts';
import type { redemptions } from '../collections.ts';

export type RedemptionRecord = z.output<typeof redemptions.schema>;

/** The redemption as callers see it: with its remaining value, or with the amount that it paid. */
export const publishedRedemption = ({ id, state, points, paymentId, spentPoints }: RedemptionRecord) => ({
  id,
  state,
  value: valueOfPoints(paymentId === undefined ? points : spentPoints),
});

/** The purpose that its ledger entries name: the order, or the basket before the order exists. */
export const ledgerReference = ({ orderId, paidOrderId, basketId }: Pick<RedemptionRecord, 'orderId' | 'paidOrderId' | 'basketId'>) => {
  const order = orderId ?? paidOrderId;
  return { orderId: order, ...(order === undefined && basketId !== undefined && { reference: basketId }) };
};

/** Returns points of a redemption to the balance. */
export const giveBack = (work: UnitOfWork, account: Account, { redemption, points }: { redemption: RedemptionRecord; points: number }) =>
  points === 0 ? account : book(work, account, { type: 'reverse', points, ...ledgerReference(redemption) });
