import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, transactions } from '../collections.ts';
import { undoSaleDue } from '../due-work.ts';
import { markPaid } from '../transaction/outcome.ts';
import { coveredBy, isCovered, isSale, save } from '../transaction/transactions.ts';
import { bindsMoney, type HubPayment, listTender, parsePayment } from './hub-payments.ts';

/** Records a change at the Payment Hub, such as a late approval. A payment of a voided transaction is reversed. */
export const recordTenderNews: EventHandler = async (event, { work }) => {
  const payment = parsePayment(event.data.object);
  const sale = await work.get(transactions, payment.orderId);
  if (!isSale(sale)) return unchanged('The payment is not of a transaction at the till.');
  if (sale.state === 'voided' && bindsMoney(payment) && !isKnown(sale, payment)) {
    save(work, sale, { compensation: 'pending' });
    work.schedule(undoSaleDue, sale.id, work.now, null, { beforeReply: true });
    return undefined;
  }
  if (sale.state === 'paid' && updateTenders(work, sale, payment)) return undefined;
  if (sale.state !== 'open') return unchanged(`The transaction is ${sale.state}, and the payment changes nothing in it.`);
  const isAnswer = sale.pending !== undefined && event.causationid.startsWith(`${sale.pending.requestId}.`);
  // The running request gets the same answer and lists the tender.
  if (isAnswer && sale.pending?.status === 'running') return unchanged('The running Add Payment lists the tender.');
  const tenders = listTender(sale.tenders, payment);
  if (tenders === sale.tenders && !isAnswer) return unchanged('The transaction lists the tender in this state or a later one.');
  const next = save(work, sale, { tenders: [...tenders], ...(isAnswer && { pending: undefined }) });
  if (isCovered(next)) await markPaid(work, next);
  return undefined;
};

/**
 * Updates a tender of a paid sale whose amount has changed. At the submission, the OMS decides whether money is missing. Full captures
 * during the submission change no amount, so they do not conflict with it.
 * @returns whether the list changed
 */
function updateTenders(work: UnitOfWork, sale: Sale, payment: HubPayment): boolean {
  const tenders = listTender(sale.tenders, payment);
  const known = sale.tenders.find(({ id }) => id === payment.id);
  const listed = tenders.find(({ id }) => id === payment.id);
  if (payment.state === 'failed' || !listed || coveredBy(listed) === (known ? coveredBy(known) : 0)) return false;
  save(work, sale, { tenders: [...tenders] });
  return true;
}

const isKnown = ({ tenders }: Sale, { id, version }: HubPayment): boolean =>
  tenders.some((tender) => tender.id === id && tender.version >= version);
