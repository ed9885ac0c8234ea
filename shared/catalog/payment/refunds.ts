import type { z } from 'zod';
import type { Payment as PaymentSchema, Refund as RefundSchema } from './objects.ts';

type Refund = z.output<typeof RefundSchema>;
type Payments = readonly {
  readonly refunds: readonly (Pick<Refund, 'state' | 'amount' | 'at' | 'decidedAt'> & Purpose)[];
  readonly disputes?: z.output<typeof PaymentSchema>['disputes'];
}[];

/** Names a refund by its payment and its index among the refunds of the payment. */
export const refundId = (paymentId: string, index: number): string => `${paymentId}.refund-${index + 1}`;

export const hasFailed = ({ state }: Pick<Refund, 'state'>): boolean => state === 'failed';

/** Minor units of refunds that have not failed. Pending ones count: their money is on its way. */
export const committedOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, refund) => (hasFailed(refund) ? sum : sum + refund.amount.amount), 0);

/** Minor units of refunds that the tender has received. */
export const succeededOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, { state, amount }) => (state === 'succeeded' ? sum + amount.amount : sum), 0);

type Purpose = Pick<Refund, 'returnId' | 'reference'>;

/**
 * What a refund pays back: a return, or the units that its reference names. A repeat of a reference appends a number. Undefined: what its
 * caller decided, which may be anything but a return.
 */
const purposeOf = ({ returnId, reference }: Purpose): string | undefined => returnId ?? reference?.split('/').slice(0, 3).join('/');

export const isSamePurpose = (one: Purpose, other: Purpose): boolean => purposeOf(one) === purposeOf(other);

/**
 * Minor units of failed refunds that no later refund repeats, by what they pay back. A repeat is requested after the failure, and may be
 * pending. A refund without return and reference, or a lost dispute, repeats any failed refund that is not for a return.
 */
function owedByPurpose(payments: Payments): Map<string, number> {
  const refunds = payments.flatMap((payment) => payment.refunds);
  const failures = refunds.filter(hasFailed).map((refund) => ({ refund, at: refund.decidedAt ?? '', by: refund.amount.amount }));
  const requests = refunds.map((refund) => ({ refund, at: refund.at ?? '', by: -refund.amount.amount }));
  const lost = payments
    .flatMap(({ disputes = [] }) => disputes.filter(({ state }) => state === 'lost'))
    .map(({ decidedAt = '', amount }) => ({ refund: {}, at: decidedAt, by: -amount.amount }));
  const owed = new Map<string, number>();
  const returns = new Set(refunds.flatMap(({ returnId }) => returnId ?? []));
  for (const { refund, by } of [...failures, ...requests, ...lost].toSorted((a, b) => a.at.localeCompare(b.at))) {
    const purpose = purposeOf(refund) ?? '';
    if (by > 0) {
      owed.set(purpose, (owed.get(purpose) ?? 0) + by);
      continue;
    }
    let left = -by;
    for (const [other, amount] of owed) {
      if (purpose === '' ? returns.has(other) : other !== purpose) continue;
      const repeated = Math.min(left, amount);
      owed.set(other, amount - repeated);
      left -= repeated;
    }
  }
  return owed;
}

/** Minor units of failed refunds that no later refund repeats. @param purpose only those that repeat this return or reference */
export function owedAfterFailures(payments: Payments, purpose?: Purpose): number {
  const owed = owedByPurpose(payments);
  return purpose ? (owed.get(purposeOf(purpose) ?? '') ?? 0) : [...owed.values()].reduce((sum, amount) => sum + amount, 0);
}
