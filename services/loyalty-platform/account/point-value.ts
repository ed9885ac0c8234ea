import { CURRENCY, type Money } from '../../../shared/domain/money.ts';

/** A point has a value of 0.01, one minor unit. */
export const valueOfPoints = (points: number): Money => ({ amount: points, currency: CURRENCY });

export const pointsOfValue = ({ amount }: Money): number => amount;
