import { confirmOrder, createOrder } from '../../../shared/catalog/order/apis.ts';
import { carryOut } from '../../../shared/catalog/order/internal.ts';
import { absentApplication, isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { captureTendersDue, submitOrderDue } from '../due-work.ts';
import { listTenders, readPayments } from '../tender/hub-payments.ts';
import { CALL_TIMEOUT_MS, retryDelayMs } from '../timing.ts';
import { submissionUnderWay } from '../transaction/refusals.ts';
import { isCovered, renewIdleTimer, save } from '../transaction/transactions.ts';
import { published } from '../transaction/views.ts';

export interface Trial {
  /** How often the due work has failed. */
  readonly attempts: number;
  /** How often the submission was postponed. */
  readonly tries: number;
}

/**
 * Calls the OMS to create, confirm and carry out the order. Each step may be repeated, with the same key while its outcome is unknown. If
 * money is missing, the sale is open again.
 * @throws Problem of the step that failed
 */
export async function submit(scope: Scope, sale: Sale, trial: Trial): Promise<Sale> {
  const { work, call } = scope;
  const { id, refusals = 0, tenders } = sale;
  const step = `refused ${refusals}, ${tenders.length} tenders, attempt ${trial.attempts}`;
  const options = { intent: `sale ${id}`, step, timeoutMs: CALL_TIMEOUT_MS };
  try {
    await call(createOrder, { body: { transactionId: id, transaction: published(sale) } }, options);
    await call(confirmOrder, { params: { id } }, options);
    await call(carryOut, { params: { id } }, options);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'payment_incomplete') throw error;
    scope.log.info({ transactionId: id, code: error.code }, error.message);
    return reopenUnpaid(scope, sale, trial);
  }
  work.cancel(submitOrderDue, id);
  work.cancel(captureTendersDue, id);
  return save(work, sale, { state: 'completed' });
}

/**
 * A tender was voided, captured in part or refunded after the sale was paid. The payments at the Payment Hub decide: the rest is
 * outstanding at the till again, unless a new payment covers it.
 * @throws Problem `dependency_*` while the Payment Hub does not answer
 */
async function reopenUnpaid(scope: Scope, sale: Sale, { tries }: Trial): Promise<Sale> {
  const { work } = scope;
  const tenders = listTenders(sale.tenders, await readPayments(scope, sale.id));
  const refused = { ...sale, tenders, refusals: (sale.refusals ?? 0) + 1 };
  if (isCovered(refused)) {
    submitLater(work, sale, tries);
    return save(work, sale, refused);
  }
  work.cancel(submitOrderDue, sale.id);
  work.cancel(captureTendersDue, sale.id);
  renewIdleTimer(work, sale.id);
  return save(work, sale, { ...refused, state: 'open' });
}

/** Whether a later submission may succeed. Other problems are refusals of the OMS. */
export const mayBeSubmittedLater = (error: unknown): boolean => isDependencyProblem(error) || (error instanceof Problem && error.retryable);

/** @param tries how often this was postponed before @param error why it is postponed now */
export function submitLater(work: UnitOfWork, { id }: Sale, tries: number, error?: unknown): void {
  work.schedule(submitOrderDue, id, work.now + retryDelayMs(tries), { tries: tries + 1 }, { awaits: absentApplication(error) });
}

/**
 * Submits a paid sale within the request that paid it. If the OMS does not answer, or refuses finally, due work submits it later.
 * @throws Problem 409, retryable, while other work submits the same sale: the OMS answers, so the sale is not queued
 */
export async function submitNow(scope: Scope, sale: Sale): Promise<Sale> {
  try {
    return await submit(scope, sale, { attempts: 0, tries: 0 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.retryable && !isDependencyProblem(error)) throw submissionUnderWay(sale);
    scope.log.warn({ err: error, transactionId: sale.id }, 'submission of the sale failed; it is submitted later');
    submitLater(scope.work, sale, 0, error);
    return sale;
  }
}
