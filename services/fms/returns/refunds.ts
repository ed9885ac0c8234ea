import type { z } from 'zod';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';
import { closeReturnDue, settleReturnDue } from './due-work.ts';

export type ReturnRefund = StoredReturn['refunds'][number];
type Refunded = Pick<z.output<typeof Payment>, 'id' | 'refunds'>;

/** Minor units refunded for a return. */
export const paidOf = ({ refunds }: Pick<StoredReturn, 'refunds'>): number => refunds.reduce((sum, { amount }) => sum + amount.amount, 0);

/** Whether a return is to be paid back: it was inspected or written off. */
export const isOwed = ({ state, writtenOffAt }: Pick<StoredReturn, 'state' | 'writtenOffAt'>): boolean =>
  state === 'inspected' || (state === 'in-transit' && writtenOffAt !== undefined);

export const refundsFor = (returnId: string, { id, refunds }: Refunded): ReturnRefund[] =>
  refunds.filter((refund) => refund.returnId === returnId).map(({ amount, at }) => ({ paymentId: id, amount, at }));

/** Merges stored and reported refunds. Payments never lose refunds, so a shorter list is stale. @returns undefined when nothing is new */
export function withRefunds(known: readonly ReturnRefund[], reported: readonly ReturnRefund[]): ReturnRefund[] | undefined {
  const paymentIds = new Set(reported.map(({ paymentId }) => paymentId));
  const fresh = [...paymentIds].filter((id) => countOf(reported, id) > countOf(known, id));
  if (fresh.length === 0) return undefined;
  return [...known.filter(({ paymentId }) => !fresh.includes(paymentId)), ...reported.filter(({ paymentId }) => fresh.includes(paymentId))];
}

const countOf = (refunds: readonly ReturnRefund[], id: string): number => refunds.filter(({ paymentId }) => paymentId === id).length;

/** Records refunds. A return that is to be refunded becomes `refunded` once its whole value is refunded; the OMS gets a report of that. */
export function noteRefunds(work: UnitOfWork, found: StoredReturn, reported: readonly ReturnRefund[]): void {
  const refunds = withRefunds(found.refunds, reported);
  if (!refunds) return;
  const isPaid = paidOf({ refunds }) >= found.refundAmount.amount;
  if (!isPaid || !isOwed(found) || found.rejecting) {
    work.transition(returns, found, 'note', { refunds });
    return;
  }
  work.cancel(settleReturnDue, found.id);
  work.schedule(closeReturnDue, found.id, work.now, {});
  work.transition(returns, found, 'refund', { refunds });
}
