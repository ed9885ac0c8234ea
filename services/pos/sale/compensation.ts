import { abandonBasket } from '../../../shared/catalog/commerce/internal.ts';
import { cancelOrder } from '../../../shared/catalog/order/apis.ts';
import { reversePayment } from '../../../shared/catalog/payment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Sale } from '../collections.ts';
import { undoSaleDue } from '../due-work.ts';
import { bindsMoney, type HubPayment, listTenders, readPayments } from '../tender/hub-payments.ts';
import { CALL_TIMEOUT_MS } from '../timing.ts';
import { save } from '../transaction/transactions.ts';

/**
 * Reverses all payments of a voided transaction, the last first, and abandons its basket with the reservation. If one step fails, the
 * other is still tried. A repeat changes nothing twice.
 * @returns the sale after the steps that succeeded, and the first problem
 */
export async function compensate(scope: Scope, sale: Sale): Promise<{ readonly sale: Sale; readonly problem: Problem | undefined }> {
  const tenders = await catchProblem(() => reverseTenders(scope, sale));
  const basket = await catchProblem(() => abandonBasketOf(scope, sale.id));
  const problem = tenders.problem ?? basket.problem;
  if (!problem) scope.work.cancel(undoSaleDue, sale.id);
  const patch = { tenders: listTenders(sale.tenders, tenders.value ?? []), compensation: problem && sale.compensation };
  return { sale: save(scope.work, sale, patch), problem };
}

async function reverseTenders(scope: Scope, { id }: Sale): Promise<readonly HubPayment[]> {
  const found = await readPayments(scope, id);
  const reversed: HubPayment[] = [];
  for (const payment of found.toReversed().filter(bindsMoney)) {
    const options = { intent: `void ${id}`, timeoutMs: CALL_TIMEOUT_MS };
    reversed.push(await scope.call(reversePayment, { params: { id: payment.id }, body: { reason: 'transaction voided' } }, options));
  }
  return [...found, ...reversed];
}

/** Ends the basket of a transaction. If there is no basket, there is nothing to give back. */
export async function abandonBasketOf(scope: Scope, transactionId: string): Promise<void> {
  try {
    await scope.call(abandonBasket, { params: { id: transactionId } }, { timeoutMs: CALL_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    if (error.code === 'invalid_state_transition') await cancelOrderMadeByHand(scope, transactionId);
    else if (error.code !== 'not_found') throw error;
  }
}

/** A client made an order of the unpaid transaction. The basket and its reservation belong to that order. */
async function cancelOrderMadeByHand({ call }: Scope, id: string): Promise<void> {
  try {
    await call(cancelOrder, { params: { id }, body: { reason: 'transaction voided' } }, { timeoutMs: CALL_TIMEOUT_MS });
  } catch (error) {
    // The order is already cancelled for another reason.
    if (!(error instanceof Problem) || error.code !== 'conflicting_repeat') throw error;
  }
}

async function catchProblem<T>(run: () => Promise<T>): Promise<{ readonly value?: T; readonly problem?: Problem }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
