import { notFound } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type ListedTender, type Sale, type StoredTransaction, transactions } from '../collections.ts';
import { expireTransactionDue } from '../due-work.ts';
import { IDLE_MS } from '../timing.ts';

/** Whether other applications can see the transaction: it has its basket. */
export const isSale = (found: StoredTransaction | undefined): found is Sale =>
  found?.basket !== undefined && found.state !== 'opening' && found.state !== 'given-up';

/** @throws Problem `not_found` */
export async function saleById(work: UnitOfWork, id: string): Promise<Sale> {
  const found = await work.get(transactions, id);
  if (isSale(found)) return found;
  throw notFound('transaction', id);
}

export function save<T extends StoredTransaction>(
  work: UnitOfWork,
  found: T,
  patch: Partial<Omit<StoredTransaction, 'id' | 'version'>>,
): T {
  return { ...found, ...patch, ...work.put(transactions, { ...found, ...patch, updatedAt: instant(work.now) }) };
}

/** Every call on an unpaid transaction postpones its expiry. */
export function renewIdleTimer(work: UnitOfWork, id: string): void {
  work.schedule(expireTransactionDue, id, work.now + IDLE_MS, null);
}

/** Minor units that a tender pays. A pending tender counts, because it may be approved; a captured one counts without its refunds. */
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
