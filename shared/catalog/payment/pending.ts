import { type Money, moneyInWords } from '../../domain/money.ts';
import { Problem } from '../problems.ts';

/** A payment without a decision of its provider or of the Loyalty Platform. */
interface PendingPayment {
  readonly id: string;
  readonly amount: Money;
}

/** A refusal's list of pending payments. Their outcome decides whether the request succeeds later. */
export const awaiting = (payments: readonly PendingPayment[]) => ({
  pending: payments.map(({ id, amount }) => ({ paymentId: id, amount })),
  retryable: true,
});

/** Whether an amount would fit if all pending payments were declined. If not, the refusal is not retryable. */
const mayFit = (requested: number, outstanding: number, payments: readonly PendingPayment[]): boolean =>
  requested <= payments.reduce((sum, { amount }) => sum + amount.amount, outstanding);

/** `10.00 EUR of "pay_1" and 5.00 EUR of "pay_2"`. */
export const pendingInWords = (payments: readonly PendingPayment[]): string =>
  payments.map(({ id, amount }) => `${moneyInWords(amount)} of "${id}"`).join(' and ');

interface Overpayment {
  readonly objectType: 'order' | 'transaction';
  readonly id: string;
  readonly outstanding: Money;
  /** Default: the whole outstanding amount. */
  readonly requested: Money | undefined;
  readonly pending: readonly PendingPayment[];
}

/** 409 for more than the outstanding amount, or when nothing is outstanding. Retryable if pending payments may still change that. */
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
  const detail = `${may}. Not decided yet: ${pendingInWords(pending)}. Repeat the request after the decision.`;
  return new Problem('overpayment', detail, { ...about, ...awaiting(pending) });
}
