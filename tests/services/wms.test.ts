import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const LINE = 'lines';
const STATUSES = ['open', 'started', 'picked', 'short', 'packed'] as const;
type Status = (typeof STATUSES)[number];

/** The statuses on the way to one; with `short`, the last line is short by one. */
const leadingTo: Readonly<Record<Status, readonly Status[]>> = {
  open: [],
  started: ['started'],
  picked: ['started', 'picked'],
  short: ['started', 'short'],
  packed: ['started', 'picked', 'packed'],
};

const mayBecome: Readonly<Record<Status, readonly Status[]>> = {
  open: ['started'],
  started: ['picked', 'short'],
  picked: ['packed'],
  short: ['packed'],
  packed: [],
};

/** Creates a picking order of two mugs in this status. */
async function pickingIn(scene: TestRehearsal, status: Status) {
  const order = await scene.pickedOrder();
  const orderLineId: string = order.pickingOrder.lines[0].orderLineId;
  let pickingOrder = order.pickingOrder;
  for (const next of leadingTo[status]) {
    const reply = await scene.movePicking(pickingOrder.id, next, next === 'short' ? [{ orderLineId, pickedQty: 1 }] : undefined);
    expect([next, reply.status]).toEqual([next, 200]);
    pickingOrder = reply.body;
  }
  return { ...order, pickingOrder, orderLineId };
}

describe('Create Picking Order', () => {
  test('starts picking an allocated fulfillment order: 201, open, with its lines', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { orderId, fulfillmentOrderId } = await scene.routedOrder();
    const { status, body, headers } = await scene.openPicking(fulfillmentOrderId);
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    const [line] = (await scene.fulfillmentOrder(fulfillmentOrderId)).lines;
    expect(body).toMatchObject({
      id: expect.stringMatching(/^pck_/),
      fulfillmentOrderId,
      status: 'open',
      lines: [{ orderLineId: line.orderLineId, sku: 'mug-blue', qty: 2, pickedQty: 0 }],
    });
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'picking', pickingOrderId: body.id });
    await scene.settle();
    expect(await scene.order(orderId)).toMatchObject({ state: 'in-fulfilment' });
  });

  test('repeated answers 200 with the existing one in any status', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId, pickingOrder } = await scene.packedOrder();
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    expect([status, body.id, body.status]).toEqual([200, pickingOrder.id, 'packed']);
  });

  test('repeated after the cancellation answers 409, as the first one would', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { orderId, pickingOrder } = await pickingIn(scene, 'started');
    await scene.api('cancel-order-api', { params: { id: orderId } });
    await scene.settle();
    const { status, body } = await scene.openPicking(pickingOrder.fulfillmentOrderId);
    expect([status, body.objectType, body.currentState, body.action]).toEqual([409, 'fulfillment-order', 'cancelled', 'start-picking']);
    expect(body.allowedFrom).not.toContain('cancelled');
  });

  test('with the same Idempotency-Key gives the stored answer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const create = () =>
      scene.call('create-picking-order-api', { body: { fulfillmentOrderId }, headers: { 'idempotency-key': 'pick-it' } });
    const first = await create();
    const second = await create();
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([201, 'true', first.body]);
  });

  test('sent twelve times at once makes one, with one event', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const replies = await Promise.all(Array.from({ length: 12 }, () => scene.openPicking(fulfillmentOrderId)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 11 }, () => 200), 201]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    await scene.verify();
  });

  test.each(['ful_01M7YXMYP12VZJVANWHR33QF54', 'ord_1', 'x'.repeat(64)])('for the unknown %s answers 404', async (fulfillmentOrderId) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    expect([status, body.code, body.objectType]).toEqual([404, 'not_found', 'fulfillment-order']);
    expect((await scene.advance('PT1M')).ran).toEqual([]);
  });

  test('answers 409 before the allocation and succeeds after it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.down({ api: 'allocate-inventory-api' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    expect([status, body.code, body.objectType, body.currentState, body.action]).toEqual([
      ...[409, 'invalid_state_transition', 'fulfillment-order', 'created', 'start-picking'],
    ]);
    await scene.noFaults();
    await scene.advance('PT1M');
    expect((await scene.openPicking(fulfillmentOrderId)).status).toBe(201);
  });

  test('for a cancelled fulfillment order answers 409 with the states that allow picking', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { orderId, fulfillmentOrderId } = await scene.routedOrder();
    await scene.api('cancel-order-api', { params: { id: orderId } });
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    expect([status, body.code, body.objectType, body.currentState]).toEqual([
      ...[409, 'invalid_state_transition', 'fulfillment-order', 'cancelled'],
    ]);
    expect(body.allowedFrom).toContain('allocated');
  });

  test('while the FMS is down answers 503 and stores nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    await scene.down('fms');
    const refused = await scene.openPicking(fulfillmentOrderId);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'dependency_unavailable', '1']);
    await scene.noFaults();
    await scene.advance('PT5M');
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'allocated' });
    expect((await scene.openPicking(fulfillmentOrderId)).status).toBe(201);
  });

  test('whose answer from the FMS is lost answers 504 and is completed half a minute later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    await scene.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.openPicking(fulfillmentOrderId)).status).toBe(504);
    const { pickingOrderId } = await scene.fulfillmentOrder(fulfillmentOrderId);
    const { ran } = await scene.advance('PT1M');
    expect(ran.map(({ kind }) => kind)).toContain('finish-opening');
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    expect([status, body.id, body.status]).toEqual([200, pickingOrderId, 'open']);
  });

  test('whose answer was lost is completed at once by a repeat', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    await scene.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.openPicking(fulfillmentOrderId)).status).toBe(504);
    const { status, body } = await scene.openPicking(fulfillmentOrderId);
    const { pickingOrderId } = await scene.fulfillmentOrder(fulfillmentOrderId);
    expect([status, body.id]).toEqual([201, pickingOrderId]);
    expect((await scene.advance('PT1M')).ran.map(({ kind }) => kind)).not.toContain('finish-opening');
  });
});

describe('Update Picking Status', () => {
  test('goes from open over started and picked to packed, together with the fulfillment order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId, pickingOrder } = await scene.pickedOrder();
    const seen: unknown[] = [];
    for (const status of ['started', 'picked', 'packed'] as const) {
      const { body } = await scene.movePicking(pickingOrder.id, status);
      const { state, lines } = await scene.fulfillmentOrder(fulfillmentOrderId);
      seen.push([body.status, body.version, body.lines[0].pickedQty, state, lines[0].pickedQty]);
    }
    expect(seen).toEqual([
      ['started', 2, 0, 'picking', 0],
      ['picked', 3, 2, 'picking', 2],
      ['packed', 4, 2, 'packed', 2],
    ]);
    const events = await scene.events({ subject: `fulfillment-order/${fulfillmentOrderId}`, ext: true });
    expect(events.slice(-4).map(({ data }) => `${data.previousState} → ${data.object.state}`)).toEqual([
      'allocated → picking',
      'picking → picking',
      'picking → picking',
      'picking → packed',
    ]);
    expect(new Set(events.slice(-4).map(({ type }) => type))).toEqual(new Set(['com.unified-commerce.ext.fulfillment-order-changed']));
  });

  describe.each(STATUSES)('Update Picking Status of an order that is %s', (current) => {
    test.each(STATUSES.filter((status) => status !== 'open'))('to %s moves, repeats or refuses as the table says', async (status) => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { pickingOrder, orderLineId } = await pickingIn(scene, current);
      const lines = status === 'short' ? [{ orderLineId, pickedQty: 1 }] : undefined;
      const reply = await scene.movePicking(pickingOrder.id, status, lines);
      if (status === current) {
        expect([reply.status, reply.body]).toEqual([200, pickingOrder]);
      } else if (mayBecome[current].includes(status)) {
        expect([reply.status, reply.body.status, reply.body.version]).toEqual([200, status, pickingOrder.version + 1]);
      } else {
        const { code, objectType, id, currentState, action, allowedFrom } = reply.body;
        expect([reply.status, code]).toEqual([409, 'invalid_state_transition']);
        expect({ objectType, id, currentState, action }).toEqual({
          ...{ objectType: 'picking-order', id: pickingOrder.id, currentState: current, action: status },
        });
        expect(allowedFrom).toEqual(STATUSES.filter((from) => mayBecome[from].includes(status)));
      }
    });
  });

  test('answers 412 to an outdated If-Match and changes nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder } = await scene.pickedOrder();
    const move = (status: string, version: number) =>
      scene.call('update-picking-status-api', {
        params: { id: pickingOrder.id },
        body: { status },
        headers: { 'if-match': `"${version}"` },
      });
    expect(await move('started', 7)).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: 1 } });
    expect((await move('started', 1)).headers['etag']).toBe('"2"');
    expect((await move('picked', 1)).status).toBe(412);
    expect((await move('picked', 2)).body).toMatchObject({ status: 'picked', version: 3 });
    expect((await move('packed', 3)).body).toMatchObject({ status: 'packed', version: 4 });
  });

  test('with some units short continues with the others', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId, pickingOrder, orderLineId } = await pickingIn(scene, 'started');
    const { body } = await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, sku: 'mug-blue', pickedQty: 1 }]);
    expect(body).toMatchObject({ status: 'short', lines: [{ orderLineId, qty: 2, pickedQty: 1 }] });
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'picking', lines: [{ pickedQty: 1, shortQty: 1 }] });
    expect((await scene.movePicking(pickingOrder.id, 'packed')).status).toBe(200);
  });

  test('with all units short ends the fulfillment order, and no unit is left to pack', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId, pickingOrder, orderLineId } = await pickingIn(scene, 'started');
    expect((await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 0 }])).body.status).toBe('short');
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'cancelled', failureReason: 'short' });
    const { status, body } = await scene.movePicking(pickingOrder.id, 'packed');
    expect([status, body.objectType, body.currentState]).toEqual([409, 'fulfillment-order', 'cancelled']);
    expect((await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 0 }])).status).toBe(200);
  });

  test('takes an unnamed line as picked in full', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { body } = await scene.call('create-basket-api', {
      body: {
        ...{ channel: 'web', customerId: 'cus_ada' },
        lines: [
          { sku: 'mug-blue', qty: 2 },
          { sku: 'wine-red', qty: 3 },
        ],
      },
    });
    await scene.api('checkout-basket-api', {
      params: { id: body.id },
      body: {
        shippingAddress: { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' },
      },
    });
    const order = await scene.draft(body.id);
    await scene.authorisation(order.id);
    await scene.confirmed(order.id);
    await scene.settle();
    const [fulfillmentOrder] = (await scene.order(order.id)).fulfillmentOrders;
    const opened = (await scene.openPicking(fulfillmentOrder.id)).body;
    await scene.movePicking(opened.id, 'started');
    const [first] = opened.lines;
    const refused = await scene.movePicking(opened.id, 'short');
    expect(refused.body.errors[0].detail).toContain('an omitted line was picked in full');
    const short = await scene.movePicking(opened.id, 'short', [{ orderLineId: first.orderLineId, pickedQty: 0 }]);
    expect(short.body.lines.map(({ qty, pickedQty }: { qty: number; pickedQty: number }) => qty - pickedQty)).toEqual([first.qty, 0]);
  });

  interface Said {
    readonly orderLineId: string;
    readonly sku?: string;
    readonly pickedQty: number;
  }

  test.each<[status: Status, lines: readonly Said[] | undefined, pointer: string, why: string]>([
    ['short', undefined, '/lines', 'what was picked must be said'],
    ['short', [{ orderLineId: 'line-x', pickedQty: 1 }], '/lines/0/orderLineId', 'no such line'],
    ['short', [{ orderLineId: LINE, pickedQty: 3 }], '/lines/0/pickedQty', 'more than was ordered'],
    ['short', [{ orderLineId: LINE, sku: 'wine-red', pickedQty: 1 }], '/lines/0/sku', 'another SKU'],
    ['short', [{ orderLineId: LINE, pickedQty: 2 }], '/lines', 'nothing is short'],
    [
      'short',
      [
        { orderLineId: LINE, pickedQty: 1 },
        { orderLineId: LINE, pickedQty: 1 },
      ],
      '/lines/1/orderLineId',
      'a line twice',
    ],
    ['picked', [{ orderLineId: LINE, pickedQty: 1 }], '/lines/0/pickedQty', 'less than all is short'],
  ])('refuses %s with lines %j: 422 at %s, %s', async (status, lines, pointer, _why) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder, orderLineId } = await pickingIn(scene, 'started');
    const sent = lines?.map((line) => ({ ...line, ...(line.orderLineId === LINE && { orderLineId }) }));
    const reply = await scene.movePicking(pickingOrder.id, status, sent);
    expect([reply.status, reply.body.code, reply.body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
  });

  test('refuses started with lines with 422, since no unit is picked yet', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder, orderLineId } = await pickingIn(scene, 'open');
    const { status, body } = await scene.movePicking(pickingOrder.id, 'started', [{ orderLineId, pickedQty: 2 }]);
    expect([status, body.errors[0].pointer]).toEqual([422, '/lines']);
  });

  test('answers 404 for an unknown picking order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await scene.movePicking('pck_1', 'started');
    expect([status, body.objectType]).toEqual([404, 'picking-order']);
  });

  test('after the cancellation answers 409 about the fulfillment order and keeps the picking order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { orderId, pickingOrder } = await pickingIn(scene, 'started');
    await scene.api('cancel-order-api', { params: { id: orderId } });
    const { status, body } = await scene.movePicking(pickingOrder.id, 'picked');
    expect([status, body.objectType, body.currentState]).toEqual([409, 'fulfillment-order', 'cancelled']);
    expect((await scene.movePicking(pickingOrder.id, 'started')).body).toEqual(pickingOrder);
    await scene.settle();
    const skipped = await scene.movePicking(pickingOrder.id, 'packed');
    expect([skipped.status, skipped.body.objectType, skipped.body.currentState]).toEqual([409, 'fulfillment-order', 'cancelled']);
  });

  test('while the FMS is down answers 503, and any status may follow', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder, orderLineId } = await pickingIn(scene, 'started');
    await scene.down('fms');
    expect((await scene.movePicking(pickingOrder.id, 'picked')).status).toBe(503);
    await scene.noFaults();
    expect((await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 1 }])).body.status).toBe('short');
  });

  test('whose answer from the FMS is lost is completed by due work; another status waits for it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder, orderLineId } = await pickingIn(scene, 'started');
    await scene.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.movePicking(pickingOrder.id, 'picked')).status).toBe(504);
    const other = await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 1 }]);
    expect([other.status, other.body.code, other.body.retryable]).toEqual([409, 'invalid_state_transition', true]);
    await scene.advance('PT1M');
    expect((await scene.movePicking(pickingOrder.id, 'picked')).body).toMatchObject({
      status: 'picked',
      version: pickingOrder.version + 1,
    });
    expect((await scene.movePicking(pickingOrder.id, 'packed')).status).toBe(200);
  });

  test('whose answer was lost is completed at once by a repeat', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder } = await pickingIn(scene, 'started');
    await scene.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.movePicking(pickingOrder.id, 'picked')).status).toBe(504);
    expect((await scene.movePicking(pickingOrder.id, 'picked')).body).toMatchObject({
      status: 'picked',
      version: pickingOrder.version + 1,
    });
  });
});

describe('Get Stock Locations', () => {
  const ask = (scene: TestRehearsal, sku: string) => scene.call('get-stock-locations-api', { params: { sku } });

  test('lists the warehouses that hold a SKU, with units on hand and reserved', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const before = (await ask(scene, 'mug-blue')).body.locations;
    await scene.confirmed({ qty: 3 });
    const { status, body } = await ask(scene, 'mug-blue');
    expect([status, body.sku]).toEqual([200, 'mug-blue']);
    expect(body.locations).toEqual([
      { ...before[0], locationId: 'dc-01', reserved: before[0].reserved + 3, atp: before[0].atp - 3 },
      { ...before[1], locationId: 'dc-02' },
    ]);
  });

  test.each([
    ['lamp-last-one', ['dc-01']],
    ['vase-sold-out', []],
  ])('for %s answers %j', async (sku, locations) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { body } = await ask(scene, sku);
    expect(body.locations.map(({ locationId }: { locationId: string }) => locationId)).toEqual(locations);
  });

  test('answers 404 for an unknown SKU and 503 while the Inventory Service is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    expect((await ask(scene, 'no-such-sku')).status).toBe(404);
    await scene.down('inventory-service');
    expect((await ask(scene, 'mug-blue')).status).toBe(503);
  });
});

describe('A warehouse', () => {
  const stateAt = async (scene: TestRehearsal, id: string) => (await scene.fulfillmentOrder(id)).state;

  test('with progression manual waits for calls without a time limit', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const { ran } = await scene.advance('P1D');
    expect(ran.filter(({ application }) => application === 'wms')).toEqual([]);
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('allocated');
  });

  test('of a new rehearsal follows the clock', async () => {
    await using rehearsal = await newRehearsal();
    expect(await rehearsal.client.control('read-progression')).toMatchObject({ warehouse: 'time' });
  });

  test('with progression time takes each step at its own time after a caller took the one before early', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { orderId, fulfillmentOrderId, pickingOrder } = await scene.pickedOrder({}, 'started');
    await scene.advance('PT11M');
    expect((await scene.openPicking(fulfillmentOrderId)).body.status).toBe('started');
    await scene.api('update-picking-status-api', { params: { id: pickingOrder.id }, body: { status: 'picked' } });
    await scene.api('update-picking-status-api', { params: { id: pickingOrder.id }, body: { status: 'packed' } });
    await scene.advance('PT35M');
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('packed');
    await scene.advance('PT15M');
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('dispatched');
    expect((await scene.order(orderId)).fulfillmentOrders[0].shipments).toHaveLength(1);
    await scene.verify();
  });

  test('with progression time and a caller who works by hand take every step once, whoever comes first', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const pickingOrderId = fulfillmentOrderId.replace('ful_', 'pck_');
    const both: [string, () => Promise<{ status: number }>][] = [
      ['PT10M', () => scene.openPicking(fulfillmentOrderId)],
      ['PT20M', () => scene.movePicking(pickingOrderId, 'picked')],
      ['PT15M', () => scene.movePicking(pickingOrderId, 'packed')],
      ['PT15M', () => scene.call('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId }, body: {} })],
    ];
    for (const [by, call] of both) {
      await Promise.all([scene.advance(by), call()]);
      const repeated = await call();
      expect([by, repeated.status]).toEqual([by, 200]);
    }
    const { state, shipments } = await scene.fulfillmentOrder(fulfillmentOrderId);
    expect([state, shipments.length]).toEqual(['dispatched', 1]);
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });

  test('with progression time refuses a late caller and names the progression that leaves the steps to callers', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { pickingOrder, orderId } = await scene.pickedOrder({}, 'started');
    await scene.advance('PT31M');
    const [line] = (await scene.order(orderId)).lines;
    const { status, body } = await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId: line.lineId, pickedQty: 1 }]);
    expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', 'picked']);
    expect(body.detail).toContain('set its progression to manual to work by hand');
  });

  test('with progression time starts after 10 minutes, has picked after 30, packed after 45 and dispatched after an hour', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    const seen: unknown[] = [];
    for (const by of ['PT9M', 'PT2M', 'PT20M', 'PT15M', 'PT15M']) {
      await scene.advance(by);
      const { state, lines } = await scene.fulfillmentOrder(fulfillmentOrderId);
      seen.push(`${state} ${lines[0].pickedQty}`);
    }
    expect(seen).toEqual(['allocated 0', 'picking 0', 'picking 2', 'packed 2', 'dispatched 2']);
    await scene.verify();
  });

  test('with progression immediate has dispatched every allocated order when the estate is idle', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'immediate' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('dispatched');
    await scene.verify();
  });

  test('with progression immediate does every step once, without a failed attempt', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'immediate', carrier: 'manual' });
    await Promise.all(Array.from({ length: 4 }, () => scene.confirmed()));
    await scene.settle();
    const steps = (await scene.journal()).filter(({ api }) => api === 'due:warehouse-step');
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ status }) => status !== 200).map(({ response }) => response)).toEqual([]);
    expect((await scene.advance('PT10M')).ran.filter(({ kind }) => kind === 'warehouse-step')).toEqual([]);
  });

  test('that switches to progression time counts from the allocation and continues orders begun by hand', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const waiting = await scene.routedOrder();
    const begun = await scene.pickedOrder({ sku: 'wine-red', qty: 1 }, 'started');
    await scene.advance('PT20M');
    await scene.progress({ warehouse: 'time' });
    await scene.settle();
    expect(await stateAt(scene, waiting.fulfillmentOrderId)).toBe('picking');
    expect((await scene.openPicking(begun.fulfillmentOrderId)).body.status).toBe('started');
    await scene.advance('PT11M');
    expect((await scene.openPicking(begun.fulfillmentOrderId)).body.status).toBe('picked');
    await scene.advance('PT30M');
    expect([await stateAt(scene, waiting.fulfillmentOrderId), await stateAt(scene, begun.fulfillmentOrderId)]).toEqual([
      'dispatched',
      'dispatched',
    ]);
  });

  test('that switches back to progression manual stops at its current step', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    await scene.advance('PT11M');
    await scene.progress({ warehouse: 'manual' });
    const { ran } = await scene.advance('P1D');
    expect(ran.filter(({ application }) => application === 'wms')).toEqual([]);
    expect((await scene.openPicking(fulfillmentOrderId)).body.status).toBe('started');
  });

  test('leaves a cancelled order alone', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { orderId, fulfillmentOrderId } = await scene.routedOrder();
    await scene.advance('PT31M');
    await scene.api('cancel-order-api', { params: { id: orderId } });
    const { ran } = await scene.advance('P1D');
    expect(ran.filter(({ application }) => application === 'wms')).toEqual([]);
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('cancelled');
    await scene.verify();
  });

  test('takes a step later when the FMS was down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'time' });
    const { fulfillmentOrderId } = await scene.routedOrder();
    await scene.fault('down', { match: { api: 'record-picking' }, fault: { kind: 'outage' }, times: 2 });
    await scene.advance('P1D');
    expect(['dispatched', 'delivered']).toContain(await stateAt(scene, fulfillmentOrderId));
    expect((await scene.settle()).parked).toEqual([]);
  });

  test('retries the dispatch of an unpaid order for days, until it is paid', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'immediate', capture: 'manual' });
    const { orderId, fulfillmentOrderId } = await scene.routedOrder();
    await scene.advance('P3D');
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('packed');
    const [payment] = (await scene.order(orderId)).payments;
    await scene.api('capture-payment-api', { params: { id: payment.id } });
    await scene.advance('PT12H');
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('dispatched');
  });

  test('retries the dispatch of an unpaid order until its money is captured', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ warehouse: 'immediate', capture: 'manual' });
    const { orderId, fulfillmentOrderId } = await scene.routedOrder();
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('packed');
    const [payment] = (await scene.order(orderId)).payments;
    await scene.api('capture-payment-api', { params: { id: payment.id } });
    await scene.advance('PT2M');
    expect(await stateAt(scene, fulfillmentOrderId)).toBe('dispatched');
  });
});
