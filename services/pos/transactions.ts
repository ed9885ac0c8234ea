import type { z } from 'zod';
import { getTransaction as getTransactionCall } from '../../shared/catalog/commerce/internal.ts';
import type { Receipt, Transaction } from '../../shared/catalog/commerce/transaction.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { OrderView } from '../../shared/catalog/order/objects.ts';
import { committedBy, isUndecided, paymentStatusOf, requiredFor, stillToPay } from '../../shared/catalog/payment/cover.ts';
import { notFound, type Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { mintedAt } from '../../shared/domain/ids.ts';
import { localDay } from '../../shared/domain/local-day.ts';
import { inCoins, type Money, money } from '../../shared/domain/money.ts';
import { orderNumberOf } from '../../shared/domain/order-number.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  type BasketSale,
  type CollectionSale,
  type Sale,
  type StoredTransaction,
  saleNumbers,
  stores,
  transactions,
} from './collections.ts';
import { CAPTURE_AT_TILL_MS, captureTendersDue, expireTransactionDue, resolveTenderDue, submitOrderDue, undoSaleDue } from './due-work.ts';
import { goodsFor } from './goods.ts';

/** The reason of a void after the cancellation of the order. */
export const ORDER_CANCELLED = 'order cancelled';

/** Whether other applications can see the transaction: it has its basket or its order. */
export const isSale = (found: StoredTransaction | undefined): found is Sale =>
  (found?.basket !== undefined || found?.collection !== undefined) && found.state !== 'opening' && found.state !== 'given-up';

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
  work.schedule(expireTransactionDue, id, work.now + work.figures.windowMs.basketIdle, null);
}

export function outstandingOf(sale: Sale): Money {
  const { amount, currency } = goodsFor(sale).totals.total;
  return money(stillToPay(amount, sale.tenders), currency);
}

/** What is outstanding in whole coins. Absent if nothing is, and if the retailer takes cash to the last minor unit. */
export function outstandingInCashOf(sale: Sale, { cashRounding }: Pick<Figures, 'cashRounding'>): Money | undefined {
  const { amount, currency } = outstandingOf(sale);
  const isOpen = sale.state === 'open' && amount > 0;
  return isOpen && cashRounding > 1 ? money(inCoins(amount, cashRounding), currency) : undefined;
}

/** Whether nothing is outstanding and no tender awaits its approval. */
export function isCovered(sale: Sale): boolean {
  return sale.pending?.status !== 'running' && outstandingOf(sale).amount === 0 && !sale.tenders.some(isUndecided);
}

/**
 * Ends the payment of a covered transaction, and schedules its submission. The sale is open again only if the OMS finds that money is
 * missing. When it is paid again, it keeps its receipt number.
 */
export async function markPaid(work: UnitOfWork, sale: Sale): Promise<Sale> {
  work.cancel(expireTransactionDue, sale.id);
  work.cancel(resolveTenderDue, sale.id);
  work.schedule(submitOrderDue, sale.id, work.now, null, { beforeReply: true });
  work.schedule(captureTendersDue, sale.id, work.now + CAPTURE_AT_TILL_MS, null);
  return save(work, sale, { state: 'paid', pending: undefined, receipt: sale.receipt ?? (await issueReceipt(work, sale)) });
}

/** Ends a transaction, and schedules that its tenders and its basket are given back. Nothing is paid for it from then on. */
export function markVoided(work: UnitOfWork, sale: Sale, reason: string | undefined): Sale {
  work.cancel(expireTransactionDue, sale.id);
  work.cancel(resolveTenderDue, sale.id);
  work.schedule(undoSaleDue, sale.id, work.now, null, { beforeReply: true });
  return save(work, sale, { state: 'voided', compensation: 'pending', pending: undefined, voidReason: reason });
}

/** Issues the next receipt number of the lane and the store's day. Of two concurrent sales, one is retried and gets the following number. */
async function issueReceipt(work: UnitOfWork, { storeId, laneId }: Sale): Promise<NonNullable<Sale['receipt']>> {
  const issuedAt = instant(work.now);
  const store = await work.get(stores, storeId);
  const day = localDay(work.now, store?.timeZone ?? work.figures.timeZone);
  const id = `${storeId}.${laneId}.${day}`;
  const { issued } = work.put(saleNumbers, { id, issued: ((await work.get(saleNumbers, id))?.issued ?? 0) + 1 });
  return { number: `${storeId}-${laneId}-${day}-${String(issued).padStart(4, '0')}`, issuedAt };
}

/** What a tender paid once, and does not pay any more; undefined if it pays all of it. */
function givenBackOf(tender: Sale['tenders'][number]): Money | undefined {
  const { amount, currency } = tender.authorizedAmount;
  const rest = amount - committedBy(tender);
  return rest > 0 ? money(rest, currency) : undefined;
}

/** @returns undefined while the transaction is open */
export function receiptOf(sale: Sale): z.output<typeof Receipt> | undefined {
  const { state, tenders, receipt } = sale;
  if (!receipt || state === 'open') return undefined;
  const { lines, totals } = goodsFor(sale);
  return {
    ...receipt,
    lines: lines.map(({ sku, qty, unitPrice, discount, tax, taxRate, lineTotal }) => ({
      sku,
      qty,
      unitPrice,
      discount,
      tax: totals.taxIncluded === false ? tax : undefined,
      taxRate,
      lineTotal,
    })),
    tenders: tenders
      .filter((listed) => committedBy(listed) > 0)
      .map((listed) => ({
        paymentId: listed.id,
        type: listed.tender.type,
        last4: listed.tender.last4,
        amount: money(committedBy(listed), listed.amount.currency),
        givenBack: givenBackOf(listed),
        tendered: listed.tendered,
        change: listed.change,
        rounding: listed.rounding,
      })),
    rounding: roundingOf(tenders),
    totals,
  };
}

/** The rounding of the cash among the tenders that pay. */
function roundingOf(tenders: Sale['tenders']): Money | undefined {
  const roundings = tenders.flatMap((listed) => (committedBy(listed) > 0 ? (listed.rounding ?? []) : []));
  const [first] = roundings;
  const sum = roundings.reduce((total, { amount }) => total + amount, 0);
  return first && sum !== 0 ? money(sum, first.currency) : undefined;
}

const notOpen = ({ id, state }: Sale, action: string, detail: string, extra: Readonly<Record<string, unknown>> = {}): Problem =>
  refusal('transaction', { id, state }, action, detail, { allowedFrom: ['open'], ...extra });

/** 409 for an action that only an open transaction allows. */
export const transactionNotOpen = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `The transaction "${sale.id}" is ${sale.state}; ${action} is possible while it is open.`);

/** 409 for Void Transaction on a covered transaction. */
export const nothingOutstanding = (sale: Sale): Problem =>
  notOpen(sale, 'void', `Nothing is outstanding on the transaction "${sale.id}": it is paid, and can only be returned.`);

/** 409, retryable: if a pending tender is declined, something is outstanding again. */
export const awaitingApproval = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `Pending payments may cover the transaction "${sale.id}"; repeat the request if they are declined.`, {
    retryable: true,
  });

/** 409, retryable: another request is authorising a tender, and its outcome decides. */
export const tenderUnderWay = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `Another request is adding a tender to the transaction "${sale.id}"; repeat this request after that.`, {
    retryable: true,
    retryAfter: 1,
  });

/** 409, retryable: other work is submitting the paid sale to the OMS, and its outcome decides. */
export const submissionUnderWay = (sale: Sale): Problem => {
  const detail = `The transaction "${sale.id}" is paid, and its order is being submitted. Repeat the request with the same Idempotency-Key.`;
  return refusal('transaction', sale, 'submit', detail, { allowedFrom: ['paid'], retryable: true, retryAfter: 1 });
};

/** Only sales: the OMS has the order of a collection. */
export const getTransaction = handle(getTransactionCall)(async ({ params }, { work }) => {
  const found = await saleById(work, params.id);
  if (found.collection) throw notFound('transaction', params.id);
  return published(found);
});

/** The order of a transaction that the OMS has not stored: a draft, or a cancelled order if the transaction was voided. */
export function orderView(sale: Sale, { timeZone }: Pick<Figures, 'timeZone'>): z.output<typeof OrderView> {
  if (sale.collection) return viewOfCollection(sale);
  const { id, version, createdAt, updatedAt, state, storeId, basket, tenders, voidReason, compensation } = sale;
  const { customerId, loyaltyAccountId, reservationId } = basket;
  return {
    id,
    version,
    createdAt,
    updatedAt,
    storeId,
    state: state === 'voided' ? 'cancelled' : 'draft',
    orderNumber: orderNumberOf(id, localDay(mintedAt(id), timeZone), 0),
    channel: 'pos',
    basketId: basket.id,
    customerId,
    loyaltyAccountId,
    lines: basket.lines.map((line) => ({
      ...line,
      nodeId: storeId,
      ...(reservationId !== undefined && { reservationId }),
      fulfilledQty: 0,
      returnedQty: 0,
      cancelledQty: 0,
    })),
    totals: basket.totals,
    validatedAt: createdAt,
    cancelReason: voidReason,
    compensation,
    payments: shown(tenders),
    paymentStatus: paymentStatusOf(basket.totals.total.amount, tenders),
  };
}

const shown = (tenders: Sale['tenders']) => tenders.map(({ version: _version, ...payment }) => payment);

/** The order that is collected, with the payments that the till has read. Its version is the version of the transaction. */
function viewOfCollection({ version, collection: { order }, tenders, compensation }: CollectionSale): z.output<typeof OrderView> {
  const { amount: total } = order.totals.total;
  return {
    ...order,
    version,
    compensation: compensation ?? order.compensation,
    payments: shown(tenders),
    paymentStatus: paymentStatusOf(total, tenders, requiredFor(order)),
  };
}

/** The transaction as other applications see it. */
export function published(sale: BasketSale): z.output<typeof Transaction> {
  const { id, state, storeId, laneId, basket, tenders } = sale;
  const { customerId, loyaltyAccountId } = basket;
  return {
    id,
    storeId,
    laneId,
    basket,
    state: state === 'paid' || state === 'completed' || state === 'voided' ? state : 'open',
    total: basket.totals.total,
    paymentIds: tenders.map((tender) => tender.id),
    customerId,
    loyaltyAccountId,
  };
}
