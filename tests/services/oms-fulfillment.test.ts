import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (items.length !== 1 || item === undefined) throw new Error(`${items.length} items, not one`);
  return item;
};

describe('Confirm Order routes', () => {
  test('one fulfillment order for lines of one node, visible on the order at once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 2 },
        { sku: 'mug-green', qty: 1 },
      ],
    });
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated', locationId: 'dc-01', shipments: [] }] });
    expect(order).not.toHaveProperty('routingStatus');
    const { lines } = await scene.fulfillmentOrder(order.fulfillmentOrders[0].id);
    expect(lines).toMatchObject(order.lines.map(({ lineId, sku, qty }: Record<string, unknown>) => ({ orderLineId: lineId, sku, qty })));
    expect(await scene.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.verify();
  });

  test('one fulfillment order per node for lines of several nodes', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
    const { id } = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'desk-two-nodes', qty: 2 },
      ],
    });
    expect((await scene.routed(id)).map(({ locationId }) => locationId).sort()).toEqual(['dc-01', 'dc-02']);
  });

  test('later when the FMS is down, and the confirmed order shows that', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.authorised();
    await scene.down('fms');
    const reply = await scene.confirm(id);
    expect([reply.status, reply.body.state, reply.body.routingStatus]).toEqual([200, 'confirmed', 'retrying']);
    expect(reply.body).not.toHaveProperty('fulfillmentOrders');
    await scene.noFaults();
    await scene.advance('PT1M');
    const order = await scene.order(id);
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
    expect(order).not.toHaveProperty('routingStatus');
    await scene.verify();
  });

  test('once when the answer of the FMS is lost and Confirm Order is repeated', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.authorised();
    await scene.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.confirm(id)).body).toMatchObject({ state: 'confirmed', routingStatus: 'retrying' });
    const repeated = await scene.confirm(id);
    expect(repeated.body.fulfillmentOrders).toHaveLength(1);
    expect(repeated.body).not.toHaveProperty('routingStatus');
    expect(await scene.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.verify();
  });
});

describe('Route Order', () => {
  test('answers the fulfillment orders that Confirm Order routed, and changes nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const reply = await scene.call('route-order-api', { params: { id: order.id } });
    expect([reply.status, reply.body.items.map(({ id }: { id: string }) => id)]).toEqual([200, [order.fulfillmentOrders[0].id]]);
    expect(reply.body.items).toMatchObject([{ orderId: order.id, state: 'allocated' }]);
    expect((await scene.order(order.id)).version).toBe(order.version);
    expect(await scene.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
  });

  test('answers fulfillment orders in any state', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const routedAs = async (orderState: string, state: string) => {
      expect(await scene.order(order.id)).toMatchObject({ state: orderState });
      const { status, body } = await scene.call('route-order-api', { params: { id: order.id }, body: {} });
      expect([status, body.items]).toMatchObject([200, [{ id, state }]]);
    };
    const parcel = await scene.dispatched(id);
    await scene.settle();
    await routedAs('in-fulfilment', 'dispatched');
    await scene.delivered(parcel);
    await routedAs('completed', 'delivered');
  });

  test('routes orders where the rehearsal routes by hand', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id, routingStatus, fulfillmentOrders } = await scene.confirmed();
    expect([routingStatus, fulfillmentOrders]).toEqual(['manual', []]);
    await scene.advance('PT1H');
    expect(await scene.routed(id)).toEqual([]);
    const { items } = await scene.api('route-order-api', { params: { id } });
    expect(items).toMatchObject([{ orderId: id, state: 'allocated', locationId: 'dc-01' }]);
    const order = await scene.order(id);
    expect(order).not.toHaveProperty('routingStatus');
    const again = await scene.api('route-order-api', { params: { id } });
    expect(again.items).toEqual(items);
    expect(await scene.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.verify();
  });

  test.each([
    ['nearest', 'dc-01'],
    ['most-stock', 'dc-02'],
  ] as const)('finds a node by %s for a line whose hold was released', async (strategy, locationId) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id, lines } = await scene.confirmed({ lines: [{ sku: 'desk-two-nodes', qty: 1 }] });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 1 }], locationId: 'dc-01' } });
    await scene.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    const { items } = await scene.api('route-order-api', { params: { id }, body: { strategy } });
    expect(items).toMatchObject([{ locationId, state: 'allocated' }]);
    const order = await scene.order(id);
    expect(order.lines[0]).toMatchObject({ nodeId: locationId });
    expect(await scene.object('reservation', order.lines[0].reservationId)).toMatchObject({ state: 'confirmed', orderId: id });
    await scene.verify();
  });

  test.each(['nearest', 'most-stock'] as const)('by %s counts a unit that a client allocated to the line meanwhile', async (strategy) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id, lines } = await scene.confirmed({ lines: [{ sku: 'lamp-last-one', qty: 1 }] });
    const [{ lineId, reservationId }] = lines;
    await scene.api('release-reservation-api', { params: { id: reservationId } });
    const body = { orderId: id, orderLineId: lineId, sku: 'lamp-last-one', qty: 1 };
    const byHand = await scene.api('allocate-inventory-api', { body });
    const { items } = await scene.api('route-order-api', { params: { id }, body: { strategy } });
    expect(items).toMatchObject([{ locationId: 'dc-01', state: 'allocated' }]);
    expect((await scene.object('reservation', byHand.id)).state).toBe('released');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });

  test('by most-stock counts units that were held for its basket meanwhile, wherever the lines are served from', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const both = [
      { sku: 'lamp-last-one', qty: 1 },
      { sku: 'desk-two-nodes', qty: 1 },
    ];
    const { id, basketId, lines } = await scene.confirmed({ lines: both });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 1 }], locationId: 'dc-01' } });
    await scene.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    const byHand = await scene.api('reserve-inventory-api', { body: { basketId } });
    const { items } = await scene.api('route-order-api', { params: { id }, body: { strategy: 'most-stock' } });
    expect(items.map(({ locationId }: { locationId: string }) => locationId).toSorted()).toEqual(['dc-01', 'dc-02']);
    expect((await scene.object('reservation', byHand.id)).state).toBe('released');
    expect([await scene.reserved('lamp-last-one'), await scene.reserved('desk-two-nodes')]).toEqual([1, 2]);
    await scene.verify();
  });

  test('refuses when no node has a line whose hold was released; the order stays as it is', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id, lines } = await scene.confirmed({ lines: [{ sku: 'lamp-last-one', qty: 1 }] });
    await scene.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    for (const strategy of ['nearest', 'most-stock']) {
      const { status, body } = await scene.call('route-order-api', { params: { id }, body: { strategy } });
      expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: 'lamp-last-one', requested: 1, available: 0 }]]);
    }
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', fulfillmentOrders: [] });
    await scene.verify();
  });

  test('concurrent with a release of its hold ships the order from that hold or another one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    for (let round = 0; round < 8; round++) {
      const { id, lines } = await scene.confirmed();
      await scene.fault('together', { match: { application: 'sim' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
      const [released] = await Promise.all([
        scene.call('release-reservation-api', { params: { id: lines[0].reservationId } }),
        scene.call('route-order-api', { params: { id } }),
      ]);
      await scene.noFaults();
      expect([200, 409]).toContain(released.status);
      await scene.api('route-order-api', { params: { id } });
      const { reservationId } = (await scene.order(id)).lines[0];
      expect(reservationId === lines[0].reservationId).toBe(released.status === 409);
      const { id: fulfillmentOrderId } = only(await scene.routed(id));
      await scene.dispatched(fulfillmentOrderId);
      expect((await scene.object('reservation', reservationId)).state).toBe('fulfilled');
    }
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });

  test.each([
    ['was down', { kind: 'outage' }],
    ['gave no answer', { kind: 'lost-response' }],
  ])('is finished by due work when the FMS %s', async (_what, fault) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('trouble', { match: { api: 'create-fulfillment-orders' }, fault, times: 1 });
    expect((await scene.call('route-order-api', { params: { id } })).status).toBeGreaterThanOrEqual(500);
    await scene.advance('PT1M');
    const order = await scene.order(id);
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
    expect(order).not.toHaveProperty('routingStatus');
    await scene.verify();
  });

  test('refuses a draft, a cancelled and an unknown order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const draft = await scene.draft();
    const route = (id: string) => scene.call('route-order-api', { params: { id } });
    expect((await route(draft.id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'draft', action: 'route' });
    await scene.cancel(draft.id);
    expect((await route(draft.id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'cancelled' });
    expect((await route('ord_nobody')).status).toBe(404);
  });

  test('is refused while the FMS is down, and due work routes later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.authorised();
    await scene.down('fms');
    await scene.confirm(id);
    expect((await scene.call('route-order-api', { params: { id } })).body).toMatchObject({ status: 503, dependency: 'fms' });
    await scene.noFaults();
    await scene.advance('PT1M');
    expect(await scene.routed(id)).toHaveLength(1);
  });
});

describe('The hold of a routed order', () => {
  const release = (scene: TestRehearsal, { lines }: { lines: { reservationId: string }[] }) =>
    scene.call('release-reservation-api', { params: { id: lines[0]?.reservationId ?? '' } });

  test.each([
    ['the OMS routes', {}],
    ['a client routes', { route: 'manual' as const }],
  ])('that %s cannot be released by clients: its goods leave, and so do their counters', async (_who, progression) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', ...progression });
    const order = await scene.confirmed();
    if (order.routingStatus === 'manual') await scene.api('route-order-api', { params: { id: order.id } });
    expect(await release(scene, order)).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'invalid_state_transition', objectType: 'reservation', id: order.lines[0].reservationId, currentState: 'confirmed' },
        ...{ action: 'release', orderId: order.id, allowedFrom: [], detail: expect.stringContaining(order.id) },
      },
    });
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    expect((await release(scene, order)).status).toBe(409);
    await scene.api('dispatch-fulfillment-order-api', { params: { id } });
    expect(await scene.object('reservation', order.lines[0].reservationId)).toMatchObject({ state: 'fulfilled' });
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0] });
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });

  test('that the FMS does not know yet cannot be released by clients either', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.authorised();
    await scene.down('fms');
    await scene.confirm(id);
    const order = await scene.order(id);
    expect([order.routingStatus, (await release(scene, order)).status]).toEqual(['retrying', 409]);
    await scene.noFaults();
    await scene.advance('PT1M');
    await scene.dispatched(only(await scene.routed(id)).id);
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });

  test('is released when the order is cancelled', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    expect((await release(scene, order)).status).toBe(409);
    expect((await scene.cancel(order.id)).body.state).toBe('cancelled');
    expect(await release(scene, order)).toMatchObject({ status: 200, body: { state: 'released' } });
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0] });
    await scene.verify();
  });
});

describe('Get Order', () => {
  test('shows an order without its fulfillment orders while the FMS is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    await scene.down('fms');
    const reply = await scene.call('get-order-api', { params: { id: order.id } });
    const { fulfillmentOrders: _left, ...rest } = order;
    expect([reply.status, reply.body]).toEqual([200, rest]);
  });
});

describe('An order whose goods are picked', () => {
  test('is in fulfilment and captured', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.picked(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(await scene.orderEvents(order.id)).toEqual([
      ...['order-created v1', 'ext.order-changed v2', 'order-confirmed v3'],
      'ext.order-changed v4',
    ]);
    await scene.verify();
  });

  test('is delivered and completed, and earns for its goods', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ qty: 2 });
    const { id } = only(await scene.routed(order.id));
    await scene.delivered(await scene.dispatched(id));
    const after = await scene.order(order.id);
    expect(after).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', earningAmount: { amount: 2598, currency: 'EUR' } },
      lines: [{ fulfilledQty: 2, cancelledQty: 0 }],
      fulfillmentOrders: [{ state: 'delivered' }],
    });
    expect(after.completedAt).toEqual(expect.any(String));
    const told = await scene.events({ subject: `order/${order.id}`, ext: true });
    expect([...new Set(told.map(({ data }) => data.object.state))]).toEqual(['draft', 'confirmed', 'in-fulfilment', 'completed']);
    await scene.verify();
  });

  test('earns for the net captured amount, and names the refunds that it accounts for', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    const { id: paymentId } = await scene.authorisation(id);
    await scene.confirmed(id);
    const parcel = await scene.dispatched(only(await scene.routed(id)).id);
    const goodwill = { amount: { amount: 1000, currency: 'EUR' } };
    await scene.api('refund-payment-api', { params: { id: paymentId }, body: goodwill });
    await scene.delivered(parcel);
    expect(await scene.order(id)).toMatchObject({
      earningAmount: { amount: 1598, currency: 'EUR' },
      earningRefunds: [`${paymentId}.refund-1`],
    });
    await scene.verify();
  });

  test('earns for the part that was not paid with points', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id, totals } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    const { redemption } = await scene.api('redeem-points-api', {
      params: { id: 'loy_ada' },
      body: { points: 300, orderId: id },
    });
    await scene.api('authorize-payment-api', {
      body: {
        orderId: id,
        tender: { type: 'loyalty', token: redemption.id },
        amount: { amount: 300, currency: 'EUR' },
      },
    });
    await scene.authorisation(id);
    await scene.confirmed(id);
    await scene.delivered(await scene.dispatched(only(await scene.routed(id)).id));
    const { earningAmount } = await scene.order(id);
    expect(earningAmount.amount).toBe(totals.total.amount - totals.shipping.amount - 300);
    await scene.verify();
  });

  test('is partially fulfilled while a parcel is on its way, and completed when the last one arrives', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
    const { id } = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'desk-two-nodes', qty: 2 },
      ],
    });
    const [first, second] = await scene.routed(id);
    await scene.delivered(await scene.dispatched(first?.id ?? ''));
    expect(await scene.order(id)).toMatchObject({ state: 'partially-fulfilled' });
    expect((await scene.cancel(id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'partially-fulfilled' });
    await scene.delivered(await scene.dispatched(second?.id ?? ''));
    expect(await scene.order(id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1 }, { fulfilledQty: 2 }] });
    await scene.verify();
  });
});

describe('Capturing', () => {
  test.each(['PT35M', 'PT12H', 'P3D'])('waits %s for a Payment Hub that is away, and is done when the hub is back', async (length) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.down('payment-hub');
    await scene.picked(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await scene.advance(length);
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await scene.noFaults();
    await scene.settle();
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    await scene.verify();
  });

  test('is refused four times: the order is cancelled with its fulfillment orders, its stock is released, and nothing is captured', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    await scene.picked(id);
    await scene.advance('PT37M');
    await scene.noFaults();
    await scene.advance('PT3H');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'capture-failed', fulfillmentOrders: [{ state: 'cancelled' }] });
    expect(after.payments).toMatchObject([{ state: 'voided' }]);
    expect(after).not.toHaveProperty('compensation');
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('that the provider declines is tried again as well, and nothing is dispatched meanwhile', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    await scene.packed(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    expect(await scene.dispatch(id)).toMatchObject({
      status: 409,
      body: { code: 'payment_incomplete', outstanding: order.totals.total, retryable: false },
    });
    await scene.noFaults();
    await scene.advance('PT1M');
    expect(await scene.order(order.id)).toMatchObject({ paymentStatus: 'paid' });
    expect((await scene.dispatch(id)).status).toBe(200);
  });

  test('with a lost answer captures once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    await scene.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.picked(only(await scene.routed(order.id)).id);
    await scene.settle();
    await scene.advance('PT2M');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    expect(await scene.events({ type: 'payment-captured' })).toHaveLength(1);
  });

  test('of an expired authorisation that cannot be renewed cancels the order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const declined = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.fault('declined', { match: { api: 'authorize-payment-api' }, fault: declined });
    await scene.advance('P7D');
    await scene.picked(only(await scene.routed(order.id)).id);
    await scene.settle();
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost', fulfillmentOrders: [{ state: 'cancelled' }] });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('leaves payments alone that a client captured, and a partial capture stops the dispatch', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const payment = only(order.payments as { id: string }[]);
    await scene.api('capture-payment-api', { params: { id: payment.id }, body: { amount: { amount: 2000, currency: 'EUR' } } });
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 1088, currency: 'EUR' }]);
    await scene.authorisation(order.id);
    expect((await scene.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect((await scene.order(order.id)).paymentStatus).toBe('paid');
    await scene.verify();
  });

  test('covers a refund made before the dispatch once the amount is authorised again, and the order continues', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    await scene.api('refund-payment-api', {
      params: { id: order.payments[0].id },
      body: { amount: { amount: 1000, currency: 'EUR' } },
    });
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 1000, currency: 'EUR' }]);
    expect(body.detail).toMatch(/authorise/);
    expect((await scene.authorisation(order.id)).amount).toEqual({ amount: 1000, currency: 'EUR' });
    expect((await scene.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect(await scene.paid(order.id)).toEqual([
      ['partially-refunded', 2088],
      ['captured', 1000],
    ]);
    expect((await scene.order(order.id)).paymentStatus).toBe('paid');
    await scene.verify();
  });

  test('of an order that was captured early and refunded in full takes place when it is authorised again and picked', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const [{ id: first }] = order.payments;
    await scene.api('capture-payment-api', { params: { id: first } });
    await scene.api('refund-payment-api', { params: { id: first }, body: { amount: { amount: 3088, currency: 'EUR' } } });
    expect(await scene.order(order.id)).toMatchObject({ state: 'confirmed', paymentStatus: 'refunded' });
    await scene.authorisation(order.id);
    const more = await scene.call('authorize-payment-api', {
      body: {
        orderId: order.id,
        tender: { type: 'card', token: 'tok_visa' },
      },
    });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: { amount: 0 } } });
    await scene.packed(id);
    await scene.settle();
    expect(await scene.paid(order.id)).toEqual([
      ['fully-refunded', 0],
      ['captured', 3088],
    ]);
    expect((await scene.dispatch(id)).status).toBe(200);
    await scene.verify();
  });

  test('does not include refunded cancelled units: nothing of the order is payable again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const first = await scene.onlyFulfilment(order.id);
    const picking = await scene.short(order, first, 0);
    await scene.settle();
    const [payment] = (await scene.order(order.id)).payments;
    expect(payment.refundedAmount.amount).toBe(order.lines[0].lineTotal.amount);
    const more = await scene.call('authorize-payment-api', {
      body: {
        orderId: order.id,
        tender: { type: 'card', token: 'tok_visa' },
      },
    });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: { amount: 0 } } });
    await scene.api('refund-payment-api', { params: { id: payment.id }, body: { amount: { amount: 100, currency: 'EUR' } } });
    expect((await scene.authorisation(order.id)).amount.amount).toBe(100);
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    expect((await scene.dispatch(first)).status).toBe(200);
    await scene.verify();
  });

  test('does not renew refunded amounts by itself: the dispatch is refused, and the order can be cancelled', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    await scene.api('refund-payment-api', {
      params: { id: order.payments[0].id },
      body: { amount: { amount: 100, currency: 'EUR' } },
    });
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 100, currency: 'EUR' }]);
    expect(body.detail).toMatch(/were refunded; authorise them again.*or cancel the order/);
    expect((await scene.cancel(order.id)).body).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    await scene.verify();
  });

  test('is left to clients where the rehearsal captures by hand', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', capture: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    expect((await scene.order(order.id)).paymentStatus).toBe('authorised');
    expect((await scene.dispatch(id)).body).toMatchObject({ code: 'payment_incomplete', outstanding: { amount: 3088 } });
    await scene.api('capture-payment-api', { params: { id: order.payments[0].id } });
    expect((await scene.dispatch(id)).status).toBe(200);
    await scene.verify();
  });

  test('happens at the dispatch at the latest', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.down('payment-hub');
    await scene.packed(id);
    await scene.settle();
    expect((await scene.dispatch(id)).status).toBe(503);
    await scene.noFaults();
    expect((await scene.dispatch(id)).body.state).toBe('dispatched');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    await scene.advance('PT1H');
    expect((await scene.order(order.id)).state).toBe('in-fulfilment');
    await scene.verify();
  });
});
