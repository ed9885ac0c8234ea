import type { OutputOf } from '../../../shared/catalog/define.ts';
import { LIMITS, limitReached } from '../../../shared/catalog/limits.ts';
import { addPayment as addPaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { overpayment } from '../../../shared/catalog/payment/pending.ts';
import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { submitNow } from '../sale/submission.ts';
import type { HubPayment } from '../tender/hub-payments.ts';
import {
  authorizeTender,
  beginTender,
  endTender,
  leaveUnknown,
  ownerOf,
  refuseWhileBusy,
  settleUnknown,
  type TenderRequest,
} from '../tender/tenders.ts';
import { markPaid, receiptOf } from '../transaction/outcome.ts';
import { transactionNotOpen } from '../transaction/refusals.ts';
import { isCovered, outstandingOf, saleById, save } from '../transaction/transactions.ts';

type Answer = OutputOf<typeof addPaymentApi>;

export const addPayment = handle(addPaymentApi)(async ({ params, body }, scope) => {
  const found = await saleById(scope.work, params.id);
  // A repeat gets the tender of its request, even if the transaction was paid in the meantime.
  const isRepeat = found.asked.includes(ownerOf(scope.work));
  if (found.state === 'voided' || (found.state !== 'open' && !isRepeat)) throw transactionNotOpen(found, 'add-payment');
  refuseWhileBusy(scope, found, 'add-payment');
  if (found.state !== 'open') return submitAndAnswer(scope, found, await authorizeTender(scope, found, body));
  const sale = found.pending?.owner === ownerOf(scope.work) ? found : await settleUnknown(scope, found);
  const refusal = isRepeat ? undefined : ((await checkOverpayment(scope.work, sale, body.amount)) ?? checkTenders(sale));
  return refusal ?? takeTender(scope, sale, body);
});

/** Returns its Problem instead of throwing it, so that payments just read from the Payment Hub are kept. They may cover the total. */
async function checkOverpayment(work: UnitOfWork, sale: Sale, amount: Money): Promise<Problem | undefined> {
  const outstanding = outstandingOf(sale);
  if (amount.amount <= outstanding.amount) return undefined;
  if (isCovered(sale)) await markPaid(work, sale);
  const pending = sale.tenders.filter(({ state }) => state === 'pending');
  return overpayment({ objectType: 'transaction', id: sale.id, outstanding, requested: amount, pending });
}

/** Returns its Problem instead of throwing it, as `checkOverpayment` does. */
function checkTenders({ id, tenders }: Sale): Problem | undefined {
  if (tenders.length < LIMITS.tenders) return undefined;
  return limitReached('tenders', `The transaction "${id}" has ${LIMITS.tenders} tenders, which is the limit.`, {
    objectType: 'transaction',
    id,
    remedy: 'Void it and begin another one.',
  });
}

async function takeTender(scope: Scope, sale: Sale, body: TenderRequest): Promise<Answer | Problem> {
  const { work } = scope;
  const begun = await beginTender(scope, sale);
  let payment: HubPayment;
  try {
    payment = await authorizeTender(scope, begun, body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isUnknownOutcome(error)) leaveUnknown(work, begun);
    else await endTender(work, listDeclined(work, begun, body, error), undefined);
    return error;
  }
  const ended = await endTender(work, begun, payment);
  if (ended.state === 'paid') await work.checkpoint();
  return submitAndAnswer(scope, ended, payment);
}

/** Lists a declined tender, which pays nothing. The event of the Payment Hub updates it. */
function listDeclined(work: UnitOfWork, sale: Sale, { tender, amount }: TenderRequest, { code, context }: Problem): Sale {
  const id = context['paymentId'];
  if (code !== 'payment_declined' || typeof id !== 'string' || sale.tenders.some((listed) => listed.id === id)) return sale;
  const nothing = money(0, amount.currency);
  return save(work, sale, {
    tenders: [...sale.tenders, { id, version: 0, state: 'failed', tender, amount, capturedAmount: nothing, refundedAmount: nothing }],
  });
}

/** A paid sale is submitted before the reply. */
async function submitAndAnswer(scope: Scope, sale: Sale, payment: HubPayment): Promise<Answer> {
  const now = sale.state === 'paid' ? await submitNow(scope, sale) : sale;
  const receipt = receiptOf(now);
  return {
    ...payment,
    outstanding: outstandingOf(now),
    transactionState: now.state === 'paid' || now.state === 'completed' || now.state === 'voided' ? now.state : 'open',
    orderSubmission: now.state === 'completed' ? 'accepted' : now.state === 'paid' ? 'queued' : 'none',
    receipt,
  };
}
