import type { z } from 'zod';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';
import { CLOSE_RETURN, SETTLE_RETURN } from './due-kinds.ts';

export type ReturnRefund = StoredReturn['refunds'][number];
type Refunded = Pick<z.output<typeof Payment>, 'id' | 'refunds'>;

/** Minor units that were paid back for a return, by whomever. */
export const paidOf = ({ refunds }: Pick<StoredReturn, 'refunds'>): number => refunds.reduce((sum, { amount }) => sum + amount.amount, 0);

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

/** Notes what was paid back. An inspected return of which all is paid back is refunded, whoever paid; the OMS is told. */
export function noteRefunds(work: UnitOfWork, found: StoredReturn, told: readonly ReturnRefund[]): void {
  const refunds = withRefunds(found.refunds, told);
  if (!refunds) return;
  const isPaid = paidOf({ refunds }) >= found.refundAmount.amount;
  if (!isPaid || found.state !== 'inspected' || found.rejecting) {
    work.transition(returns, found, 'note', { refunds });
    return;
  }
  work.cancel(SETTLE_RETURN, found.id);
  work.due(CLOSE_RETURN, found.id, work.now, {});
  work.transition(returns, found, 'refund', { refunds });
}
