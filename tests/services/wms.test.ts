import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const LINE = 'lines';
const STATUSES = ['open', 'started', 'picked', 'short', 'packed'] as const;
type Status = (typeof STATUSES)[number];

/** The statuses that lead to a status; with `short`, the last line is short by one unit. */
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

const test = testIn(() => newRehearsal({ warehouse: 'manual' }));

/** A picking order of two mugs in this status. */
async function pickingIn(rehearsal: TestRehearsal, status: Status = 'started') {
  const order = await rehearsal.pickedOrder();
  const [{ orderLineId }] = order.pickingOrder.lines;
  let { pickingOrder } = order;
  for (const next of leadingTo[status]) {
    const reply = await rehearsal.movePicking(pickingOrder.id, next, next === 'short' ? [{ orderLineId, pickedQty: 1 }] : undefined);
    expect([next, reply.status]).toEqual([next, 200]);
    pickingOrder = reply.body;
  }
  const move = (to: Status, lines?: readonly object[]) => rehearsal.movePicking(pickingOrder.id, to, lines);
  return { ...order, pickingOrder, orderLineId, move, picked: (pickedQty: number) => [{ orderLineId, pickedQty }] };
}

const loseAnswer = ({ fault }: Pick<TestRehearsal, 'fault'>) =>
  fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });

const kindsOf = ({ ran }: { ran: readonly { kind: string }[] }) => ran.map(({ kind }) => kind);

const cancelled = { code: 'invalid_state_transition', objectType: 'fulfillment-order', currentState: 'cancelled' };

describe('Create Picking Order', () => {
  test('Create Picking Order starts picking an allocated fulfillment order: 201, open, with its lines', async (rehearsal) => {
    const { orderId, fulfillmentOrderId } = await rehearsal.routedOrder();
    const { status, body, headers } = await rehearsal.openPicking(fulfillmentOrderId);
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    const { state, pickingOrderId, lines } = await rehearsal.fulfillmentOrder(fulfillmentOrderId);
    expect(body).toMatchObject({ id: expect.stringMatching(/^pck_/), fulfillmentOrderId, status: 'open' });
    expect(body.lines).toMatchObject([{ orderLineId: lines[0].orderLineId, sku: 'mug-blue', qty: 2, pickedQty: 0 }]);
    expect([state, pickingOrderId]).toEqual(['picking', body.id]);
    await rehearsal.settle();
    expect(await rehearsal.order(orderId)).toMatchObject({ state: 'in-fulfilment' });
  });

  test('Create Picking Order repeated refuses a fulfillment order that was cancelled during picking', async (rehearsal) => {
    const { orderId, fulfillmentOrderId } = await pickingIn(rehearsal);
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    await rehearsal.settle();
    const reply = await rehearsal.openPicking(fulfillmentOrderId);
    expect(reply).toMatchObject({ status: 409, body: { ...cancelled, action: 'start-picking' } });
    expect(reply.body.allowedFrom).toContain('allocated');
    expect(reply.body.allowedFrom).not.toContain('cancelled');
  });
});

describe('Update Picking Status', () => {
  test('Update Picking Status moves the picking order from open to started, picked and packed, together with the fulfillment order', async (rehearsal) => {
    const { fulfillmentOrderId, pickingOrder } = await rehearsal.pickedOrder();
    const seen: unknown[] = [];
    for (const status of ['started', 'picked', 'packed'] as const) {
      const { body } = await rehearsal.movePicking(pickingOrder.id, status);
      const { state, lines } = await rehearsal.fulfillmentOrder(fulfillmentOrderId);
      seen.push([body.status, body.version, body.lines[0].pickedQty, state, lines[0].pickedQty]);
    }
    expect(seen).toEqual([
      ['started', 2, 0, 'picking', 0],
      ['picked', 3, 2, 'picking', 2],
      ['packed', 4, 2, 'packed', 2],
    ]);
    const events = (await rehearsal.events({ subject: `fulfillment-order/${fulfillmentOrderId}`, ext: true })).slice(-4);
    const moves = ['allocated → picking', 'picking → picking', 'picking → picking', 'picking → packed'];
    expect(events.map(({ data }) => `${data.previousState} → ${data.object.state}`)).toEqual(moves);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['com.unified-commerce.ext.fulfillment-order-changed']));
  });

  const pairs = STATUSES.flatMap((from) => STATUSES.filter((to) => to !== 'open').map((to) => [from, to] as const));
  test.each(pairs)('Update Picking Status from %s to %s moves, repeats or refuses as the table defines', async (rehearsal, from, to) => {
    const { pickingOrder, move, picked } = await pickingIn(rehearsal, from);
    const { status, body } = await move(to, to === 'short' ? picked(1) : undefined);
    if (to === from) {
      expect([status, body]).toEqual([200, pickingOrder]);
    } else if (mayBecome[from].includes(to)) {
      expect([status, body.status, body.version]).toEqual([200, to, pickingOrder.version + 1]);
    } else {
      const refusal = {
        code: 'invalid_state_transition',
        objectType: 'picking-order',
        id: pickingOrder.id,
        currentState: from,
        action: to,
      };
      const allowedFrom = STATUSES.filter((one) => mayBecome[one].includes(to));
      expect([status, body]).toMatchObject([409, { ...refusal, allowedFrom }]);
    }
  });

  test('Update Picking Status with all units short ends the fulfillment order, and no unit is left to pack', async (rehearsal) => {
    const { fulfillmentOrderId, move, picked } = await pickingIn(rehearsal);
    expect((await move('short', picked(0))).body.status).toBe('short');
    expect(await rehearsal.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'cancelled', failureReason: 'short' });
    expect(await move('packed')).toMatchObject({ status: 409, body: cancelled });
    expect((await move('short', picked(0))).status).toBe(200);
  });

  test('Update Picking Status counts an omitted line as picked in full', async (rehearsal) => {
    const lines = [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'wine-red', qty: 3 },
    ];
    const { pickingOrder } = await rehearsal.pickedOrder({ lines }, 'started');
    const [first] = pickingOrder.lines;
    const refused = await rehearsal.movePicking(pickingOrder.id, 'short');
    expect(refused.body.errors[0].detail).toContain('an omitted line was picked in full');
    const short = await rehearsal.movePicking(pickingOrder.id, 'short', [{ orderLineId: first.orderLineId, pickedQty: 0 }]);
    expect(short.body.lines.map(({ qty, pickedQty }: { qty: number; pickedQty: number }) => qty - pickedQty)).toEqual([first.qty, 0]);
  });

  test.each<
    [status: Status, why: string, pointer: string, lines: readonly { orderLineId: string; sku?: string; pickedQty: number }[] | undefined]
  >([
    ['short', 'without the picked quantities', '/lines', undefined],
    ['short', 'with more than was ordered', '/lines/0/pickedQty', [{ orderLineId: LINE, pickedQty: 3 }]],
    ['short', 'although nothing is short', '/lines', [{ orderLineId: LINE, pickedQty: 2 }]],
    ['short', 'with a line twice', '/lines/1/orderLineId', Array(2).fill({ orderLineId: LINE, pickedQty: 1 })],
    ['picked', 'although a unit is short', '/lines/0/pickedQty', [{ orderLineId: LINE, pickedQty: 1 }]],
    ['started', 'with lines, since no unit is picked yet', '/lines', [{ orderLineId: LINE, pickedQty: 2 }]],
  ])('Update Picking Status refuses %s %s: 422 at %s', async (rehearsal, status, _why, pointer, lines) => {
    const { move, orderLineId } = await pickingIn(rehearsal, status === 'started' ? 'open' : 'started');
    const sent = lines?.map((line) => (line.orderLineId === LINE ? { ...line, orderLineId } : line));
    expect(await move(status, sent)).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } });
  });

  test('Update Picking Status after the cancellation is refused for the fulfillment order, even if it repeats a status', async (rehearsal) => {
    const { orderId, move } = await pickingIn(rehearsal);
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    expect(await move('picked')).toMatchObject({ status: 409, body: cancelled });
    expect(await move('started')).toMatchObject({ status: 409, body: cancelled });
    await rehearsal.settle();
    expect(await move('packed')).toMatchObject({ status: 409, body: cancelled });
  });

  test.each([
    ['by due work, and another status waits for it', true],
    ['by a repeat', false],
  ])('Update Picking Status whose answer from the FMS is lost is completed %s', async (rehearsal, _how, isLater) => {
    const { pickingOrder, move, picked } = await pickingIn(rehearsal);
    await loseAnswer(rehearsal);
    expect((await move('picked')).status).toBe(504);
    if (isLater) {
      const refusal = { code: 'invalid_state_transition', retryable: true };
      expect(await move('short', picked(1))).toMatchObject({ status: 409, body: refusal });
      await rehearsal.advance('PT1M');
    }
    expect((await move('picked')).body).toMatchObject({ status: 'picked', version: pickingOrder.version + 1 });
    expect((await move('packed')).status).toBe(200);
  });
});

describe('Get Stock Locations', () => {
  const locationsOf = async ({ api }: TestRehearsal, sku: string) => (await api('get-stock-locations-api', { params: { sku } })).locations;

  test('Get Stock Locations lists the warehouses that have a SKU, with units on hand and reserved', async (rehearsal) => {
    const [first, second] = await locationsOf(rehearsal, 'mug-blue');
    await rehearsal.confirmed({ qty: 3 });
    expect(await locationsOf(rehearsal, 'mug-blue')).toEqual([
      { ...first, locationId: 'dc-01', reserved: first.reserved + 3, atp: first.atp - 3 },
      { ...second, locationId: 'dc-02' },
    ]);
    expect((await locationsOf(rehearsal, 'lamp-last-one')).map(({ locationId }) => locationId)).toEqual(['dc-01']);
    expect(await locationsOf(rehearsal, 'vase-sold-out')).toEqual([]);
  });
});

describe('The warehouse', () => {
  const stateOf = async (rehearsal: TestRehearsal, id: string) => (await rehearsal.fulfillmentOrder(id)).state;
  const pickingStatus = async (rehearsal: TestRehearsal, id: string) => (await rehearsal.openPicking(id)).body.status;
  const wmsRuns = ({ ran }: { ran: readonly { application: string }[] }) => ran.filter(({ application }) => application === 'wms');

  testIn(newRehearsal)('the warehouse of a new rehearsal has each step at its time', async (rehearsal) => {
    const { fulfillmentOrderId } = await rehearsal.routedOrder();
    const seen: unknown[] = [];
    for (const by of ['PT9M', 'PT2M', 'PT20M', 'PT15M', 'PT15M']) {
      await rehearsal.advance(by);
      const { state, lines } = await rehearsal.fulfillmentOrder(fulfillmentOrderId);
      seen.push(`${state} ${lines[0].pickedQty}`);
    }
    expect(seen).toEqual(['allocated 0', 'picking 0', 'picking 2', 'packed 2', 'dispatched 2']);
  });

  test('The warehouse with progression time takes each step at its own time after a caller took the previous step early', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'time' });
    const { orderId, fulfillmentOrderId, pickingOrder } = await rehearsal.pickedOrder({}, 'started');
    await rehearsal.advance('PT11M');
    expect(await pickingStatus(rehearsal, fulfillmentOrderId)).toBe('started');
    for (const status of ['picked', 'packed']) await rehearsal.movePicking(pickingOrder.id, status);
    await rehearsal.advance('PT35M');
    expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('packed');
    await rehearsal.advance('PT15M');
    expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('dispatched');
    expect((await rehearsal.routed(orderId))[0].shipments).toHaveLength(1);
  });

  test('The warehouse with progression immediate dispatches every allocated order once, without a failed attempt', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'immediate', carrier: 'manual' });
    const orders = await Promise.all(Array.from({ length: 4 }, () => rehearsal.routedOrder()));
    await rehearsal.settle();
    for (const { fulfillmentOrderId } of orders) expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('dispatched');
    const steps = (await rehearsal.journal()).filter(({ api }) => api === 'due:warehouse-step');
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ status }) => status !== 200).map(({ response }) => response)).toEqual([]);
    expect(kindsOf(await rehearsal.advance('PT10M'))).not.toContain('warehouse-step');
  });

  test('After a change to progression time the warehouse counts from the allocation and continues orders begun by hand', async (rehearsal) => {
    const waiting = (await rehearsal.routedOrder()).fulfillmentOrderId;
    const begun = (await rehearsal.pickedOrder({ sku: 'wine-red', qty: 1 }, 'started')).fulfillmentOrderId;
    await rehearsal.advance('PT20M');
    await rehearsal.progress({ warehouse: 'time' });
    await rehearsal.settle();
    expect([await stateOf(rehearsal, waiting), await pickingStatus(rehearsal, begun)]).toEqual(['picking', 'started']);
    await rehearsal.advance('PT11M');
    expect(await pickingStatus(rehearsal, begun)).toBe('picked');
    await rehearsal.advance('PT30M');
    expect([await stateOf(rehearsal, waiting), await stateOf(rehearsal, begun)]).toEqual(['dispatched', 'dispatched']);
  });

  test('The warehouse that changes back to progression manual stops at its current step', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'time' });
    const { fulfillmentOrderId } = await rehearsal.routedOrder();
    await rehearsal.advance('PT11M');
    await rehearsal.progress({ warehouse: 'manual' });
    expect(wmsRuns(await rehearsal.advance('P1D'))).toEqual([]);
    expect(await pickingStatus(rehearsal, fulfillmentOrderId)).toBe('started');
  });

  test('The warehouse takes no step of a cancelled order', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'time' });
    const { orderId, fulfillmentOrderId } = await rehearsal.routedOrder();
    await rehearsal.advance('PT31M');
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    expect(wmsRuns(await rehearsal.advance('P1D'))).toEqual([]);
    expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('cancelled');
  });

  test.each([
    ['two minutes', 'PT0S', 'PT2M'],
    ['days', 'P3D', 'PT12H'],
  ])('the warehouse retries the dispatch of an unpaid order for %s, until it is paid', async (rehearsal, _time, unpaid, later) => {
    await rehearsal.progress({ warehouse: 'immediate', capture: 'manual' });
    const { orderId, fulfillmentOrderId } = await rehearsal.routedOrder();
    await rehearsal.advance(unpaid);
    expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('packed');
    const [payment] = (await rehearsal.order(orderId)).payments;
    await rehearsal.api('capture-payment-api', { params: { id: payment.id } });
    await rehearsal.advance(later);
    expect(await stateOf(rehearsal, fulfillmentOrderId)).toBe('dispatched');
  });
});
