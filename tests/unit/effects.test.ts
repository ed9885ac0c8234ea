import { expect, test } from '@jest/globals';
import { answerEffect, objectEffect } from '../../shared/catalog/effects.ts';
import { objects } from '../../shared/catalog/objects.ts';

const loyalty = { earnPer: 100 } as never;

/** The violation of an answer that shows an object in a state, or with other members. */
function violationOf(api: string, type: string, asked: object, after: object, params: Readonly<Record<string, string>> = {}) {
  const definition = objects.find((one) => one.type === type);
  if (!definition) throw new Error(`There is no object ${type}.`);
  const figures = { loyalty };
  return objectEffect({ api, definition, params, asked, before: undefined, after, isNew: false, figures })?.violation;
}

const line = { sku: 'mug-blue', qty: 2 };

test.each<[api: string, type: string, asked: object, done: object, idle: object]>([
  ['convert-basket', 'basket', { orderId: 'ord_1' }, { state: 'converted', orderId: 'ord_1' }, { state: 'locked' }],
  ['convert-basket', 'basket', { orderId: 'ord_1' }, { state: 'converted', orderId: 'ord_1' }, { state: 'converted' }],
  ['abandon-basket', 'basket', {}, { state: 'abandoned' }, { state: 'locked' }],
  ['put-transaction-basket', 'basket', { lines: [line] }, { state: 'locked', lines: [line] }, { state: 'open', lines: [line] }],
  ['put-transaction-basket', 'basket', { lines: [line] }, { state: 'locked', lines: [line] }, { state: 'locked', lines: [] }],
  ['move-customer', 'customer', { verb: 'block' }, { state: 'blocked' }, { state: 'active' }],
  ['move-customer', 'customer', { verb: 'unblock' }, { state: 'active' }, { state: 'blocked' }],
  ['move-product', 'product', { verb: 'suspend' }, { state: 'suspended' }, { state: 'active' }],
  ['change-product', 'product', { name: 'Cup' }, { state: 'active', name: 'Cup' }, { state: 'active', name: 'Mug' }],
  ['change-customer', 'customer', { phone: null }, { state: 'active' }, { state: 'active', phone: '+3531' }],
  [
    'change-customer',
    'customer',
    { consents: { profiling: true } },
    { consents: { profiling: true, smsMarketing: false } },
    { consents: { profiling: false } },
  ],
  ['put-party', 'customer', { contact: { email: 'zoe@people.example' } }, { state: 'identified' }, { state: 'anonymous' }],
  ['scan-shipment', 'shipment', { scan: 'collect' }, { state: 'collected' }, { state: 'label-created' }],
  ['scan-shipment', 'shipment', { scan: 'find' }, { state: 'delivered' }, { state: 'lost' }],
  ['complete-payment-action', 'payment', { outcome: 'succeeded' }, { state: 'authorised' }, { state: 'requires-action' }],
  ['void-payment-api', 'payment', {}, { state: 'voided' }, { state: 'captured' }],
  [
    'log-customer-interaction',
    'customer',
    { type: 'visit' },
    { state: 'active', interactions: [{ type: 'visit' }] },
    { state: 'active', interactions: [] },
  ],
])('%s at a real system shows its effect on a %s asked for %j', (api, type, asked, done, idle) => {
  const shown = { interactions: [], lines: [], ...done };
  expect(violationOf(api, type, asked, shown)).toBeUndefined();
  expect(violationOf(api, type, asked, idle)).toBe('no_effect');
});

test('Generate Label at a real system may show a parcel that is on its way', () => {
  expect(violationOf('generate-label-api', 'shipment', {}, { state: 'in-transit', labelStatus: 'ready' })).toBeUndefined();
});

test('Remove Basket Line at a real system removes the line', () => {
  const removed = (lines: readonly object[]) =>
    violationOf('remove-basket-line-api', 'basket', {}, { state: 'open', lines }, { lineId: 'lin_1' });
  expect([removed([]), removed([{ lineId: 'lin_1', ...line }])]).toEqual([undefined, 'no_effect']);
});

test('An account with as many entries as it shows may have an older entry of the request', () => {
  const entries = Array.from({ length: 20 }, () => ({ type: 'earn', points: 1 }));
  const redeem = (shown: readonly object[]) => violationOf('redeem-points-api', 'loyalty-account', { points: 10 }, { entries: shown });
  expect([redeem(entries), redeem(entries.slice(1))]).toEqual([undefined, 'no_effect']);
});

const redemption = (state: string, amount = 10) => ({ redemption: { id: 'rdm_1', state, value: { amount, currency: 'EUR' } } });
const spend = { amount: { amount: 10, currency: 'EUR' } };

test.each<[api: string, params: Readonly<Record<string, string>>, body: object, done: object, idle: object, violation: string]>([
  ['put-ledger-entry', { type: 'spend' }, spend, redemption('spent'), redemption('open'), 'no_effect'],
  ['put-ledger-entry', { type: 'spend' }, spend, redemption('spent'), {}, 'no_effect'],
  ['put-ledger-entry', { type: 'spend' }, spend, redemption('spent'), redemption('spent', 9), 'money'],
  ['put-ledger-entry', { type: 'reverse' }, {}, redemption('returned'), redemption('spent'), 'no_effect'],
  ['put-ledger-entry', { type: 'redeem' }, { points: 10 }, redemption('open'), redemption('returned'), 'no_effect'],
  ['record-voucher-use', {}, { state: 'released' }, { state: 'released' }, { state: 'locked' }, 'no_effect'],
  ['record-voucher-use', {}, { state: 'redeemed' }, { state: 'redeemed' }, { state: 'locked' }, 'no_effect'],
  ['move-hold', {}, { kind: 'consume', allocations: [line] }, { allocations: [line] }, { allocations: [] }, 'no_effect'],
  [
    'count-stock',
    {},
    { locationId: 'dc-01', onHand: 3 },
    { locations: [{ locationId: 'dc-01', onHand: 3 }] },
    { locations: [{ locationId: 'dc-01', onHand: 4 }] },
    'no_effect',
  ],
  ['change-voucher', {}, { usageLimit: 3 }, { code: 'TEN', usageLimit: 3 }, { code: 'TEN' }, 'no_effect'],
  ['change-promotion', {}, { name: 'Ten' }, { rule: { name: 'Ten' } }, { rule: { name: 'Five' } }, 'no_effect'],
  ['change-gift-card', {}, { balance: { amount: 5 } }, { balance: { amount: 5 } }, { balance: { amount: 4 } }, 'no_effect'],
])('The answer of a real system to %s %j with %j shows the effect', (api, params, body, done, idle, violation) => {
  expect(answerEffect(api, { params, body, output: done })).toBeUndefined();
  expect(answerEffect(api, { params, body, output: idle })?.violation).toBe(violation);
});
