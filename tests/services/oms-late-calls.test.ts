import { describe, expect } from '@jest/globals';
import { eventually, type TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const LAMP = { sku: 'lamp-last-one', qty: 1 };

/** A confirmed order that waits for Route Order, and whose reservation a client has released. */
async function releasedOrder(rehearsal: TestRehearsal) {
  await rehearsal.progress({ route: 'manual' });
  const order = await rehearsal.confirmed(LAMP);
  await rehearsal.api('release-reservation-api', { params: { id: order.lines[0].reservationId } });
  return order;
}

/** Sends `first`, whose next call of an API is late, and `second` when that call has arrived. */
async function late<First, Other>(
  rehearsal: TestRehearsal,
  api: string,
  { first, second }: { first: () => Promise<First>; second: () => Promise<Other> },
): Promise<[First, Other]> {
  await rehearsal.fault('slow', { match: { api }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
  const answer = first();
  await eventually(`${api} is called`, async () => (await rehearsal.faults()).some(({ hits }) => hits === 1));
  const other = await second();
  return [await answer, other];
}

const routeOf = (rehearsal: TestRehearsal, id: string, body: object = {}) => rehearsal.call('route-order-api', { params: { id }, body });

const refusedWhile = (action: string) => ({
  status: 409,
  headers: { 'retry-after': '1' },
  body: { code: 'invalid_state_transition', retryable: true, pendingAction: { action } },
});

describe('A late call of Route Order', () => {
  test('Route Order keeps the reservation of another Route Order, although its own call to reserve arrives later', async (rehearsal) => {
    const { id } = await releasedOrder(rehearsal);
    const route = () => routeOf(rehearsal, id);
    const [first, second] = await late(rehearsal, 'reserve-inventory-api', { first: route, second: route });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body).toEqual(second.body);
    const [{ reservationId }] = (await rehearsal.order(id)).lines;
    expect(await rehearsal.object('reservation', reservationId)).toMatchObject({ state: 'confirmed' });
    await rehearsal.verify();
    await rehearsal.advance('PT6M');
    const other = await rehearsal.basket({ ...LAMP, customerId: 'cus_ben' });
    expect(await rehearsal.checkOut(other.id)).toMatchObject({ status: 409, body: { code: 'insufficient_stock' } });
    await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
    expect(await rehearsal.object('reservation', reservationId)).toMatchObject({ state: 'fulfilled' });
  });

  test('Route Order refuses another strategy, and Cancel Order waits, while an order is being routed', async (rehearsal) => {
    const { id } = await releasedOrder(rehearsal);
    const [routed, refused] = await late(rehearsal, 'reserve-inventory-api', {
      first: () => routeOf(rehearsal, id),
      second: async () => [await routeOf(rehearsal, id, { strategy: 'most-stock' }), await rehearsal.cancel(id)],
    });
    expect(routed.status).toBe(200);
    for (const one of refused) expect(one).toMatchObject(refusedWhile('route'));
    expect(await rehearsal.order(id)).not.toHaveProperty('pendingAction');
    expect((await rehearsal.cancel(id)).status).toBe(200);
    expect(await rehearsal.reserved(LAMP.sku)).toBe(0);
  });

  test('Route Order reserves nothing more for an order that is cancelled, although its request to the FMS arrives later', async (rehearsal) => {
    const { id } = await releasedOrder(rehearsal);
    const [routed, cancelled] = await late(rehearsal, 'create-fulfillment-orders', {
      first: () => routeOf(rehearsal, id),
      second: () => rehearsal.cancel(id),
    });
    expect(cancelled.status).toBe(200);
    expect(routed).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', currentState: 'cancelled', action: 'route' } });
    expect([await rehearsal.routed(id), await rehearsal.reserved(LAMP.sku)]).toEqual([[], 0]);
  });

  test.each(['drop', 'lost-response'] as const)(
    'Route Order is finished by due work when its call to reserve fails (%s)',
    async (rehearsal, kind) => {
      const { id } = await releasedOrder(rehearsal);
      await rehearsal.fault('trouble', { match: { api: 'reserve-inventory-api' }, fault: { kind }, times: 1 });
      expect((await routeOf(rehearsal, id)).status).toBeGreaterThanOrEqual(500);
      await rehearsal.advance('PT2M');
      const order = await rehearsal.order(id);
      expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
      for (const absent of ['pendingAction', 'routingStatus']) expect(order).not.toHaveProperty(absent);
    },
  );

  test('Route Order is withdrawn when the SIM stays down, and a further Route Order routes the order', async (rehearsal) => {
    const { id } = await releasedOrder(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await routeOf(rehearsal, id, { strategy: 'most-stock' });
    expect(await rehearsal.order(id)).toMatchObject({ pendingAction: { action: 'route' } });
    await rehearsal.down('sim');
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).not.toHaveProperty('pendingAction');
    await rehearsal.noFaults();
    expect((await routeOf(rehearsal, id)).status).toBe(200);
  });

  test('Route Order repeats its reservation after a shortage', async (rehearsal) => {
    const { id } = await releasedOrder(rehearsal);
    const { id: other } = await rehearsal.api('reserve-inventory-api', { body: { items: [LAMP] } });
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await routeOf(rehearsal, id)).toMatchObject({ status: 409, body: { code: 'insufficient_stock', retryable: false } });
    }
    await rehearsal.api('release-reservation-api', { params: { id: other } });
    expect((await routeOf(rehearsal, id)).status).toBe(200);
  });
});

describe('Late calls of two actions on one order', () => {
  test('Confirm Order of an order that is cancelled before its payments are read names the cancelled order', async (rehearsal) => {
    const { id } = await rehearsal.authorised(LAMP);
    const [confirmed, cancelled] = await late(rehearsal, 'list-payments', {
      first: () => rehearsal.confirm(id),
      second: () => rehearsal.cancel(id),
    });
    expect(cancelled.status).toBe(200);
    expect(confirmed).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', currentState: 'cancelled' } });
  });
});
