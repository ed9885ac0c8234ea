import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, type StoredTransaction, transactions } from '../collections.ts';
import { expireTransaction } from '../due-work.ts';
import { IDLE_MS } from '../timing.ts';

/** Whether a till has begun it: before its basket is locked nobody knows of it, and one that never got a basket is none. */
export const isSale = (found: StoredTransaction | undefined): found is Sale =>
  found?.basket !== undefined && found.state !== 'opening' && found.state !== 'given-up';

/** @throws Problem 404 */
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

/** Every call on a transaction that is not paid puts its end off. */
export function renewIdleTimer(work: UnitOfWork, id: string): void {
  work.schedule(expireTransaction, id, work.now + IDLE_MS, null);
}

const notOpen = ({ id, state }: Sale, action: string, detail: string, extra: Readonly<Record<string, unknown>> = {}): Problem =>
  new Problem('invalid_state_transition', detail, {
    objectType: 'transaction',
    id,
    currentState: state,
    action,
    allowedFrom: ['open'],
    ...extra,
  });

/** 409 for a verb that only an open transaction takes. */
export const closed = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `The transaction "${sale.id}" is ${sale.state}; ${action} is possible while it is open.`);

/** 409 for Void Transaction when there is nothing left to pay. */
export const nothingOutstanding = (sale: Sale): Problem =>
  notOpen(sale, 'void', `Nothing is outstanding on the transaction "${sale.id}": it is paid, and can only be returned.`);

/** 409, to be repeated: what is not authorised yet may still be declined, and then something is outstanding again. */
export const awaitingApproval = (sale: Sale, action: string): Problem =>
  notOpen(
    sale,
    action,
    `Nothing is outstanding on the transaction "${sale.id}", and a tender of it awaits its approval; send this again when that is declined.`,
    { retryable: true },
  );

/** 409, to be repeated: a tender is being asked for, and whether it succeeds decides what comes next. */
export const tenderUnderWay = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `A tender of the transaction "${sale.id}" is under way; send this again when that has ended.`, {
    retryable: true,
    retryAfter: 1,
  });
