import { confirmOrder, createOrder } from '../../../shared/catalog/order/apis.ts';
import { carryOut } from '../../../shared/catalog/order/internal.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { expireTransaction, resolveTender, submitOrder } from '../due-work.ts';
import { paymentsOf } from '../tender/hub-payments.ts';
import { isCovered, listingAll } from '../tender/listed-tenders.ts';
import { delayAfter, PATIENCE_MS } from '../timing.ts';
import { nextReceipt } from '../transaction/receipts.ts';
import { published } from '../transaction/views.ts';
import { renewIdleTimer, save } from '../transaction/transactions.ts';

/**
 * Nothing is left to pay: the sale stands from now on, unless the OMS finds that money is missing. A sale that is paid anew keeps its
 * receipt's number. A part of the next commit.
 */
export async function markPaid(work: UnitOfWork, sale: Sale): Promise<Sale> {
  work.cancel(expireTransaction, sale.id);
  work.cancel(resolveTender, sale.id);
  work.schedule(submitOrder, sale.id, work.now, null, { beforeReply: true });
  return save(work, sale, { state: 'paid', pending: undefined, receipt: sale.receipt ?? (await nextReceipt(work, sale)) });
}

/** How often a submission has failed, and how often it was put off. */
export interface Trial {
  readonly attempts: number;
  readonly tries: number;
}

/**
 * Has the OMS make the order, confirm it and let the goods go. Each step is a natural repeat of itself, under the same key as
 * long as its outcome is unknown. A sale of which the OMS misses money is open again.
 * @throws Problem what stopped it
 */
export async function submit(scope: Scope, sale: Sale, trial: Trial): Promise<Sale> {
  const { work, call } = scope;
  const { id, refusals = 0, tenders } = sale;
  const step = `refused ${refusals}, ${tenders.length} tenders, attempt ${trial.attempts}`;
  const options = { intent: `sale ${id}`, step, timeoutMs: PATIENCE_MS };
  try {
    await call(createOrder, { body: { transactionId: id, transaction: published(sale) } }, options);
    await call(confirmOrder, { params: { id } }, options);
    await call(carryOut, { params: { id } }, options);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'payment_incomplete') throw error;
    scope.log.info({ transactionId: id, code: error.code }, error.message);
    return missingMoney(scope, sale, trial);
  }
  work.cancel(submitOrder, id);
  return save(work, sale, { state: 'completed' });
}

/**
 * Somebody voided a tender at the Payment Hub since the sale was paid, captured less of it or paid it back. What the Hub has counts:
 * the rest is to be paid at the till again, unless it came meanwhile. @throws Problem while the Hub does not say
 */
async function missingMoney(scope: Scope, sale: Sale, { tries }: Trial): Promise<Sale> {
  const { work } = scope;
  const tenders = listingAll(sale.tenders, await paymentsOf(scope, sale.id));
  const refused = { ...sale, tenders, refusals: (sale.refusals ?? 0) + 1 };
  if (isCovered(refused)) {
    submitLater(work, sale, tries);
    return save(work, sale, refused);
  }
  work.cancel(submitOrder, sale.id);
  renewIdleTimer(work, sale.id);
  return save(work, sale, { ...refused, state: 'open' });
}

/** Whether a sale waits for the OMS, rather than being refused by it. */
export const isQueued = (error: unknown): error is Problem => isDependencyProblem(error) || (error instanceof Problem && error.retryable);

/** Puts a submission off; `tries` counts how often that has been. */
export function submitLater(work: UnitOfWork, { id }: Sale, tries: number): void {
  work.schedule(submitOrder, id, work.now + delayAfter(tries), { tries: tries + 1 });
}

/** Submits a paid sale within the request that paid it; what fails is done later. */
export async function submitNow(scope: Scope, sale: Sale): Promise<Sale> {
  try {
    return await submit(scope, sale, { attempts: 0, tries: 0 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    scope.log.warn({ err: error, transactionId: sale.id }, 'the sale is kept and submitted later');
    submitLater(scope.work, sale, 0);
    return sale;
  }
}
