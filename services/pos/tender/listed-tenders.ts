import type { z } from 'zod';
import { Payment } from '../../../shared/catalog/payment/objects.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import type { ListedTender, Sale } from '../collections.ts';

export type HubPayment = z.output<typeof Payment>;

/** What a tender takes off the bill: a pending one too, for it may still be approved; of a captured one what is kept of it. */
export function coveredBy({ state, amount, capturedAmount, refundedAmount }: ListedTender): number {
  if (state === 'failed' || state === 'voided') return 0;
  return state === 'pending' || state === 'authorised' ? amount.amount : capturedAmount.amount - refundedAmount.amount;
}

/** What is left to pay. */
export function outstandingOf({ basket, tenders }: Sale): Money {
  const { amount, currency } = basket.totals.total;
  return money(Math.max(0, amount - tenders.reduce((sum, tender) => sum + coveredBy(tender), 0)), currency);
}

/** Whether nothing is left to pay, and nobody's approval is still awaited. */
export function isCovered(sale: Sale): boolean {
  return sale.pending?.status !== 'running' && outstandingOf(sale).amount === 0 && sale.tenders.every(({ state }) => state !== 'pending');
}

/** Whether there is money, or may be, that somebody has to let go. */
export const bindsMoney = ({ state }: Pick<HubPayment, 'state'>): boolean =>
  state === 'pending' || state === 'authorised' || state === 'captured' || state === 'partially-refunded';

const tenderOf = ({ id, version, state, tender, amount, capturedAmount, refundedAmount }: HubPayment): ListedTender => ({
  ...{ id, version, state, tender, amount, capturedAmount, refundedAmount },
});

/** The list with a payment as the Hub tells of it; older news changes nothing. @returns the same list when nothing is new */
export function listing(tenders: readonly ListedTender[], payment: HubPayment): ListedTender[] {
  const known = tenders.find(({ id }) => id === payment.id);
  if (!known) return [...tenders, tenderOf(payment)];
  if (known.version >= payment.version) return tenders as ListedTender[];
  return tenders.map((tender) => (tender.id === payment.id ? tenderOf(payment) : tender));
}

export const listingAll = (tenders: readonly ListedTender[], payments: readonly HubPayment[]): ListedTender[] =>
  payments.reduce<ListedTender[]>(listing, [...tenders]);

/** A payment as an event carries it. */
export const paymentOf = (object: unknown): HubPayment => Payment.parse(object);
