import type { OutputOf } from '../../../shared/catalog/define.ts';
import { addPayment as addPaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { invalid, isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { markPaid, submitNow } from '../sale/submission.ts';
import { type HubPayment, isCovered, outstandingOf } from '../tender/listed-tenders.ts';
import { authorise, beginTender, endTender, leaveUnknown, ownerOf, refuseWhileBusy, settleUnknown } from '../tender/tenders.ts';
import { receiptOf } from '../transaction/receipts.ts';
import { closed, saleById, save } from '../transaction/transactions.ts';

type Answer = OutputOf<typeof addPaymentApi>;

export const addPayment = handle(addPaymentApi)(async ({ params, body }, scope) => {
  const found = await saleById(scope.work, params.id);
  refuseOtherCurrency(found, body.amount);
  // Whoever repeats a request gets the tender that it made, also when that has paid the whole meanwhile.
  const isRepeat = found.asked.includes(ownerOf(scope.work));
  if (found.state === 'voided' || (found.state !== 'open' && !isRepeat)) throw closed(found, 'add-payment');
  refuseWhileBusy(scope, found, 'add-payment');
  if (found.state !== 'open') return answer(scope, found, await authorise(scope, found, body));
  const sale = found.pending?.owner === ownerOf(scope.work) ? found : await settleUnknown(scope, found);
  const refusal = isRepeat ? undefined : await tooMuch(scope.work, sale, body.amount);
  return refusal ?? take(scope, sale, body);
});

function refuseOtherCurrency({ basket }: Sale, { currency }: Money): void {
  const expected = basket.totals.total.currency;
  if (currency === expected) return;
  throw invalid(
    '/amount/currency',
    'currency_mismatch',
    `The transaction is in ${expected}, so it is paid in ${expected}, not in ${currency}.`,
  );
}

/** More than what is outstanding. What the Hub just told is kept: with it everything may be paid. */
async function tooMuch(work: UnitOfWork, sale: Sale, amount: Money): Promise<Problem | undefined> {
  const outstanding = outstandingOf(sale);
  if (amount.amount <= outstanding.amount) return undefined;
  if (isCovered(sale)) await markPaid(work, sale);
  return new Problem(
    'overpayment',
    `The transaction "${sale.id}" has ${outstanding.amount} outstanding; ${amount.amount} would be too much.`,
    {
      objectType: 'transaction',
      id: sale.id,
      outstanding,
    },
  );
}

async function take(scope: Scope, sale: Sale, body: Parameters<typeof authorise>[2]): Promise<Answer | Problem> {
  const { work } = scope;
  const begun = await beginTender(scope, sale);
  let payment: HubPayment;
  try {
    payment = await authorise(scope, begun, body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isUnknownOutcome(error)) leaveUnknown(work, begun);
    else await endTender(work, withDeclined(work, begun, body, error), undefined);
    return error;
  }
  const ended = await endTender(work, begun, payment);
  if (ended.state === 'paid') await work.checkpoint();
  return answer(scope, ended, payment);
}

/** A declined tender is listed too, with nothing on it; the Hub's event completes it. */
function withDeclined(work: UnitOfWork, sale: Sale, { tender, amount }: Parameters<typeof authorise>[2], { code, context }: Problem): Sale {
  const id = context['paymentId'];
  if (code !== 'payment_declined' || typeof id !== 'string' || sale.tenders.some((listed) => listed.id === id)) return sale;
  const nothing = money(0, amount.currency);
  return save(work, sale, {
    tenders: [...sale.tenders, { id, version: 0, state: 'failed', tender, amount, capturedAmount: nothing, refundedAmount: nothing }],
  });
}

/** A paid sale is submitted before the reply; the order then is the OMS's. */
async function answer(scope: Scope, sale: Sale, payment: HubPayment): Promise<Answer> {
  const now = sale.state === 'paid' ? await submitNow(scope, sale) : sale;
  const receipt = receiptOf(now);
  return {
    ...payment,
    outstanding: outstandingOf(now),
    transactionState: now.state === 'paid' || now.state === 'completed' || now.state === 'voided' ? now.state : 'open',
    orderSubmission: now.state === 'completed' ? 'accepted' : now.state === 'paid' ? 'queued' : 'none',
    ...(receipt && { receipt }),
  };
}
