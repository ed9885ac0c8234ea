import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coverageOf, type PaymentAmounts, paymentStatusOf, stillToSecure } from '../../shared/catalog/payment/cover.ts';
import { eur } from '../support/steps/tender.ts';

const payment = (state: PaymentAmounts['state'], authorised: number, captured = 0, refunded = 0): PaymentAmounts => ({
  state,
  authorizedAmount: eur(authorised),
  capturedAmount: eur(captured),
  refundedAmount: eur(refunded),
});

test.each<[string, readonly PaymentAmounts[]]>([
  ['unpaid', []],
  ['unpaid', [payment('failed', 0), payment('voided', 3000)]],
  ['unpaid', [payment('authorised', 2999)]],
  ['unpaid', [payment('captured', 3000, 2999)]],
  ['authorised', [payment('authorised', 3000)]],
  ['authorised', [payment('captured', 1000, 1000), payment('authorised', 2000)]],
  ['authorised', [payment('fully-refunded', 3000, 3000, 3000), payment('authorised', 3000)]],
  ['paid', [payment('captured', 3000, 3000)]],
  ['paid', [payment('captured', 1000, 1000), payment('captured', 2000, 2000), payment('failed', 0)]],
  ['partially-refunded', [payment('partially-refunded', 3000, 3000, 1)]],
  ['partially-refunded', [payment('fully-refunded', 1000, 1000, 1000), payment('authorised', 2000)]],
  ['refunded', [payment('fully-refunded', 3000, 3000, 3000)]],
  ['refunded', [payment('fully-refunded', 1000, 1000, 1000), payment('voided', 2000)]],
])('The payment status of an order of 30.00 is %s for %j', (status, payments) => expect(paymentStatusOf(3000, payments)).toBe(status));

test.each<[string, readonly PaymentAmounts[]]>([
  ['paid', [payment('captured', 2000, 2000)]],
  ['paid', [payment('captured', 2000, 2000), payment('authorised', 1000)]],
  ['unpaid', [payment('captured', 1999, 1999)]],
  ['authorised', [payment('authorised', 3000)]],
  ['partially-refunded', [payment('partially-refunded', 3000, 3000, 1000)]],
])('The payment status of an order of 30.00 with 20.00 still due is %s for %j', (status, payments) =>
  expect(paymentStatusOf(3000, payments, 2000)).toBe(status),
);

test('The payment status of an order that costs nothing is paid', () => expect(paymentStatusOf(0, [])).toBe('paid'));

const amounts = fc.record({ authorised: fc.nat(5000), captured: fc.nat(5000), refunded: fc.nat(5000) });
const anyPayment = fc
  .tuple(fc.constantFrom('pending', 'authorised', 'captured', 'partially-refunded', 'fully-refunded', 'voided', 'failed'), amounts)
  .map(([state, { authorised, captured, refunded }]): PaymentAmounts => {
    if (state === 'pending' || state === 'failed') return payment(state, 0);
    if (state === 'authorised' || state === 'voided') return payment(state, authorised);
    const taken = Math.max(2, captured);
    if (state === 'captured') return payment(state, taken, taken);
    return payment(state as 'partially-refunded', taken, taken, state === 'fully-refunded' ? taken : 1 + (refunded % (taken - 1)));
  });

test('The payments of an order make it authorised or paid exactly when nothing is outstanding, unless everything was refunded', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9000 }), fc.array(anyPayment, { maxLength: 5 }), (total, payments) => {
      const status = paymentStatusOf(total, payments);
      expect(stillToSecure(total, payments) === 0).toBe(status === 'authorised' || status === 'paid');
    }),
  );
});

test('The payments of an order have the same status in any sequence, and failed and voided payments change nothing', () => {
  fc.assert(
    fc.property(fc.nat(9000), fc.array(anyPayment, { maxLength: 5 }), (total, payments) => {
      const status = paymentStatusOf(total, payments);
      expect(paymentStatusOf(total, payments.toReversed())).toBe(status);
      expect(paymentStatusOf(total, [...payments, payment('failed', 0), payment('voided', 4000)])).toBe(status);
    }),
  );
});

test('The payments of an order never have a negative amount, and net captured and refunded add up to captured', () => {
  fc.assert(
    fc.property(fc.array(anyPayment, { maxLength: 5 }), (payments) => {
      const { authorised, netCaptured, refunded } = coverageOf(payments);
      const captured = payments.reduce((sum, { capturedAmount }) => sum + capturedAmount.amount, 0);
      expect(Math.min(authorised, netCaptured, refunded)).toBeGreaterThanOrEqual(0);
      expect(netCaptured + refunded).toBe(captured);
    }),
  );
});
