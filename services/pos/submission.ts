import { confirmOrder, createOrder } from '../../shared/catalog/order/apis.ts';
import { carryOut } from '../../shared/catalog/order/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { isDependencyProblem } from '../../shared/contract/client.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import type { Sale } from './collections.ts';
import { EXPIRE_TRANSACTION, RESOLVE_TENDER, SUBMIT_ORDER } from './due-kinds.ts';
import { nextReceipt } from './receipts.ts';
import { delayAfter, PATIENCE_MS } from './timing.ts';
import { published } from './transaction-view.ts';
import { save } from './transactions.ts';

/** Nothing is left to pay: the sale stands from now on, whatever becomes of its submission. A part of the next commit. */
export async function markPaid(work: UnitOfWork, sale: Sale): Promise<Sale> {
  work.cancel(EXPIRE_TRANSACTION, sale.id);
  work.cancel(RESOLVE_TENDER, sale.id);
  work.due(SUBMIT_ORDER, sale.id, work.now, null, { beforeReply: true });
  return save(work, sale, { state: 'paid', pending: undefined, receipt: await nextReceipt(work, sale) });
}

/** Which submission of a sale it is. */
export interface Submission {
  /** How often the OMS has refused this one. */
  readonly attempts: number;
  /** What has happened since the OMS refused an earlier one: an answer that it gave before that is not asked for again. */
  readonly news?: string | undefined;
}

/**
 * Has the OMS make the order, confirm it and let the goods go. Each step is a natural repeat of itself, under the same key as
 * long as its outcome is unknown.
 * @throws Problem what stopped it
 */
export async function submit({ work, call }: Scope, sale: Sale, { attempts, news = '' }: Submission): Promise<Sale> {
  const { id } = sale;
  const options = { intent: `sale ${id}`, step: `${news} attempt ${attempts}`, timeoutMs: PATIENCE_MS };
  await call(createOrder, { body: { transactionId: id, transaction: published(sale) } }, options);
  await call(confirmOrder, { params: { id } }, options);
  await call(carryOut, { params: { id } }, options);
  work.cancel(SUBMIT_ORDER, id);
  return save(work, sale, { state: 'completed' });
}

/** Whether a sale waits for the OMS, rather than being refused by it. */
export const isQueued = (error: unknown): error is Problem => isDependencyProblem(error) || (error instanceof Problem && error.retryable);

/** Puts a submission off; `tries` counts how often that has been. */
export function submitLater(work: UnitOfWork, { id }: Sale, { tries, news }: { tries: number; news?: string | undefined }): void {
  work.due(SUBMIT_ORDER, id, work.now + delayAfter(tries), { tries: tries + 1, ...(news !== undefined && { news }) });
}

/** The money that the OMS missed has come: the sale is submitted anew, also when that was given up. */
export function submitAnew(work: UnitOfWork, { id }: Sale, news: string): void {
  work.due(SUBMIT_ORDER, id, work.now, { tries: 0, news }, { beforeReply: true });
}

/** Submits a paid sale within the request that paid it; what fails is done later. */
export async function submitNow(scope: Scope, sale: Sale): Promise<Sale> {
  try {
    return await submit(scope, sale, { attempts: 0 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    scope.log.warn({ err: error, transactionId: sale.id }, 'the sale is kept and submitted later');
    submitLater(scope.work, sale, { tries: 0 });
    return sale;
  }
}
