import type { z } from 'zod';
import type { Shipment } from './fulfillment/shipments.ts';
import type { LoyaltyAccount } from './loyalty/objects.ts';
import type { Payment } from './payment/objects.ts';
import { committedOf } from './payment/refunds.ts';
import { isByProvider } from './payment/tender.ts';
import type { evaluatePromotions } from './promotion/apis.ts';

type Paid = z.output<typeof Payment>;
type Amount = Paid['amount'];
type Evaluation = z.output<typeof evaluatePromotions.response>;

/** An impossible fact about an object, as the end of a sentence: `captured 900, above the authorised 800`. */
type Implausible = string | undefined;

/** A rule that an answer breaks, with the end of a sentence about the real system. */
export type Mismatch = { readonly violation: 'money' | 'other_object' | 'no_effect'; readonly words: string } | undefined;

export const money = (words: string): Mismatch => ({ violation: 'money', words });
const otherObject = (words: string): Mismatch => ({ violation: 'other_object', words });

/** The currencies of all amounts in a value. */
export function* currenciesIn(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null) return;
  const { amount, currency } = value as Partial<Amount>;
  if (typeof amount === 'number' && typeof currency === 'string') yield currency;
  else for (const inner of Object.values(value)) yield* currenciesIn(inner);
}

const UNCAPTURED: readonly Paid['state'][] = ['pending', 'requires-action', 'authorised', 'voided', 'failed'];

/**
 * Facts that no real system may claim about an object of a type.
 * @param before the object as it was seen earlier
 */
export function implausible(type: string, object: object, before: object | undefined): Implausible {
  if (type === 'payment') return implausiblePayment(object as Paid, before as Paid | undefined);
  return type === 'loyalty-account' ? implausibleAccount(object as z.output<typeof LoyaltyAccount>) : undefined;
}

/** A ledger that is shown whole adds up to the balance. */
function implausibleAccount({ pointsBalance, entryCount, entries }: z.output<typeof LoyaltyAccount>): Implausible {
  const sum = entries.reduce((total, { points }) => total + points, 0);
  if (entryCount !== entries.length || sum === pointsBalance) return undefined;
  return `has ${pointsBalance} points, and its entries add up to ${sum}`;
}

/** Whatever the provider of a payment does. */
function implausiblePayment(payment: Paid, before: Paid | undefined): Implausible {
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

const APPROVED: readonly Paid['state'][] = ['authorised', 'captured', 'partially-refunded', 'fully-refunded'];

/** A member that an object lacks, with the words about the object: `is authorised without an authorizationCode`. */
type Lack = { readonly member: string; readonly words: string } | undefined;

/** What an object in its state must have, and its schema leaves optional, by type of object. */
const neededMembers: Readonly<Record<string, (object: never) => Lack>> = {
  payment: ({ state, tender, authorizationCode }: Paid): Lack => {
    if (authorizationCode !== undefined || !APPROVED.includes(state) || !isByProvider(tender)) return undefined;
    return { member: 'authorizationCode', words: `is ${state} without an authorizationCode, and its tender ${tender.type} has a provider` };
  },
  shipment: ({ state, labelStatus, trackingNumber, label }: z.output<typeof Shipment>): Lack => {
    if (state !== 'pending' && !trackingNumber) return { member: 'trackingNumber', words: `is ${state} without a trackingNumber` };
    if (labelStatus !== 'ready' || label) return undefined;
    return { member: 'label', words: 'has the labelStatus ready without a label' };
  },
};

/** A member without which an object cannot be true. */
export const lackOf = (type: string, object: object): Lack => neededMembers[type]?.(object as never);

/** Members that never change once they are known, by type of object. */
const fixedMembers: Readonly<Record<string, readonly string[]>> = {
  payment: ['orderId'],
  shipment: ['trackingNumber', 'fulfillmentOrderId', 'returnId'],
  basket: ['transactionId'],
  product: ['sku'],
  'loyalty-account': ['customerId'],
};

/** A fact that changed, as the end of a sentence: `has the orderId ord_2, and ord_1 before`. */
export function changedFact(type: string, object: object, before: object): Implausible {
  const [was, is] = [before, object] as readonly Readonly<Record<string, unknown>>[];
  const changed = fixedMembers[type]?.find((name) => was?.[name] !== undefined && is?.[name] !== undefined && was[name] !== is[name]);
  return changed && `has the ${changed} ${is?.[changed]}, and ${was?.[changed]} before`;
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
  'record-voucher-use': ({ body, output }) => {
    const asked = body as { readonly state?: string; readonly codes?: readonly string[] };
    const { state, codes } = output as { readonly state: string; readonly codes: readonly { readonly code: string }[] };
    if (asked.state !== 'locked' || state !== 'locked') return undefined;
    const [wanted, answered] = [upper(asked.codes ?? []), upper(codes.map(({ code }) => code))];
    if (wanted.symmetricDifference(answered).size === 0) return undefined;
    return otherObject(
      `was asked to lock the vouchers ${[...wanted].join(', ')}, and answered about ${[...answered].join(', ') || 'none'}.`,
    );
  },
  'take-hold': ({ body, output }) => {
    const { items = [] } = body as { readonly items?: readonly SkuUnits[] };
    const { allocations } = output as { readonly allocations: readonly SkuUnits[] };
    const sumOfSku = (all: readonly SkuUnits[], of: string): number => all.reduce((sum, { sku, qty }) => sum + (sku === of ? qty : 0), 0);
    const other = [...items, ...allocations].find(({ sku }) => sumOfSku(items, sku) !== sumOfSku(allocations, sku));
    if (!other) return undefined;
    const { sku } = other;
    return otherObject(`was asked to reserve ${sumOfSku(items, sku)} of ${sku}, and reserved ${sumOfSku(allocations, sku)}.`);
  },
};

interface SkuUnits {
  readonly sku: string;
  readonly qty: number;
}

const upper = (codes: readonly string[]): ReadonlySet<string> => new Set(codes.map((code) => code.toUpperCase()));

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
