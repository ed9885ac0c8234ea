import type { EventHandler } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, transactions } from '../collections.ts';
import { undoSaleDue } from '../due-work.ts';
import { isCovered } from '../transaction/coverage.ts';
import { markPaid } from '../transaction/outcome.ts';
import { isSale, save } from '../transaction/transactions.ts';
import { bindsMoney, type HubPayment, parsePayment } from './hub-payments.ts';
import { listTender } from './listed-tenders.ts';

/**
 * Records a change of a payment at the Payment Hub, such as a later approval or an outcome whose answer was lost. A payment that comes
 * true for a voided transaction is reversed.
 */
export const recordTenderNews: EventHandler = async (event, { work }) => {
  const payment = parsePayment(event.data.object);
  const sale = await work.get(transactions, payment.orderId);
  if (!isSale(sale)) return;
  if (sale.state === 'voided' && bindsMoney(payment) && !isKnown(sale, payment)) {
    save(work, sale, { compensation: 'pending' });
    work.schedule(undoSaleDue, sale.id, work.now, null, { beforeReply: true });
  }
  if (sale.state === 'paid') updateTenders(work, sale, payment);
  if (sale.state !== 'open') return;
  const isAnswer = sale.pending !== undefined && event.causationid.startsWith(`${sale.pending.requestId}.`);
  // The running request gets the same answer and lists the tender itself.
  if (isAnswer && sale.pending?.status === 'running') return;
  const tenders = listTender(sale.tenders, payment);
  if (tenders === sale.tenders && !isAnswer) return;
  const next = save(work, sale, { tenders: [...tenders], ...(isAnswer && { pending: undefined }) });
  if (isCovered(next)) await markPaid(work, next);
};

/** Lists a changed tender of a paid sale. The OMS decides at the submission whether money is missing. */
function updateTenders(work: UnitOfWork, sale: Sale, payment: HubPayment): void {
  const tenders = listTender(sale.tenders, payment);
  if (tenders !== sale.tenders && payment.state !== 'failed') save(work, sale, { tenders: [...tenders] });
}

const isKnown = ({ tenders }: Sale, { id, version }: HubPayment): boolean =>
  tenders.some((tender) => tender.id === id && tender.version >= version);
