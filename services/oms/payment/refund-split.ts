import { REFUND_ORDER } from '../../../shared/catalog/payment/objects.ts';
import type { Payment } from './payments.ts';

/** Prefix of the references of refunds for cancelled units. Refunds by a client have no reference. */
const CANCELLED_PREFIX = 'cancelled/';

/** Reference of the refund for cancelled units. `upTo` counts the cancelled and returned units of the line, including these. */
export const refundReference = (lineId: string, upTo: number): string => `${CANCELLED_PREFIX}${lineId}/${upTo}`;

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

const sumOfRefunds = (payments: readonly Payment[], which: (reference: string | undefined) => boolean): number =>
  sumOf(payments, ({ refunds }) =>
    sumOf(
      refunds.filter(({ reference }) => which(reference)),
      ({ amount }) => amount.amount,
    ),
  );

/** Minor units still to be refunded under a reference. An interrupted attempt may have refunded a part. */
export const stillOwed = ({ reference, amount }: { reference: string; amount: number }, payments: readonly Payment[]): number =>
  Math.max(0, amount - sumOfRefunds(payments, (paid) => paid === reference));

/**
 * Minor units captured beyond the required amount, less the refunds for cancelled units so far. If less was captured than the order
 * costs, the customer has not paid for the cancelled units. Refunds by a client are goodwill and do not reduce the excess.
 */
export const excessOf = (payments: readonly Payment[], required: number): number =>
  Math.max(
    0,
    sumOf(payments, ({ capturedAmount }) => capturedAmount.amount) -
      sumOfRefunds(payments, (paid) => paid?.startsWith(CANCELLED_PREFIX) === true) -
      required,
  );

/** Spreads minor units over payments by tender, each up to captured − refunded. Skips those already refunded under `reference`. */
export function refundSplit(amount: number, reference: string, payments: readonly Payment[]): { id: string; amount: number }[] {
  const free = payments.filter(({ refunds }) => !refunds.some((refund) => refund.reference === reference));
  let left = amount;
  return REFUND_ORDER.flatMap((type) => free.filter(({ tender }) => tender.type === type)).flatMap(
    ({ id, capturedAmount, refundedAmount }) => {
      const part = Math.min(left, capturedAmount.amount - refundedAmount.amount);
      left -= part;
      return part > 0 ? [{ id, amount: part }] : [];
    },
  );
}
