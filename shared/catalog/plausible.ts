import type { z } from 'zod';
import { hasOpenDispute, lostIn } from './payment/disputes.ts';
import type { Payment } from './payment/objects.ts';
import { committedOf, hasFailed } from './payment/refunds.ts';
import type { evaluatePromotions } from './promotion/apis.ts';

type Paid = z.output<typeof Payment>;
type Amount = Paid['amount'];
type Evaluation = z.output<typeof evaluatePromotions.response>;

/** An impossible fact about an object, as the end of a sentence: `captured 900, above the authorised 800`. */
type Implausible = string | undefined;

/** A rule that an answer breaks, with the end of a sentence about the real system. */
export type Mismatch = { readonly violation: 'money' | 'other_object' | 'no_effect'; readonly words: string } | undefined;

const money = (words: string): Mismatch => ({ violation: 'money', words });
const otherObject = (words: string): Mismatch => ({ violation: 'other_object', words });
const noEffect = (words: string): Mismatch => ({ violation: 'no_effect', words });

/** The currencies of all amounts in a value. */
export function* currenciesIn(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null) return;
  const { amount, currency } = value as Partial<Amount>;
  if (typeof amount === 'number' && typeof currency === 'string') yield currency;
  else for (const inner of Object.values(value)) yield* currenciesIn(inner);
}

const UNCAPTURED: readonly Paid['state'][] = ['pending', 'requires-action', 'authorised', 'voided', 'failed'];

/**
 * Facts that no real system may claim about a payment, whatever its provider does.
 * @param before the payment as it was seen earlier
 */
export function implausiblePayment(payment: Paid, before: Paid | undefined): Implausible {
  const { state, refunds } = payment;
  const [amount, authorised, captured, refunded] = amountsOf(payment);
  if ([amount, authorised, captured, refunded, ...refunds.map((one) => one.amount.amount)].some((one) => one < 0)) {
    return 'has an amount below 0';
  }
  if (authorised > amount) return `authorised ${authorised}, above the requested ${amount}`;
  if (captured > authorised) return `captured ${captured}, above the authorised ${authorised}`;
  if (refunded > captured) return `refunded ${refunded}, above the captured ${captured}`;
  const listed = committedOf(refunds);
  if (listed !== refunded) return `refunded ${refunded}, and its refunds add up to ${listed}`;
  if (state === 'authorised' && authorised === 0) return 'is authorised, with an authorizedAmount of 0';
  if (UNCAPTURED.includes(state) !== (captured === 0)) return `is ${state}, with a capturedAmount of ${captured}`;
  const isRefunded = state === 'fully-refunded' ? refunded === captured : state === 'partially-refunded' ? refunded > 0 : refunded === 0;
  if (!isRefunded || (state === 'partially-refunded' && refunded === captured)) {
    return `is ${state}, with ${refunded} refunded of ${captured}`;
  }
  return before && changedAmount(payment, before);
}

/** Amounts that are fixed once they are known: a payment is authorised and captured once. */
function changedAmount(payment: Paid, before: Paid): Implausible {
  const [amount, authorised, captured] = amountsOf(payment);
  const [amountBefore, authorisedBefore, capturedBefore] = amountsOf(before);
  if (amount !== amountBefore) return `has an amount of ${amount}, and of ${amountBefore} before`;
  if (authorisedBefore > 0 && authorised !== authorisedBefore) return `authorised ${authorised}, and ${authorisedBefore} before`;
  if (capturedBefore > 0 && captured !== capturedBefore) return `captured ${captured}, and ${capturedBefore} before`;
  return undefined;
}

const amountsOf = ({ amount, authorizedAmount, capturedAmount, refundedAmount }: Paid) =>
  [amount.amount, authorizedAmount.amount, capturedAmount.amount, refundedAmount.amount] as const;

/** A change of a payment that a call requested. */
interface Acted {
  readonly asked: {
    readonly amount?: Amount;
    readonly acceptPartial?: boolean;
    readonly reference?: string;
    readonly tender?: { readonly type: string };
  };
  /** As it was known before the call. */
  readonly before: Paid | undefined;
  /** As it is known with the answer. */
  readonly after: Paid;
  /** Answered as a new object, and not as a repeat. */
  readonly isNew: boolean;
}

/** What a successful answer of the Payment Hub must show, by call. */
export const paymentEffects: Readonly<Record<string, (acted: Acted) => Mismatch>> = {
  'authorize-payment-api': ({ asked, after: { state, amount, authorizedAmount } }) => {
    // Cash above the outstanding amount pays only that.
    const isAsked = asked.tender?.type === 'cash' ? (most: number) => amount.amount <= most : (all: number) => amount.amount === all;
    if (asked.amount && !isAsked(asked.amount.amount)) return money(`was asked for ${asked.amount.amount}, and pays ${amount.amount}.`);
    if (state !== 'authorised' || asked.acceptPartial || authorizedAmount.amount === amount.amount) return undefined;
    return money(`authorised ${authorizedAmount.amount} of ${amount.amount}, and the request did not accept a part.`);
  },
  'capture-payment-api': ({ asked, after: { state, capturedAmount, authorizedAmount } }) => {
    const all = asked.amount?.amount ?? authorizedAmount.amount;
    if (UNCAPTURED.includes(state)) return noEffect(`answered a capture with success, and the payment is ${state}.`);
    return capturedAmount.amount === all ? undefined : money(`was asked to capture ${all}, and captured ${capturedAmount.amount}.`);
  },
  'void-payment-api': ({ after: { state } }) =>
    state === 'voided' ? undefined : noEffect(`answered a void with success, and the payment is ${state}.`),
  'refund-payment-api': ({ asked, before, after, isNew }) => {
    const amount = asked.amount?.amount ?? 0;
    const like = ({ refunds }: Paid) => refunds.filter((one) => one.amount.amount === amount);
    if (like(after).length === 0) return money(`was asked to refund ${amount}, and shows no refund of it.`);
    const isRepeat = !isNew || (asked.reference !== undefined && like(after).some(({ reference }) => reference === asked.reference));
    if (isRepeat || !before || like(after).length > like(before).length) return undefined;
    return noEffect(`answered a refund of ${amount} with success, and shows no new refund.`);
  },
  'reverse-payment': ({ after }) => {
    const { state, capturedAmount, refundedAmount, refunds, disputes } = after;
    const left = capturedAmount.amount - refundedAmount.amount - lostIn(disputes);
    const isLeft = left > 0 && !refunds.some(hasFailed) && !hasOpenDispute(disputes);
    if (state !== 'authorised' && state !== 'requires-action' && !isLeft) return undefined;
    return noEffect(`answered a reversal with success, and the payment is ${state}.`);
  },
  'dispute-payment': ({ after: { disputes } }) =>
    hasOpenDispute(disputes) ? undefined : noEffect('answered a dispute with success, and no dispute is open.'),
  'decide-dispute': ({ after: { disputes } }) =>
    hasOpenDispute(disputes) ? noEffect('answered the outcome of a dispute with success, and the dispute is open.') : undefined,
  'complete-payment-action': ({ after: { state } }) =>
    state === 'requires-action' ? noEffect('answered the action of a customer with success, and still requires it.') : undefined,
};

/** A call with its answer. */
interface Exchange {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly output: unknown;
}

/** What an answer without objects must agree with, by call. */
export const answerRules: Readonly<Record<string, (exchange: Exchange) => Mismatch>> = {
  'evaluate-promotions-api': ({ body, output }) => {
    const { lines } = body as { readonly lines?: readonly Pick<Evaluation['lines'][number], 'sku' | 'qty' | 'unitPrice'>[] };
    const evaluation = output as Evaluation;
    return (lines && otherLines(lines, evaluation)) ?? untrueDiscounts(evaluation);
  },
  'validate-voucher-api': ({ params, body, output }) => {
    const { amount } = body as { readonly amount?: Amount };
    const { code, discount } = output as { readonly code: string; readonly discount?: Amount };
    if (code.toUpperCase() !== params['code']?.toUpperCase()) return otherObject(`answered about another voucher than ${params['code']}.`);
    if (!discount) return undefined;
    if (discount.amount >= 0 && (!amount || discount.amount <= amount.amount)) return undefined;
    return money(`claims a discount of ${discount.amount}${amount ? ` for an amount of ${amount.amount}` : ''}.`);
  },
};

function otherLines(asked: readonly Pick<Evaluation['lines'][number], 'sku' | 'qty' | 'unitPrice'>[], { lines }: Evaluation): Mismatch {
  if (lines.length !== asked.length) return otherObject(`was asked about ${asked.length} lines, and answered with ${lines.length}.`);
  for (const [index, { sku, qty, unitPrice }] of asked.entries()) {
    const line = lines[index];
    if (line?.sku !== sku || line.qty !== qty) {
      return otherObject(`was asked about ${qty} of ${sku} at /lines/${index}, and answered about ${line?.qty} of ${line?.sku}.`);
    }
    if (line.unitPrice.amount !== unitPrice.amount) {
      return money(`changed the unitPrice at /lines/${index} from ${unitPrice.amount} to ${line.unitPrice.amount}.`);
    }
  }
  return undefined;
}

const sumOf = (discounts: readonly { readonly discount: Amount }[]): number =>
  discounts.reduce((sum, { discount }) => sum + discount.amount, 0);

function untrueDiscounts({ lines, totalDiscount, applied }: Evaluation): Mismatch {
  for (const [index, { qty, unitPrice, discount, discounts, lineTotal }] of lines.entries()) {
    const at = `at /lines/${index}`;
    const price = qty * unitPrice.amount;
    if ([discount, ...discounts.map((one) => one.discount)].some(({ amount }) => amount < 0))
      return money(`claims a discount below 0 ${at}.`);
    if (discount.amount > price) return money(`claims a discount of ${discount.amount} ${at}, above the price of ${price}.`);
    if (sumOf(discounts) !== discount.amount) {
      return money(`claims a discount of ${discount.amount} ${at}, and its discounts add up to ${sumOf(discounts)}.`);
    }
    if (lineTotal.amount !== price - discount.amount) {
      return money(`claims a lineTotal of ${lineTotal.amount} ${at}, and ${price} less ${discount.amount} is ${price - discount.amount}.`);
    }
  }
  const total = totalDiscount.amount;
  if (total !== sumOf(lines)) return money(`claims a totalDiscount of ${total}, and the discounts of its lines add up to ${sumOf(lines)}.`);
  return total === sumOf(applied) ? undefined : money(`claims a totalDiscount of ${total}, and applied adds up to ${sumOf(applied)}.`);
}
