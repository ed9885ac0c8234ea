import { describe, expect, test } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { fulfilling, onlyFulfilment, stockOf } from './oms-fulfillment-scenes.ts';

const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (items.length !== 1 || item === undefined) throw new Error(`${items.length} items, not one`);
  return item;
};

describe('Confirm Order routes', () => {
  test('one fulfillment order for lines of one node, visible on the order at once', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmedOf([
      { sku: 'mug-blue', qty: 2 },
      { sku: 'mug-green', qty: 1 },
    ]);
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated', locationId: 'dc-01', shipments: [] }] });
    expect(order).not.toHaveProperty('routingStatus');
    const { lines } = await scene.rehearsal.ok('GET', `/fulfillment/orders/${order.fulfillmentOrders[0].id}`);
    expect(lines).toMatchObject(order.lines.map(({ lineId, sku, qty }: Record<string, unknown>) => ({ orderLineId: lineId, sku, qty })));
    expect(await scene.rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.rehearsal.verify();
  });

  test('one fulfillment order per node for lines of several nodes', async () => {
    await using scene = await fulfilling();
    await scene.rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' });
    const { id } = await scene.confirmedOf([
      { sku: 'mug-blue', qty: 1 },
      { sku: 'desk-two-nodes', qty: 2 },
    ]);
    expect((await scene.routed(id)).map(({ locationId }) => locationId).sort()).toEqual(['dc-01', 'dc-02']);
  });

  test('later when the FMS is down, and the confirmed order shows that', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.paidDraft();
    await scene.down('fms');
    const reply = await scene.confirm(id);
    expect([reply.status, reply.body.state, reply.body.routingStatus]).toEqual([200, 'confirmed', 'retrying']);
    expect(reply.body).not.toHaveProperty('fulfillmentOrders');
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1M');
    const order = await scene.order(id);
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
    expect(order).not.toHaveProperty('routingStatus');
    await scene.rehearsal.verify();
  });

  test('once when the answer of the FMS is lost and Confirm Order is repeated', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.paidDraft();
    await scene.rehearsal.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.confirm(id)).body).toMatchObject({ state: 'confirmed', routingStatus: 'retrying' });
    const repeated = await scene.confirm(id);
    expect(repeated.body.fulfillmentOrders).toHaveLength(1);
    expect(repeated.body).not.toHaveProperty('routingStatus');
    expect(await scene.rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.rehearsal.verify();
  });
});

describe('Route Order', () => {
  test('answers the fulfillment orders that Confirm Order routed, and changes nothing', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const reply = await scene.rehearsal.call('POST', `/orders/${order.id}/route`);
    expect([reply.status, reply.body.items.map(({ id }: { id: string }) => id)]).toEqual([200, [order.fulfillmentOrders[0].id]]);
    expect(reply.body.items).toMatchObject([{ orderId: order.id, state: 'allocated' }]);
    expect((await scene.order(order.id)).version).toBe(order.version);
    expect(await scene.rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
  });

  test('answers fulfillment orders in any state', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const routedAs = async (orderState: string, state: string) => {
      expect(await scene.order(order.id)).toMatchObject({ state: orderState });
      const { status, body } = await scene.rehearsal.call('POST', `/orders/${order.id}/route`, {});
      expect([status, body.items]).toMatchObject([200, [{ id, state }]]);
    };
    const parcel = await scene.sent(id);
    await scene.settle();
    await routedAs('in-fulfilment', 'dispatched');
    await scene.delivered(parcel);
    await routedAs('completed', 'delivered');
  });

  test('routes orders where the rehearsal routes by hand', async () => {
    await using scene = await fulfilling({ route: 'manual' });
    const { id, routingStatus, fulfillmentOrders } = await scene.confirmed();
    expect([routingStatus, fulfillmentOrders]).toEqual(['manual', []]);
    await scene.rehearsal.advance('PT1H');
    expect(await scene.routed(id)).toEqual([]);
    const { items } = await scene.rehearsal.ok('POST', `/orders/${id}/route`);
    expect(items).toMatchObject([{ orderId: id, state: 'allocated', locationId: 'dc-01' }]);
    const order = await scene.order(id);
    expect(order).not.toHaveProperty('routingStatus');
    const again = await scene.rehearsal.ok('POST', `/orders/${id}/route`);
    expect(again.items).toEqual(items);
    expect(await scene.rehearsal.events({ type: 'fulfillment-order-created' })).toHaveLength(1);
    await scene.rehearsal.verify();
  });

  test.each([
    ['nearest', 'dc-01'],
    ['most-stock', 'dc-02'],
  ])('finds a node by %s for a line whose hold was released', async (strategy, locationId) => {
    await using scene = await fulfilling({ route: 'manual' });
    const { id, lines } = await scene.confirmedOf([{ sku: 'desk-two-nodes', qty: 1 }]);
    await scene.rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'desk-two-nodes', qty: 1 }], locationId: 'dc-01' });
    await scene.rehearsal.ok('DELETE', `/inventory/reservations/${lines[0].reservationId}`);
    const { items } = await scene.rehearsal.ok('POST', `/orders/${id}/route`, { strategy });
    expect(items).toMatchObject([{ locationId, state: 'allocated' }]);
    const order = await scene.order(id);
    expect(order.lines[0]).toMatchObject({ nodeId: locationId });
    expect(await scene.rehearsal.object('reservation', order.lines[0].reservationId)).toMatchObject({ state: 'confirmed', orderId: id });
    await scene.rehearsal.verify();
  });

  test.each(['nearest', 'most-stock'])('by %s counts a unit that a client allocated to the line meanwhile', async (strategy) => {
    await using scene = await fulfilling({ route: 'manual' });
    const { id, lines } = await scene.confirmedOf([{ sku: 'lamp-last-one', qty: 1 }]);
    const [{ lineId, reservationId }] = lines;
    await scene.rehearsal.ok('DELETE', `/inventory/reservations/${reservationId}`);
    const body = { orderId: id, orderLineId: lineId, sku: 'lamp-last-one', qty: 1 };
    const byHand = await scene.rehearsal.ok('POST', '/inventory/allocate', body);
    const { items } = await scene.rehearsal.ok('POST', `/orders/${id}/route`, { strategy });
    expect(items).toMatchObject([{ locationId: 'dc-01', state: 'allocated' }]);
    expect((await scene.rehearsal.object('reservation', byHand.id)).state).toBe('released');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.rehearsal.verify();
  });

  test('by most-stock counts units that were held for its basket meanwhile, wherever the lines are served from', async () => {
    await using scene = await fulfilling({ route: 'manual' });
    const { rehearsal } = scene;
    const both = [
      { sku: 'lamp-last-one', qty: 1 },
      { sku: 'desk-two-nodes', qty: 1 },
    ];
    const { id, basketId, lines } = await scene.confirmedOf(both);
    await rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'desk-two-nodes', qty: 1 }], locationId: 'dc-01' });
    await rehearsal.ok('DELETE', `/inventory/reservations/${lines[0].reservationId}`);
    const byHand = await rehearsal.ok('POST', '/inventory/reservations', { basketId });
    const { items } = await rehearsal.ok('POST', `/orders/${id}/route`, { strategy: 'most-stock' });
    expect(items.map(({ locationId }: { locationId: string }) => locationId).toSorted()).toEqual(['dc-01', 'dc-02']);
    expect((await rehearsal.object('reservation', byHand.id)).state).toBe('released');
    expect([await scene.reserved('lamp-last-one'), await scene.reserved('desk-two-nodes')]).toEqual([1, 2]);
    await rehearsal.verify();
  });

  test('refuses when no node has a line whose hold was released; the order stays as it is', async () => {
    await using scene = await fulfilling({ route: 'manual' });
    const { id, lines } = await scene.confirmedOf([{ sku: 'lamp-last-one', qty: 1 }]);
    await scene.rehearsal.ok('DELETE', `/inventory/reservations/${lines[0].reservationId}`);
    await scene.rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'lamp-last-one', qty: 1 }] });
    for (const strategy of ['nearest', 'most-stock']) {
      const { status, body } = await scene.rehearsal.call('POST', `/orders/${id}/route`, { strategy });
      expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', [{ sku: 'lamp-last-one', requested: 1, available: 0 }]]);
    }
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', fulfillmentOrders: [] });
    await scene.rehearsal.verify();
  });

  test('concurrent with a release of its hold ships the order from that hold or another one', async () => {
    await using scene = await fulfilling({ route: 'manual' });
    for (let round = 0; round < 8; round++) {
      const { id, lines } = await scene.confirmed();
      await scene.rehearsal.fault('together', { match: { application: 'sim' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
      const [released] = await Promise.all([
        scene.rehearsal.call('DELETE', `/inventory/reservations/${lines[0].reservationId}`),
        scene.rehearsal.call('POST', `/orders/${id}/route`),
      ]);
      await scene.rehearsal.noFaults();
      expect([200, 409]).toContain(released.status);
      await scene.rehearsal.ok('POST', `/orders/${id}/route`);
      const { reservationId } = (await scene.order(id)).lines[0];
      expect(reservationId === lines[0].reservationId).toBe(released.status === 409);
      const { id: fulfillmentOrderId } = only(await scene.routed(id));
      await scene.sent(fulfillmentOrderId);
      expect((await scene.rehearsal.object('reservation', reservationId)).state).toBe('fulfilled');
    }
    expect((await scene.rehearsal.settle()).parked).toEqual([]);
    await scene.rehearsal.verify();
  });

  test.each([
    ['was down', { kind: 'outage' }],
    ['gave no answer', { kind: 'lost-response' }],
  ])('is finished by due work when the FMS %s', async (_what, fault) => {
    await using scene = await fulfilling({ route: 'manual' });
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('trouble', { match: { api: 'create-fulfillment-orders' }, fault, times: 1 });
    expect((await scene.rehearsal.call('POST', `/orders/${id}/route`)).status).toBeGreaterThanOrEqual(500);
    await scene.rehearsal.advance('PT1M');
    const order = await scene.order(id);
    expect(order).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
    expect(order).not.toHaveProperty('routingStatus');
    await scene.rehearsal.verify();
  });

  test('refuses a draft, a cancelled and an unknown order', async () => {
    await using scene = await fulfilling();
    const draft = await scene.draft();
    const route = (id: string) => scene.rehearsal.call('POST', `/orders/${id}/route`);
    expect((await route(draft.id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'draft', action: 'route' });
    await scene.cancel(draft.id);
    expect((await route(draft.id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'cancelled' });
    expect((await route('ord_nobody')).status).toBe(404);
  });

  test('is refused while the FMS is down, and due work routes later', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.paidDraft();
    await scene.down('fms');
    await scene.confirm(id);
    expect((await scene.rehearsal.call('POST', `/orders/${id}/route`)).body).toMatchObject({ status: 503, dependency: 'fms' });
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1M');
    expect(await scene.routed(id)).toHaveLength(1);
  });
});

describe('The hold of a routed order', () => {
  const release = ({ rehearsal }: { rehearsal: TestRehearsal }, { lines }: { lines: { reservationId: string }[] }) =>
    rehearsal.call('DELETE', `/inventory/reservations/${lines[0]?.reservationId}`);

  test.each([
    ['the OMS routes', {}],
    ['a client routes', { route: 'manual' as const }],
  ])('that %s cannot be released by clients: its goods leave, and so do their counters', async (_who, progression) => {
    await using scene = await fulfilling(progression);
    const order = await scene.confirmed();
    if (order.routingStatus === 'manual') await scene.rehearsal.ok('POST', `/orders/${order.id}/route`);
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
    await scene.rehearsal.ok('POST', `/fulfillment/orders/${id}/dispatch`, {});
    expect(await scene.rehearsal.object('reservation', order.lines[0].reservationId)).toMatchObject({ state: 'fulfilled' });
    expect(await stockOf(scene, 'mug-blue')).toMatchObject({ 'dc-01': [998, 0] });
    expect((await scene.rehearsal.settle()).parked).toEqual([]);
    await scene.rehearsal.verify();
  });

  test('that the FMS does not know yet cannot be released by clients either', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.paidDraft();
    await scene.down('fms');
    await scene.confirm(id);
    const order = await scene.order(id);
    expect([order.routingStatus, (await release(scene, order)).status]).toEqual(['retrying', 409]);
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1M');
    await scene.sent(only(await scene.routed(id)).id);
    expect((await scene.rehearsal.settle()).parked).toEqual([]);
    await scene.rehearsal.verify();
  });

  test('is released when the order is cancelled', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    expect((await release(scene, order)).status).toBe(409);
    expect((await scene.cancel(order.id)).body.state).toBe('cancelled');
    expect(await release(scene, order)).toMatchObject({ status: 200, body: { state: 'released' } });
    expect(await stockOf(scene, 'mug-blue')).toMatchObject({ 'dc-01': [1000, 0] });
    await scene.rehearsal.verify();
  });
});

describe('Get Order', () => {
  test('shows an order without its fulfillment orders while the FMS is down', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    await scene.down('fms');
    const reply = await scene.rehearsal.call('GET', `/orders/${order.id}`);
    const { fulfillmentOrders: _left, ...rest } = order;
    expect([reply.status, reply.body]).toEqual([200, rest]);
  });
});

describe('An order whose goods are picked', () => {
  test('is in fulfilment and captured', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.pick(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(await scene.eventsOf(order.id)).toEqual([
      ...['order-created v1', 'ext.order-changed v2', 'order-confirmed v3'],
      'ext.order-changed v4',
    ]);
    await scene.rehearsal.verify();
  });

  test('is delivered and completed, and earns for its goods', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed({ qty: 2 });
    const { id } = only(await scene.routed(order.id));
    await scene.delivered(await scene.sent(id));
    const after = await scene.order(order.id);
    expect(after).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', earningAmount: { amount: 2598, currency: 'EUR' } },
      lines: [{ fulfilledQty: 2, cancelledQty: 0 }],
      fulfillmentOrders: [{ state: 'delivered' }],
    });
    expect(after.completedAt).toEqual(expect.any(String));
    const told = await scene.rehearsal.events({ subject: `order/${order.id}`, ext: true });
    expect([...new Set(told.map(({ data }) => data.object.state))]).toEqual(['draft', 'confirmed', 'in-fulfilment', 'completed']);
    await scene.rehearsal.verify();
  });

  test('earns for the net captured amount, and names the refunds that it accounts for', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.draftOf([{ sku: 'mug-blue', qty: 2 }]);
    const { id: paymentId } = await scene.authorise(id);
    await scene.rehearsal.ok('POST', `/orders/${id}/confirm`);
    const parcel = await scene.sent(only(await scene.routed(id)).id);
    const goodwill = { amount: { amount: 1000, currency: 'EUR' } };
    await scene.rehearsal.ok('POST', `/payments/${paymentId}/refunds`, goodwill);
    await scene.delivered(parcel);
    expect(await scene.order(id)).toMatchObject({
      earningAmount: { amount: 1598, currency: 'EUR' },
      earningRefunds: [`${paymentId}.refund-1`],
    });
    await scene.rehearsal.verify();
  });

  test('earns for the part that was not paid with points', async () => {
    await using scene = await fulfilling();
    const { id, totals } = await scene.draftOf([{ sku: 'mug-blue', qty: 2 }]);
    const { redemption } = await scene.rehearsal.ok('POST', '/members/loy_ada/redeem', { points: 300, orderId: id });
    await scene.rehearsal.ok('POST', '/payments/authorizations', {
      orderId: id,
      tender: { type: 'loyalty', token: redemption.id },
      amount: { amount: 300, currency: 'EUR' },
    });
    await scene.authorise(id);
    await scene.rehearsal.ok('POST', `/orders/${id}/confirm`);
    await scene.delivered(await scene.sent(only(await scene.routed(id)).id));
    const { earningAmount } = await scene.order(id);
    expect(earningAmount.amount).toBe(totals.total.amount - totals.shipping.amount - 300);
    await scene.rehearsal.verify();
  });

  test('is partially fulfilled while a parcel is on its way, and completed when the last one arrives', async () => {
    await using scene = await fulfilling();
    await scene.rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' });
    const { id } = await scene.confirmedOf([
      { sku: 'mug-blue', qty: 1 },
      { sku: 'desk-two-nodes', qty: 2 },
    ]);
    const [first, second] = await scene.routed(id);
    await scene.delivered(await scene.sent(first?.id ?? ''));
    expect(await scene.order(id)).toMatchObject({ state: 'partially-fulfilled' });
    expect((await scene.cancel(id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'partially-fulfilled' });
    await scene.delivered(await scene.sent(second?.id ?? ''));
    expect(await scene.order(id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1 }, { fulfilledQty: 2 }] });
    await scene.rehearsal.verify();
  });
});

describe('Capturing', () => {
  test.each(['PT35M', 'PT12H', 'P3D'])('waits %s for a Payment Hub that is away, and is done when the hub is back', async (length) => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.rehearsal.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.pick(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await scene.rehearsal.advance(length);
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await scene.rehearsal.noFaults();
    await scene.settle();
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    await scene.rehearsal.verify();
  });

  test('is refused four times: the order is cancelled with its fulfillment orders, its stock is released, and nothing is captured', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.rehearsal.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    await scene.pick(id);
    await scene.rehearsal.advance('PT37M');
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT3H');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'capture-failed', fulfillmentOrders: [{ state: 'cancelled' }] });
    expect(after.payments).toMatchObject([{ state: 'voided' }]);
    expect(after).not.toHaveProperty('compensation');
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('that the provider declines is tried again as well, and nothing is dispatched meanwhile', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.rehearsal.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    await scene.packed(id);
    await scene.settle();
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    expect(await scene.dispatch(id)).toMatchObject({
      status: 409,
      body: { code: 'payment_incomplete', outstanding: order.totals.total, retryable: false },
    });
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1M');
    expect(await scene.order(order.id)).toMatchObject({ paymentStatus: 'paid' });
    expect((await scene.dispatch(id)).status).toBe(200);
  });

  test('with a lost answer captures once', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    await scene.rehearsal.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.pick(only(await scene.routed(order.id)).id);
    await scene.settle();
    await scene.rehearsal.advance('PT2M');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    expect(await scene.rehearsal.events({ type: 'payment-captured' })).toHaveLength(1);
  });

  test('of an expired authorisation that cannot be renewed cancels the order', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const declined = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.rehearsal.fault('declined', { match: { api: 'authorize-payment-api' }, fault: declined });
    await scene.rehearsal.advance('P7D');
    await scene.pick(only(await scene.routed(order.id)).id);
    await scene.settle();
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost', fulfillmentOrders: [{ state: 'cancelled' }] });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('leaves payments alone that a client captured, and a partial capture stops the dispatch', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const payment = only(order.payments as { id: string }[]);
    await scene.rehearsal.ok('POST', `/payments/authorizations/${payment.id}/capture`, { amount: { amount: 2000, currency: 'EUR' } });
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 1088, currency: 'EUR' }]);
    await scene.authorise(order.id);
    expect((await scene.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect((await scene.order(order.id)).paymentStatus).toBe('paid');
    await scene.rehearsal.verify();
  });

  test('covers a refund made before the dispatch once the amount is authorised again, and the order continues', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: { amount: 1000, currency: 'EUR' } });
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 1000, currency: 'EUR' }]);
    expect(body.detail).toMatch(/authorise/);
    expect((await scene.authorise(order.id)).amount).toEqual({ amount: 1000, currency: 'EUR' });
    expect((await scene.dispatch(id)).body).toMatchObject({ state: 'dispatched' });
    expect(await scene.paid(order.id)).toEqual([
      ['partially-refunded', 2088],
      ['captured', 1000],
    ]);
    expect((await scene.order(order.id)).paymentStatus).toBe('paid');
    await scene.rehearsal.verify();
  });

  test('of an order that was captured early and refunded in full takes place when it is authorised again and picked', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    const [{ id: first }] = order.payments;
    await scene.rehearsal.ok('POST', `/payments/authorizations/${first}/capture`, {});
    await scene.rehearsal.ok('POST', `/payments/${first}/refunds`, { amount: { amount: 3088, currency: 'EUR' } });
    expect(await scene.order(order.id)).toMatchObject({ state: 'confirmed', paymentStatus: 'refunded' });
    await scene.authorise(order.id);
    const more = await scene.rehearsal.call('POST', '/payments/authorizations', {
      orderId: order.id,
      tender: { type: 'card', token: 'tok_visa' },
    });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: { amount: 0 } } });
    await scene.packed(id);
    await scene.settle();
    expect(await scene.paid(order.id)).toEqual([
      ['fully-refunded', 0],
      ['captured', 3088],
    ]);
    expect((await scene.dispatch(id)).status).toBe(200);
    await scene.rehearsal.verify();
  });

  test('does not include refunded cancelled units: nothing of the order is payable again', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmedOf([
      { sku: 'lamp-last-one', qty: 1 },
      { sku: 'mug-blue', qty: 1 },
    ]);
    const first = await onlyFulfilment(scene, order.id);
    const picking = await scene.short(order, first, 0);
    await scene.settle();
    const [payment] = (await scene.order(order.id)).payments;
    expect(payment.refundedAmount.amount).toBe(order.lines[0].lineTotal.amount);
    const more = await scene.rehearsal.call('POST', '/payments/authorizations', {
      orderId: order.id,
      tender: { type: 'card', token: 'tok_visa' },
    });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: { amount: 0 } } });
    await scene.rehearsal.ok('POST', `/payments/${payment.id}/refunds`, { amount: { amount: 100, currency: 'EUR' } });
    expect((await scene.authorise(order.id)).amount.amount).toBe(100);
    await scene.rehearsal.ok('PUT', `/picking-orders/${picking.id}/status`, { status: 'packed' });
    expect((await scene.dispatch(first)).status).toBe(200);
    await scene.rehearsal.verify();
  });

  test('does not renew refunded amounts by itself: the dispatch is refused, and the order can be cancelled', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: { amount: 100, currency: 'EUR' } });
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.outstanding]).toEqual([409, 'payment_incomplete', { amount: 100, currency: 'EUR' }]);
    expect(body.detail).toMatch(/were refunded; authorise them again.*or cancel the order/);
    expect((await scene.cancel(order.id)).body).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    await scene.rehearsal.verify();
  });

  test('is left to clients where the rehearsal captures by hand', async () => {
    await using scene = await fulfilling({ capture: 'manual' });
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.packed(id);
    await scene.settle();
    expect((await scene.order(order.id)).paymentStatus).toBe('authorised');
    expect((await scene.dispatch(id)).body).toMatchObject({ code: 'payment_incomplete', outstanding: { amount: 3088 } });
    await scene.rehearsal.ok('POST', `/payments/authorizations/${order.payments[0].id}/capture`, {});
    expect((await scene.dispatch(id)).status).toBe(200);
    await scene.rehearsal.verify();
  });

  test('happens at the dispatch at the latest', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmed();
    const { id } = only(await scene.routed(order.id));
    await scene.rehearsal.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.packed(id);
    await scene.settle();
    expect((await scene.dispatch(id)).status).toBe(503);
    await scene.rehearsal.noFaults();
    expect((await scene.dispatch(id)).body.state).toBe('dispatched');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ paymentStatus: 'paid' });
    expect(after).not.toHaveProperty('captureStatus');
    await scene.rehearsal.advance('PT1H');
    expect((await scene.order(order.id)).state).toBe('in-fulfilment');
    await scene.rehearsal.verify();
  });
});
