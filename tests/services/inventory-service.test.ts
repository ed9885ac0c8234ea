import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

interface Line {
  readonly orderId: string;
  readonly orderLineId: string;
  readonly sku: string;
  readonly qty: number;
}

/** The line of a draft order whose reservation a client has released. */
async function aLine(rehearsal: TestRehearsal, sku = 'mug-blue', qty = 2): Promise<Line> {
  const basket = await rehearsal.basket({ sku, qty });
  const { reservationId } = await rehearsal.checkedOut(basket.id);
  const { id, lines } = await rehearsal.draft(basket.id);
  await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
  return { orderId: id, orderLineId: lines[0].lineId, sku, qty };
}

const allocate = (rehearsal: TestRehearsal, line: Line, more: object = {}, headers: Record<string, string> = {}) =>
  rehearsal.call('allocate-inventory-api', { body: { ...line, ...more }, headers });

async function unitsReserved(rehearsal: TestRehearsal, sku: string): Promise<Record<string, number>> {
  const { locations } = await rehearsal.api('get-inventory-api', { params: { sku } });
  const held = locations.filter(({ reserved }: { reserved: number }) => reserved > 0);
  return Object.fromEntries(held.map(({ locationId, reserved }: { locationId: string; reserved: number }) => [locationId, reserved]));
}

const typesOf = async (rehearsal: TestRehearsal, id: string): Promise<string[]> =>
  (await rehearsal.events({ subject: `reservation/${id}`, ext: true })).map(({ type }) => type.replace('com.unified-commerce.', ''));

describe('Check Availability', () => {
  const ask = (rehearsal: TestRehearsal, path: string) => rehearsal.call('GET', `/inventory/${path}`);

  test('sums the nodes and answers the most units that one node can serve', async () => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await ask(rehearsal, 'desk-two-nodes/availability');
    expect(status).toBe(200);
    expect(body).toEqual({
      sku: 'desk-two-nodes',
      atp: 6,
      maxPerLine: 3,
      available: true,
      nodes: [
        { locationId: 'dc-01', atp: 3 },
        { locationId: 'dc-02', atp: 3 },
        { locationId: 'store-01', atp: 0 },
        { locationId: 'store-02', atp: 0 },
        { locationId: 'store-03', atp: 0 },
      ],
      asOf: expect.stringMatching(/Z$/),
    });
  });

  test.each([
    ['desk-two-nodes/availability?qty=3', true],
    ['desk-two-nodes/availability?qty=4', false],
    ['vase-sold-out/availability', false],
    ['lamp-last-one/availability?locationId=dc-01', true],
    ['lamp-last-one/availability?locationId=dc-02', false],
  ])('for %s answers available %s, since one node must serve a line', async (path, available) => {
    await using rehearsal = await newRehearsal();
    expect((await ask(rehearsal, path)).body.available).toBe(available);
  });

  test('with a location looks at that location alone', async () => {
    await using rehearsal = await newRehearsal();
    const { body } = await ask(rehearsal, 'mug-blue/availability?locationId=store-03');
    expect([body.atp, body.maxPerLine, body.nodes]).toEqual([50, 50, [{ locationId: 'store-03', atp: 50 }]]);
  });

  test('follows reservations at once and excludes safety stock', async () => {
    await using rehearsal = await newRehearsal();
    const before = (await ask(rehearsal, 'mug-green/availability')).body.atp;
    const { locations } = await rehearsal.api('get-inventory-api', { params: { sku: 'mug-green' } });
    const keptBack = locations.reduce((sum: number, { safetyStock }: { safetyStock: number }) => sum + safetyStock, 0);
    const onHand = locations.reduce((sum: number, location: { onHand: number }) => sum + location.onHand, 0);
    expect(before).toBe(onHand - keptBack);
    const { id } = await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-green', qty: 7 }] } });
    expect((await ask(rehearsal, 'mug-green/availability')).body.atp).toBe(before - 7);
    await rehearsal.api('release-reservation-api', { params: { id } });
    expect((await ask(rehearsal, 'mug-green/availability')).body.atp).toBe(before);
  });

  test.each([
    ['no-such-sku/availability', 404, { objectType: 'product', id: 'no-such-sku' }],
    ['mug-blue/availability?locationId=dc-99', 404, { objectType: 'location', id: 'dc-99' }],
    ['mug-blue/availability?qty=0', 422, { code: 'validation_failed' }],
    ['mug-blue/availability?colour=red', 422, { code: 'validation_failed' }],
  ])('with %s is refused with %d', async (path, status, problem) => {
    await using rehearsal = await newRehearsal();
    const reply = await ask(rehearsal, path);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject(problem);
  });
});

describe('Allocate Inventory for an order line without a hold', () => {
  test('holds the stock without a time limit, hands the record to the SIM, and publishes one event', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { status, body, headers } = await allocate(rehearsal, line);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^res_/),
      version: 1,
      state: 'confirmed',
      orderId: line.orderId,
      orderLineId: line.orderLineId,
      items: [{ sku: 'mug-blue', qty: 2 }],
      allocations: [{ orderLineId: line.orderLineId, locationId: 'dc-01', sku: 'mug-blue', qty: 2, fulfilledQty: 0, cancelledQty: 0 }],
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    });
    expect(headers['etag']).toBe('"1"');
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
    expect(await typesOf(rehearsal, body.id)).toEqual(['inventory-reserved']);
    expect((await rehearsal.events({ subject: `reservation/${body.id}` }))[0]).toMatchObject({
      source: 'urn:uc:app:sim',
      data: { object: { state: 'confirmed' } },
    });
    await rehearsal.advance('PT20H');
    expect(await rehearsal.object('reservation', body.id)).toMatchObject({ state: 'confirmed' });
    await rehearsal.verify();
  });

  test('answers the same reservation for the same line and moves nothing', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const first = await allocate(rehearsal, line);
    const second = await allocate(rehearsal, line, { preferredLocations: ['dc-02'] });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
    expect(await typesOf(rehearsal, first.body.id)).toEqual(['inventory-reserved']);
    const otherLine = await allocate(rehearsal, await aLine(rehearsal));
    expect([otherLine.status, otherLine.body.id === first.body.id]).toEqual([201, false]);
    await rehearsal.verify();
  });

  test.each([
    ['SKU', { sku: 'mug-green' }, '/sku', 'differs_from_line'],
    ['quantity', { qty: 1 }, '/qty', 'differs_from_allocation'],
  ])('refuses the same line with another %s', async (_, other, pointer, code) => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    await allocate(rehearsal, line);
    const { status, body } = await allocate(rehearsal, line, other);
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([422, pointer, code]);
    await rehearsal.verify();
  });

  test('tries the preferred locations in their order, then the others', async () => {
    await using rehearsal = await newRehearsal();
    const preferredLocations = ['store-02', 'dc-02'];
    const nodeOf = async (qty: number) =>
      (await allocate(rehearsal, await aLine(rehearsal, 'mug-blue', qty), { preferredLocations })).body.allocations[0].locationId;
    expect(await nodeOf(50)).toBe('store-02');
    expect(await nodeOf(1000)).toBe('dc-02');
    expect(await nodeOf(1)).toBe('dc-01');
    await rehearsal.verify();
  });

  test('is refused when no node can serve the line, and may succeed later for the same line', async () => {
    await using rehearsal = await newRehearsal();
    const lamp = await aLine(rehearsal, 'lamp-last-one', 1);
    const hold = await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    const { status, body } = await allocate(rehearsal, lamp);
    expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: 'lamp-last-one', requested: 1, available: 0 }]]);
    await rehearsal.api('release-reservation-api', { params: { id: hold.id } });
    expect((await allocate(rehearsal, lamp)).status).toBe(201);
    await rehearsal.verify();
  });

  test('does not hold a released line again: a line is allocated once', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { body } = await allocate(rehearsal, line);
    await rehearsal.api('release-reservation-api', { params: { id: body.id } });
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({});
    const again = await allocate(rehearsal, line);
    expect([again.status, again.body.currentState, again.body.action]).toEqual([409, 'released', 'allocate']);
    await rehearsal.verify();
  });

  test.each([
    ['SKU', { sku: 'no-such-sku' }, 'product', 'no-such-sku'],
    ['preferred location', { preferredLocations: ['dc-99'] }, 'location', 'dc-99'],
    ['reservation', { reservationId: 'res_none' }, 'reservation', 'res_none'],
    ['order', { orderId: 'ord_none' }, 'order', 'ord_none'],
  ])('answers 404 for an unknown %s', async (_, more, objectType, id) => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { status, body } = await allocate(rehearsal, line, more);
    expect([status, body.objectType, body.id]).toEqual([404, objectType, id]);
    await rehearsal.verify();
  });

  test('replays a repeated key', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const send = () => allocate(rehearsal, line, {}, { 'idempotency-key': 'allocate-1' });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body, second.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
  });

  test('sent 20 times at once for one line holds the stock once', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const replies = await Promise.all(Array.from({ length: 20 }, () => allocate(rehearsal, line)));
    for (const { status, body } of replies) expect(status < 300 ? 'held' : body.code).toMatch(/^(held|contention)$/);
    const held = replies.filter(({ status }) => status < 300);
    expect(new Set(held.map(({ body }) => body.id)).size).toBe(1);
    expect(held.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    expect((await allocate(rehearsal, line)).status).toBe(200);
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
    expect(await typesOf(rehearsal, held[0]?.body.id)).toEqual(['inventory-reserved']);
    await rehearsal.verify();
  });

  test('gives the last unit to one of ten lines', async () => {
    await using rehearsal = await newRehearsal();
    const lines: Line[] = [];
    for (let order = 0; order < 10; order++) lines.push(await aLine(rehearsal, 'lamp-last-one', 1));
    const replies = await Promise.all(lines.map((line) => allocate(rehearsal, line)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    await rehearsal.verify();
  });
});

describe('Allocate Inventory for an order line that has a hold', () => {
  async function aHold(rehearsal: TestRehearsal, more: object = {}) {
    return rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 2 }], ...more } });
  }

  test.each(['requested', 'confirmed'])('answers a %s reservation unchanged: no stock moves, no event', async (state) => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { id } = await aHold(rehearsal);
    if (state === 'confirmed') await rehearsal.api('confirm-reservation-api', { params: { id }, body: { orderId: line.orderId } });
    const before = [await rehearsal.object('reservation', id), await typesOf(rehearsal, id)];
    for (const _ of ['first', 'repeat']) {
      const { status, body } = await allocate(rehearsal, line, { reservationId: id });
      expect([status, body.id, body.state]).toEqual([200, id, state]);
    }
    expect([await rehearsal.object('reservation', id), await typesOf(rehearsal, id)]).toEqual(before);
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
    await rehearsal.verify();
  });

  test.each(['released', 'expired'])('refuses a %s reservation', async (state) => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { id } = await aHold(rehearsal);
    if (state === 'released') await rehearsal.api('release-reservation-api', { params: { id } });
    else await rehearsal.advance('PT16M');
    const { status, body } = await allocate(rehearsal, line, { reservationId: id });
    expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', state]);
    expect(body.allowedFrom).toEqual(['requested', 'confirmed']);
  });

  test.each([
    ['holds less', { sku: 'mug-blue', qty: 3 }, { sku: 'mug-blue', requested: 3, available: 2 }],
    ['does not hold the SKU', { sku: 'mug-green', qty: 1 }, { sku: 'mug-green', requested: 1, available: 0 }],
  ])('refuses a reservation that %s', async (_, { sku, qty }, short) => {
    await using rehearsal = await newRehearsal();
    const { id } = await aHold(rehearsal);
    const { status, body } = await allocate(rehearsal, await aLine(rehearsal, sku, qty), { reservationId: id });
    expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [short]]);
  });

  test('refuses a reservation of another order', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const { id } = await aHold(rehearsal, { orderId: 'ord_2' });
    const { status, body } = await allocate(rehearsal, line, { reservationId: id });
    expect([status, body.errors[0].pointer]).toEqual([422, '/reservationId']);
  });
});

describe('When the call of Allocate to the SIM fails', () => {
  test('since the SIM is down, the stock is given back, and the same key succeeds later', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal, 'lamp-last-one', 1);
    const send = (key: string) => allocate(rehearsal, line, {}, { 'idempotency-key': key });
    await rehearsal.down({ application: 'sim', api: 'record-reservation' });
    const down = await send('k1');
    expect([down.status, down.body.code, down.body.dependency]).toEqual([503, 'dependency_unavailable', 'sim']);
    await rehearsal.verify();
    expect(await unitsReserved(rehearsal, 'lamp-last-one')).toEqual({});
    expect((await send('k1')).status).toBe(503);
    await rehearsal.noFaults();
    expect((await rehearsal.advance('PT5M')).ran).toEqual([]);
    const [up, other] = [await send('k1'), await send('k2')];
    expect([up.status, other.status, other.body.id]).toEqual([201, 200, up.body.id]);
    await rehearsal.verify();
  });

  test.each(['timeout', 'reset'])('since its answer is lost (%s), the record is completed later, and the line keeps it', async (as) => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'record-reservation' }, fault: { kind: 'lost-response', as }, times: 1 });
    expect((await allocate(rehearsal, line)).status).toBe(as === 'timeout' ? 504 : 502);
    await rehearsal.verify();
    // The first event is about the reservation of the checkout.
    const [, event, ...others] = await rehearsal.events({ type: 'inventory-reserved' });
    expect(others).toEqual([]);
    const repeated = await allocate(rehearsal, line);
    expect([repeated.status, repeated.body.id]).toEqual([200, event.data.object.id]);
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
  });

  test('and a second request arrives before the record is completed, the stock stays held', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    const match = { api: 'record-reservation' };
    // The first call is refused at once; the one of the due work is slow enough for the second request to arrive meanwhile.
    await rehearsal.fault('broken', { match, fault: { kind: 'status', status: 500 }, times: 1 });
    await rehearsal.fault('slow', { match, fault: { kind: 'latency', ms: 4_000 }, times: 2 });
    expect((await allocate(rehearsal, line)).status).toBe(502);
    await eventually(
      'due work hands the record over',
      async () => (await rehearsal.faults()).find(({ name }) => name === 'slow')?.hits === 2,
    );
    await rehearsal.fault('down', { match, fault: { kind: 'outage' }, times: 1 });
    expect((await allocate(rehearsal, line)).status).toBe(503);
    await rehearsal.verify();
    expect((await allocate(rehearsal, line)).status).toBe(200);
    expect(await unitsReserved(rehearsal, 'mug-blue')).toEqual({ 'dc-01': 2 });
  });

  test('while it looks up a named hold, the failure is passed on', async () => {
    await using rehearsal = await newRehearsal();
    const line = await aLine(rehearsal);
    await rehearsal.down('sim');
    expect((await allocate(rehearsal, line, { reservationId: 'res_1' })).status).toBe(503);
  });
});
