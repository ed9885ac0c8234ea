import type { z } from 'zod';
import type { Refund as RefundSchema } from './objects.ts';

type Refund = z.output<typeof RefundSchema>;

export const hasFailed = ({ state }: Pick<Refund, 'state'>): boolean => state === 'failed';

/** Minor units of refunds that have not failed. Pending ones count: their money is on its way. */
export const committedOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, refund) => (hasFailed(refund) ? sum : sum + refund.amount.amount), 0);

/** Minor units of refunds that the tender has received. */
export const succeededOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, { state, amount }) => (state === 'succeeded' ? sum + amount.amount : sum), 0);

/** Minor units of failed refunds that no later refund repeats. A repeat is requested after the failure, and may be pending. */
export function owedAfterFailures(refunds: readonly Pick<Refund, 'state' | 'amount' | 'at' | 'decidedAt'>[]): number {
  const failures = refunds.filter(hasFailed).map(({ amount, decidedAt = '' }) => ({ at: decidedAt, by: amount.amount }));
  const requests = refunds.map(({ amount, at = '' }) => ({ at, by: -amount.amount }));
  return [...failures, ...requests].toSorted((a, b) => a.at.localeCompare(b.at)).reduce((owed, { by }) => Math.max(0, owed + by), 0);
}
