import { refusal } from '../../shared/catalog/life-cycle.ts';
import { isUndecided, requiredFor, stillToPay } from '../../shared/catalog/payment/cover.ts';
import { overpayment } from '../../shared/catalog/payment/pending.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { type CollectionSale, type Sale, transactions } from './collections.ts';
import { type HubPayment, listTenders, readPayments, withMoney } from './hub-payments.ts';
import { readAgain, readWaitingOrder } from './order-to-collect.ts';
import { submitNow } from './submission.ts';
import { isCovered, isSale, markPaid, outstandingOf, renewIdleTimer } from './transactions.ts';
import { compensate } from './voiding.ts';

interface Asked {
  readonly orderId: string;
  readonly storeId: string;
  readonly laneId: string;
}

/**
 * Opens the payment of an order that waits at the counter. Nothing is sold or reserved: the order, its prices and its stock exist. The
 * transaction has the id of the order, so there is one at a time; after a void it may be opened again.
 * @returns the transaction, and whether this till had opened it already
 */
export async function openCollection(asked: Asked, scope: Scope): Promise<{ readonly sale: Sale; readonly isRepeat: boolean }> {
  const { work } = scope;
  const { orderId, storeId, laneId } = asked;
  const found = await work.get(transactions, orderId);
  const earlier = isSale(found) ? await settledOf(found, asked, scope) : undefined;
  const isThisTill = earlier?.storeId === storeId && earlier.laneId === laneId;
  if (earlier && (earlier.state === 'open' || earlier.state === 'paid')) {
    if (isThisTill) return { sale: earlier, isRepeat: true };
    throw openElsewhere(earlier);
  }
  if (earlier?.state === 'completed' && isThisTill && outstandingOf(earlier).amount === 0) return { sale: earlier, isRepeat: true };
  const collection = await readWaitingOrder(scope, orderId, storeId);
  const payments = await readPayments(scope, orderId);
  const outstanding = stillToPay(requiredFor(collection.order), payments);
  if (outstanding === 0) {
    const { currency } = collection.order.totals.total;
    const pending = payments.filter(isUndecided);
    throw overpayment({ objectType: 'order', id: orderId, outstanding: money(0, currency), requested: undefined, pending });
  }
  const at = instant(work.now);
  const opened = work.put(transactions, {
    ...earlier,
    id: orderId,
    createdAt: earlier?.createdAt ?? at,
    updatedAt: at,
    state: 'open',
    storeId,
    laneId,
    collection,
    opening: { number: (earlier?.opening?.number ?? 0) + 1, earlierPayments: keptBy(orderId, payments) },
    tenders: listTenders([], withMoney(payments)),
    asked: [],
    pending: undefined,
    voidReason: undefined,
    compensation: undefined,
  });
  renewIdleTimer(work, orderId);
  return { sale: { ...opened, collection } as CollectionSale, isRepeat: false };
}

/** The payments that earlier transactions of the order took and did not void. */
const keptBy = (orderId: string, payments: readonly HubPayment[]): string[] =>
  payments.filter(({ state, transactionId }) => transactionId === orderId && state !== 'voided' && state !== 'failed').map(({ id }) => id);

/** An earlier transaction of the order, with what happened at other applications since. @throws Problem `dependency_*` */
async function settledOf(found: Sale, { orderId }: Asked, scope: Scope): Promise<Sale> {
  if (!found.collection) {
    const detail = `The order "${orderId}" is a sale at a till: its tenders are added to its own transaction.`;
    throw refusal('transaction', { id: found.id, state: found.state }, 'pay-at-till', detail);
  }
  if (found.compensation) {
    const { sale, problem } = await compensate(scope, found);
    if (problem) throw problem;
    return sale;
  }
  // While a tender is being added, its repeat sends the same call.
  if (found.state === 'voided' || found.pending) return found;
  const read = await readAgain(scope, found);
  if (read.state !== 'open' || !isCovered(read)) return read;
  const paid = await markPaid(scope.work, read);
  await scope.work.checkpoint();
  return submitNow(scope, paid);
}

const openElsewhere = ({ id, state, storeId, laneId }: Sale): Problem =>
  refusal(
    'transaction',
    { id, state },
    'pay-at-till',
    `The lane "${laneId}" of "${storeId}" takes the payment of the order "${id}": continue there, or void that transaction first.`,
    { storeId, laneId },
  );
