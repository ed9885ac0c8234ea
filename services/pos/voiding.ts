import { voidTransaction as voidTransactionApi } from '../../shared/catalog/commerce/apis.ts';
import { abandonBasket } from '../../shared/catalog/commerce/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { cancelOrder } from '../../shared/catalog/order/apis.ts';
import { Order } from '../../shared/catalog/order/objects.ts';
import { reversePayment } from '../../shared/catalog/payment/internal.ts';
import { absentApplication, invalid, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { refuseOtherContent } from '../../shared/handlers/repeats.ts';
import { again, type EventHandler, handle, handleDue, type Scope, unchanged } from '../../shared/work/handler.ts';
import { type Sale, transactions } from './collections.ts';
import { CALL_TIMEOUT_MS, captureTendersDue, expireTransactionDue, FIRST_RETRY_MS, submitOrderDue, undoSaleDue } from './due-work.ts';
import { bindsMoney, type HubPayment, isReturnedBy, listTenders, readPayments } from './hub-payments.ts';
import { isHandedOver, readAgain, readAgainIfPossible } from './order-to-collect.ts';
import { ownerOf, refuseWhileBusy, remember, settleUnknown } from './tenders.ts';
import {
  awaitingApproval,
  isCovered,
  isSale,
  markPaid,
  markVoided,
  nothingOutstanding,
  ORDER_CANCELLED,
  orderView,
  outstandingOf,
  renewIdleTimer,
  saleById,
  save,
  transactionNotOpen,
} from './transactions.ts';

/** Commits `voided` first, so that no tender can be added while the others are given back. */
export const voidTransaction = handle(voidTransactionApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await saleById(work, params.id);
  const { voidedBy = [] } = found;
  // The till may have begun again since the void of this request.
  if (voidedBy.includes(ownerOf(work))) return again(orderView(found, work.figures));
  refuseOtherOpening(found, body.opening);
  if (found.state === 'voided') {
    const { id, voidReason: reason } = found;
    refuseOtherContent({ reason: body.reason }, { reason }, { objectType: 'transaction', id, what: 'was voided' });
    return again(orderView(found, scope.work.figures));
  }
  if (found.state !== 'open') throw transactionNotOpen(found, 'void');
  refuseWhileBusy(scope, found, 'void');
  const settled = await settleUnknown(scope, found);
  const sale = settled.collection ? await readAgainIfPossible(scope, settled) : settled;
  if (isCovered(sale) || isHandedOver(sale)) return nothingOutstanding(await markPaid(work, sale));
  if (outstandingOf(sale).amount === 0) return awaitingApproval(sale, 'void');
  const voided = markVoided(work, { ...sale, voidedBy: sale.collection && remember(voidedBy, ownerOf(work)) }, body.reason);
  await work.checkpoint();
  return orderView(await compensateNow(scope, voided), scope.work.figures);
});

/**
 * All transactions of an order have its id, and a void may arrive late. Once there were two, a void names its own.
 * @throws Problem 409 for an opening that has ended; 422 without one, for one that never was, and for a sale
 */
function refuseOtherOpening({ id, state, collection, opening }: Sale, named: number | undefined): void {
  const { number = 1 } = opening ?? {};
  if (!collection) {
    if (named === undefined) return;
    throw invalid(
      '/opening',
      'unexpected',
      'A sale is opened once. Only the transaction of an order that is collected has openings: leave it out.',
    );
  }
  if (named === undefined && number > 1 && state !== 'voided') {
    const detail = `A till has begun ${number} times to take the payment of this order. Name the opening that is voided: Create Transaction returns it.`;
    throw invalid('/opening', 'required', detail);
  }
  if (named === undefined || named === number) return;
  if (named > number) throw invalid('/opening', 'unknown_opening', `There is no opening ${named}; the last one is ${number}.`);
  const detail = `The opening ${named} of the transaction "${id}" has ended; this void changes nothing. The till has begun again with the opening ${number}.`;
  throw refusal('transaction', { id, state }, 'void', detail, { opening: number });
}

/** Releases tenders and basket as far as the other applications answer. An application that is down delays the rest, but not the reply. */
async function compensateNow(scope: Scope, sale: Sale): Promise<Sale> {
  const { sale: compensated, problem } = await compensate(scope, sale);
  if (problem) {
    scope.log.warn({ err: problem, transactionId: sale.id }, 'compensation of the voided transaction failed; it is repeated later');
    scope.work.schedule(undoSaleDue, sale.id, scope.work.now + FIRST_RETRY_MS, null, { awaits: absentApplication(problem) });
  }
  return compensated;
}

/** Voids an idle transaction as Void Transaction does. */
export const expireTransaction = handleDue(expireTransactionDue)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open') return;
  // If the Payment Hub does not answer, nothing is voided: the work fails and is tried again.
  const settled = await settleUnknown(scope, found);
  const sale = settled.collection ? await readAgain(scope, settled) : settled;
  if (isCovered(sale) || isHandedOver(sale)) await markPaid(work, sale);
  // A pending tender may cover the rest.
  else if (outstandingOf(sale).amount === 0) renewIdleTimer(work, key);
  else markVoided(work, sale, 'expired');
});

/** A client's order of the unpaid transaction was cancelled or expired: the transaction is voided, and its tenders are given back. */
export const onOrderCancelled: EventHandler = async (event, { work }) => {
  const { id } = Order.parse(event.data.object);
  const sale = await work.get(transactions, id);
  if (!isSale(sale)) return unchanged('The order belongs to no transaction at the till.');
  if (sale.state !== 'open' && sale.state !== 'paid') return unchanged(`The transaction is ${sale.state}.`);
  work.cancel(submitOrderDue, id);
  work.cancel(captureTendersDue, id);
  markVoided(work, sale, ORDER_CANCELLED);
  return undefined;
};

/**
 * Reverses all payments of a voided transaction, the last first, and abandons its basket with the reservation. If one step fails, the
 * other is still tried. A repeat changes nothing twice.
 * @returns the sale after the steps that succeeded, and the first problem
 */
export async function compensate(scope: Scope, sale: Sale): Promise<{ readonly sale: Sale; readonly problem: Problem | undefined }> {
  const tenders = await catchProblem(() => reverseTenders(scope, sale));
  const basket = sale.basket ? await catchProblem(() => abandonBasketOf(scope, sale.id)) : undefined;
  const problem = tenders.problem ?? basket?.problem;
  if (!problem) scope.work.cancel(undoSaleDue, sale.id);
  const patch = { tenders: listTenders(sale.tenders, tenders.value ?? []), compensation: problem && sale.compensation };
  return { sale: save(scope.work, sale, patch), problem };
}

async function reverseTenders(scope: Scope, sale: Sale): Promise<readonly HubPayment[]> {
  const { id } = sale;
  const found = await readPayments(scope, id);
  // The till may have begun again: then these payments may be its new ones.
  if (sale.collection) await scope.work.ensureCurrent(transactions, sale);
  const reversed: HubPayment[] = [];
  for (const payment of found.toReversed().filter((one) => bindsMoney(one) && isReturnedBy(sale, one))) {
    const options = { intent: `void ${id}`, timeoutMs: CALL_TIMEOUT_MS };
    reversed.push(await scope.call(reversePayment, { params: { id: payment.id }, body: { reason: 'transaction voided' } }, options));
  }
  return [...found, ...reversed];
}

/** Ends the basket of a transaction. The answer `not_found` is a success: the till opened none. */
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
  const cancelled = call(cancelOrder, { params: { id }, body: { reason: 'transaction voided' } }, { timeoutMs: CALL_TIMEOUT_MS });
  // It may be cancelled already, for another reason.
  await cancelled.catch(undefinedIf('conflicting_repeat'));
}

async function catchProblem<T>(run: () => Promise<T>): Promise<{ readonly value?: T; readonly problem?: Problem }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

export const undoSale = handleDue(undoSaleDue)(async ({ key }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || !sale.compensation) return;
  const { problem } = await compensate(scope, sale);
  if (problem) throw problem;
});
