import type { InputOf } from '../../../shared/catalog/define.ts';
import { type addPayment, authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { resolveTender } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { AUTHORISE_PATIENCE_MS, delayAfter } from '../timing.ts';
import { renewIdleTimer, save, tenderUnderWay } from '../transaction/transactions.ts';
import { paymentsOf } from './hub-payments.ts';
import { type HubPayment, isCovered, listing, listingAll } from './listed-tenders.ts';

type Body = InputOf<typeof addPayment>['body'];

/** So many requests are remembered: a client repeats its last ones. */
const REMEMBERED = 50;

/** Equal for every run of one request. */
export const ownerOf = (work: UnitOfWork): string => work.id('req', 'tender');

/** @throws Problem 409, retryable, while another request asks for a tender */
export function refuseWhileBusy({ work }: Scope, sale: Sale, action: string): void {
  if (sale.pending?.status === 'running' && sale.pending.owner !== ownerOf(work)) throw tenderUnderWay(sale, action);
}

/**
 * What the Payment Hub has for a transaction of which a tender's outcome is unknown: found out before any further tender or void.
 * @throws Problem 503, 504 while the Hub does not say
 */
export async function settleUnknown(scope: Scope, sale: Sale): Promise<Sale> {
  if (sale.pending?.status !== 'unknown') return sale;
  const payments = await paymentsOf(scope, sale.id);
  scope.work.cancel(resolveTender, sale.id);
  return save(scope.work, sale, { tenders: listingAll(sale.tenders, payments), pending: undefined });
}

/** Commits that this request asks for a tender, and the work that finds out what became of it, before the Hub is asked. */
export async function beginTender({ work, context }: Scope, sale: Sale): Promise<Sale> {
  const owner = ownerOf(work);
  if (sale.pending?.owner === owner && sale.pending.status === 'running') return sale;
  const asked = [...sale.asked.filter((other) => other !== owner), owner].slice(-REMEMBERED);
  const begun = save(work, sale, { asked, pending: { owner, requestId: context.requestId, status: 'running' } });
  // Kept from others for as long as this request may live; after a crash it is due at once.
  work.schedule(resolveTender, sale.id, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return begun;
}

/** Asks the Hub, which need not ask back: it is told what may be paid. A repeat of the request has the same key. */
export const authorise = ({ call }: Scope, { id, basket }: Sale, { tender, amount }: Body): Promise<HubPayment> =>
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
          ...(basket.customerId !== undefined && { customerId: basket.customerId }),
          ...(basket.loyaltyAccountId !== undefined && { loyaltyAccountId: basket.loyaltyAccountId }),
        },
      },
    },
    { timeoutMs: AUTHORISE_PATIENCE_MS },
  );

/** Ends what a request had under way, with the payment that came of it, if any. What is covered by then is paid. */
export async function endTender(work: UnitOfWork, sale: Sale, payment: HubPayment | undefined): Promise<Sale> {
  work.cancel(resolveTender, sale.id);
  renewIdleTimer(work, sale.id);
  const tenders = payment ? listing(sale.tenders, payment) : sale.tenders;
  const ended = save(work, sale, { tenders, pending: undefined });
  return isCovered(ended) ? markPaid(work, ended) : ended;
}

/** The answer never came: whoever acts on the transaction next reads the Hub first, and if nobody does, due work soon will. */
export function leaveUnknown(work: UnitOfWork, sale: Sale): Sale {
  resolveLater(work, sale, 0);
  renewIdleTimer(work, sale.id);
  return save(work, sale, { pending: sale.pending && { ...sale.pending, status: 'unknown' } });
}

/** @param tries how often it has been put off */
export function resolveLater(work: UnitOfWork, { id }: Sale, tries: number): void {
  work.schedule(resolveTender, id, work.now + delayAfter(tries), { tries: tries + 1 });
}
