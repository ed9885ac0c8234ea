import type { z } from 'zod';
import { floorShare, type Money, money } from '../../domain/money.ts';
import type { Order, OrderLine, PaymentStatus } from '../order/objects.ts';
import type { Dispute } from './disputes.ts';
import type { Payment as PaymentSchema } from './objects.ts';

/*
 * What the payments of an order have to cover, and what they cover. The rules use only published amounts, so all applications, the control
 * plane and the pages share them. Sums are minor units of the order's currency. A browser loads this file, so it imports no schemas.
 */

type Payment = z.output<typeof PaymentSchema>;
type State = Pick<Payment, 'state'>;
type Disputes = readonly z.output<typeof Dispute>[];
type Line = z.output<typeof OrderLine>;

/** Members of a payment that decide what it covers. */
export type PaymentAmounts = Pick<Payment, 'state' | 'authorizedAmount' | 'capturedAmount' | 'refundedAmount'>;
type Requested = Pick<Payment, 'amount'>;
type Capture = Pick<Payment, 'capturedAmount' | 'refundedAmount' | 'disputes'>;

/** Whether the outcome of a payment is open: its provider, the Loyalty Platform or its customer has to decide. */
export const isUndecided = ({ state }: State): boolean => state === 'pending' || state === 'requires-action';

export const hasOpenDispute = (disputes: Disputes = []): boolean => disputes.some(({ state }) => state === 'open');

const sumIn = (disputes: Disputes, states: readonly string[]): number =>
  disputes.reduce((sum, { state, amount }) => (states.includes(state) ? sum + amount.amount : sum), 0);

/** Cardholders keep this after lost disputes. */
export const lostIn = (disputes: Disputes = []): number => sumIn(disputes, ['lost']);

/** The retailer does not have this: the amounts of open disputes and of lost ones. */
export const withdrawnBy = (disputes: Disputes = []): number => sumIn(disputes, ['open', 'lost']);

const netCapturedOf = ({ capturedAmount, refundedAmount }: Pick<Capture, 'capturedAmount' | 'refundedAmount'>): number =>
  capturedAmount.amount - refundedAmount.amount;

/** The captured amount that was neither refunded nor lost in a dispute. An open dispute only delays its refund. */
export const refundableOf = (payment: Capture): Money =>
  money(netCapturedOf(payment) - lostIn(payment.disputes), payment.capturedAmount.currency);

/** The amount that the retailer has of a payment: captured, and neither refunded nor withdrawn by a dispute. */
export const keptOf = (payment: Capture): number => netCapturedOf(payment) - withdrawnBy(payment.disputes);

/** The amount that a payment secures for its order: authorised, or captured and not refunded. Disputes do not lower it. */
export const securedBy = (payment: PaymentAmounts): number =>
  payment.state === 'authorised' ? payment.authorizedAmount.amount : netCapturedOf(payment);

/** The amount that no other payment may pay: secured, or requested while the outcome is open. */
export const committedBy = (payment: PaymentAmounts & Requested): number =>
  isUndecided(payment) ? payment.amount.amount : securedBy(payment);

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

/** Part of the required amount that another payment may pay. */
export const stillToPay = (required: number, payments: readonly (PaymentAmounts & Requested)[]): number =>
  Math.max(0, required - sumOf(payments, committedBy));

/** Part of the required amount that is neither authorised nor captured. Confirm Order requires 0. */
export const stillToSecure = (required: number, payments: readonly PaymentAmounts[]): number =>
  Math.max(0, required - sumOf(payments, securedBy));

/** Part of the required amount that is not captured, or was refunded. The dispatch and the carry-out require 0. */
export const stillToCapture = (required: number, payments: readonly PaymentAmounts[]): number =>
  Math.max(0, required - sumOf(payments, netCapturedOf));

/** Whether the remaining payments, captured in full, do not cover the order. Partial captures and refunds by a client do not count. */
export function isLost(required: number, payments: readonly (PaymentAmounts & Requested)[]): boolean {
  const binding = payments.filter(({ state }) => state !== 'voided' && state !== 'failed');
  return sumOf(binding, (payment) => (isUndecided(payment) ? payment.amount : payment.authorizedAmount).amount) < required;
}

/**
 * Sums over all tenders of an order: authorised and not captured; captured and not refunded; refunded. Pending, failed and voided
 * payments count as 0.
 */
export function coverageOf(payments: readonly PaymentAmounts[]) {
  return {
    authorised: sumOf(payments, ({ state, authorizedAmount }) => (state === 'authorised' ? authorizedAmount.amount : 0)),
    netCaptured: sumOf(payments, netCapturedOf),
    refunded: sumOf(payments, ({ refundedAmount }) => refundedAmount.amount),
  };
}

/**
 * One status for all tenders of an order together. The first line that applies, where net is captured − refunded:
 *
 *   refunded             something was refunded; net and authorised are 0
 *   paid                 net covers the total; or nothing was refunded, and net is more than 0 and covers `stillDue`
 *   authorised           net and authorised together cover the total: Confirm Order would accept it
 *   partially-refunded   something was refunded; net and authorised do not cover the total
 *   unpaid               anything else: nothing, too little, or only payments that are pending, failed or voided
 *
 * Split tenders count together: an order with one captured and one authorised tender is `authorised`, and an order that lacks one
 * cent is `unpaid`. An order that costs nothing is `paid`.
 * @param stillDue the total without cancelled lines
 */
export function paymentStatusOf(
  total: number,
  payments: readonly PaymentAmounts[],
  stillDue: number = total,
): z.output<typeof PaymentStatus> {
  const { authorised, netCaptured, refunded } = coverageOf(payments);
  if (refunded > 0 && netCaptured + authorised === 0) return 'refunded';
  if (netCaptured >= total || (netCaptured > 0 && refunded === 0 && netCaptured >= stillDue)) return 'paid';
  if (netCaptured + authorised >= total) return 'authorised';
  return refunded > 0 ? 'partially-refunded' : 'unpaid';
}

/** The cancelled and returned units of a line. */
export const goneOf = ({ cancelledQty, returnedQty }: Pick<Line, 'cancelledQty' | 'returnedQty'>): number => cancelledQty + returnedQty;

/** Value of the first `units` of a line: the floor of their share, so that all units together have the value of the line. */
export const valueOfUnits = ({ lineTotal, qty }: Pick<Line, 'lineTotal' | 'qty'>, units: number): number =>
  floorShare(lineTotal.amount, units, qty);

/** Value of the goods that are neither cancelled nor returned. */
export const goodsOf = (lines: readonly Line[]): number => sumOf(lines, (line) => line.lineTotal.amount - valueOfUnits(line, goneOf(line)));

/** Shipping with its tax. */
export const shippingOf = ({ shipping, shippingTax }: Pick<z.output<typeof Order>['totals'], 'shipping' | 'shippingTax'>): number =>
  shipping.amount + (shippingTax?.amount ?? 0);

/** What the customer still pays for an order: nothing once it is cancelled or completed. */
export function leftToPay(
  order: Pick<z.output<typeof Order>, 'state' | 'completedAt' | 'lines' | 'totals'>,
  payments: readonly (PaymentAmounts & Requested)[],
): Money {
  const isOpen = order.state !== 'cancelled' && order.completedAt === undefined;
  return money(isOpen ? stillToPay(requiredFor(order), payments) : 0, order.totals.total.currency);
}

/** The payments have to cover the remaining goods plus shipping. */
export const requiredFor = ({ lines, totals }: Pick<z.output<typeof Order>, 'lines' | 'totals'>): number =>
  goodsOf(lines) + shippingOf(totals);
