import { describe, expect } from '@jest/globals';
import { estate } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { MONDAY, onMonday } from '../support/steps/collection.ts';
import { payAtCounterSteps } from '../support/steps/pay-at-counter.ts';
import { testIn } from '../support/test-in.ts';
import { readLabel } from './label-reading.ts';

const AT = { locationId: 'store-01', person: 'Ben Collector' };
const DESKS = [{ sku: 'desk-two-nodes', qty: 2 }];
const ATTEMPT = ['out-for-delivery', 'attempt'] as const;
const THREE_ATTEMPTS = ['collect', 'depart', ...ATTEMPT, ...ATTEMPT, ...ATTEMPT] as const;

/** A Monday whose warehouses, stores and carriers work by hand. No store has desks: 3 are in each warehouse. */
async function withDesks(retailer: object = {}) {
  const rehearsal = await onMonday({}, retailer);
  const { toCollect, packed, settle, api, fulfilment, stockOf, scanned } = rehearsal;
  /** An order whose goods are on their way to the store. */
  const sent = async (dispatch: object = {}) => {
    const found = await toCollect(AT, DESKS);
    await packed(found.fulfillmentOrderId);
    await api('dispatch-fulfillment-order-api', { params: { id: found.fulfillmentOrderId }, body: dispatch as never });
    await settle();
    const { shipments } = await fulfilment(found.fulfillmentOrderId);
    return { ...found, shipmentId: shipments[0]?.id ?? '' };
  };
  const scans: typeof scanned = async (shipmentId, ...names) => {
    for (const name of names) {
      await scanned(shipmentId, name);
    }
  };
  return {
    ...rehearsal,
    ...payAtCounterSteps(rehearsal),
    sent,
    scans,
    arrived: async () => {
      const found = await sent();
      await scans(found.shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
      return { ...found, code: (await fulfilment(found.fulfillmentOrderId)).collection?.code ?? '' };
    },
    /** Units on hand and reserved, by location. */
    desks: async () => {
      const { 'dc-01': dc, 'store-01': store } = await stockOf('desk-two-nodes');
      return { dc, store };
    },
    verified: rehearsal.verify,
  };
}
const test = testIn(() => withDesks());
/** The retailer has two days to replace lost goods. */
const testOfPatient = testIn(() => withDesks({ replaceLostWithin: 'P2D' }));

describe('Collection by transfer', () => {
  test('List Collection Points and Check Availability name stores that get the goods from one warehouse', async ({ call, api }) => {
    const points = async (sku: string, qty: string) =>
      (await call('list-collection-points-api', { query: { sku, qty } })).body.items.map(
        ({ locationId, from, readyBy }: { locationId: string; from: string; readyBy: string }) => [locationId, from, readyBy],
      );
    // An hour in the warehouse and two days on the way, then two hours of opening time.
    expect((await points('desk-two-nodes', '3'))[0]).toEqual(['store-01', 'transfer', '2026-03-04T13:00:00.000Z']);
    expect(await points('desk-two-nodes,mug-blue', '3,1')).toHaveLength(3);
    expect(await points('desk-two-nodes', '4')).toEqual([]);
    expect(await points('mug-blue,desk-two-nodes', '1,4')).toEqual([]);
    const at = (qty: string) =>
      api('check-availability-api', { params: { sku: 'desk-two-nodes' }, query: { qty, collectAt: 'store-01' } as never });
    expect((await at('3')).collection).toEqual({ locationId: 'store-01', from: 'transfer', readyBy: '2026-03-04T13:00:00.000Z' });
    expect((await at('4')).collection).toBeUndefined();
  });

  test.each([[['collect']], [['collect', 'depart']], [['collect', 'depart', 'out-for-delivery', 'attempt']]] as const)(
    'Goods are at the counter when a carrier reports their delivery after the scans %j only',
    async ({ sent, scans, fulfilment, api, webhook, now, settle }, before) => {
      const { fulfillmentOrderId, shipmentId } = await sent();
      await scans(shipmentId, ...before);
      await webhook(`arrival-${shipmentId}`, { shipmentId, status: 'delivered', occurredAt: new Date(await now()).toISOString() });
      await settle();
      expect(await api('track-shipment-api', { params: { id: shipmentId } })).toMatchObject({ state: 'held-at-depot' });
      expect((await fulfilment(fulfillmentOrderId)).collection?.code).toMatch(/^\d{6}$/);
    },
  );

  test('Goods that a carrier has brought to the store get a shelf label', async ({ arrived, order, api }) => {
    const { orderId, shipmentId } = await arrived();
    const { label } = await api('track-shipment-api', { params: { id: shipmentId } });
    const read = await readLabel(new Uint8Array(await (await fetch(`${estate.gateway}${label?.url}`)).arrayBuffer()));
    const parts = ['COLLECT', '2 units', (await order(orderId)).orderNumber, 'Ben Collector', 'Galway, Quay Street'];
    expect(parts.filter((part) => !read.text.includes(part))).toEqual([]);
  });

  test('Checkout reserves everything at one warehouse when the store lacks a line', async ({ collected, stockOf, api, basket, call }) => {
    const lines = [{ sku: 'mug-blue', qty: 1 }, ...DESKS];
    const found = await collected(AT, lines);
    expect(found.collection).toEqual({ ...AT, readyBy: '2026-03-04T13:00:00.000Z' });
    expect((await stockOf('desk-two-nodes'))['dc-01']).toEqual([3, 2]);
    expect((await stockOf('mug-blue'))['dc-01']).toEqual([1000, 1]);
    expect((await stockOf('mug-blue'))['store-01']).toEqual([50, 0]);
    const { id } = await basket({ lines: [{ sku: 'desk-two-nodes', qty: 4 }] });
    const { status, body } = await call('checkout-basket-api', { params: { id }, body: { collection: AT } });
    expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: 'desk-two-nodes', requested: 4, available: 3 }]]);
    expect((await api('get-basket-api', { params: { id } })).state).toBe('open');
  });

  test('Confirm Order chooses a warehouse again for the same store after the reservation has expired', async (rehearsal) => {
    const { collected, authorisation, advance, api, order, desks } = rehearsal;
    const { orderId = '' } = await collected(AT, DESKS);
    await authorisation(orderId);
    await advance('PT16M');
    expect((await desks()).dc).toEqual([3, 0]);
    await api('confirm-order-api', { params: { id: orderId } });
    expect((await desks()).dc).toEqual([3, 2]);
    expect((await order(orderId)).fulfillmentOrders?.[0]).toMatchObject({ locationId: 'dc-01' });
  });

  test('The warehouse sends the goods to the store, where they wait for the customer', async (rehearsal) => {
    const { sent, scans, fulfilment, api, desks, handOver, settle, order, events, verified } = rehearsal;
    const { fulfillmentOrderId: id, shipmentId, orderId } = await sent();
    expect(await fulfilment(id)).toMatchObject({ state: 'dispatched', locationId: 'dc-01', collection: { locationId: 'store-01' } });
    expect((await fulfilment(id)).collection?.code).toBeUndefined();
    const track = () => api('track-shipment-api', { params: { id: shipmentId } });
    expect(await track()).toMatchObject({ kind: 'collection', carrier: 'demo-carrier', state: 'label-created' });
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
    expect(await handOver(id, { code: '123456' })).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery');
    await verified();
    await scans(shipmentId, 'deliver');
    expect(await track()).toMatchObject({ state: 'held-at-depot' });
    const ready = await fulfilment(id);
    expect(ready).toMatchObject({
      state: 'dispatched',
      shipments: [{ state: 'held-at-depot' }],
      collection: { arrivedAt: MONDAY, readyAt: MONDAY, lastDay: '2026-03-09', code: expect.stringMatching(/^\d{6}$/) },
    });
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 2] });
    expect(await events({ type: 'ext.collection-ready', subject: `fulfillment-order/${id}` })).toHaveLength(1);
    await verified();
    expect((await handOver(id, { code: ready.collection?.code })).status).toBe(200);
    await settle();
    expect(await track()).toMatchObject({ state: 'delivered' });
    expect((await order(orderId)).state).toBe('completed');
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
  });

  test('The explanation of goods from a warehouse names who is awaited: the warehouse, the carrier, and then the customer', async (rehearsal) => {
    const { toCollect, packed, handedOver, settle, scans, control, verify } = rehearsal;
    const { fulfillmentOrderId: id, orderId } = await toCollect(AT, DESKS);
    await packed(id);
    const explained = () => control('explain-object', { params: { type: 'fulfillment-order', id } });
    const reason = async () => (await explained()).reasons[0]?.text;
    expect(await reason()).toContain('the warehouse Athlone distribution centre to dispatch it');
    const shipmentId = await handedOver(id);
    await settle();
    const waiting = async () => (await verify()).invariants.find((one) => one.id === 'moving')?.waiting;
    expect(await waiting()).toEqual([`order/${orderId}: the carrier, which takes it to a store, fulfillment-order/${id} is dispatched`]);
    const { moves } = await explained();
    expect(moves.find(({ verb }) => verb === 'hand-over')).toMatchObject({ possible: false });
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    expect(await reason()).toBe('It waits for the customer to collect it at the store Galway, Quay Street, at the latest on 2026-03-09.');
  });

  test('With time, the warehouse and the carrier bring the goods to the store before the promised time', async (rehearsal) => {
    const { toCollect, control, advance, fulfilment, verified } = rehearsal;
    await control('set-progression', { body: { warehouse: 'time', carrier: 'time' } });
    const { fulfillmentOrderId: id } = await toCollect(AT, DESKS);
    await advance('P2D');
    const { collection } = await fulfilment(id);
    expect(Date.parse(collection?.readyAt ?? '')).toBeLessThan(Date.parse(collection?.readyBy ?? ''));
    await verified();
  });

  test.each(['delivered', 'held-at-depot'])('A carrier outside the estate reports the arrival as %s, once', async (rehearsal, status) => {
    const { sent, webhook, settle, fulfilment, api, desks, verified, advance } = rehearsal;
    const { fulfillmentOrderId: id, shipmentId } = await sent();
    const data = { shipmentId, status, statusCode: 'x', occurredAt: MONDAY };
    await webhook('outside-1', data);
    await webhook('outside-1', data);
    await settle();
    const found = await fulfilment(id);
    expect(found).toMatchObject({ state: 'dispatched', collection: { readyAt: MONDAY }, shipments: [{ state: 'held-at-depot' }] });
    expect(await api('track-shipment-api', { params: { id: shipmentId } })).toMatchObject({ state: 'held-at-depot' });
    expect((await desks()).store).toEqual([2, 2]);
    // No silence of a carrier loses goods at a counter.
    await advance('P20D');
    expect((await fulfilment(id)).failureReason).toBe('not-collected');
    await verified();
  });
});

describe('A fast carrier', () => {
  test('Goods that arrive before their dispatch has ended are received in the store, even if the SIM is down at that moment', async (rehearsal) => {
    const { toCollect, packed, control, fault, faults, api, webhook, fulfilment, down, noFaults, advance, desks, verified } = rehearsal;
    await control('set-progression', { body: { label: 'manual' } });
    const { fulfillmentOrderId: id } = await toCollect(AT, DESKS);
    await packed(id);
    await fault('slow', { match: { api: 'put-shipment' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
    const dispatch = api('dispatch-fulfillment-order-api', { params: { id } });
    const shipmentId = await eventually('the goods are dispatched', async () => (await fulfilment(id)).shipments[0]?.id);
    await eventually('the carrier is called', async () => (await faults()).some(({ hits }) => hits === 1));
    await down({ application: 'sim' });
    await webhook('outside-1', { shipmentId, status: 'delivered', statusCode: 'x', occurredAt: MONDAY });
    await dispatch;
    await noFaults();
    await advance('PT1H');
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 2] });
    await verified();
  });
});

describe('The end of a transfer', () => {
  test('Goods that nobody collects go to the shelf of the store, and the order is refunded', async (rehearsal) => {
    const { arrived, advance, fulfilment, order, desks, verified } = rehearsal;
    const { fulfillmentOrderId: id, orderId } = await arrived();
    await advance('P10D');
    expect(await fulfilment(id)).toMatchObject({ state: 'returned-to-sender', failureReason: 'not-collected' });
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    await verified();
  });

  test('A till, Hand Over Collection and Extend Collection refuse goods before they arrive, and name the next step', async (rehearsal) => {
    const { toCollect, packed, api, settle, openTill, handOver, extend } = rehearsal;
    const found = await toCollect(AT, DESKS);
    const details = async () => [
      (await openTill(found.orderId)).body.detail,
      (await handOver(found.fulfillmentOrderId, { code: '123456' })).body.detail,
      (await extend(found.fulfillmentOrderId)).body.detail,
    ];
    await packed(found.fulfillmentOrderId);
    const order = `The goods of the order "${found.orderId}" do not wait at the counter.`;
    const goods = `The goods of the fulfillment order "${found.fulfillmentOrderId}" do not wait at the counter`;
    const toSend = 'A carrier brings them to the store after Dispatch Fulfillment Order.';
    expect(await details()).toEqual([`${order} ${toSend}`, `${goods}: it is packed. ${toSend}`, `${goods}: it is packed. ${toSend}`]);
    await api('dispatch-fulfillment-order-api', { params: { id: found.fulfillmentOrderId } });
    await settle();
    const onWay = 'A carrier is bringing them to the store.';
    expect(await details()).toEqual([`${order} ${onWay}`, `${goods}: it is dispatched. ${onWay}`, `${goods}: it is dispatched. ${onWay}`]);
  });

  test('Cancel Order is refused on the way; at the counter, the goods go to the shelf of the store', async (rehearsal) => {
    const { sent, scans, call, settle, order, desks, verified } = rehearsal;
    const { orderId, shipmentId } = await sent();
    const cancel = () => call('cancel-order-api', { params: { id: orderId }, body: {} });
    expect(await cancel()).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    expect((await cancel()).status).toBe(200);
    await settle();
    expect((await order(orderId)).paymentStatus).toBe('refunded');
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    await verified();
  });

  test('Units that the customer refuses at the counter come back in the store', async (rehearsal) => {
    const { arrived, handOver, order, advance, control, desks, verified } = rehearsal;
    await control('set-progression', { body: { returns: 'time' } });
    const { fulfillmentOrderId: id, orderId, code } = await arrived();
    const [line] = (await order(orderId)).lines;
    const refused = [{ orderLineId: line?.lineId, qty: 1, reason: 'Too red' }];
    const { body } = await handOver(id, { code, refused });
    await advance('P2D');
    expect((await order(orderId)).returns).toMatchObject([{ id: body.collection.refusedReturnId, state: 'refunded' }]);
    expect((await desks()).store).toEqual([1, 0]);
    await verified();
  });

  test('A parcel that is lost on its way is refunded; found, it goes to the shelf of the store', async (rehearsal) => {
    const { sent, scans, order, fulfilment, desks, verified, api } = rehearsal;
    const { orderId, shipmentId, fulfillmentOrderId: id } = await sent();
    await scans(shipmentId, 'collect', 'lose');
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
    await scans(shipmentId, 'find');
    expect(await fulfilment(id)).toMatchObject({ state: 'returned-to-sender', failureReason: 'lost' });
    expect(await api('track-shipment-api', { params: { id: shipmentId } })).toMatchObject({ state: 'returned-to-sender' });
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    expect((await order(orderId)).reconciliation).toBeUndefined();
    await verified();
  });

  test('A parcel that returns to the warehouse is on hand there again', async (rehearsal) => {
    const { sent, scans, order, desks, verified } = rehearsal;
    const { orderId, shipmentId } = await sent();
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'attempt', 'return');
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(await desks()).toEqual({ dc: [3, 0], store: [0, 0] });
    await verified();
  });

  test('A parcel that was given up after three attempts and arrives later goes to the shelf of the store', async (rehearsal) => {
    const { sent, scans, order, advance, desks, verified } = rehearsal;
    const { orderId, shipmentId } = await sent();
    await scans(shipmentId, ...THREE_ATTEMPTS);
    await verified();
    await advance('P8D');
    expect((await order(orderId)).state).toBe('cancelled');
    await verified();
    await scans(shipmentId, 'out-for-delivery', 'deliver');
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    await verified();
  });

  test('Three failed attempts and a delivery put the goods on the counter', async (rehearsal) => {
    const { sent, scans, fulfilment, desks, verified } = rehearsal;
    const { fulfillmentOrderId: id, shipmentId } = await sent();
    await scans(shipmentId, ...THREE_ATTEMPTS);
    expect((await fulfilment(id)).state).toBe('failed-delivery');
    await scans(shipmentId, 'deliver');
    const found = await fulfilment(id);
    expect([found.state, found.failureReason, found.shipments[0]?.state]).toEqual(['dispatched', undefined, 'held-at-depot']);
    expect((await desks()).store).toEqual([2, 2]);
    await verified();
  });

  test.each([
    ['LOST', [1, 0]],
    ['RTS', [3, 0]],
    ['ATTEMPT3', [3, 0]],
  ] as const)('The service %s of the carrier refunds the goods of a collection', async (rehearsal, service, dc) => {
    const { toCollect, packed, handedOver, control, advance, order, desks, verified } = rehearsal;
    const { fulfillmentOrderId: id, orderId } = await toCollect(AT, DESKS);
    await packed(id);
    await control('set-progression', { body: { carrier: 'time' } });
    await handedOver(id, { service });
    await advance('P20D');
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(await desks()).toEqual({ dc, store: [0, 0] });
    await verified();
  });

  test('Immediate progressions bring the goods to the counter, and no further', async (rehearsal) => {
    const { toCollect, control, settle, fulfilment, desks, verified } = rehearsal;
    await control('set-progression', { body: { warehouse: 'immediate', carrier: 'immediate' } });
    const { fulfillmentOrderId: id } = await toCollect(AT, DESKS);
    await settle();
    expect(await fulfilment(id)).toMatchObject({ state: 'dispatched', collection: { readyAt: MONDAY } });
    expect((await desks()).store).toEqual([2, 2]);
    await verified();
  });

  test('Collected goods from a warehouse are returned to the store that handed them over', async (rehearsal) => {
    const { arrived, handOver, settle, order, call } = rehearsal;
    const { fulfillmentOrderId: id, orderId, code } = await arrived();
    await handOver(id, { code });
    await settle();
    const [line] = (await order(orderId)).lines;
    const body = { orderId, lines: [{ orderLineId: line?.lineId ?? '', qty: 1, reason: 'Too red' }] };
    expect(await call('create-return-api', { body })).toMatchObject({ status: 201, body: { dropOff: 'store', locationId: 'store-01' } });
  });

  test('Units that the warehouse lacks are cancelled and refunded when shortage is cancel, and the rest is collected', async (rehearsal) => {
    const { toCollect, api, settle, scans, fulfilment, handOver, order, desks, verified } = rehearsal;
    const { fulfillmentOrderId: id, orderId } = await toCollect(AT, DESKS, { shortage: 'cancel' });
    const picking = await api('create-picking-order-api', { body: { fulfillmentOrderId: id } });
    const params = { id: picking.id };
    await api('update-picking-status-api', { params, body: { status: 'started' } });
    const lines = [{ orderLineId: picking.lines[0]?.orderLineId ?? '', pickedQty: 1 }];
    await api('update-picking-status-api', { params, body: { status: 'short', lines } });
    await api('update-picking-status-api', { params, body: { status: 'packed' } });
    await api('dispatch-fulfillment-order-api', { params: { id } });
    await settle();
    await verified();
    const shipmentId = (await fulfilment(id)).shipments[0]?.id ?? '';
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    await handOver(id, { code: (await fulfilment(id)).collection?.code });
    await settle();
    expect((await order(orderId)).lines[0]).toMatchObject({ fulfilledQty: 1, cancelledQty: 1 });
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
  });
});

test('The books count units on their way to a store until it receives them, or they are lost', async (rehearsal) => {
  const { sent, scans, control, settle } = rehearsal;
  const stock = async () =>
    Object.fromEntries(
      (await control('read-books')).entries
        .filter(({ book, entry }) => book === 'stock' && entry.startsWith('desk-two-nodes '))
        .map(({ entry, value }) => [entry.slice('desk-two-nodes '.length), value]),
    );
  const first = await sent();
  expect(await stock()).toEqual({ 'on hand': 4, 'on the way to a store': 2 });
  await scans(first.shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
  await settle();
  expect(await stock()).toEqual({ 'on hand': 6, reserved: 2 });
  const second = await sent();
  await scans(second.shipmentId, 'collect', 'lose');
  await settle();
  expect(await stock()).toEqual({ 'on hand': 4, reserved: 2 });
});

describe('A retailer that may replace what was lost on its way to a store', () => {
  const lostOnWay = async ({ sent, scans, order }: Awaited<ReturnType<typeof withDesks>>) => {
    const found = await sent();
    await scans(found.shipmentId, 'collect', 'lose');
    const [line] = (await order(found.orderId)).lines;
    return { ...found, orderLineId: line?.lineId ?? '' };
  };
  const replaceLost = (
    { call }: Awaited<ReturnType<typeof withDesks>>,
    orderId: string,
    orderLineId: string,
    qty: number,
    more: object = {},
  ) => call('create-replacement-api', { params: { id: orderId }, body: { lines: [{ orderLineId, qty }], reason: 'lost', ...more } });

  testOfPatient('A parcel that is found before its refund waits at the counter, and is handed over', async (rehearsal) => {
    const { scans, order, fulfilment, desks, verified, advance, handOver, settle } = rehearsal;
    const { orderId, shipmentId, fulfillmentOrderId: id } = await lostOnWay(rehearsal);
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
    await advance('PT1H');
    await scans(shipmentId, 'find');
    const found = await fulfilment(id);
    expect(found).toMatchObject({ state: 'dispatched', collection: { code: expect.stringMatching(/^\d{6}$/) } });
    expect(found.failureReason).toBeUndefined();
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 2] });
    await verified();
    await advance('P3D');
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid', lines: [{ cancelledQty: 0 }] });
    expect((await handOver(id, { code: found.collection?.code })).status).toBe(200);
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2 }] });
    expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
    await verified();
  });

  testOfPatient(
    'A lost parcel is listed as lost while all of it may be replaced, and its explanation has the deadline',
    async (rehearsal) => {
      const { api, control } = rehearsal;
      const { orderId, orderLineId, fulfillmentOrderId: id } = await lostOnWay(rehearsal);
      const listed = async () =>
        (await api('list-collections-api', { query: { customerId: 'cus_ada' } })).items.map(({ fulfillmentOrderId, status }) => [
          fulfillmentOrderId === id,
          status,
        ]);
      const { text } = await control('explain-object', { params: { type: 'fulfillment-order', id } });
      expect(text).toContain('the OMS refunds the lost goods, unless they are replaced or found first');
      expect(await listed()).toEqual([[true, 'lost']]);
      expect((await replaceLost(rehearsal, orderId, orderLineId, 1)).status).toBe(201);
      expect(await listed()).toEqual([
        [true, 'ended'],
        [false, 'preparing'],
      ]);
    },
  );

  testOfPatient('A parcel that is found after its refund goes to the shelf of the store', async (rehearsal) => {
    const { scans, order, fulfilment, desks, verified, advance } = rehearsal;
    const { orderId, shipmentId, fulfillmentOrderId: id } = await lostOnWay(rehearsal);
    await advance('P2D');
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    await verified();
    await scans(shipmentId, 'find');
    expect((await fulfilment(id)).state).toBe('returned-to-sender');
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    await verified();
  });

  testOfPatient('A parcel that is found after its goods were replaced goes to the shelf of the store', async (rehearsal) => {
    const { scans, order, desks, verified, handOver, ready, settle } = rehearsal;
    const { orderId, orderLineId, shipmentId } = await lostOnWay(rehearsal);
    expect((await replaceLost(rehearsal, orderId, orderLineId, 2)).status).toBe(201);
    await settle();
    await scans(shipmentId, 'find');
    expect((await desks()).store).toEqual([2, 0]);
    await verified();
    const second = (await order(orderId)).fulfillmentOrders?.at(-1)?.id ?? '';
    await ready(second);
    await settle();
    const [parcel] = (await rehearsal.fulfilment(second)).shipments;
    await scans(parcel?.id ?? '', 'collect', 'depart', 'out-for-delivery', 'deliver');
    await handOver(second, { code: (await rehearsal.fulfilment(second)).collection?.code });
    await settle();
    const closed = await order(orderId);
    expect(closed).toMatchObject({ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] });
    expect(closed.reconciliation).toBeUndefined();
    await verified();
  });

  testOfPatient('Of two lost units, one is replaced: found, both go to the shelf, and the other one is refunded', async (rehearsal) => {
    const { scans, order, desks, verified } = rehearsal;
    const { orderId, orderLineId, shipmentId } = await lostOnWay(rehearsal);
    expect((await replaceLost(rehearsal, orderId, orderLineId, 1)).status).toBe(201);
    await rehearsal.settle();
    await scans(shipmentId, 'find');
    expect((await desks()).store).toEqual([2, 0]);
    expect(await order(orderId)).toMatchObject({ lines: [{ cancelledQty: 1 }], payments: [{ state: 'partially-refunded' }] });
    await verified();
  });

  testOfPatient(
    'While the FMS is down, lost goods are neither replaced nor refunded: found, they wait at the counter',
    async (rehearsal) => {
      const { scans, order, fulfilment, down, noFaults, advance, verified } = rehearsal;
      const { orderId, orderLineId, shipmentId, fulfillmentOrderId: id } = await lostOnWay(rehearsal);
      await down({ api: 'give-up-lost-goods' });
      expect((await replaceLost(rehearsal, orderId, orderLineId, 2)).status).toBe(503);
      await advance('P2D');
      expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
      await scans(shipmentId, 'find');
      await noFaults();
      await advance('PT1H');
      expect((await fulfilment(id)).collection?.readyAt).toBeDefined();
      expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
      await verified();
    },
  );

  testOfPatient('A store does not hand over goods in place of a parcel that the carrier has found', async (rehearsal) => {
    const { scans, order, desks, noFaults, fault, verified, advance } = rehearsal;
    const { orderId, orderLineId, shipmentId } = await lostOnWay(rehearsal);
    await fault('unseen', { match: { event: 'ext.fulfillment-order-changed' }, fault: { kind: 'late', by: 'PT1H' } });
    await scans(shipmentId, 'find');
    const { status, body } = await replaceLost(rehearsal, orderId, orderLineId, 2);
    expect([status, body]).toMatchObject([409, { code: 'replacement_quantity_exceeded' }]);
    await noFaults();
    await advance('PT2H');
    expect((await desks()).store).toEqual([2, 2]);
    expect((await order(orderId)).replacements).toBeUndefined();
    await verified();
  });
});

describe('Explanations of a transfer', () => {
  test('An explanation names goods on their way to the store, and goods that were found after their refund', async (rehearsal) => {
    const { sent, scans, order, control } = rehearsal;
    const why = async (type: string, id: string) => (await control('explain-object', { params: { type, id } })).text;
    const { orderId, fulfillmentOrderId, shipmentId } = await sent();
    const { orderNumber, lines } = await order(orderId);
    const reservationId = lines[0]?.reservationId ?? '';
    const waiting = (until: string) => `It waits for the goods of the order ${orderNumber} to ${until}.`;
    expect(await why('reservation', reservationId)).toContain(waiting('reach the store store-01'));
    await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    expect(await why('reservation', reservationId)).toContain(waiting('leave'));
    await rehearsal.cancel(orderId);
    const lost = await rehearsal.toCollect(AT, [{ sku: 'mug-blue', qty: 60 }]);
    await rehearsal.packed(lost.fulfillmentOrderId);
    await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: lost.fulfillmentOrderId } });
    await rehearsal.settle();
    const lostParcel = (await rehearsal.fulfilment(lost.fulfillmentOrderId)).shipments[0]?.id ?? '';
    await scans(lostParcel, 'collect', 'lose', 'find');
    await rehearsal.settle();
    const found = 'It reached the store after its goods were refunded or replaced: they are on the shelf of the store.';
    expect(await why('shipment', lostParcel)).toContain(found);
    expect(await why('fulfillment-order', lost.fulfillmentOrderId)).toContain(`The carrier lost the parcel. ${found}`);
    expect(await why('fulfillment-order', fulfillmentOrderId)).not.toContain(found);
  });
});

describe('A transfer while an application is down', () => {
  test.each(['sim', 'inventory-service', 'oms'] as const)(
    'Goods arrive while %s is down, and its records follow once, in the same sequence',
    async (rehearsal, application) => {
      const { sent, scans, fulfilment, handOver, down, noFaults, advance, order, desks, verified } = rehearsal;
      const { fulfillmentOrderId: id, orderId, shipmentId } = await sent();
      await down({ application });
      await scans(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
      const { collection } = await fulfilment(id);
      expect(collection?.readyAt).toBeDefined();
      const { status } = await handOver(id, { code: collection?.code });
      expect(status).toBe(application === 'oms' ? 503 : 200);
      await noFaults();
      await advance('P1D');
      expect((await handOver(id, { code: collection?.code })).status).toBe(200);
      await advance('PT1H');
      expect((await order(orderId)).state).toBe('completed');
      expect(await desks()).toEqual({ dc: [1, 0], store: [0, 0] });
      await verified();
    },
  );

  test.each(['sim', 'inventory-service'] as const)(
    'Goods are sent, arrive and expire while %s is down: they end on the shelf of the store',
    async (rehearsal, application) => {
      const { toCollect, packed, handedOver, scanned, down, noFaults, control, fulfilment, advance, order, desks, verified } = rehearsal;
      const { fulfillmentOrderId: id, orderId } = await toCollect(AT, DESKS);
      await packed(id);
      await down({ application });
      const shipmentId = await handedOver(id);
      await scanned(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
      expect((await fulfilment(id)).collection?.readyAt).toBeDefined();
      await control('advance-clock', { body: { by: 'P9D' } });
      await noFaults();
      await advance('P10D');
      expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
      expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
      await verified();
    },
  );

  test('Goods at the counter are cancelled before the SIM has booked their arrival: they end on the shelf of the store', async (rehearsal) => {
    const { sent, scanned, down, noFaults, call, advance, order, desks, verified } = rehearsal;
    const { orderId, shipmentId } = await sent();
    await down({ application: 'sim' });
    await scanned(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    expect((await call('cancel-order-api', { params: { id: orderId }, body: {} })).status).toBe(200);
    await noFaults();
    await advance('P1D');
    expect((await order(orderId)).paymentStatus).toBe('refunded');
    expect(await desks()).toEqual({ dc: [1, 0], store: [2, 0] });
    await verified();
  });
});

describe('Bad input about a transfer', () => {
  test('Dispatch refuses the counter of a store as the carrier of goods that a warehouse sends', async ({ toCollect, packed, call }) => {
    const { fulfillmentOrderId: id } = await toCollect(AT, DESKS);
    await packed(id);
    const { status, body } = await call('dispatch-fulfillment-order-api', { params: { id }, body: { carrier: 'store-counter' } });
    expect([status, body.errors?.[0].pointer]).toEqual([422, '/carrier']);
  });

  test('Dispatch refuses unpaid goods for a store, and sends them once they are captured', async (rehearsal) => {
    const { toCollect, packed, call, control, order, api } = rehearsal;
    await control('set-progression', { body: { capture: 'manual' } });
    const { orderId, fulfillmentOrderId: id } = await toCollect(AT, DESKS);
    await packed(id);
    const dispatched = () => call('dispatch-fulfillment-order-api', { params: { id }, body: {} });
    const { status, body } = await dispatched();
    expect([status, body.code, body.detail]).toEqual([409, 'payment_incomplete', expect.stringMatching(/then dispatch again\.$/)]);
    const [payment] = (await order(orderId)).payments ?? [];
    await api('capture-payment-api', { params: { id: payment?.id ?? '' } });
    expect(await dispatched()).toMatchObject({ status: 200, body: { state: 'dispatched' } });
  });

  test('No scan moves goods that have arrived, and nothing holds them at a depot on their way', async ({ sent, scans, call }) => {
    const { shipmentId } = await sent();
    await scans(shipmentId, 'collect', 'depart');
    const play = async (scan: string) => (await call('play-scan', { params: { id: shipmentId, scan } })).body;
    expect((await play('hold')).allowedScans).toEqual(['out-for-delivery', 'return', 'lose']);
    await scans(shipmentId, 'out-for-delivery', 'deliver');
    expect((await play('lose')).allowedScans).toEqual([]);
  });
});
