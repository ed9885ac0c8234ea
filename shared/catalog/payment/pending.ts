import { type Money, moneyInWords } from '../../domain/money.ts';
import { Problem } from '../problems.ts';

/** A payment on which its provider, or the Loyalty Platform, has not decided. */
interface PendingPayment {
  readonly id: string;
  readonly amount: Money;
}

/** How a refusal lists payments that stand in the way: their end decides whether the request succeeds. */
export const awaiting = (payments: readonly PendingPayment[]) => ({
  pending: payments.map(({ id, amount }) => ({ paymentId: id, amount })),
  retryable: true,
});

/** Whether an amount would fit if all of these payments were declined. Otherwise waiting for them does not help. */
const mayFit = (requested: number, outstanding: number, payments: readonly PendingPayment[]): boolean =>
  requested <= payments.reduce((sum, { amount }) => sum + amount.amount, outstanding);

/** `10.00 EUR of "pay_1" and 5.00 EUR of "pay_2"`. */
export const pendingInWords = (payments: readonly PendingPayment[]): string =>
  payments.map(({ id, amount }) => `${moneyInWords(amount)} of "${id}"`).join(' and ');

interface Overpayment {
  readonly objectType: 'order' | 'transaction';
  readonly id: string;
  readonly outstanding: Money;
  /** Absent: all that is outstanding. */
  readonly requested: Money | undefined;
  readonly pending: readonly PendingPayment[];
}

/** 409 for an amount above what is outstanding, or when nothing is. While pending payments decide that, a repeat after them may succeed. */
export function overpayment({ objectType, id, outstanding, requested, pending }: Overpayment): Problem {
  const about = { objectType, id, outstanding };
  const what = `The ${objectType} "${id}"`;
  const isUndecided = pending.length > 0 && mayFit(requested?.amount ?? 0, outstanding.amount, pending);
  if (!isUndecided) {
    const refused = requested ? `${moneyInWords(requested)} would be too much` : 'there is nothing to pay';
    return new Problem('overpayment', `${what} has ${moneyInWords(outstanding)} outstanding; ${refused}.`, about);
  }
  const may =
    outstanding.amount === 0
      ? `Pending payments may cover the ${objectType} "${id}"`
      : `${what} has ${moneyInWords(outstanding)} outstanding if its pending payments are approved; ${moneyInWords(requested ?? outstanding)} would be too much then`;
  const detail = `${may}. Not decided yet: ${pendingInWords(pending)}. Send this request again when that is decided.`;
  return new Problem('overpayment', detail, { ...about, ...awaiting(pending) });
}
