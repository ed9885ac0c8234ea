import { expect } from '@jest/globals';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import { onMonday } from '../support/steps/collection.ts';
import { payingAtCounter } from '../support/steps/pay-at-counter.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

type Query = NonNullable<ApiInput<'list-collections-api'>['query']>;

const test = testIn(onMonday);
const testAtTill = testIn(() => payingAtCounter());

test('List Collections finds the goods of a store, a status, a customer and an order number, and never has a code', async (rehearsal) => {
  const { toCollect, atCounter, handOver, packed, api, call, order, settle, cancel } = rehearsal;
  const preparing = await toCollect();
  const waiting = await atCounter({ locationId: 'store-01', person: 'Ben Collector' }, [{ sku: 'mug-blue', qty: 3 }]);
  const taken = await atCounter();
  await handOver(taken.fulfillmentOrderId, { code: taken.code });
  const cancelled = await toCollect();
  await cancel(cancelled.orderId);
  const elsewhere = await toCollect({ locationId: 'store-02' });
  await rehearsal.confirmed();
  await settle();
  const listed = async (query: Query) =>
    (await api('list-collections-api', { query })).items.map(({ fulfillmentOrderId, status }) => [fulfillmentOrderId, status]);
  const inStore = [
    [preparing.fulfillmentOrderId, 'preparing'],
    [waiting.fulfillmentOrderId, 'waiting'],
    [taken.fulfillmentOrderId, 'handed-over'],
    [cancelled.fulfillmentOrderId, 'ended'],
  ];
  const { orderNumber } = await order(waiting.orderId);
  const { orderNumber: other } = await order(elsewhere.orderId);
  const expected: [Query, unknown[]][] = [
    [{ locationId: 'store-01' }, inStore],
    [{ locationId: 'store-01', status: 'waiting' }, [inStore[1]]],
    [{ locationId: 'store-01', status: 'ended' }, [inStore[3]]],
    [{ locationId: 'store-02' }, [[elsewhere.fulfillmentOrderId, 'preparing']]],
    [{ locationId: 'dc-01' }, []],
    [{ orderNumber }, [inStore[1]]],
    [{ orderNumber: other, locationId: 'store-01' }, []],
    [{ orderNumber, status: 'preparing' }, []],
    [{ customerId: 'cus_ada', status: 'preparing' }, [inStore[0], [elsewhere.fulfillmentOrderId, 'preparing']]],
    [{ customerId: 'cus_ben' }, []],
    [{ customerId: 'cus_ben', orderNumber }, []],
  ];
  for (const [query, rows] of expected) expect([query, await listed(query)]).toEqual([query, rows]);
  const { items } = await api('list-collections-api', { query: { orderNumber } });
  expect(items).toEqual([
    {
      fulfillmentOrderId: waiting.fulfillmentOrderId,
      orderId: waiting.orderId,
      orderNumber,
      customerId: 'cus_ada',
      locationId: 'store-01',
      person: 'Ben Collector',
      readyBy: '2026-03-02T12:00:00.000Z',
      status: 'waiting',
      units: 3,
      readyAt: '2026-03-02T10:00:00.000Z',
      lastDay: '2026-03-09',
      until: waiting.until,
      outstanding: eur(0),
    },
  ]);
  const first = await api('list-collections-api', { query: { locationId: 'store-01', limit: '3' } });
  expect(first.items).toHaveLength(3);
  const second = await api('list-collections-api', { query: { locationId: 'store-01', limit: '3', cursor: first.nextCursor } });
  expect(second.items.map(({ fulfillmentOrderId }) => fulfillmentOrderId)).toEqual([cancelled.fulfillmentOrderId]);
  expect(second.nextCursor).toBeUndefined();
  expect(JSON.stringify((await call('list-collections-api', { query: { locationId: 'store-01' } })).body)).not.toMatch(
    new RegExp(`code|qrUrl|${waiting.code}`),
  );
  await packed(preparing.fulfillmentOrderId);
  expect(await listed({ orderNumber: (await order(preparing.orderId)).orderNumber })).toEqual([inStore[0]]);
});

test('List Collections shows goods that a warehouse sends to the store as on the way, and as waiting after their arrival', async (rehearsal) => {
  const { toCollect, api, settle, packed, scanned } = rehearsal;
  const { fulfillmentOrderId } = await toCollect({ locationId: 'store-01' }, [{ sku: 'mug-blue', qty: 60 }]);
  const listed = async () => (await api('list-collections-api', { query: { locationId: 'store-01' } })).items;
  expect(await listed()).toMatchObject([{ fulfillmentOrderId, status: 'preparing', units: 60 }]);
  await packed(fulfillmentOrderId);
  const { shipments } = await api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
  await settle();
  expect(await listed()).toMatchObject([{ fulfillmentOrderId, status: 'on-the-way', units: 60 }]);
  for (const name of ['collect', 'depart', 'out-for-delivery', 'deliver'] as const) {
    await scanned(shipments[0]?.id ?? '', name);
    await settle();
  }
  expect(await listed()).toMatchObject([{ status: 'waiting', units: 60, until: '2026-03-09T19:00:00.000Z' }]);
});

testAtTill('List Collections shows what the customer of an order still pays, until the goods are handed over', async (rehearsal) => {
  const { api, call, confirmedToPay, ready, handOver, openTill, settle, authorisation } = rehearsal;
  const { orderId, fulfillmentOrderId } = await confirmedToPay();
  const listed = async () => {
    const { items } = await api('list-collections-api', { query: { locationId: 'store-01' } });
    return items.map(({ status, payAt, outstanding }) => [status, payAt, outstanding]);
  };
  // 2 × 12.99
  expect(await listed()).toEqual([['preparing', 'collection', eur(2598)]]);
  await authorisation(orderId, 1000);
  const { collection } = await ready(fulfillmentOrderId);
  await settle();
  expect(await listed()).toEqual([['waiting', 'collection', eur(1598)]]);
  const { body: sale } = await openTill(orderId);
  await call('add-payment-api', { params: { id: sale.id }, body: { tender: CASH, amount: eur(1598) } });
  await settle();
  expect(await listed()).toEqual([['waiting', 'collection', eur(0)]]);
  expect((await handOver(fulfillmentOrderId, { code: collection?.code })).status).toBe(200);
  await settle();
  expect(await listed()).toEqual([['handed-over', 'collection', undefined]]);
});

testAtTill(
  'List Collections shows the amount for the units that are left of an order, and nothing once it is cancelled',
  async (rehearsal) => {
    const { api, orderedToPay, settle, order, cancel } = rehearsal;
    const orderId = await orderedToPay([{ sku: 'mug-blue', qty: 3 }]);
    await api('confirm-order-api', { params: { id: orderId } });
    await settle();
    const [line] = (await order(orderId)).lines;
    await api('change-order-api', { params: { id: orderId }, body: { lines: [{ lineId: line?.lineId ?? '', qty: 1 }] } });
    await settle();
    const amounts = async () =>
      (await api('list-collections-api', { query: { locationId: 'store-01' } })).items.map(({ outstanding }) => outstanding);
    expect(await amounts()).toEqual([eur(1299)]);
    await cancel(orderId);
    expect(await amounts()).toEqual([undefined]);
  },
);

testAtTill.each(['oms', 'payment-hub'] as const)(
  'List Collections lists the goods without what is outstanding while %s does not answer',
  async (rehearsal, application) => {
    const { orderId } = await rehearsal.unpaidAtCounter();
    await rehearsal.down(application);
    const { items } = await rehearsal.api('list-collections-api', { query: { locationId: 'store-01' } });
    expect(items.map((one) => [one.orderId, one.status, one.outstanding])).toEqual([[orderId, 'waiting', undefined]]);
  },
);

test.each([
  [{}, '?', 'Give at least one of locationId, customerId, orderNumber.'],
  [{ locationId: 'store-01', status: 'ready' }, '?status', undefined],
  [{ locationId: 'store-01', state: 'waiting' }, '?state', undefined],
  [{ locationId: 'store-01', limit: '101' }, '?limit', undefined],
  [{ locationId: 'store-01', cursor: 'x' }, '?cursor', undefined],
])('List Collections refuses %j', async ({ call }, query, pointer, detail) => {
  const { status, body } = await call('list-collections-api', { query } as never);
  expect([status, body]).toMatchObject([
    422,
    { code: 'validation_failed', errors: [{ pointer, ...(detail !== undefined && { detail }) }] },
  ]);
});
