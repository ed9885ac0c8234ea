import type { z } from 'zod';
import type { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { book } from '../account/members.ts';
import { type Account, worthOf } from '../account/points-rules.ts';
import type { redemptions } from '../collections.ts';

export type LedgerRequest = z.output<typeof putLedgerEntry.request>;
export type RedemptionRecord = z.output<typeof redemptions.schema>;

/** Time in which a redemption is spent, or its points go back. */
export const UNSPENT_MS = 15 * 60 * 1_000;

/** What callers see: what it is worth, or what it paid. */
export const published = ({ id, points, paymentId, spentPoints }: RedemptionRecord) => ({
  id,
  value: worthOf(paymentId === undefined ? points : spentPoints),
});

/** What its entries in the ledger are booked for: the order, or the basket while there is no order. */
export const bookedFor = ({ orderId, paidOrderId, basketId }: Pick<RedemptionRecord, 'orderId' | 'paidOrderId' | 'basketId'>) => {
  const order = orderId ?? paidOrderId;
  return { ...(order !== undefined && { orderId: order }), ...(order === undefined && basketId !== undefined && { reference: basketId }) };
};

/** Points of a redemption that its spender does not need, or no longer, go back to the balance. */
export const giveBack = (work: UnitOfWork, account: Account, { redemption, points }: { redemption: RedemptionRecord; points: number }) =>
  points === 0 ? account : book(work, account, { type: 'reverse', points, ...bookedFor(redemption) });
