import type { Application } from '../../../shared/catalog/applications.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { type addPayment, authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { resolveTenderDue } from '../due-work.ts';
import { AUTHORIZE_TIMEOUT_MS, retryDelayMs } from '../timing.ts';
import { markPaid } from '../transaction/outcome.ts';
import { tenderUnderWay } from '../transaction/refusals.ts';
import { isCovered, renewIdleTimer, save } from '../transaction/transactions.ts';
import { type HubPayment, listTender, listTenders, readPayments } from './hub-payments.ts';

export type TenderRequest = InputOf<typeof addPayment>['body'];

/** A transaction remembers its last requests, so that a repeat is recognised. */
const REMEMBERED_REQUESTS = 50;

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
export async function beginTender({ work, context }: Scope, sale: Sale): Promise<Sale> {
  const owner = ownerOf(work);
  if (sale.pending?.owner === owner && sale.pending.status === 'running') return sale;
  const asked = [...sale.asked.filter((other) => other !== owner), owner].slice(-REMEMBERED_REQUESTS);
  const begun = save(work, sale, { asked, pending: { owner, requestId: context.requestId, status: 'running' } });
  // This process keeps the lease for as long as the request may run. After a crash the work is due immediately.
  work.schedule(resolveTenderDue, sale.id, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return begun;
}

/** Authorises a tender at the Payment Hub. The call includes the payable amount. A repeat of the request has the same key. */
export const authorizeTender = ({ call }: Scope, { id, basket }: Sale, { tender, amount }: TenderRequest): Promise<HubPayment> =>
  call(
    authorizePayment,
    {
      body: {
        orderId: id,
        tender,
        amount,
        payable: {
          orderId: id,
          channel: 'pos',
          state: 'draft',
          total: basket.totals.total,
          basketId: basket.id,
          customerId: basket.customerId,
          loyaltyAccountId: basket.loyaltyAccountId,
        },
      },
    },
    { timeoutMs: AUTHORIZE_TIMEOUT_MS },
  );

/** Ends the tender of a request with the payment that it made, if any. A covered transaction becomes paid. */
export async function endTender(work: UnitOfWork, sale: Sale, payment: HubPayment | undefined): Promise<Sale> {
  work.cancel(resolveTenderDue, sale.id);
  renewIdleTimer(work, sale.id);
  const tenders = payment ? [...listTender(sale.tenders, payment)] : sale.tenders;
  const ended = save(work, sale, { tenders, pending: undefined });
  return isCovered(ended) ? markPaid(work, ended) : ended;
}

/** Records that the answer never came. The next call on the transaction reads the Payment Hub first; otherwise due work does. */
export function leaveUnknown(work: UnitOfWork, sale: Sale): Sale {
  resolveLater(work, sale, 0);
  renewIdleTimer(work, sale.id);
  return save(work, sale, { pending: sale.pending && { ...sale.pending, status: 'unknown' } });
}

/** @param tries how often this was postponed before */
export function resolveLater(work: UnitOfWork, { id }: Sale, tries: number, awaits?: Application): void {
  work.schedule(resolveTenderDue, id, work.now + retryDelayMs(tries), { tries: tries + 1 }, { awaits });
}
