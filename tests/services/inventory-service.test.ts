import { describe, expect } from '@jest/globals';
import { eventually, newRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { testIn } from '../support/test-in.ts';

const LAMP = 'lamp-last-one';

interface OrderLine {
  readonly orderId: string;
  readonly orderLineId: string;
  readonly sku: string;
  readonly qty: number;
}

/** A rehearsal with the calls of a client of the Inventory Service. */
async function stockRehearsal() {
  const rehearsal = await newRehearsal();
  const { api, call } = rehearsal;
  const release = (id: string) => api('release-reservation-api', { params: { id } });
  return {
    ...rehearsal,
    release,
    /** The line of a draft order whose reservation a client has released. */
    aLine: async (sku = 'mug-blue', qty = 2): Promise<OrderLine> => {
      const { id: basketId, reservationId } = await rehearsal.checkedOut({ sku, qty });
      const { id, lines } = await rehearsal.draft(basketId);
      await release(reservationId ?? '');
      return { orderId: id, orderLineId: lines[0].lineId, sku, qty };
    },
    allocate: (line: OrderLine, more: object = {}, headers: Record<string, string> = {}) =>
      call('allocate-inventory-api', { body: { ...line, ...more }, headers }),
    reservation: (sku = 'mug-blue', qty = 2, more: object = {}) =>
      api('reserve-inventory-api', { body: { items: [{ sku, qty }], ...more } }),
    availability: (sku: string, query: object = {}) => call('check-availability-api', { params: { sku }, query: query as never }),
    /** Reserved units at the locations that have some. */
    reservedAt: async (sku = 'mug-blue') => {
      const levels = Object.entries(await rehearsal.stockOf(sku)).map(([locationId, [, reserved]]) => [locationId, reserved] as const);
      return Object.fromEntries(levels.filter(([, reserved]) => reserved > 0));
    },
    eventTypes: async (id: string) => typesOf(await rehearsal.events({ subject: `reservation/${id}`, ext: true })),
  };
}
const test = testIn(stockRehearsal);

describe('Check Availability', () => {
  test('Check Availability sums the nodes and returns the most units that one node can serve', async (rehearsal) => {
    const stores = ['store-01', 'store-02', 'store-03'].map((locationId) => ({ locationId, atp: 0 }));
    const { status, body } = await rehearsal.availability('desk-two-nodes');
    expect([status, body]).toEqual([
      200,
      {
        sku: 'desk-two-nodes',
        atp: 6,
        maxPerLine: 3,
        available: true,
        nodes: [{ locationId: 'dc-01', atp: 3 }, { locationId: 'dc-02', atp: 3 }, ...stores],
        asOf: expect.stringMatching(/Z$/),
      },
    ]);
    const atStore = { atp: 50, maxPerLine: 50, nodes: [{ locationId: 'store-03', atp: 50 }] };
    expect((await rehearsal.availability('mug-blue', { locationId: 'store-03' })).body).toMatchObject(atStore);
  });

  test.each([
    ['desk-two-nodes', { qty: 3 }, true],
    ['desk-two-nodes', { qty: 4 }, false],
    ['vase-sold-out', {}, false],
    [LAMP, { locationId: 'dc-01' }, true],
    [LAMP, { locationId: 'dc-02' }, false],
  ])('Check Availability of %s with %j returns %s, since one node must serve a line', async (rehearsal, sku, query, available) => {
    expect((await rehearsal.availability(sku, query)).body.available).toBe(available);
  });

  test('Check Availability follows reservations and excludes safety stock', async (rehearsal) => {
    const atp = async () => (await rehearsal.availability('mug-green')).body.atp;
    const before = await atp();
    const { locations } = await rehearsal.api('get-inventory-api', { params: { sku: 'mug-green' } });
    expect(before).toBe(locations.reduce((sum, { onHand, safetyStock }) => sum + onHand - safetyStock, 0));
    const { id } = await rehearsal.reservation('mug-green', 7);
    expect(await atp()).toBe(before - 7);
    await rehearsal.release(id);
    expect(await atp()).toBe(before);
  });
});

describe('Allocate Inventory without a reservation', () => {
  test('Allocate Inventory reserves stock without a time limit, gives the record to the SIM, and publishes one event', async (rehearsal) => {
    const { orderId, orderLineId, ...line } = await rehearsal.aLine();
    const { status, body, headers } = await rehearsal.allocate({ orderId, orderLineId, ...line });
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    const allocations = [{ orderLineId, locationId: 'dc-01', ...line, fulfilledQty: 0 }];
    expect(body).toMatchObject({ state: 'confirmed', orderId, orderLineId, items: [line], allocations });
    expect(body).not.toHaveProperty('expiresAt');
    expect(await rehearsal.reservedAt()).toEqual({ 'dc-01': 2 });
    expect(await rehearsal.eventTypes(body.id)).toEqual(['inventory-reserved']);
    const [event] = await rehearsal.events({ subject: `reservation/${body.id}` });
    expect(event).toMatchObject({ source: 'urn:uc:app:sim', data: { object: { state: 'confirmed' } } });
    await rehearsal.advance('PT20H');
    expect(await rehearsal.object('reservation', body.id)).toMatchObject({ state: 'confirmed' });
  });

  test('Allocate Inventory refuses the same line with another quantity', async (rehearsal) => {
    const line = await rehearsal.aLine();
    await rehearsal.allocate(line);
    const errors = [{ pointer: '/qty', code: 'differs_from_allocation' }];
    expect(await rehearsal.allocate(line, { qty: 1 })).toMatchObject({ status: 422, body: { errors } });
  });

  test('20 concurrent requests to Allocate Inventory reserve one line once', async (rehearsal) => {
    const line = await rehearsal.aLine();
    const replies = await Promise.all(Array.from({ length: 20 }, () => rehearsal.allocate(line)));
    for (const { status, body } of replies) expect(status < 300 ? 'allocated' : body.code).toMatch(/^(allocated|contention)$/);
    const allocated = replies.filter(({ status }) => status < 300);
    expect(new Set(allocated.map(({ body }) => body.id)).size).toBe(1);
    expect(allocated.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    expect((await rehearsal.allocate(line)).status).toBe(200);
    expect(await rehearsal.reservedAt()).toEqual({ 'dc-01': 2 });
    expect(await rehearsal.eventTypes(allocated[0]?.body.id)).toEqual(['inventory-reserved']);
  });
});

test.each(['requested', 'confirmed'])(
  'Allocate Inventory returns a %s reservation unchanged, without an event',
  async (rehearsal, state) => {
    const line = await rehearsal.aLine();
    const { id } = await rehearsal.reservation();
    const { orderId } = line;
    if (state === 'confirmed') await rehearsal.api('confirm-reservation-api', { params: { id }, body: { orderId } });
    const found = async () => [await rehearsal.object('reservation', id), await rehearsal.eventTypes(id)];
    const before = await found();
    for (const _ of ['first', 'repeat']) {
      expect(await rehearsal.allocate(line, { reservationId: id })).toMatchObject({ status: 200, body: { id, state } });
    }
    expect([await found(), await rehearsal.reservedAt()]).toEqual([before, { 'dc-01': 2 }]);
  },
);

describe('Allocate Inventory without an answer from the SIM', () => {
  test('Allocate Inventory returns the stock when the SIM is down, and the same key succeeds later', async (rehearsal) => {
    const line = await rehearsal.aLine(LAMP, 1);
    const send = (key: string) => rehearsal.allocate(line, {}, { 'idempotency-key': key });
    await rehearsal.down({ application: 'sim', api: 'record-reservation' });
    const unavailable = { status: 503, body: { code: 'dependency_unavailable', dependency: 'sim' } };
    expect(await send('k1')).toMatchObject(unavailable);
    await rehearsal.verify();
    expect(await rehearsal.reservedAt(LAMP)).toEqual({});
    expect((await send('k1')).status).toBe(503);
    await rehearsal.noFaults();
    expect((await rehearsal.advance('PT5M')).ran).toEqual([]);
    const [up, other] = [await send('k1'), await send('k2')];
    expect([up.status, other.status, other.body.id]).toEqual([201, 200, up.body.id]);
  });

  test.each(['timeout', 'reset'])('Allocate Inventory without an answer from the SIM (%s) is completed later', async (rehearsal, as) => {
    const line = await rehearsal.aLine();
    await rehearsal.fault('lost', { match: { api: 'record-reservation' }, fault: { kind: 'lost-response', as }, times: 1 });
    expect((await rehearsal.allocate(line)).status).toBe(as === 'timeout' ? 504 : 502);
    await rehearsal.verify();
    // The first event is about the reservation of the checkout.
    const [, event, ...others] = await rehearsal.events({ type: 'inventory-reserved' });
    expect(others).toEqual([]);
    expect(await rehearsal.allocate(line)).toMatchObject({ status: 200, body: { id: event.data.object.id } });
    expect(await rehearsal.reservedAt()).toEqual({ 'dc-01': 2 });
  });

  test('Allocate Inventory keeps the stock when a second request arrives before the record is completed', async (rehearsal) => {
    const line = await rehearsal.aLine();
    const match = { api: 'record-reservation' };
    // The first call is refused; the call of the due work is slow enough for the second request to arrive during it.
    await rehearsal.fault('broken', { match, fault: { kind: 'status', status: 500 }, times: 1 });
    await rehearsal.fault('slow', { match, fault: { kind: 'latency', ms: 4_000 }, times: 2 });
    expect((await rehearsal.allocate(line)).status).toBe(502);
    const slowHits = async () => (await rehearsal.faults()).find(({ name }) => name === 'slow')?.hits;
    await eventually('due work gives the record to the SIM', async () => (await slowHits()) === 2);
    await rehearsal.fault('down', { match, fault: { kind: 'outage' }, times: 1 });
    expect((await rehearsal.allocate(line)).status).toBe(503);
    await rehearsal.verify();
    expect((await rehearsal.allocate(line)).status).toBe(200);
    expect(await rehearsal.reservedAt()).toEqual({ 'dc-01': 2 });
  });
});
