import type { Application } from '../../shared/catalog/applications.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { addPayment as addPaymentApi, authorizePayment } from '../../shared/catalog/payment/apis.ts';
import { isUndecided, requiredFor } from '../../shared/catalog/payment/cover.ts';
import { overpayment } from '../../shared/catalog/payment/pending.ts';
import { absentApplication, invalid, isDependencyProblem, isUnknownOutcome, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { inCoins, money, moneyInWords } from '../../shared/domain/money.ts';
import { handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Sale, transactions } from './collections.ts';
import { AUTHORIZE_TIMEOUT_MS, resolveTenderDue, retryDelayMs } from './due-work.ts';
import { type HubPayment, listTender, listTenders, readPayments } from './hub-payments.ts';
import { readAgainIfPossible } from './order-to-collect.ts';
import { submitNow } from './submission.ts';
import {
  isCovered,
  isSale,
  markPaid,
  markVoided,
  ORDER_CANCELLED,
  outstandingInCashOf,
  outstandingOf,
  receiptOf,
  renewIdleTimer,
  saleById,
  save,
  tenderUnderWay,
  transactionNotOpen,
} from './transactions.ts';

type Answer = OutputOf<typeof addPaymentApi>;

export const addPayment = handle(addPaymentApi)(async ({ params, body }, scope) => {
  const found = await saleById(scope.work, params.id);
  // A repeat gets the tender of its request, even if the transaction was paid in the meantime.
  const isRepeat = found.asked.includes(ownerOf(scope.work));
  if (found.state === 'paid' && !isRepeat) refuseOverpayment(found, body);
  if (found.state === 'voided' || (found.state !== 'open' && !isRepeat)) throw transactionNotOpen(found, 'add-payment');
  refuseWhileBusy(scope, found, 'add-payment');
  if (found.state !== 'open') return submitAndAnswer(scope, found, await authorizeTender(scope, found, body));
  const settled = found.pending?.owner === ownerOf(scope.work) ? found : await settleUnknown(scope, found);
  // A repeat sends the same call.
  const sale = settled.collection && !isRepeat ? await readAgainIfPossible(scope, settled) : settled;
  if (sale.collection?.order.state === 'cancelled') return transactionNotOpen(markVoided(scope.work, sale, ORDER_CANCELLED), 'add-payment');
  const refusal = isRepeat
    ? undefined
    : ((await checkOverpayment(scope.work, sale, body)) ?? checkCoins(sale, body, scope.work.figures) ?? checkTenders(sale));
  return refusal ?? takeTender(scope, sale, body);
});

/** A paid sale may have lost a tender; until the OMS finds that, it accepts no other. @throws Problem `overpayment` if it is covered */
function refuseOverpayment(sale: Sale, { amount }: TenderRequest): void {
  const outstanding = outstandingOf(sale);
  if (outstanding.amount === 0) throw overpayment({ objectType: 'transaction', id: sale.id, outstanding, requested: amount, pending: [] });
}

/** Returns its Problem instead of throwing it, so that the payments just read are stored: they may cover the total. */
async function checkOverpayment(work: UnitOfWork, sale: Sale, { tender, amount }: TenderRequest): Promise<Problem | undefined> {
  const outstanding = outstandingOf(sale);
  // Cash above the rest gives change.
  if (amount.amount <= outstanding.amount || (tender.type === 'cash' && outstanding.amount > 0)) return undefined;
  if (isCovered(sale)) await markPaid(work, sale);
  const pending = sale.tenders.filter(isUndecided);
  return overpayment({ objectType: 'transaction', id: sale.id, outstanding, requested: amount, pending });
}

/** Returns its Problem instead of throwing it, as `checkOverpayment` does. The exact outstanding amount stands for the rounded one. */
function checkCoins(
  sale: Sale,
  { tender, amount }: TenderRequest,
  { cashRounding: coin }: Pick<Figures, 'cashRounding'>,
): Problem | undefined {
  const outstanding = outstandingOf(sale);
  if (tender.type !== 'cash' || amount.amount % coin === 0 || amount.amount === outstanding.amount) return undefined;
  const [smallest, due] = [coin, inCoins(outstanding.amount, coin)].map((one) => moneyInWords(money(one, amount.currency)));
  const detail = `Cash comes in multiples of ${smallest}, and ${moneyInWords(amount)} is none. ${due} are due in cash.`;
  return invalid('/amount/amount', 'not_in_coins', detail);
}

/** Returns its Problem instead of throwing it, as `checkOverpayment` does. */
function checkTenders({ id, tenders }: Sale): Problem | undefined {
  if (tenders.length < LIMITS.tenders) return undefined;
  const detail = `The transaction "${id}" has ${LIMITS.tenders} tenders, which is the limit.`;
  return limitReached('tenders', detail, { objectType: 'transaction', id, remedy: 'Void it and begin another one.' });
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
    tenders: [
      ...sale.tenders,
      { id, version: 0, state: 'failed', tender, amount, authorizedAmount: nothing, capturedAmount: nothing, refundedAmount: nothing },
    ],
  });
}

/** A paid sale is submitted before the reply. The submission may end the tender: its capture is declined. */
async function submitAndAnswer(scope: Scope, sale: Sale, payment: HubPayment): Promise<Answer> {
  const now = sale.state === 'paid' ? await submitNow(scope, sale) : sale;
  const receipt = receiptOf(now);
  return {
    ...payment,
    ...now.tenders.find(({ id, version }) => id === payment.id && version > payment.version),
    outstanding: outstandingOf(now),
    outstandingInCash: outstandingInCashOf(now, scope.work.figures),
    transactionState: now.state === 'paid' || now.state === 'completed' || now.state === 'voided' ? now.state : 'open',
    orderSubmission: now.state === 'completed' ? 'accepted' : now.state === 'paid' ? 'queued' : 'none',
    receipt,
  };
}

type TenderRequest = InputOf<typeof addPaymentApi>['body'];

/** A transaction remembers its last requests, so that a repeat is recognised. */
const REMEMBERED_REQUESTS = 50;

export const remember = (requests: readonly string[], owner: string): string[] =>
  [...requests.filter((other) => other !== owner), owner].slice(-REMEMBERED_REQUESTS);

/** The same for every run of one request. */
export const ownerOf = (work: UnitOfWork): string => work.id('req', 'tender');

/** @throws Problem 409, retryable, while another request authorises a tender */
export function refuseWhileBusy({ work }: Scope, sale: Sale, action: string): void {
  if (sale.pending?.status === 'running' && sale.pending.owner !== ownerOf(work)) throw tenderUnderWay(sale, action);
}

/** Before a further tender or a void, reads the payments if the outcome of a tender is unknown. @throws Problem `dependency_*` */
export async function settleUnknown(scope: Scope, sale: Sale): Promise<Sale> {
  if (sale.pending?.status !== 'unknown') return sale;
  const payments = await readPayments(scope, sale.id);
  scope.work.cancel(resolveTenderDue, sale.id);
  return save(scope.work, sale, { tenders: listTenders(sale.tenders, payments), pending: undefined });
}

/** Commits the intent to authorise a tender, with the due work that reads its outcome, before the Payment Hub is called. */
async function beginTender({ work, context }: Scope, sale: Sale): Promise<Sale> {
  const owner = ownerOf(work);
  if (sale.pending?.owner === owner && sale.pending.status === 'running') return sale;
  const asked = remember(sale.asked, owner);
  const begun = save(work, sale, { asked, pending: { owner, requestId: context.requestId, status: 'running' } });
  // This process keeps the lease for as long as the request may run. After a crash the work is due immediately.
  work.schedule(resolveTenderDue, sale.id, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return begun;
}

/** Authorises a tender at the Payment Hub. The call includes the payable amount. A repeat of the request has the same key. */
const authorizeTender = ({ call }: Scope, sale: Sale, { tender, amount, acceptPartial }: TenderRequest): Promise<HubPayment> =>
  call(
    authorizePayment,
    {
      body: {
        orderId: sale.id,
        tender,
        amount,
        acceptPartial,
        payable: payableOf(sale),
        transactionId: sale.collection && sale.id,
      },
    },
    { timeoutMs: AUTHORIZE_TIMEOUT_MS },
  );

/** The OMS does not have the order of a sale yet, and need not answer for an order that is collected. */
function payableOf({ id, basket, collection }: Sale) {
  if (basket) {
    const { customerId, loyaltyAccountId } = basket;
    const total = basket.totals.total;
    return { orderId: id, channel: 'pos' as const, state: 'draft' as const, total, basketId: basket.id, customerId, loyaltyAccountId };
  }
  const { order } = collection;
  const { basketId, customerId, loyaltyAccountId } = order;
  const total = order.totals.total;
  const required = money(requiredFor(order), total.currency);
  // Goods that wait at the counter are in fulfilment, perhaps before the OMS has the event.
  const state = 'in-fulfilment' as const;
  return { orderId: id, channel: order.channel, state, total, required, basketId, customerId, loyaltyAccountId };
}

/** Ends the tender of a request with the payment that it made, if any. A covered transaction becomes paid. */
async function endTender(work: UnitOfWork, sale: Sale, payment: HubPayment | undefined): Promise<Sale> {
  work.cancel(resolveTenderDue, sale.id);
  renewIdleTimer(work, sale.id);
  const tenders = payment ? [...listTender(sale.tenders, payment)] : sale.tenders;
  const ended = save(work, sale, { tenders, pending: undefined });
  return isCovered(ended) ? markPaid(work, ended) : ended;
}

/** Records that the answer never came. The next call on the transaction reads the Payment Hub first; otherwise due work does. */
function leaveUnknown(work: UnitOfWork, sale: Sale): Sale {
  resolveLater(work, sale, 0);
  renewIdleTimer(work, sale.id);
  return save(work, sale, { pending: sale.pending && { ...sale.pending, status: 'unknown' } });
}

/** @param tries how often this was postponed before */
function resolveLater(work: UnitOfWork, { id }: Sale, tries: number, awaits?: Application): void {
  work.schedule(resolveTenderDue, id, work.now + retryDelayMs(tries), { tries: tries + 1 }, { awaits });
}

/** Reads the outcome of a tender whose answer was lost. If the Payment Hub does not answer, the next call reads it. */
export const resolveTender = handleDue(resolveTenderDue)(async ({ key, payload }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open' || !found.pending) return;
  const unknown = save(work, found, { pending: { ...found.pending, status: 'unknown' } });
  try {
    const settled = await settleUnknown(scope, unknown);
    if (isCovered(settled)) await markPaid(work, settled);
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    resolveLater(work, unknown, payload?.tries ?? 0, absentApplication(error));
  }
});
