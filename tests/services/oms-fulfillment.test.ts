import { describe, expect } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const MUG = { sku: 'mug-blue', qty: 1 };
/** Two mugs and their shipping. */
const TOTAL = 3088;
const declined = (api: string) => ({ match: { api }, fault: { kind: 'status', status: 402, code: 'payment_declined' } });

/** An order in the warehouse, with its only fulfillment order. */
async function routedOrder(rehearsal: TestRehearsal) {
  const order = await rehearsal.confirmed();
  return { order, id: order.fulfillmentOrders[0].id };
}

async function packedOrder(rehearsal: TestRehearsal) {
  const routed = await routedOrder(rehearsal);
  await rehearsal.packed(routed.id);
  await rehearsal.settle();
  return routed;
}

describe('Route Order', () => {
  test('Route Order answers the fulfillment orders of a routed order in any state, and changes nothing', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    const routedAs = async (orderState: string, state: string) => {
      const before = await rehearsal.order(order.id);
      expect(before.state).toBe(orderState);
      const reply = await rehearsal.call('route-order-api', { params: { id: order.id } });
      expect([reply.status, reply.body.items]).toMatchObject([200, [{ id, orderId: order.id, state }]]);
      expect((await rehearsal.order(order.id)).version).toBe(before.version);
    };
    await routedAs('confirmed', 'allocated');
    const parcel = await rehearsal.dispatched(id);
    await rehearsal.settle();
    await routedAs('in-fulfilment', 'dispatched');
    await rehearsal.delivered(parcel);
    await routedAs('completed', 'delivered');
    expect(await rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
  });

  test('Route Order routes orders where the rehearsal routes by hand', async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    const { id, routingStatus, fulfillmentOrders } = await rehearsal.confirmed();
    expect([routingStatus, fulfillmentOrders]).toEqual(['manual', []]);
    await rehearsal.advance('PT1H');
    expect(await rehearsal.routed(id)).toEqual([]);
    const { items } = await rehearsal.api('route-order-api', { params: { id } });
    expect(items).toMatchObject([{ orderId: id, state: 'allocated', locationId: 'dc-01' }]);
    expect(await rehearsal.order(id)).not.toHaveProperty('routingStatus');
    expect((await rehearsal.api('route-order-api', { params: { id } })).items).toEqual(items);
    expect(await rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
  });

  test.each([
    ['nearest', 'dc-01'],
    ['most-stock', 'dc-02'],
  ] as const)('Route Order finds a node by %s for a line whose reservation was released', async (rehearsal, strategy, locationId) => {
    await rehearsal.progress({ route: 'manual' });
    const desk = { sku: 'desk-two-nodes', qty: 1 };
    const { id, lines } = await rehearsal.confirmed(desk);
    await rehearsal.api('reserve-inventory-api', { body: { items: [desk], locationId: 'dc-01' } });
    await rehearsal.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    const { items } = await rehearsal.api('route-order-api', { params: { id }, body: { strategy } });
    expect(items).toMatchObject([{ locationId, state: 'allocated' }]);
    const [line] = (await rehearsal.order(id)).lines;
    expect(line).toMatchObject({ nodeId: locationId });
    expect(await rehearsal.object('reservation', line.reservationId)).toMatchObject({ state: 'confirmed', orderId: id });
  });

  test.each(['nearest', 'most-stock'] as const)(
    'Route Order by %s counts a unit that a client allocated to the line',
    async (rehearsal, strategy) => {
      await rehearsal.progress({ route: 'manual' });
      const { id, lines } = await rehearsal.confirmed(LAMP);
      const [{ lineId, reservationId }] = lines;
      await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
      const allocated = await rehearsal.api('allocate-inventory-api', { body: { orderId: id, orderLineId: lineId, ...LAMP } });
      const { items } = await rehearsal.api('route-order-api', { params: { id }, body: { strategy } });
      expect(items).toMatchObject([{ locationId: 'dc-01', state: 'allocated' }]);
      expect((await rehearsal.object('reservation', allocated.id)).state).toBe('released');
      expect(await rehearsal.reserved(LAMP.sku)).toBe(1);
    },
  );

  test('Route Order by most-stock counts units that were reserved for the basket, wherever the lines are served from', async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    const desk = { sku: 'desk-two-nodes', qty: 1 };
    const { id, basketId, lines } = await rehearsal.confirmed({ lines: [LAMP, desk] });
    await rehearsal.api('reserve-inventory-api', { body: { items: [desk], locationId: 'dc-01' } });
    await rehearsal.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    const again = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    const { items } = await rehearsal.api('route-order-api', { params: { id }, body: { strategy: 'most-stock' } });
    expect(items.map(({ locationId }) => locationId).toSorted()).toEqual(['dc-01', 'dc-02']);
    expect((await rehearsal.object('reservation', again.id)).state).toBe('released');
    expect([await rehearsal.reserved(LAMP.sku), await rehearsal.reserved(desk.sku)]).toEqual([1, 2]);
  });

  test.each(['nearest', 'most-stock'])(
    'Route Order by %s refuses a released line that no node has, and changes nothing',
    async (rehearsal, strategy) => {
      await rehearsal.progress({ route: 'manual' });
      const { id, lines } = await rehearsal.confirmed(LAMP);
      await rehearsal.api('release-reservation-api', { params: { id: lines[0].reservationId } });
      await rehearsal.api('reserve-inventory-api', { body: { items: [LAMP] } });
      const { status, body } = await rehearsal.call('route-order-api', { params: { id }, body: { strategy } });
      expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: LAMP.sku, requested: 1, available: 0 }]]);
      expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed', fulfillmentOrders: [] });
    },
  );

  test('Route Order, concurrent with a release of the reservation, ships the order from the old or a new reservation', async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    for (let round = 0; round < 8; round++) {
      const { id, lines } = await rehearsal.confirmed();
      await rehearsal.fault('together', { match: { application: 'sim' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
      const [released] = await Promise.all([
        rehearsal.call('release-reservation-api', { params: { id: lines[0].reservationId } }),
        rehearsal.call('route-order-api', { params: { id } }),
      ]);
      await rehearsal.noFaults();
      expect([200, 409]).toContain(released.status);
      await rehearsal.api('route-order-api', { params: { id } });
      const { reservationId } = (await rehearsal.order(id)).lines[0];
      expect(reservationId === lines[0].reservationId).toBe(released.status === 409);
      await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
      expect((await rehearsal.object('reservation', reservationId)).state).toBe('fulfilled');
    }
  });

  test.each(['outage', 'lost-response'] as const)(
    'Route Order is finished by due work when the FMS fails (%s)',
    async (rehearsal, kind) => {
      await rehearsal.progress({ route: 'manual' });
      const { id } = await rehearsal.confirmed();
      await rehearsal.fault('trouble', { match: { api: 'create-fulfillment-orders' }, fault: { kind }, times: 1 });
      expect((await rehearsal.call('route-order-api', { params: { id } })).status).toBeGreaterThanOrEqual(500);
      await rehearsal.advance('PT1M');
      const order = await rehearsal.order(id);
      expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
      expect(order).not.toHaveProperty('routingStatus');
    },
  );

  test('Route Order refuses a draft and a cancelled order', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const route = async (of: string) => (await rehearsal.call('route-order-api', { params: { id: of } })).body;
    expect(await route(id)).toMatchObject({ code: 'invalid_state_transition', currentState: 'draft', action: 'route' });
    await rehearsal.cancel(id);
    expect(await route(id)).toMatchObject({ code: 'invalid_state_transition', currentState: 'cancelled' });
  });
});

describe('Reservations of routed orders', () => {
  const release = (rehearsal: TestRehearsal, { lines }: { lines: { reservationId: string }[] }) =>
    rehearsal.call('release-reservation-api', { params: { id: lines[0]?.reservationId ?? '' } });

  test.each([
    ['by the OMS', {}],
    ['by a client', { route: 'manual' }],
    ['after an outage of the FMS', {}],
  ] as const)(
    'The reservation of an order routed %s cannot be released by clients, and leaves with its goods',
    async (rehearsal, how, progression) => {
      await rehearsal.progress(progression);
      const { id: orderId } = await rehearsal.authorised();
      const isLate = how.startsWith('after');
      if (isLate) await rehearsal.down('fms');
      const { body: order } = await rehearsal.confirm(orderId);
      if (isLate) expect(order).toMatchObject({ state: 'confirmed', routingStatus: 'retrying' });
      if (order.routingStatus === 'manual') await rehearsal.api('route-order-api', { params: { id: orderId } });
      const { status, body } = await release(rehearsal, order);
      expect([status, body.allowedFrom, body.detail]).toEqual([409, [], expect.stringContaining(orderId)]);
      expect(body).toMatchObject({
        ...{ code: 'invalid_state_transition', objectType: 'reservation', id: order.lines[0].reservationId, currentState: 'confirmed' },
        ...{ action: 'release', orderId },
      });
      await rehearsal.noFaults();
      if (isLate) await rehearsal.advance('PT1M');
      const id = await rehearsal.onlyFulfilment(orderId);
      await rehearsal.packed(id);
      expect((await release(rehearsal, order)).status).toBe(409);
      await rehearsal.handedOver(id);
      expect((await rehearsal.object('reservation', order.lines[0].reservationId)).state).toBe('fulfilled');
      expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0] });
      expect((await rehearsal.settle()).parked).toEqual([]);
    },
  );
});

describe('Orders in fulfilment', () => {
  test('An order is routed with its confirmation, captured with its picking, completed with its delivery, and earns', async (rehearsal) => {
    const order = await rehearsal.confirmed({ lines: [MUG, { sku: 'mug-green', qty: 1 }] });
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated', locationId: 'dc-01', shipments: [] }] });
    expect(order).not.toHaveProperty('routingStatus');
    const [{ id }] = order.fulfillmentOrders;
    const { lines } = await rehearsal.fulfillmentOrder(id);
    expect(lines).toMatchObject(order.lines.map(({ lineId, sku, qty }) => ({ orderLineId: lineId, sku, qty })));
    await rehearsal.packed(id);
    await rehearsal.settle();
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(await rehearsal.orderEvents(order.id)).toEqual([
      ...['order-created v1', 'ext.order-changed v2', 'order-confirmed v3', 'ext.order-changed v4'],
    ]);
    await rehearsal.delivered(await rehearsal.handedOver(id));
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', earningAmount: eur(2598), completedAt: expect.any(String) },
      ...{ lines: [{ fulfilledQty: 1, cancelledQty: 0 }, { fulfilledQty: 1 }], fulfillmentOrders: [{ state: 'delivered' }] },
    });
    const changes = await rehearsal.events({ subject: `order/${order.id}`, ext: true });
    expect([...new Set(changes.map(({ data }) => data.object.state))]).toEqual(['draft', 'confirmed', 'in-fulfilment', 'completed']);
  });

  test('An order earns for its net captured amount, and names the refunds that it accounts for', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    const parcel = await rehearsal.dispatched(id);
    const [payment] = order.payments;
    await rehearsal.refunded(payment.id, 1000);
    await rehearsal.delivered(parcel);
    expect(await rehearsal.order(order.id)).toMatchObject({ earningAmount: eur(1598), earningRefunds: [`${payment.id}.refund-1`] });
  });
});

describe('Captures of picked orders', () => {
  test('A declined capture is retried, and nothing is dispatched until it succeeds', async (rehearsal) => {
    await rehearsal.fault('declined', declined('capture-payment-api'));
    const { order, id } = await packedOrder(rehearsal);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    const refused = { code: 'payment_incomplete', outstanding: eur(TOTAL), retryable: false };
    expect(await rehearsal.dispatch(id)).toMatchObject({ status: 409, body: refused });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    expect(await rehearsal.order(order.id)).toMatchObject({ paymentStatus: 'paid' });
    expect((await rehearsal.dispatch(id)).status).toBe(200);
  });

  test('A capture of an expired authorisation that cannot be renewed cancels the order', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    await rehearsal.fault('declined', declined('authorize-payment-api'));
    await rehearsal.advance('P7D');
    await rehearsal.picked(id);
    await rehearsal.settle();
    const lost = { state: 'cancelled', cancelReason: 'authorisation-lost', fulfillmentOrders: [{ state: 'cancelled' }] };
    expect(await rehearsal.order(order.id)).toMatchObject(lost);
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  });

  test('The OMS does not change a payment that a client captured in part, and the dispatch waits for the rest', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    await rehearsal.api('capture-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(2000) } });
    await rehearsal.packed(id);
    await rehearsal.settle();
    expect(await rehearsal.dispatch(id)).toMatchObject({
      status: 409,
      body: { code: 'payment_incomplete', outstanding: eur(TOTAL - 2000) },
    });
    await rehearsal.authorisation(order.id);
    expect((await rehearsal.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect((await rehearsal.order(order.id)).paymentStatus).toBe('paid');
  });

  test('An amount refunded before the dispatch is not renewed: the dispatch is refused until it is authorised again', async (rehearsal) => {
    const { order, id } = await packedOrder(rehearsal);
    await rehearsal.refunded(order.payments[0].id, 1000);
    const { status, body } = await rehearsal.dispatch(id);
    expect([status, body]).toMatchObject([409, { code: 'payment_incomplete', outstanding: eur(1000) }]);
    expect(body.detail).toMatch(/were refunded; authorise them again.*or cancel the order/);
    expect((await rehearsal.authorisation(order.id)).amount).toEqual(eur(1000));
    expect((await rehearsal.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect((await rehearsal.paid(order.id)).flat()).toEqual(['partially-refunded', TOTAL - 1000, 'captured', 1000]);
    expect((await rehearsal.order(order.id)).paymentStatus).toBe('paid');
  });

  test('An order that was captured early and refunded in full is captured when it is authorised again and picked', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    const [{ id: first }] = order.payments;
    await rehearsal.api('capture-payment-api', { params: { id: first } });
    await rehearsal.refunded(first, TOTAL);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'confirmed', paymentStatus: 'refunded' });
    await rehearsal.authorisation(order.id);
    await rehearsal.packed(id);
    await rehearsal.settle();
    expect((await rehearsal.paid(order.id)).flat()).toEqual(['fully-refunded', 0, 'captured', TOTAL]);
    expect((await rehearsal.dispatch(id)).status).toBe(200);
  });

  test('Refunded units that were cancelled are not payable again', async (rehearsal) => {
    const order = await rehearsal.confirmed({ lines: [LAMP, MUG] });
    const first = await rehearsal.onlyFulfilment(order.id);
    const picking = await rehearsal.short(order, first, 0);
    const [payment] = (await rehearsal.order(order.id)).payments;
    expect(payment.refundedAmount.amount).toBe(order.lines[0].lineTotal.amount);
    const more = await rehearsal.call('authorize-payment-api', { body: { orderId: order.id, tender: card() } });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(0) } });
    await rehearsal.refunded(payment.id, 100);
    expect((await rehearsal.authorisation(order.id)).amount.amount).toBe(100);
    await rehearsal.movePicking(picking.id, 'packed');
    expect((await rehearsal.dispatch(first)).status).toBe(200);
  });

  test('The dispatch captures payments that are not captured yet', async (rehearsal) => {
    const { order, id } = await routedOrder(rehearsal);
    await rehearsal.down('payment-hub');
    await rehearsal.packed(id);
    await rehearsal.settle();
    expect((await rehearsal.dispatch(id)).status).toBe(503);
    await rehearsal.noFaults();
    expect((await rehearsal.dispatch(id)).body.state).toBe('dispatched');
    const after = await rehearsal.order(order.id);
    expect([after.paymentStatus, after.captureStatus]).toEqual(['paid', undefined]);
    await rehearsal.advance('PT1H');
    expect((await rehearsal.order(order.id)).state).toBe('in-fulfilment');
  });
});
