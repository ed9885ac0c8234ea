import type { z } from 'zod';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';
import { closeReturnDue, settleReturnDue } from './due-work.ts';

export type ReturnRefund = StoredReturn['refunds'][number];
type Refunded = Pick<z.output<typeof Payment>, 'id' | 'refunds'>;

/** Minor units that were paid back for a return, by whomever. */
export const paidOf = ({ refunds }: Pick<StoredReturn, 'refunds'>): number => refunds.reduce((sum, { amount }) => sum + amount.amount, 0);

/** Whether it is to be paid back now: somebody has seen its goods, or nobody ever will. */
export const isOwed = ({ state, writtenOffAt }: Pick<StoredReturn, 'state' | 'writtenOffAt'>): boolean =>
  state === 'inspected' || (state === 'in-transit' && writtenOffAt !== undefined);

/** What a payment has paid back for a return. */
export const refundsFor = (returnId: string, { id, refunds }: Refunded): ReturnRefund[] =>
  refunds
    .filter((refund) => refund.returnId === returnId)
    .map(({ amount, at }) => ({ paymentId: id, amount, ...(at !== undefined && { at }) }));

/** The refunds of a return with those of one payment as they are told now. A payment only ever gets more of them, so fewer are old news. */
export function withRefunds(known: readonly ReturnRefund[], told: readonly ReturnRefund[]): ReturnRefund[] | undefined {
  const paymentIds = new Set(told.map(({ paymentId }) => paymentId));
  const fresh = [...paymentIds].filter((id) => countOf(told, id) > countOf(known, id));
  if (fresh.length === 0) return undefined;
  return [...known.filter(({ paymentId }) => !fresh.includes(paymentId)), ...told.filter(({ paymentId }) => fresh.includes(paymentId))];
}

const countOf = (refunds: readonly ReturnRefund[], id: string): number => refunds.filter(({ paymentId }) => paymentId === id).length;

/** Notes what was paid back. One that is owed is refunded when all of it is paid back, whoever paid; the OMS is told. */
export function noteRefunds(work: UnitOfWork, found: StoredReturn, told: readonly ReturnRefund[]): void {
  const refunds = withRefunds(found.refunds, told);
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
