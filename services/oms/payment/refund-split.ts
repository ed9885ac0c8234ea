import type { Payment } from './payments.ts';

/** In which order tenders are paid back. */
const TENDERS: readonly Payment['tender']['type'][] = ['card', 'bnpl', 'gift-card', 'cash', 'loyalty', 'exchange-credit'];

/** Begins the reference of what the OMS pays back for cancelled units. What a client pays back has none. */
const OWN = 'cancelled/';

/** One refund per payment: units of a line that were cancelled, counted over all of the line’s. */
export const refundReference = (lineId: string, upTo: number): string => `${OWN}${lineId}/${upTo}`;

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

const sumOfRefunds = (payments: readonly Payment[], which: (reference: string | undefined) => boolean): number =>
  sumOf(payments, ({ refunds }) =>
    sumOf(
      refunds.filter(({ reference }) => which(reference)),
      ({ amount }) => amount.amount,
    ),
  );

/** What is still to be paid back under a reference: a part may have been before something broke off. */
export const stillOwed = ({ reference, amount }: { reference: string; amount: number }, payments: readonly Payment[]): number =>
  Math.max(0, amount - sumOfRefunds(payments, (paid) => paid === reference));

/**
 * What was captured beyond what the order still has to cover. A customer of whom less was captured than the order costs never paid
 * for what is cancelled. Refunds that a client makes are goodwill: they do not shorten what the OMS owes.
 */
export const excessOf = (payments: readonly Payment[], required: number): number =>
  Math.max(
    0,
    sumOf(payments, ({ capturedAmount }) => capturedAmount.amount) -
      sumOfRefunds(payments, (paid) => paid?.startsWith(OWN) === true) -
      required,
  );

/**
 * Spreads an amount over payments in the order of their tenders, each up to what is captured and not paid back. A payment has one
 * refund per reference, so those that have it are passed over.
 */
export function refundSplit(amount: number, reference: string, payments: readonly Payment[]): { id: string; amount: number }[] {
  const free = payments.filter(({ refunds }) => !refunds.some((refund) => refund.reference === reference));
  let left = amount;
  return TENDERS.flatMap((type) => free.filter(({ tender }) => tender.type === type)).flatMap(({ id, capturedAmount, refundedAmount }) => {
    const part = Math.min(left, capturedAmount.amount - refundedAmount.amount);
    left -= part;
    return part > 0 ? [{ id, amount: part }] : [];
  });
}
