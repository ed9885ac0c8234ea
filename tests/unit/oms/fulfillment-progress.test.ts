import { expect, test } from '@jest/globals';
import type { StoredOrder } from '../../../services/oms/collections.ts';
import { freshRecord, type Progress, progressAfter } from '../../../services/oms/fulfillment.ts';
import type { FulfillmentOrder } from '../../../services/oms/lines.ts';
import { eur } from '../../support/steps/tender.ts';

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

const LOST = fulfilment(8, 'failed-delivery', { failureReason: 'lost' });
const ENDED = order({ state: 'cancelled' });

test.each<[string, readonly FulfillmentOrder[], Partial<ReturnType<typeof unitsOf>>, StoredOrder?]>([
  [
    'once, even if events are duplicated or reordered',
    [fulfilment(7, 'dispatched'), fulfilment(8, 'delivered'), fulfilment(8, 'delivered'), fulfilment(7, 'dispatched')],
    { fulfilled: 3 },
  ],
  [
    'once as short, and the rest as delivered',
    [fulfilment(4, 'picking', { shortQty: 2 }), fulfilment(5, 'packed', { shortQty: 2 }), fulfilment(6, 'delivered', { shortQty: 2 })],
    { fulfilled: 1, short: [2] },
  ],
  ['as short when all are short', [fulfilment(4, 'cancelled', { failureReason: 'short', shortQty: 3 })], { short: [3] }],
  [
    'as cancelled and owed for when they are lost, without those that were short',
    [fulfilment(8, 'failed-delivery', { failureReason: 'lost', shortQty: 1 })],
    { cancelled: 2, short: [1], owed: [666] },
  ],
  [
    'as cancelled and owed for when they are sent back, without those that were short',
    [fulfilment(8, 'returned-to-sender', { shortQty: 1 })],
    { cancelled: 2, short: [1], owed: [666] },
  ],
  ['as in transit when their delivery failed', [fulfilment(8, 'failed-delivery', { failureReason: 'delivery-attempts' })], {}],
  ['as owed for when they are delivered after their refund', [LOST, fulfilment(9, 'delivered')], { cancelled: 3, owed: [1000] }],
  ['as cancelled and owed for when the FMS withdraws them', [fulfilment(4, 'cancelled')], { cancelled: 3, owed: [1000] }],
  [
    'not one by one when their order is being cancelled',
    [fulfilment(4, 'cancelled')],
    {},
    order({ pendingAction: { action: 'cancel', since: '' } }),
  ],
  ['not at all when their order has ended', [fulfilment(8, 'returned-to-sender', { shortQty: 1 })], {}, ENDED],
])('The units of a fulfillment order count %s', (_how, found, units, start = order()) =>
  expect(unitsOf(having(found, start))).toEqual({ ...NONE, ...units }),
);

test('The units of a fulfillment order are flagged when they are delivered after their refund, or after the end of their order', () => {
  const delivered = fulfilment(9, 'delivered');
  expect([having([LOST, delivered]), having([delivered], ENDED)].map((one) => one.foundAfterRefund)).toEqual([true, true]);
});
