import type { EventHandler } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, transactions } from '../collections.ts';
import { undoSale } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { isSale, save } from '../transaction/transactions.ts';
import { bindsMoney, type HubPayment, isCovered, listing, paymentOf } from './listed-tenders.ts';

/**
 * A payment of a transaction has moved at the Payment Hub: somebody approved it later, or its answer had got lost. From the moment
 * the sale is paid its payments are the order's.
 */
export const tenderMoved: EventHandler = async (event, { work }) => {
  const payment = paymentOf(event.data.object);
  const sale = await work.get(transactions, payment.orderId);
  if (!isSale(sale)) return;
  if (sale.state === 'voided' && bindsMoney(payment) && !isKnown(sale, payment)) {
    save(work, sale, { compensation: 'pending' });
    work.schedule(undoSale, sale.id, work.now, null, { beforeReply: true });
  }
  if (sale.state === 'paid') listAfterwards(work, sale, payment);
  if (sale.state !== 'open') return;
  const isAnswer = sale.pending !== undefined && event.causationid.startsWith(`${sale.pending.requestId}.`);
  // Its request is about to hear the same, and lists it.
  if (isAnswer && sale.pending?.status === 'running') return;
  const tenders = listing(sale.tenders, payment);
  if (tenders === sale.tenders && !isAnswer) return;
  const next = save(work, sale, { tenders, ...(isAnswer && { pending: undefined }) });
  if (isCovered(next)) await markPaid(work, next);
};

/** Somebody voided a tender of a sale that still has to be submitted, or paid for that: whether money is missing the OMS decides. */
function listAfterwards(work: UnitOfWork, sale: Sale, payment: HubPayment): void {
  const tenders = listing(sale.tenders, payment);
  if (tenders !== sale.tenders && payment.state !== 'failed') save(work, sale, { tenders });
}

const isKnown = ({ tenders }: Sale, { id, version }: HubPayment): boolean =>
  tenders.some((tender) => tender.id === id && tender.version >= version);
