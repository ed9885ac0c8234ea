import { expect, test } from '@jest/globals';
import type { StoredOrder } from '../../../services/oms/collections.ts';
import { freshRecord, type Progress, progressAfter } from '../../../services/oms/fulfillment.ts';
import type { FulfillmentOrder } from '../../../services/oms/lines.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const common = { version: 1, createdAt: '', updatedAt: '' };

const order = (patch: Partial<StoredOrder> = {}): StoredOrder => {
  const priced = { unitPrice: eur(334), discount: eur(2), tax: eur(0), lineTotal: eur(1000) };
  const line = { lineId: 'line-1', sku: 'mug', qty: 3, ...priced, fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 };
  const totals = { subtotal: eur(1000), discount: eur(0), shipping: eur(490), tax: eur(0), total: eur(1490) };
  const about = { orderNumber: '1', channel: 'web' as const, basketId: 'bsk_1', validatedAt: '', voucherCodes: [], holdAttempts: 0 };
  return { ...common, ...about, id: 'ord_1', state: 'in-fulfilment', lines: [line], totals, ...patch };
};

const fulfilment = (version: number, state: FulfillmentOrder['state'], patch: Partial<FulfillmentOrder> & { shortQty?: number } = {}) => {
  const { shortQty = 0, ...rest } = patch;
  const lines = [{ orderLineId: 'line-1', sku: 'mug', qty: 3, pickedQty: 0, shortQty }];
  return { ...common, id: 'ful_1', version, state, orderId: 'ord_1', locationId: 'dc-01', lines, shipments: [], ...rest };
};

function having(found: readonly FulfillmentOrder[], start = order()): Progress {
  const none: Progress = { record: { ...freshRecord('ord_1'), version: 0 }, lines: start.lines, foundAfterRefund: false };
  return found.reduce((known, one) => progressAfter({ ...start, lines: known.lines }, known.record, one) ?? known, none);
}

const NONE = { fulfilled: 0, cancelled: 0, short: [], owed: [] };
const unitsOf = ({ lines, record }: Progress) => ({
  fulfilled: lines[0]?.fulfilledQty,
  cancelled: lines[0]?.cancelledQty,
  short: record.short.map(({ qty }) => qty),
  owed: record.owed.map(({ amount }) => amount),
});

test('The units of a fulfillment order are counted once, even if events are duplicated or reordered', () => {
  const found = [fulfilment(7, 'dispatched'), fulfilment(8, 'delivered'), fulfilment(8, 'delivered'), fulfilment(7, 'dispatched')];
  expect(unitsOf(having(found))).toEqual({ fulfilled: 3, cancelled: 0, short: [], owed: [] });
});

test('The short units of a fulfillment order are counted as short once, and the rest as delivered', () => {
  const states = ['picking', 'packed', 'delivered'] as const;
  const found = states.map((state, index) => fulfilment(4 + index, state, { shortQty: 2 }));
  expect(unitsOf(having(found))).toEqual({ fulfilled: 1, cancelled: 0, short: [2], owed: [] });
});

test('The units of a wholly short fulfillment order are all short', () => {
  const found = [fulfilment(4, 'cancelled', { failureReason: 'short', shortQty: 3 })];
  expect(unitsOf(having(found))).toEqual({ fulfilled: 0, cancelled: 0, short: [3], owed: [] });
});

test.each<[string, FulfillmentOrder]>([
  ['lost', fulfilment(8, 'failed-delivery', { failureReason: 'lost', shortQty: 1 })],
  ['sent back', fulfilment(8, 'returned-to-sender', { shortQty: 1 })],
])('The units of a fulfillment order that were %s are cancelled and owed for, without those that were short', (_how, found) =>
  expect(unitsOf(having([found]))).toEqual({ fulfilled: 0, cancelled: 2, short: [1], owed: [666] }),
);

test('The units of a fulfillment order whose delivery failed count as in transit', () => {
  const found = [fulfilment(8, 'failed-delivery', { failureReason: 'delivery-attempts' })];
  expect(unitsOf(having(found))).toEqual(NONE);
});

test('The units of a fulfillment order that are delivered after their refund are not counted, but flagged', () => {
  const progress = having([fulfilment(8, 'failed-delivery', { failureReason: 'lost' }), fulfilment(9, 'delivered')]);
  expect(progress.foundAfterRefund).toBe(true);
  expect(unitsOf(progress)).toEqual({ fulfilled: 0, cancelled: 3, short: [], owed: [1000] });
});

test('The units of a fulfillment order are cancelled when the FMS withdraws them, except during a cancellation of the order', () => {
  expect(unitsOf(having([fulfilment(4, 'cancelled')]))).toMatchObject({ cancelled: 3, owed: [1000] });
  const cancelling = order({ pendingAction: { action: 'cancel', since: '' } });
  expect(unitsOf(having([fulfilment(4, 'cancelled')], cancelling))).toMatchObject({ cancelled: 0, owed: [] });
});

test('A fulfillment order changes nothing on an order that has ended', () => {
  const ended = order({ state: 'cancelled' });
  expect(unitsOf(having([fulfilment(8, 'returned-to-sender', { shortQty: 1 })], ended))).toEqual({
    fulfilled: 0,
    cancelled: 0,
    short: [],
    owed: [],
  });
  expect(having([fulfilment(9, 'delivered')], ended).foundAfterRefund).toBe(true);
});
