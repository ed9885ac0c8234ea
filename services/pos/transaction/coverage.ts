import { type Money, money } from '../../../shared/domain/money.ts';
import type { ListedTender, Sale } from '../collections.ts';

/** Minor units that a tender pays. A pending tender counts, since it may be approved; a captured one counts without its refunds. */
export function coveredBy({ state, amount, capturedAmount, refundedAmount }: ListedTender): number {
  if (state === 'failed' || state === 'voided') return 0;
  return state === 'pending' || state === 'authorised' ? amount.amount : capturedAmount.amount - refundedAmount.amount;
}

export function outstandingOf({ basket, tenders }: Sale): Money {
  const { amount, currency } = basket.totals.total;
  return money(Math.max(0, amount - tenders.reduce((sum, tender) => sum + coveredBy(tender), 0)), currency);
}

/** Whether nothing is outstanding and no tender awaits its approval. */
export function isCovered(sale: Sale): boolean {
  return sale.pending?.status !== 'running' && outstandingOf(sale).amount === 0 && sale.tenders.every(({ state }) => state !== 'pending');
}
