import { expect, test } from '@jest/globals';
import { exchangeSentence } from '../../control/timelines/sentences.ts';
import type { JournalRecord } from '../../shared/control/journal.ts';

const hop = (api: string, more: Partial<JournalRecord> = {}): JournalRecord => ({
  requestId: 'r',
  correlationId: 'c',
  sequence: 1,
  application: 'payment-hub',
  api,
  method: 'POST',
  path: '/',
  status: 200,
  startedAt: '2026-03-01T10:00:00.000Z',
  at: '2026-03-01T10:00:00.000Z',
  durationMs: 1,
  calls: [],
  faults: [],
  ...more,
});

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const lines = ['mug-blue', 'lamp', 'rug'].map((sku) => ({ sku, qty: 1 }));

test.each([
  [
    'the amount of the request',
    hop('refund-payment-api', { request: { amount: eur(500) } }),
    'oms',
    'The OMS calls the Payment Hub to refund the payment of 5.00 EUR. It answers 200.',
  ],
  [
    'a real system',
    hop('capture-payment-api', { outside: { status: 200, durationMs: 3 } }),
    'oms',
    'The OMS calls the Payment Hub to capture the payment. Your system answers 200.',
  ],
  [
    'no answer',
    hop('capture-payment-api', { status: 0, faults: ['lost'] }),
    'oms',
    'The OMS calls the Payment Hub to capture the payment. It does not answer. The fault “lost” strikes.',
  ],
  [
    'more goods than it has room for',
    hop('reserve-inventory-api', { application: 'sim', status: 409, request: { items: lines }, response: { code: 'insufficient_stock' } }),
    'ecommerce-platform',
    'The eCommerce Platform calls the SIM to reserve the inventory: 1 mug-blue, 1 lamp and 1 more. It refuses with 409: insufficient stock.',
  ],
  [
    'an amount that is not money',
    hop('refund-payment-api', { request: { amount: { amount: '5', currency: 'euro' } } }),
    'client',
    'Your client calls the Payment Hub to refund the payment. It answers 200.',
  ],
  [
    'an event that changes nothing',
    hop('event:order-confirmed', { application: 'fms', unchanged: 'known' }),
    'oms',
    'The event order-confirmed goes from the OMS to the FMS. It changes nothing.',
  ],
  [
    'an event without a known cause',
    hop('event:order-confirmed', { application: 'fms' }),
    'fms',
    'The event order-confirmed reaches the FMS.',
  ],
  ['due work', hop('due:capture-payments', { application: 'oms' }), 'oms', 'The OMS captures the payments of the order.'],
  [
    'due work that fails',
    hop('due:capture-payments', { application: 'oms', status: 503, response: { code: 'dependency_unavailable' } }),
    'oms',
    'The OMS captures the payments of the order. It fails with 503: dependency unavailable.',
  ],
  ['unknown due work', hop('due:x', { application: 'oms' }), 'oms', 'The OMS runs its due work x.'],
  [
    'a receiver',
    hop('webhook:shop', { application: 'gateway', status: 500, request: { type: 'com.unified-commerce.order-created' } }),
    'gateway',
    'The estate sends order-created to your receiver “shop”. It fails with 500.',
  ],
])('The sentence of an exchange has %s', (_what, exchange, from, words) => {
  expect(exchangeSentence(exchange, from)).toBe(words);
});

test('The sentence of an exchange is one bounded line, whatever its names are', () => {
  const hostile = `\u001B[31m<b>\n${'x'.repeat(5_000)}`;
  const sentence = exchangeSentence(
    hop(hostile, { application: hostile, faults: Array<string>(50).fill(hostile), request: { sku: hostile, qty: 1 } }),
    hostile,
  );
  expect(sentence.length).toBeLessThanOrEqual(241);
  expect(sentence).toMatch(/^[\P{C}]*$/u);
});
