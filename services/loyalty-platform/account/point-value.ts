import { invalid } from '../../../shared/catalog/problems.ts';
import { CURRENCY, type Money } from '../../../shared/domain/money.ts';

/** A point has a value of 0.01, one minor unit. */
export const valueOfPoints = (points: number): Money => ({ amount: points, currency: CURRENCY });

/** @throws Problem `validation_failed` for another currency than that of the points */
export function pointsOfValue({ amount, currency }: Money, pointer: string): number {
  if (currency !== CURRENCY) throw invalid(pointer, 'currency', `Points have a value in ${CURRENCY}, not in ${currency}.`);
  return amount;
}
