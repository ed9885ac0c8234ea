import { type Money, moneyInWords } from '../../domain/money.ts';

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
export const mayFit = (requested: number, outstanding: number, payments: readonly PendingPayment[]): boolean =>
  requested <= payments.reduce((sum, { amount }) => sum + amount.amount, outstanding);

/** `10.00 EUR of "pay_1" and 5.00 EUR of "pay_2"`. */
export const pendingInWords = (payments: readonly PendingPayment[]): string =>
  payments.map(({ id, amount }) => `${moneyInWords(amount)} of "${id}"`).join(' and ');
