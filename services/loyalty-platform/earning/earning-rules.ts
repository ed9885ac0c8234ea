import type { Earning } from '../collections.ts';

const MINOR_UNITS_PER_EARNED_POINT = 100;

/** One point per full 1.00. @param amount in minor units */
export const pointsForAmount = (amount: number): number => Math.floor(amount / MINOR_UNITS_PER_EARNED_POINT);

/**
 * The points that the refunds of an order up to this one take back together: the difference to what the remaining amount would have
 * earned. Refunds that are already subtracted from the earned amount take nothing.
 */
export function pointsToTakeBack({ earned, refunds }: Pick<Earning, 'earned' | 'refunds'>, upTo: { readonly id: string }): number {
  if (!earned) return 0;
  const until = refunds.slice(0, refunds.findIndex(({ id }) => id === upTo.id) + 1);
  const refunded = until.filter(({ id }) => !earned.deducted.includes(id)).reduce((sum, { amount }) => sum + amount, 0);
  return earned.points - pointsForAmount(Math.max(0, earned.amount - refunded));
}
