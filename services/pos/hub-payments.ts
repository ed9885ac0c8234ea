import type { z } from 'zod';
import { committedBy, isUndecided } from '../../shared/catalog/payment/cover.ts';
import { listPayments } from '../../shared/catalog/payment/internal.ts';
import { Payment } from '../../shared/catalog/payment/objects.ts';
import { type EventHandler, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { ListedTender, type Sale, transactions } from './collections.ts';
import { CALL_TIMEOUT_MS, undoSaleDue } from './due-work.ts';
import { isCovered, isSale, markPaid, save } from './transactions.ts';

/** A payment as the Payment Hub publishes it. */
export type HubPayment = z.output<typeof Payment>;

/** @throws Problem `dependency_*` */
export async function readPayments({ call }: Pick<Scope, 'call'>, orderId: string): Promise<readonly HubPayment[]> {
  return (await call(listPayments, { query: { orderId } }, { timeoutMs: CALL_TIMEOUT_MS })).items;
}

const parsePayment = (object: unknown): HubPayment => Payment.parse(object);

/** Whether the payment holds money that a void or refund would release, or may hold it later. */
export const bindsMoney = ({ state }: Pick<HubPayment, 'state'>): boolean =>
  isUndecided({ state }) || state === 'authorised' || state === 'captured' || state === 'partially-refunded';

/**
 * Whether a void of the transaction returns the payment. An order that is collected may have others: its customer paid elsewhere, or an
 * earlier transaction of the order took them.
 */
export const isReturnedBy = (sale: Sale, payment: Pick<HubPayment, 'id' | 'transactionId'>): boolean =>
  sale.collection === undefined || (payment.transactionId === sale.id && !sale.opening?.earlierPayments.includes(payment.id));

/** The payments of an order that pay for it. A till does not list earlier ones that were declined, voided or refunded. */
export const withMoney = (payments: readonly HubPayment[]): readonly HubPayment[] => payments.filter((payment) => committedBy(payment) > 0);

/** Adds or updates the tender of a payment; older versions change nothing. @returns the same array without a change */
export function listTender(tenders: readonly ListedTender[], payment: HubPayment): readonly ListedTender[] {
  const known = tenders.find(({ id }) => id === payment.id);
  if (!known) return [...tenders, ListedTender.parse(payment)];
  if (known.version >= payment.version) return tenders;
  return tenders.map((tender) => (tender.id === payment.id ? ListedTender.parse(payment) : tender));
}

export const listTenders = (tenders: readonly ListedTender[], payments: readonly HubPayment[]): ListedTender[] => [
  ...payments.reduce(listTender, tenders),
];

/** Records a change at the Payment Hub, such as a late approval. A payment of a voided transaction is reversed. */
export const recordTenderNews: EventHandler = async (event, { work }) => {
  const payment = parsePayment(event.data.object);
  const sale = await work.get(transactions, payment.orderId);
  if (!isSale(sale)) return unchanged('The payment belongs to no transaction at the till.');
  if (sale.state === 'voided' && bindsMoney(payment) && isReturnedBy(sale, payment) && !isKnown(sale, payment)) {
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
  if (!listed || committedBy(listed) === (known ? committedBy(known) : 0)) return false;
  save(work, sale, { tenders: [...tenders] });
  return true;
}

const isKnown = ({ tenders }: Sale, { id, version }: HubPayment): boolean =>
  tenders.some((tender) => tender.id === id && tender.version >= version);
