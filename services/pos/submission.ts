import { confirmOrder, createOrder } from '../../shared/catalog/order/apis.ts';
import { carryOut, ensureCaptured } from '../../shared/catalog/order/internal.ts';
import { capturePayment } from '../../shared/catalog/payment/apis.ts';
import { absentApplication, isDependencyProblem, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type CollectionSale, type Sale, transactions } from './collections.ts';
import { CALL_TIMEOUT_MS, captureTendersDue, retryDelayMs, submitOrderDue } from './due-work.ts';
import { type HubPayment, listTenders, readPayments } from './hub-payments.ts';
import { isCovered, isSale, markVoided, ORDER_CANCELLED, published, renewIdleTimer, save, submissionUnderWay } from './transactions.ts';

/**
 * Calls the OMS to create, confirm and carry out the order. The order of a collection exists: its payments are captured. Each step may be repeated, with the same key while its outcome is unknown. If
 * money is missing, the sale is open again.
 * @param trial how often the due work has failed, and how often the submission was postponed
 * @throws the Problem of the step that failed
 */
async function submit(scope: Scope, sale: Sale, trial: { attempts: number; tries: number }): Promise<Sale> {
  const { work, call } = scope;
  const { id, refusals = 0, tenders } = sale;
  const opened = sale.opening ? `opening ${sale.opening.number}, ` : '';
  const step = `${opened}refused ${refusals}, ${tenders.length} tenders, attempt ${trial.attempts}`;
  const options = { intent: `sale ${id}`, step, timeoutMs: CALL_TIMEOUT_MS };
  try {
    if (sale.collection) {
      const body = { fulfillmentOrderId: sale.collection.fulfillmentOrderId, atTill: true as const };
      await call(ensureCaptured, { params: { id }, body }, options);
    } else {
      await call(createOrder, { body: { transactionId: id, transaction: published(sale) } }, options);
      await call(confirmOrder, { params: { id } }, options);
      await call(carryOut, { params: { id } }, options);
    }
  } catch (error) {
    if (sale.collection && isProblem(error, 'invalid_state_transition') && !error.retryable) return endCollection(scope, sale, error);
    if (!isProblem(error, 'payment_incomplete')) throw error;
    scope.log.info({ transactionId: id, code: error.code }, error.message);
    return reopenUnpaid(scope, sale, trial);
  }
  return complete(work, sale);
}

function complete(work: UnitOfWork, sale: Sale): Sale {
  work.cancel(submitOrderDue, sale.id);
  work.cancel(captureTendersDue, sale.id);
  return save(work, sale, { state: 'completed' });
}

/** The order of a collection has ended: its paid goods were handed over before the till reported the payments, or it was cancelled. */
function endCollection({ work }: Scope, sale: CollectionSale, { context }: Problem): Sale {
  if (context['currentState'] !== 'cancelled') return complete(work, sale);
  work.cancel(submitOrderDue, sale.id);
  work.cancel(captureTendersDue, sale.id);
  return markVoided(work, sale, ORDER_CANCELLED);
}

/**
 * A tender was voided, captured in part or refunded after the sale was paid. The payments at the Payment Hub decide: the rest is
 * outstanding at the till again, unless a new payment covers it.
 * @throws Problem `dependency_*` while the Payment Hub does not answer
 */
async function reopenUnpaid(scope: Scope, sale: Sale, { tries }: { tries: number }): Promise<Sale> {
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
const mayBeSubmittedLater = (error: unknown): boolean => isDependencyProblem(error) || (error instanceof Problem && error.retryable);

/** @param tries how often this was postponed before @param error why it is postponed now */
function submitLater(work: UnitOfWork, { id }: Sale, tries: number, error?: unknown): void {
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

/** Submits a paid sale until the OMS accepts it or reports missing money. Other refusals park the work after its last attempt. */
export const submitOrder = handleDue(submitOrderDue)(async ({ key, payload, attempts }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const tries = payload?.tries ?? 0;
  try {
    await submit(scope, sale, { attempts, tries });
  } catch (error) {
    if (!mayBeSubmittedLater(error)) throw error;
    submitLater(scope.work, sale, tries, error);
  }
});

/**
 * Captures the tenders of a sale that the OMS has not accepted for a day. The goods have left, so the money must not return to the
 * customer when an authorisation expires. Later the OMS reads the captured payments and completes the sale.
 */
export const captureTenders = handleDue(captureTendersDue)(async ({ key }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const payments = await readPayments(scope, key);
  for (const payment of payments.filter(mayExpire)) await captureTender(scope, payment);
});

/** Cash, gift cards, points and exchange credit do not expire. They wait for the OMS. */
const mayExpire = ({ state, authorizationExpiresAt }: HubPayment): boolean =>
  state === 'authorised' && authorizationExpiresAt !== undefined;

/** If the tender was captured or voided in the meantime, the submission finds out. */
async function captureTender({ call, log }: Scope, { id, orderId }: HubPayment): Promise<void> {
  try {
    await call(capturePayment, { params: { id }, body: {} }, { step: id, timeoutMs: CALL_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof Problem) || mayBeSubmittedLater(error)) throw error;
    log.warn({ transactionId: orderId, paymentId: id, code: error.code }, `capturing a tender failed: ${error.message}`);
  }
}
