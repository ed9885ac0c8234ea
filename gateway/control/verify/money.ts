import type { z } from 'zod';
import type { FulfillmentOrder } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../../shared/catalog/payment/objects.ts';
import { floorShare } from '../../../shared/domain/money.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, grouped, type InvariantResult, sums } from './invariant.ts';

type Payment = z.output<typeof PaymentSchema>;
type Order = z.output<typeof OrderSchema>;
type Check = ReturnType<typeof findings>['check'];

export function money(held: HeldWorld): InvariantResult {
  const { of } = held;
  const { check, result } = findings(
    'money',
    'Nothing is captured beyond what was authorised, refunded beyond what was captured, sent unpaid, or lost in between',
  );
  const payments = of<Payment>('payment');
  for (const payment of payments) checkPayment(payment, check);
  const paymentsOf = grouped(payments, ({ orderId }) => orderId);
  const sent = new Set(
    of<z.output<typeof FulfillmentOrder>>('fulfillment-order')
      .filter(({ state }) => LEFT.has(state))
      .map(({ orderId }) => orderId),
  );
  for (const order of of<Order>('order')) {
    const paid = paymentsOf.get(order.id) ?? [];
    checkTotals(order, check);
    checkCover(order, paid, check);
    const carriedOut = order.channel === 'pos' && order.completedAt !== undefined;
    if ((sent.has(order.id) || carriedOut) && order.state !== 'cancelled') checkSentIsPaid(order, paid, check);
  }
  checkCounters(held, payments, check);
  return result();
}

/** States of a fulfillment order whose goods have left. */
export const LEFT: ReadonlySet<string> = new Set(['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender']);

function checkPayment(payment: Payment, check: Check): void {
  const { id, state, amount, authorizedAmount, capturedAmount, refundedAmount, refunds } = payment;
  const numbers = [amount.amount, authorizedAmount.amount, capturedAmount.amount, refundedAmount.amount];
  check(
    numbers.every((value) => Number.isSafeInteger(value) && value >= 0),
    `payment/${id}: amounts are not integers ≥ 0: ${numbers.join(', ')}`,
  );
  check(authorizedAmount.amount <= amount.amount, `payment/${id}: authorised ${authorizedAmount.amount} > asked ${amount.amount}`);
  check(
    capturedAmount.amount <= authorizedAmount.amount,
    `payment/${id}: captured ${capturedAmount.amount} > authorised ${authorizedAmount.amount}`,
  );
  check(
    refundedAmount.amount <= capturedAmount.amount,
    `payment/${id}: refunded ${refundedAmount.amount} > captured ${capturedAmount.amount}`,
  );
  const listed = refunds.reduce((sum, refund) => sum + refund.amount.amount, 0);
  check(listed === refundedAmount.amount, `payment/${id}: its refunds add up to ${listed}, not to ${refundedAmount.amount}`);
  const isCaptured = state === 'captured' || state === 'partially-refunded' || state === 'fully-refunded';
  check(isCaptured === capturedAmount.amount > 0, `payment/${id}: ${state} with ${capturedAmount.amount} captured`);
  check(
    (state === 'fully-refunded') === (isCaptured && refundedAmount.amount === capturedAmount.amount),
    `payment/${id}: ${state} with ${refundedAmount.amount} of ${capturedAmount.amount} refunded`,
  );
}

function checkTotals({ id, lines, totals }: Order, check: Check): void {
  const goods = lines.reduce((sum, line) => sum + line.lineTotal.amount, 0);
  const discount = lines.reduce((sum, line) => sum + line.discount.amount, 0);
  check(
    goods + totals.shipping.amount === totals.total.amount,
    `order/${id}: lines ${goods} and shipping ${totals.shipping.amount} are not the total ${totals.total.amount}`,
  );
  check(discount === totals.discount.amount, `order/${id}: line discounts add up to ${discount}, not to ${totals.discount.amount}`);
  check(
    totals.subtotal.amount - totals.discount.amount + totals.shipping.amount === totals.total.amount,
    `order/${id}: totals do not add up`,
  );
}

/** What a payment promises to its order, or has paid. */
function boundBy({ state, amount, authorizedAmount, capturedAmount }: Payment): number {
  if (state === 'failed' || state === 'voided') return 0;
  if (state === 'pending') return amount.amount;
  return state === 'authorised' ? authorizedAmount.amount : capturedAmount.amount;
}

function checkCover({ id, totals }: Order, payments: readonly Payment[], check: Check): void {
  const bound = payments.reduce((sum, payment) => sum + keptBy(payment), 0);
  check(bound <= totals.total.amount, `order/${id}: payments of ${bound} for a total of ${totals.total.amount}`);
}

/** What a payment keeps: promised to its order or paid, and not paid back. */
export const keptBy = (payment: Payment): number => boundBy(payment) - payment.refundedAmount.amount;

/** The Payment Hub decides by counters: they must say what the payments say. */
function checkCounters({ counters, seed }: HeldWorld, payments: readonly Payment[], check: Check): void {
  const begun = seed.applications['payment-hub']?.counters['gift-card-balances'] ?? {};
  const ofGiftCards = sums(
    payments.filter(({ tender }) => tender.type === 'gift-card'),
    ({ tender: { token = '' } }) => token,
    keptBy,
  );
  for (const [token, { balance = 0 }] of Object.entries(counters('payment-hub', 'gift-card-balances'))) {
    const kept = ofGiftCards.get(token) ?? 0;
    const had = begun[token]?.['balance'] ?? 0;
    check(had - kept === balance, `gift card ${token}: ${balance} of ${had} are left, and payments have ${kept}`);
  }
  const bound = sums(payments, ({ orderId }) => orderId, keptBy);
  for (const [orderId, { committed = 0 }] of Object.entries(counters('payment-hub', 'order-covers'))) {
    const promised = bound.get(orderId) ?? 0;
    check(committed === promised, `order/${orderId}: ${committed} count as promised, and its payments promise ${promised}`);
  }
}

/**
 * Goods left only when what was captured, less what the estate paid back for goods that were never delivered, covers the lines that are
 * not cancelled, plus shipping. What comes back afterwards is another matter. What somebody pays back by hand under no reference is goodwill: it leaves a bill that is settled uncovered.
 */
function checkSentIsPaid({ id, lines, totals }: Order, payments: readonly Payment[], check: Check): void {
  const kept = payments.reduce((sum, { capturedAmount, refunds }) => {
    const paidBack = refunds
      .filter(({ reference, returnId }) => reference !== undefined && returnId === undefined)
      .reduce((back, { amount }) => back + amount.amount, 0);
    return sum + capturedAmount.amount - paidBack;
  }, 0);
  const goods = lines.reduce(
    (sum, { lineTotal, qty, cancelledQty }) => sum + lineTotal.amount - floorShare(lineTotal.amount, cancelledQty, qty),
    0,
  );
  const required = goods + totals.shipping.amount;
  const named = payments.map((payment) => `payment/${payment.id}`).join(', ') || 'no payment';
  check(kept >= required, `order/${id}: goods have left, and ${named} keep ${kept} of the ${required} that they and the shipping cost`);
}
