import { abandonBasket } from '../../../shared/catalog/commerce/internal.ts';
import { cancelOrder } from '../../../shared/catalog/order/apis.ts';
import { reversePayment } from '../../../shared/catalog/payment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { expireTransaction, resolveTender, undoSale } from '../due-work.ts';
import { paymentsOf } from '../tender/hub-payments.ts';
import { bindsMoney, type HubPayment, listingAll } from '../tender/listed-tenders.ts';
import { PATIENCE_MS } from '../timing.ts';
import { save } from '../transaction/transactions.ts';

/** The transaction is over, and what it took is to be given back: a part of the next commit. From then on nothing is paid for it. */
export function markVoided(work: UnitOfWork, sale: Sale, reason: string | undefined): Sale {
  work.cancel(expireTransaction, sale.id);
  work.cancel(resolveTender, sale.id);
  work.schedule(undoSale, sale.id, work.now, null, { beforeReply: true });
  return save(work, sale, {
    state: 'voided',
    compensation: 'pending',
    pending: undefined,
    ...(reason !== undefined && { voidReason: reason }),
  });
}

/**
 * Gives back everything that the Payment Hub has for the transaction, the last tender first, and the basket with its hold. Either
 * is tried when the other fails; repeated, nothing is given back twice.
 * @returns what is given back so far, and what stopped the rest
 */
export async function compensate(scope: Scope, sale: Sale): Promise<{ readonly sale: Sale; readonly problem: Problem | undefined }> {
  const tenders = await caught(() => reverseTenders(scope, sale));
  const basket = await caught(() => abandon(scope, sale.id));
  const problem = tenders.problem ?? basket.problem;
  if (!problem) scope.work.cancel(undoSale, sale.id);
  const patch = { tenders: listingAll(sale.tenders, tenders.value ?? []), compensation: problem && sale.compensation };
  return { sale: save(scope.work, sale, patch), problem };
}

async function reverseTenders(scope: Scope, { id }: Sale): Promise<readonly HubPayment[]> {
  const found = await paymentsOf(scope, id);
  const reversed: HubPayment[] = [];
  for (const payment of found.toReversed().filter(bindsMoney)) {
    const options = { intent: `void ${id}`, timeoutMs: PATIENCE_MS };
    reversed.push(await scope.call(reversePayment, { params: { id: payment.id }, body: { reason: 'transaction voided' } }, options));
  }
  return [...found, ...reversed];
}

/** Ends the basket of a transaction. One that never was has nothing to give back. */
export async function abandon(scope: Scope, transactionId: string): Promise<void> {
  try {
    await scope.call(abandonBasket, { params: { id: transactionId } }, { timeoutMs: PATIENCE_MS });
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    if (error.code === 'invalid_state_transition') await cancelOrderMadeByHand(scope, transactionId);
    else if (error.code !== 'not_found') throw error;
  }
}

/** Somebody made an order of the transaction before it was paid: the basket and its hold are the order's. */
async function cancelOrderMadeByHand({ call }: Scope, id: string): Promise<void> {
  try {
    await call(cancelOrder, { params: { id }, body: { reason: 'transaction voided' } }, { timeoutMs: PATIENCE_MS });
  } catch (error) {
    // It is cancelled already, for a reason of somebody else's.
    if (!(error instanceof Problem) || error.code !== 'conflicting_repeat') throw error;
  }
}

async function caught<T>(run: () => Promise<T>): Promise<{ readonly value?: T; readonly problem?: Problem }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
