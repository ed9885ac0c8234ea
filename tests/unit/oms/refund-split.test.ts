import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { valueOfNext } from '../../../services/oms/lines.ts';
import { excessOf, type Payment, refundReference, refundSplit, stillOwed } from '../../../services/oms/payments.ts';
import { eur } from '../../support/steps/tender.ts';

interface Paid {
  readonly id: string;
  readonly type?: Payment['tender']['type'];
  readonly captured: number;
  /** Refunded amounts by reference; `goodwill` is a refund by a client, without reference. */
  readonly back?: Readonly<Record<string, number>>;
}

const payment = ({ id, type = 'card', captured, back = {} }: Paid): Payment => {
  const refunds = Object.entries(back).map(([reference, amount]) => ({
    amount: eur(amount),
    state: 'succeeded' as const,
    ...(reference !== 'goodwill' && { reference }),
  }));
  const refunded = refunds.reduce((sum, { amount }) => sum + amount.amount, 0);
  const amounts = { amount: eur(captured), authorizedAmount: eur(captured), capturedAmount: eur(captured), refundedAmount: eur(refunded) };
  const about = { id, version: 1, createdAt: '', updatedAt: '', orderId: 'ord_1', state: 'captured' } as const;
  return { ...about, tender: { type }, refunds, ...amounts };
};

const REFERENCE = refundReference('line-1', 1);

test('A refund goes to card, bnpl, gift card and points in this sequence, each up to its captured amount less refunds', () => {
  const payments = [
    payment({ id: 'points', type: 'loyalty', captured: 300 }),
    payment({ id: 'gift', type: 'gift-card', captured: 500 }),
    payment({ id: 'later', type: 'bnpl', captured: 200 }),
    payment({ id: 'card', captured: 1000, back: { goodwill: 400 } }),
  ];
  expect(refundSplit(1400, REFERENCE, payments)).toEqual([
    { id: 'card', amount: 600 },
    { id: 'later', amount: 200 },
    { id: 'gift', amount: 500 },
    { id: 'points', amount: 100 },
  ]);
  expect(refundSplit(0, REFERENCE, payments)).toEqual([]);
});

test('A refund that was interrupted continues with the payments that it has not reached', () => {
  const payments = [payment({ id: 'first', captured: 1000, back: { [REFERENCE]: 1000 } }), payment({ id: 'second', captured: 1000 })];
  const left = stillOwed({ reference: REFERENCE, amount: 1500 }, payments);
  expect(left).toBe(500);
  expect(refundSplit(left, REFERENCE, payments)).toEqual([{ id: 'second', amount: 500 }]);
});

test('A refund never exceeds the remaining amount of a payment or the requested amount', () => {
  const paid = fc.record({ captured: fc.nat(5000), back: fc.nat(5000), type: fc.constantFrom('card', 'bnpl', 'gift-card', 'loyalty') });
  fc.assert(
    fc.property(fc.nat(20_000), fc.array(paid, { maxLength: 6 }), (amount, all) => {
      const payments = all.map(({ captured, back, type }, index) =>
        payment({ id: String(index), captured, type: type as Payment['tender']['type'], back: { goodwill: Math.min(back, captured) } }),
      );
      const left = payments.map(({ capturedAmount, refundedAmount }) => capturedAmount.amount - refundedAmount.amount);
      const parts = refundSplit(amount, REFERENCE, payments);
      expect(parts.every((part) => part.amount > 0 && part.amount <= (left[Number(part.id)] ?? 0))).toBe(true);
      const total = parts.reduce((sum, part) => sum + part.amount, 0);
      const most = left.reduce((sum, one) => sum + one, 0);
      expect(total).toBe(Math.min(amount, most));
    }),
  );
});

test('The excess of captured money over the required amount is 0 if less was captured than the order costs', () => {
  expect(excessOf([payment({ id: 'card', captured: 1789 })], 1789)).toBe(0);
  expect(excessOf([payment({ id: 'card', captured: 2000 })], 1789)).toBe(211);
});

test('The excess of captured money over the required amount shrinks by refunds of the OMS, and not by refunds of a client', () =>
  expect(excessOf([payment({ id: 'card', captured: 3000, back: { [REFERENCE]: 500, goodwill: 700 } })], 2000)).toBe(500));

test('The units of a line together have the value of the line, in however many lots they are cancelled', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }), (amount, lots) => {
      const qty = lots.reduce((sum, lot) => sum + lot, 0);
      const line = { lineId: 'line-1', sku: 'mug', qty, unitPrice: eur(0), discount: eur(0), tax: eur(0), lineTotal: eur(amount) };
      const cancelled = { fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 };
      let owed = 0;
      for (const lot of lots) {
        owed += valueOfNext({ ...line, ...cancelled }, lot);
        cancelled.cancelledQty += lot;
        expect(owed).toBe(Math.floor((amount * cancelled.cancelledQty) / qty));
      }
      expect(owed).toBe(amount);
    }),
  );
});
