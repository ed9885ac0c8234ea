import { describe, expect } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { estate } from '../support/estate.ts';
import { onMonday } from '../support/steps/collection.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { testIn } from '../support/test-in.ts';
import { readLabel, readQrCode } from './label-reading.ts';

const test = testIn(onMonday);

const ADA = { locationId: 'store-01', person: 'Ben Collector' };

describe('Checkout with a collection', () => {
  test('Checkout reserves the goods in the store, ships nothing, and promises when they are ready', async (rehearsal) => {
    const { collected, order, stockAt } = rehearsal;
    const basket = await collected(ADA);
    const collection = { ...ADA, readyBy: '2026-03-02T12:00:00.000Z' };
    expect(basket).toMatchObject({ state: 'converted', collection, totals: { shipping: { amount: 0 }, total: { amount: 2598 } } });
    expect([basket.shippingAddress, basket.shippingMethod]).toEqual([undefined, undefined]);
    expect(await order(basket.orderId ?? '')).toMatchObject({ state: 'draft', collection });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
  });

  test.each([
    ['neither an address nor a store', {}, '/shippingAddress'],
    ['an address and a store', { shippingAddress: ADDRESS, collection: ADA }, '/collection'],
    ['a shipping method', { collection: ADA, shippingMethod: 'STANDARD' }, '/shippingMethod'],
    ['a warehouse', { collection: { locationId: 'dc-01' } }, '/collection/locationId'],
    ['an unknown store', { collection: { locationId: 'store-99' } }, '/collection/locationId'],
  ])('Checkout refuses %s', async ({ basket, call }, _case, body, pointer) => {
    const { id } = await basket();
    const { status, body: answer } = await call('checkout-basket-api', { params: { id }, body });
    expect([status, answer.errors?.map((error: { pointer: string }) => error.pointer)]).toEqual([422, [pointer]]);
  });

  test('Checkout refuses more units than the store and each warehouse have, and reserves none', async ({ basket, call, stockAt }) => {
    const { id } = await basket({ qty: 1001 });
    const { status, body } = await call('checkout-basket-api', { params: { id }, body: { collection: ADA } });
    expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: 'mug-blue', requested: 1001, available: 1000 }]]);
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  });

  test('Checkout moves the goods when the customer chooses another store, or an address', async ({ basket, api, stockOf }) => {
    const { id } = await basket();
    const checkedOut = (body: object) => api('checkout-basket-api', { params: { id }, body: body as never });
    const reserved = async () =>
      Object.entries(await stockOf('mug-blue')).flatMap(([place, [, units]]) => (units > 0 ? [`${place}: ${units}`] : []));
    await checkedOut({ shippingAddress: ADDRESS });
    expect(await reserved()).toEqual(['dc-01: 2']);
    expect(await checkedOut({ collection: ADA })).toMatchObject({ totals: { shipping: { amount: 0 } } });
    expect(await reserved()).toEqual(['store-01: 2']);
    expect((await checkedOut({ collection: { locationId: 'store-02' } })).collection?.person).toBeUndefined();
    expect(await reserved()).toEqual(['store-02: 2']);
    expect(await checkedOut({ shippingAddress: ADDRESS })).toMatchObject({
      shippingMethod: 'STANDARD',
      totals: { shipping: { amount: 490 } },
    });
    expect(await reserved()).toEqual(['dc-01: 2']);
  });

  test('Confirm Order reserves the goods in the store again after the reservation has expired', async (rehearsal) => {
    const { collected, authorisation, api, advance, stockAt, order } = rehearsal;
    const { orderId = '' } = await collected();
    await authorisation(orderId);
    await advance('PT16M');
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await api('confirm-order-api', { params: { id: orderId } });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    expect((await order(orderId)).fulfillmentOrders?.[0]).toMatchObject({ locationId: 'store-01' });
  });
});

describe('Ready at the counter', () => {
  test('Dispatch puts the goods on the counter: the customer gets a code, and the goods stay in stock', async (rehearsal) => {
    const { toCollect, ready, settle, api, events, stockAt, order } = rehearsal;
    const { orderId, fulfillmentOrderId } = await toCollect(ADA);
    const found = await ready(fulfillmentOrderId);
    expect(found).toMatchObject({
      state: 'dispatched',
      locationId: 'store-01',
      collection: {
        person: 'Ben Collector',
        readyAt: '2026-03-02T10:00:00.000Z',
        lastDay: '2026-03-09',
        until: '2026-03-09T19:00:00.000Z',
        code: expect.stringMatching(/^\d{6}$/),
        store: { name: 'Galway, Quay Street', address: { line1: '9 Quay Street', city: 'Galway' } },
      },
      shipments: [{ state: 'held-at-depot', labelStatus: 'ready', trackingNumber: expect.stringMatching(/^UC/) }],
    });
    await settle();
    const [event] = await events({ type: 'ext.collection-ready', subject: `fulfillment-order/${fulfillmentOrderId}` });
    expect(event?.data.object).toMatchObject({
      locationId: 'store-01',
      collection: {
        code: found.collection?.code,
        lastDay: '2026-03-09',
        qrUrl: found.collection?.qrUrl,
        store: { name: 'Galway, Quay Street', address: { line1: '9 Quay Street' } },
      },
    });
    const shipment = await api('track-shipment-api', { params: { id: found.shipments[0]?.id ?? '' } });
    expect(shipment).toMatchObject({ kind: 'collection', state: 'held-at-depot', carrier: 'store-counter' });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
  });

  test('The QR code of a collection is a picture that a scanner reads, public to holders of its address', async (rehearsal) => {
    const { atCounter, fulfilment, handOver } = rehearsal;
    await using other = await onMonday();
    const { fulfillmentOrderId: id, code } = await atCounter();
    const { qrUrl = '' } = (await fulfilment(id)).collection ?? {};
    expect(qrUrl).toMatch(new RegExp(`^/collection-codes/${rehearsal.name}/[0-9a-f]{40}\\.png$`));
    const response = await fetch(`${estate.gateway}${qrUrl}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(response.headers.get('content-disposition')).toBe('inline; filename="collection-code.png"');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    const scanned = await readQrCode(new Uint8Array(await response.arrayBuffer()));
    expect(scanned).toBe(`${id} ${code}`);
    expect((await fetch(`${estate.gateway}${qrUrl.replace(rehearsal.name, other.name)}`)).status).toBe(404);
    for (const file of ['nobody-made-this.png', `${'0'.repeat(40)}.png`, `${'0'.repeat(40)}`, '%2e%2e.png']) {
      expect([400, 404]).toContain((await fetch(`${estate.gateway}/collection-codes/${rehearsal.name}/${file}`)).status);
    }
    const elsewhere = await atCounter();
    const refusal = await handOver(elsewhere.fulfillmentOrderId, { code: `${id} ${elsewhere.code}` });
    expect([refusal.status, refusal.body.code, refusal.body.attemptsLeft]).toEqual([403, 'wrong_code', undefined]);
    expect(await handOver(id, { code: scanned })).toMatchObject({ status: 200, body: { state: 'delivered' } });
  });

  test('The QR code of a collection has the address of the fork that answers', async (rehearsal) => {
    const { fulfillmentOrderId: id } = await rehearsal.atCounter();
    await using fork = await EstateRehearsal.create(
      { gateway: estate.gateway, credentials: DEMO_CREDENTIALS },
      { from: { rehearsal: rehearsal.name } },
    );
    const { collection } = await fork.api('get-fulfillment-order-api', { params: { id } });
    expect(collection?.qrUrl).toContain(`/collection-codes/${fork.name}/`);
    expect((await fork.control('compare-worlds', { query: { from: rehearsal.name, to: fork.name } })).objects).toEqual([]);
    expect((await fork.control('read-object', { params: { type: 'fulfillment-order', id } }))['collection']).toEqual(collection);
    expect(await fork.api('extend-collection-api', { params: { id } })).toMatchObject({ collection: { qrUrl: collection?.qrUrl } });
    expect((await fetch(`${estate.gateway}${collection?.qrUrl}`)).status).toBe(200);
  });

  test('The shelf label has the order number, the person, the last day and the store, and not the code', async (rehearsal) => {
    const { toCollect, ready, order, api } = rehearsal;
    const { orderId, fulfillmentOrderId } = await toCollect(ADA);
    const { collection, shipments } = await ready(fulfillmentOrderId);
    const { label, trackingNumber } = await api('track-shipment-api', { params: { id: shipments[0]?.id ?? '' } });
    const read = await readLabel(new Uint8Array(await (await fetch(`${estate.gateway}${label?.url}`)).arrayBuffer()));
    expect(read).toMatchObject({ pages: 1, format: 'CODE_128', code: trackingNumber });
    const parts = ['COLLECT', '2 units', (await order(orderId)).orderNumber, 'Ben Collector', 'Mon 9 March 2026', 'Galway, Quay Street'];
    expect(parts.filter((part) => !read.text.includes(part))).toEqual([]);
    expect(read.text).not.toContain(collection?.code);
    await rehearsal.extend(fulfillmentOrderId);
    const again = await readLabel(new Uint8Array(await (await fetch(`${estate.gateway}${label?.url}`)).arrayBuffer()));
    expect(again.text).toContain('Mon 16 March 2026');
  });

  test('The customer is reminded once, after half of the time', async ({ atCounter, advance, events }) => {
    const { fulfillmentOrderId } = await atCounter();
    const reminders = () => events({ type: 'ext.collection-reminder', subject: `fulfillment-order/${fulfillmentOrderId}` });
    await advance('P3DT16H');
    expect(await reminders()).toHaveLength(0);
    await advance('P1D');
    expect(await reminders()).toHaveLength(1);
  });

  test('The explanation of goods at the counter names the customer, the last day, and the code that hands them over', async (rehearsal) => {
    const { atCounter, control } = rehearsal;
    const { fulfillmentOrderId: id, code } = await atCounter();
    const { reasons, moves } = await control('explain-object', { params: { type: 'fulfillment-order', id } });
    expect(reasons.map((one) => [one.code, one.text])).toEqual([
      ['waits-for-customer', 'It waits for the customer to collect it at the store Galway, Quay Street, at the latest on 2026-03-09.'],
      ['deadline', 'At 6 Mar, 09:30 the FMS reminds the customer of the collection, unless the goods are handed over first.'],
      ['deadline', expect.stringContaining('puts the goods back on the shelf')],
    ]);
    const handOver = moves.find(({ verb }) => verb === 'hand-over');
    expect(handOver).toMatchObject({ possible: true, input: { body: { code } } });
    expect(moves.find(({ verb }) => verb === 'extend')).toMatchObject({ possible: true });
  });

  test('Carriers do not scan goods at a counter', async ({ atCounter, call, fulfilment }) => {
    const { shipmentId, fulfillmentOrderId } = await atCounter();
    const { status, body } = await call('play-scan', { params: { id: shipmentId, scan: 'deliver' } });
    expect([status, body.code, body.allowedScans]).toEqual([409, 'invalid_state_transition', []]);
    expect(await fulfilment(fulfillmentOrderId)).toMatchObject({ state: 'dispatched' });
  });

  test('No webhook of a carrier is sent again for goods at a counter', async ({ atCounter, call, settle, fulfilment }) => {
    const { shipmentId, fulfillmentOrderId } = await atCounter();
    const { version } = await fulfilment(fulfillmentOrderId);
    expect(await call('resend-scan', { params: { id: shipmentId } })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition' },
    });
    await settle();
    expect(await fulfilment(fulfillmentOrderId)).toMatchObject({ state: 'dispatched', version });
  });
});

describe('Hand Over Collection', () => {
  test('Hand Over Collection completes the order, takes the goods out of stock, and answers a repeat alike', async (rehearsal) => {
    const { atCounter, handOver, settle, order, stockAt, api } = rehearsal;
    const { orderId, fulfillmentOrderId, code, shipmentId } = await atCounter();
    const { status, body } = await handOver(fulfillmentOrderId, { code });
    expect([status, body.state, body.shipments[0].state]).toEqual([200, 'delivered', 'delivered']);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({
      status: 200,
      body: { state: 'delivered', version: body.version },
    });
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2 }] });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    expect(await api('track-shipment-api', { params: { id: shipmentId } })).toMatchObject({ state: 'delivered' });
  });

  test('Hand Over Collection gives the goods to the named person of the order, and to nobody else', async ({ atCounter, handOver }) => {
    const { orderId, fulfillmentOrderId } = await atCounter(ADA);
    for (const other of [
      { orderId, person: 'Cara Stranger' },
      { orderId: 'ord_other', person: 'Ben Collector' },
    ]) {
      expect(await handOver(fulfillmentOrderId, other)).toMatchObject({ status: 403, body: { code: 'wrong_code' } });
    }
    const { status, body } = await handOver(fulfillmentOrderId, { orderId, person: ' ben  COLLECTOR ' });
    expect([status, body.state, body.collection.handedOverTo]).toEqual([200, 'delivered', 'ben  COLLECTOR']);
    const unnamed = await atCounter();
    expect((await handOver(unnamed.fulfillmentOrderId, { orderId: unnamed.orderId, person: 'Ada Byrne' })).status).toBe(403);
  });

  test('Hand Over Collection is locked for a day after five wrong codes', async ({ atCounter, handOver, advance }) => {
    const { fulfillmentOrderId: id, code } = await atCounter();
    const wrong = code === '000000' ? '111111' : '000000';
    const left: unknown[] = [];
    for (let guess = 0; guess < 5; guess++) left.push((await handOver(id, { code: wrong })).body.attemptsLeft);
    expect(left).toEqual([4, 3, 2, 1, 0]);
    expect(await handOver(id, { code })).toMatchObject({ status: 403, body: { lockedUntil: '2026-03-03T10:00:00.000Z' } });
    await advance('P1D');
    expect((await handOver(id, { code: wrong })).body.attemptsLeft).toBe(4);
    expect(await handOver(id, { code })).toMatchObject({ status: 200 });
  });

  test('A wrong code that is sent again with its Idempotency-Key counts once', async ({ atCounter, handOver, advance }) => {
    const { fulfillmentOrderId: id, code } = await atCounter();
    const wrong = code === '000000' ? '111111' : '000000';
    const left: unknown[] = [];
    for (let sent = 0; sent < 3; sent++) {
      const { status, body } = await handOver(id, { code: wrong }, { 'idempotency-key': 'once' });
      left.push([status, body.attemptsLeft]);
    }
    expect(left).toEqual(Array(3).fill([403, 4]));
    await advance('P2D');
    expect(await handOver(id, { code }, { 'idempotency-key': 'right' })).toMatchObject({ status: 200 });
  });

  test('Hand Over Collection takes a code with blanks around it, and a name in any form of Unicode', async ({ atCounter, handOver }) => {
    const first = await atCounter();
    expect(await handOver(first.fulfillmentOrderId, { code: ` ${first.code} ` })).toMatchObject({ status: 200 });
    const { orderId, fulfillmentOrderId } = await atCounter({ locationId: 'store-01', person: 'Jos\u00e9 Ni\u00f1o' });
    expect(await handOver(fulfillmentOrderId, { orderId, person: 'Jose\u0301 Nin\u0303o' })).toMatchObject({ status: 200 });
  });

  test('A repeat of Hand Over Collection may list the refused units in another order', async ({ atCounter, handOver, order }) => {
    const {
      fulfillmentOrderId: id,
      orderId,
      code,
    } = await atCounter(undefined, [
      { sku: 'mug-blue', qty: 1 },
      { sku: 'lamp-desk', qty: 1 },
    ]);
    const refused = (await order(orderId)).lines.map(({ lineId }) => ({ orderLineId: lineId, qty: 1, reason: 'Wrong' }));
    expect(await handOver(id, { code, refused })).toMatchObject({ status: 200 });
    expect(await handOver(id, { code, refused: refused.toReversed() })).toMatchObject({ status: 200 });
  });

  test('Dispatch of goods at the counter refuses a carrier and a service', async ({ atCounter, call }) => {
    const { fulfillmentOrderId: id } = await atCounter();
    for (const body of [{ carrier: 'demo-carrier' }, { service: 'EXPRESS' as const }]) {
      const { status, body: problem } = await call('dispatch-fulfillment-order-api', { params: { id }, body });
      expect([status, problem.errors[0].pointer]).toEqual([422, `/${Object.keys(body)[0]}`]);
    }
    expect(await call('dispatch-fulfillment-order-api', { params: { id }, body: {} })).toMatchObject({ status: 200 });
  });

  test('Concurrent wrong codes count each', async ({ atCounter, handOver }) => {
    const { fulfillmentOrderId: id, code } = await atCounter();
    const wrong = code === '000000' ? '111111' : '000000';
    const replies = await Promise.all(Array.from({ length: 8 }, () => handOver(id, { code: wrong })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await handOver(id, { code })).body.lockedUntil).toBeDefined();
  });

  test.each([
    ['goods that are not packed', 'allocated', async ({ toCollect }: Scene) => (await toCollect()).fulfillmentOrderId],
    ['goods for an address', 'allocated', async ({ routedOrder }: Scene) => (await routedOrder()).fulfillmentOrderId],
  ] as const)('Hand Over Collection refuses %s', async (rehearsal, _case, state, prepare) => {
    const id = await prepare(rehearsal);
    const { status, body } = await rehearsal.handOver(id, { code: '123456' });
    expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', state]);
    expect(await rehearsal.extend(id)).toMatchObject({ status: 409 });
  });

  test('Hand Over Collection refuses unpaid goods, and hands them over once they are captured', async (rehearsal) => {
    const { control, atCounter, handOver, order, api, stockAt } = rehearsal;
    await control('set-progression', { body: { capture: 'manual' } });
    const { orderId, fulfillmentOrderId, code } = await atCounter();
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409, body: { code: 'payment_incomplete' } });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    const [payment] = (await order(orderId)).payments;
    await api('capture-payment-api', { params: { id: payment?.id ?? '' } });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('Units that the customer refuses at the counter become a return that the store has received', async (rehearsal) => {
    const { atCounter, handOver, order, advance, api, moved, settle, stockAt } = rehearsal;
    const { orderId, fulfillmentOrderId: id, code } = await atCounter();
    const [line] = (await order(orderId)).lines;
    const refused = [{ orderLineId: line?.lineId, qty: 1, reason: 'Too blue' }];
    const { status, body } = await handOver(id, { code, refused });
    expect([status, body.state]).toEqual([200, 'delivered']);
    expect(await handOver(id, { code, refused })).toMatchObject({ status: 200 });
    // Without units, the customer would take all.
    expect(await handOver(id, { code })).toMatchObject({ status: 409, body: { code: 'conflicting_repeat' } });
    expect(await handOver(id, { code, refused: [{ ...refused[0], qty: 2 }] })).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', standing: { refused } },
    });
    await advance('PT1M');
    const { returns = [] } = await order(orderId);
    expect(returns).toMatchObject([{ id: body.collection.refusedReturnId, state: 'received', refundAmount: { amount: 1299 } }]);
    await moved(returns[0]?.id ?? '', 'inspect');
    await settle();
    expect(await api('get-order-api', { params: { id: orderId } })).toMatchObject({
      state: 'completed',
      paymentStatus: 'partially-refunded',
      lines: [{ fulfilledQty: 2, returnedQty: 1 }],
    });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 49, reserved: 0 });
  });

  test.each([
    ['an unknown line', '/refused/0/orderLineId', () => [{ orderLineId: 'line_never', qty: 1, reason: 'Too blue' }]],
    ['more units than wait at the counter', '/refused/0/qty', (lineId: string) => [{ orderLineId: lineId, qty: 3, reason: 'Too blue' }]],
    [
      'a line twice',
      '/refused/1/orderLineId',
      (lineId: string) => [1, 1].map((units) => ({ orderLineId: lineId, qty: units, reason: 'Too blue' })),
    ],
  ] as const)('Hand Over Collection refuses to take back %s', async ({ atCounter, handOver, order }, _case, pointer, refused) => {
    const { orderId, fulfillmentOrderId: id, code } = await atCounter();
    const [line] = (await order(orderId)).lines;
    const { status, body } = await handOver(id, { code, refused: refused(line?.lineId ?? '') });
    expect([status, body.errors?.[0].pointer]).toEqual([422, pointer]);
    expect(await handOver(id, { code })).toMatchObject({ status: 200 });
  });

  describe('with lines', () => {
    const TWO_LINES = [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'teapot-stone', qty: 1 },
    ];
    const scene = async ({ atCounter, order, handOver }: Scene) => {
      const { orderId, fulfillmentOrderId: id, code } = await atCounter(undefined, TWO_LINES);
      const [mugs, teapot] = (await order(orderId)).lines.map(({ lineId }) => lineId);
      return { orderId, mugs, teapot, handOver: (body: object) => handOver(id, { code, ...body }) };
    };

    test('Hand Over Collection makes a return of all units that lines leaves out', async (rehearsal) => {
      const { orderId, mugs, handOver } = await scene(rehearsal);
      const lines = [{ orderLineId: mugs, qty: 1 }];
      const { status, body } = await handOver({ lines });
      expect([status, body.state]).toEqual([200, 'delivered']);
      await rehearsal.advance('PT1M');
      const { returns = [] } = await rehearsal.order(orderId);
      expect(returns).toMatchObject([{ id: body.collection.refusedReturnId, state: 'received' }]);
      const { lines: returned } = await rehearsal.object('return', returns[0]?.id ?? '');
      expect(returned.map(({ sku, qty, reason }: { sku: string; qty: number; reason: string }) => [sku, qty, reason])).toEqual([
        ['mug-blue', 1, 'Not taken at the counter'],
        ['teapot-stone', 1, 'Not taken at the counter'],
      ]);
    });

    test('Hand Over Collection answers a repeat of the same units alike, however they are named, and refuses others', async (rehearsal) => {
      const { mugs, teapot, handOver } = await scene(rehearsal);
      const lines = [{ orderLineId: mugs, qty: 2 }];
      const refused = [{ orderLineId: teapot, qty: 1, reason: 'Has a crack' }];
      expect(await handOver({ refused, lines })).toMatchObject({ status: 200 });
      for (const body of [{ lines }, { refused }, { lines, refused }]) expect(await handOver(body)).toMatchObject({ status: 200 });
      for (const other of [[{ orderLineId: mugs, qty: 1 }], [...lines, { orderLineId: teapot, qty: 1 }]]) {
        expect(await handOver({ lines: other })).toMatchObject({
          status: 409,
          body: { code: 'conflicting_repeat', standing: { refused } },
        });
      }
    });

    test('Hand Over Collection returns nothing when lines names all units', async (rehearsal) => {
      const { mugs, teapot, handOver } = await scene(rehearsal);
      const lines = [
        { orderLineId: teapot, qty: 1 },
        { orderLineId: mugs, qty: 2 },
      ];
      expect((await handOver({ lines })).body.collection.refusedReturnId).toBeUndefined();
      expect(await handOver({ lines })).toMatchObject({ status: 200 });
    });

    test.each([
      ['nothing', '/lines', () => ({ lines: [] }), 'Cancel Order'],
      ['an unknown line', '/lines/0/orderLineId', () => ({ lines: [{ orderLineId: 'line_never', qty: 1 }] }), 'has no line'],
      [
        'more units than wait at the counter',
        '/lines/0/qty',
        (mugs: string) => ({ lines: [{ orderLineId: mugs, qty: 3 }] }),
        'are at the counter',
      ],
      [
        'a line twice',
        '/lines/1/orderLineId',
        (mugs: string) => ({ lines: [1, 1].map((qty) => ({ orderLineId: mugs, qty })) }),
        'named twice',
      ],
      [
        'units that are neither taken nor refused',
        '/refused',
        (mugs: string) => ({ lines: [{ orderLineId: mugs, qty: 1 }], refused: [{ orderLineId: mugs, qty: 1, reason: 'Too blue' }] }),
        'lines and refused have 0 and 0',
      ],
    ] as const)('Hand Over Collection refuses to hand over %s', async (rehearsal, _case, pointer, body, detail) => {
      const { mugs, handOver } = await scene(rehearsal);
      const { status, body: answer } = await handOver(body(mugs ?? ''));
      expect([status, answer.errors?.[0]]).toEqual([422, expect.objectContaining({ pointer, detail: expect.stringContaining(detail) })]);
      expect(await handOver({})).toMatchObject({ status: 200 });
    });
  });

  test('Units that were refused at the counter cannot be returned a second time', async (rehearsal) => {
    const { atCounter, handOver, settle, order, call, advance, verify, stockAt } = rehearsal;
    await rehearsal.progress({ returns: 'time' });
    const { fulfillmentOrderId: id, orderId, code } = await atCounter();
    const [{ lineId = '' } = {}] = (await order(orderId)).lines;
    await handOver(id, { code, refused: [{ orderLineId: lineId, qty: 2, reason: 'Too blue' }] });
    await settle();
    const returned = () =>
      call('create-return-api', {
        body: { orderId, lines: [{ orderLineId: lineId, qty: 1, reason: 'Too big' }], dropOff: 'store' } as never,
      });
    expect(await returned()).toMatchObject({ status: 409, body: { code: 'order_not_closed', retryable: true } });
    await advance('PT1M');
    expect(await returned()).toMatchObject({ status: 409, body: { code: 'return_quantity_exceeded' } });
    await advance('P3D');
    expect(await order(orderId)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 2 }] });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await verify();
  });

  test('The refusal of unpaid goods at the counter names the next step at the counter', async ({ control, atCounter, handOver }) => {
    await control('set-progression', { body: { capture: 'manual' } });
    const { fulfillmentOrderId, code } = await atCounter();
    const { body } = await handOver(fulfillmentOrderId, { code });
    expect(body.detail).toMatch(/ are not captured; authorise and capture them, then hand over again\.$/);
  });

  test('Hand Over Collection needs a code, or an order and a person', async ({ atCounter, handOver }) => {
    const { fulfillmentOrderId: id, orderId } = await atCounter(ADA);
    for (const body of [{}, { code: '12345' }, { orderId }, { person: 'Ben' }, { code: '123456', orderId, person: 'Ben' }]) {
      expect((await handOver(id, body)).status).toBe(422);
    }
  });

  test('Goods are handed over while the Carrier Platform is down, which gets the report later', async (rehearsal) => {
    const { toCollect, ready, handOver, down, noFaults, settle, api, advance } = rehearsal;
    const { fulfillmentOrderId } = await toCollect();
    await down({ application: 'carrier-platform' });
    const { collection, shipments } = await ready(fulfillmentOrderId);
    expect(shipments[0]).toMatchObject({ state: 'held-at-depot', labelStatus: 'none' });
    expect(await handOver(fulfillmentOrderId, { code: collection?.code })).toMatchObject({ status: 200 });
    await noFaults();
    await advance('PT1H');
    await settle();
    expect(await api('track-shipment-api', { params: { id: shipments[0]?.id ?? '' } })).toMatchObject({ state: 'delivered' });
  });
});

type Scene = Awaited<ReturnType<typeof onMonday>>;

describe('Not collected', () => {
  test('Goods that nobody collects go back to the shelf, and are refunded', async (rehearsal) => {
    const { atCounter, advance, order, fulfilment, stockAt, events, api, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, shipmentId, code } = await atCounter();
    await advance('P7DT8H');
    expect(await fulfilment(fulfillmentOrderId)).toMatchObject({ state: 'dispatched' });
    await advance('PT2H');
    expect(await fulfilment(fulfillmentOrderId)).toMatchObject({ state: 'returned-to-sender', failureReason: 'not-collected' });
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded', lines: [{ cancelledQty: 2 }] });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    expect(await events({ type: 'ext.collection-expired', subject: `fulfillment-order/${fulfillmentOrderId}` })).toHaveLength(1);
    expect(await api('track-shipment-api', { params: { id: shipmentId } })).toMatchObject({ state: 'returned-to-sender' });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409 });
    const { reasons } = await rehearsal.control('explain-object', { params: { type: 'order', id: orderId } });
    expect(reasons.map(({ text }) => text)).toContain('It was cancelled: not-fulfilled. Nobody collected the goods in time.');
  });

  test('Extend Collection moves the last day once', async ({ atCounter, extend, advance, fulfilment }) => {
    const { fulfillmentOrderId: id } = await atCounter();
    expect(await extend(id)).toMatchObject({ status: 200, body: { collection: { lastDay: '2026-03-16', extended: true } } });
    expect(await extend(id)).toMatchObject({ status: 200, body: { collection: { lastDay: '2026-03-16' } } });
    await advance('P14DT8H');
    expect(await fulfilment(id)).toMatchObject({ state: 'dispatched' });
    await advance('PT2H');
    expect(await fulfilment(id)).toMatchObject({ state: 'returned-to-sender' });
    expect(await extend(id)).toMatchObject({ status: 409 });
  });

  test('Cancel Order takes the goods back from the counter until they are handed over', async (rehearsal) => {
    const { atCounter, cancel, order, fulfilment, stockAt, handOver, settle } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await atCounter();
    expect(await cancel(orderId, { reason: 'Changed my mind' })).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    await settle();
    expect(await fulfilment(fulfillmentOrderId)).toMatchObject({ state: 'returned-to-sender' });
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', cancelReason: 'Changed my mind', paymentStatus: 'refunded' });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409 });
    const collected = await atCounter();
    await handOver(collected.fulfillmentOrderId, { code: collected.code });
    expect(await cancel(collected.orderId)).toMatchObject({ status: 409 });
  });

  test('Of a hand-over and a cancellation at the same time, one wins', async ({ atCounter, handOver, cancel, settle, order, stockAt }) => {
    const { orderId, fulfillmentOrderId, code } = await atCounter();
    const [given, cancelled] = await Promise.all([handOver(fulfillmentOrderId, { code }), cancel(orderId)]);
    await settle();
    const { state } = await order(orderId);
    expect([given.status, cancelled.status, state, (await stockAt('mug-blue')).onHand]).toEqual(
      given.status === 200 ? [200, 409, 'completed', 48] : [409, 200, 'cancelled', 50],
    );
  });
});

describe('Staff of the store', () => {
  test('List Picking Orders shows the work of the store until its goods are on the counter', async (rehearsal) => {
    const { toCollect, confirmed, settle, api, picked } = rehearsal;
    await confirmed();
    const { fulfillmentOrderId } = await toCollect();
    await settle();
    const listed = async (query: object) => {
      const { items } = await api('list-picking-orders-api', { query: query as never });
      return items.map(({ fulfillmentOrderId: id, locationId, status }) => [id === fulfillmentOrderId, locationId, status]);
    };
    expect(await listed({})).toEqual([
      [false, 'dc-01', 'waiting'],
      [true, 'store-01', 'waiting'],
    ]);
    await picked(fulfillmentOrderId, 'started');
    expect(await listed({ locationId: 'store-01' })).toEqual([[true, 'store-01', 'started']]);
    expect(await listed({ locationId: 'store-01', status: 'waiting' })).toEqual([]);
    expect(await listed({ locationId: 'store-02' })).toEqual([]);
    await picked(fulfillmentOrderId, 'picked', 'packed');
    expect(await listed({ status: 'packed' })).toEqual([[true, 'store-01', 'packed']]);
    await api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    await settle();
    expect(await listed({ locationId: 'store-01' })).toEqual([]);
  });

  test('Units that the store lacks are cancelled and refunded when shortage is cancel, and the others are handed over', async (rehearsal) => {
    const { toCollect, order, short, api, settle, handOver, stockAt } = rehearsal;
    const { orderId, fulfillmentOrderId } = await toCollect(undefined, undefined, { shortage: 'cancel' });
    const { id } = await short(await order(orderId), fulfillmentOrderId, 1);
    await settle();
    expect((await order(orderId)).lines[0]).toMatchObject({ qty: 2, cancelledQty: 1 });
    await api('update-picking-status-api', { params: { id }, body: { status: 'packed' } });
    const { collection } = await api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    expect(await handOver(fulfillmentOrderId, { code: collection?.code })).toMatchObject({ status: 200 });
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'partially-refunded' });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  });

  test('Collected goods are returned to the store that handed them over', async ({ atCounter, handOver, settle, order, call }) => {
    const { orderId, fulfillmentOrderId, code } = await atCounter();
    await handOver(fulfillmentOrderId, { code });
    await settle();
    const [line] = (await order(orderId)).lines;
    const body = { orderId, lines: [{ orderLineId: line?.lineId, qty: 1, reason: 'Too blue' }] };
    expect(await call('create-return-api', { body })).toMatchObject({ status: 201, body: { dropOff: 'store', locationId: 'store-01' } });
  });
});

const inTime = testIn(() => onMonday({ store: 'time' }));

describe('Staff in time', () => {
  inTime('A status that the staff of the store has passed is refused with the progression that is to be set', async (rehearsal) => {
    const { toCollect, advance, api, call } = rehearsal;
    const { fulfillmentOrderId } = await toCollect();
    const { id } = await api('create-picking-order-api', { body: { fulfillmentOrderId } });
    await advance('PT1H');
    const { status, body } = await call('update-picking-status-api', { params: { id }, body: { status: 'started' } });
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/set the progression store to manual to work by hand\.$/)]);
  });

  inTime('The staff of the store has the goods ready at the promised time, and works only while the store is open', async (rehearsal) => {
    const { toCollect, advance, fulfilment } = rehearsal;
    const today = await toCollect();
    await advance('PT1H59M');
    expect(await fulfilment(today.fulfillmentOrderId)).toMatchObject({ state: 'packed' });
    await advance('PT2M');
    expect(await fulfilment(today.fulfillmentOrderId)).toMatchObject({
      state: 'dispatched',
      collection: { readyAt: '2026-03-02T12:00:00.000Z' },
    });
    await advance('PT6H29M');
    const late = await toCollect();
    expect(late.basket.collection?.readyBy).toBe('2026-03-03T11:00:00.000Z');
    await advance('PT17H');
    expect(await fulfilment(late.fulfillmentOrderId)).toMatchObject({
      state: 'dispatched',
      collection: { readyAt: '2026-03-03T11:00:00.000Z' },
    });
  });
});
