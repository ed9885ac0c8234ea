import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { netCommitment } from '../../control/verify/money.ts';
import type { Payment as StoredPayment } from '../../control/verify/stored-records.ts';
import {
  committedBy,
  coverageOf,
  type goodsOf,
  isLost,
  keptOf,
  type PaymentAmounts,
  paymentStatusOf,
  refundableOf,
  requiredFor,
  securedBy,
  stillToCapture,
  stillToPay,
  stillToSecure,
} from '../../shared/catalog/payment/cover.ts';
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

/** A payment after its story, and the amounts that a ledger of the story has. */
const story = fc
  .record({
    currency: fc.constantFrom('EUR', 'JPY', 'BHD'),
    requested: fc.integer({ min: 4, max: 9_000 }),
    end: fc.constantFrom('pending', 'requires-action', 'failed', 'authorised', 'voided', 'declined-at-capture', 'captured', 'refunded'),
    parts: fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 })),
  })
  .map(({ currency, requested, end, parts: [approved, taken, returned] }) => {
    const part = (amount: number, share: number): number => Math.ceil((amount * share) / 100);
    const authorised = ['pending', 'requires-action', 'failed'].includes(end) ? 0 : part(requested, approved);
    const captured = end === 'captured' || end === 'refunded' ? part(authorised, taken) : 0;
    const refunded = end === 'refunded' ? part(captured, returned) : 0;
    const refundedState = refunded === captured ? 'fully-refunded' : 'partially-refunded';
    const state = end === 'refunded' ? refundedState : end === 'declined-at-capture' ? 'failed' : end;
    const isOpen = end === 'pending' || end === 'requires-action';
    const secured = end === 'authorised' ? authorised : captured - refunded;
    return {
      payment: {
        state: state as PaymentAmounts['state'],
        amount: { amount: requested, currency },
        authorizedAmount: { amount: authorised, currency },
        capturedAmount: { amount: captured, currency },
        refundedAmount: { amount: refunded, currency },
      },
      ledger: { secured, committed: isOpen ? requested : secured, captured: captured - refunded },
    };
  });

test('A payment commits and secures what its story leaves, and verify counts the same', () => {
  fc.assert(
    fc.property(story, ({ payment, ledger }) => {
      expect([committedBy(payment), securedBy(payment)]).toEqual([ledger.committed, ledger.secured]);
      expect(netCommitment(payment as StoredPayment)).toBe(ledger.committed);
      expect(refundableOf(payment)).toEqual({ amount: ledger.captured, currency: payment.amount.currency });
    }),
  );
});

test('The payments of an order leave the rest of the required amount to pay, to secure and to capture', () => {
  fc.assert(
    fc.property(fc.nat(30_000), fc.array(story, { maxLength: 6 }), (required, stories) => {
      const payments = stories.map((one) => one.payment);
      const rest = (of: 'committed' | 'secured' | 'captured') =>
        Math.max(
          0,
          stories.reduce((left, { ledger }) => left - ledger[of], required),
        );
      const found = [stillToPay, stillToSecure, stillToCapture].map((sum) => sum(required, payments));
      expect(found).toEqual([rest('committed'), rest('secured'), rest('captured')]);
      if (stillToPay(required, payments) === 0) expect(isLost(required, payments)).toBe(false);
    }),
  );
});

test('An order is lost unless its payments, captured in full, cover it: partial captures and refunds do not count', () => {
  const requested = { amount: eur(3000) };
  const pending = { ...requested, ...payment('pending', 0) };
  const captured = { ...requested, ...payment('partially-refunded', 3000, 2000, 500) };
  const [failed, voided] = (['failed', 'voided'] as const).map((state) => ({ ...requested, ...payment(state, 3000) }));
  const lost = [[pending], [captured], [failed], [voided], []].map((payments) =>
    isLost(
      3000,
      payments.filter((one) => one !== undefined),
    ),
  );
  expect(lost).toEqual([false, false, true, true, true]);
});

test('A dispute lowers what can be refunded once it is lost, and what the retailer keeps while it is open', () => {
  const dispute = { id: 'dsp_1', reason: 'general' as const, fee: eur(2000), openedAt: '', respondBy: '' };
  const disputes = [
    { ...dispute, state: 'open' as const, amount: eur(100) },
    { ...dispute, state: 'lost' as const, amount: eur(700) },
    { ...dispute, state: 'won' as const, amount: eur(50) },
  ];
  const disputed = { ...payment('partially-refunded', 3000, 3000, 1000), disputes };
  expect([refundableOf(disputed), keptOf(disputed), securedBy(disputed)]).toEqual([eur(1300), 1200, 2000]);
});

test('The required amount is the goods that are neither cancelled nor returned, and the shipping', () => {
  const line = { qty: 3, lineTotal: eur(1000), cancelledQty: 1, returnedQty: 0 } as Parameters<typeof goodsOf>[0][number];
  const totals = { shipping: eur(490) } as Parameters<typeof requiredFor>[0]['totals'];
  const required = (lines: (typeof line)[]) => requiredFor({ lines, totals });
  expect([required([line]), required([line, { ...line, returnedQty: 1 }]), required([{ ...line, cancelledQty: 3 }])]).toEqual([
    1157, 1491, 490,
  ]);
});
