import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('Units that are short', () => {
  test('are served from the next node that has them, and both parcels complete the order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 3 }] });
    const first = await scene.onlyFulfilment(order.id);
    const picking = await scene.short(order, first, 1);
    const [, second, ...others] = await scene.routed(order.id);
    expect(others).toEqual([]);
    expect(second).toMatchObject({ locationId: 'dc-02', state: 'allocated' });
    const secondNow = await scene.fulfillmentOrder(second?.id);
    expect(secondNow.lines).toMatchObject([{ orderLineId: order.lines[0].lineId, sku: 'mug-blue', qty: 2 }]);
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 1], 'dc-02': [1000, 2] });
    const meanwhile = await scene.order(order.id);
    expect(meanwhile.lines).toMatchObject([{ cancelledQty: 0, nodeId: 'dc-01', reservationId: order.lines[0].reservationId }]);
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    const sent = await scene.api('dispatch-fulfillment-order-api', { params: { id: first } });
    await scene.delivered(sent.shipments[0].id);
    expect(await scene.order(order.id)).toMatchObject({ state: 'partially-fulfilled', lines: [{ fulfilledQty: 1 }] });
    await scene.delivered(await scene.dispatched(second?.id ?? ''));
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid' },
      lines: [{ fulfilledQty: 3, cancelledQty: 0 }],
    });
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [997, 0], 'dc-02': [998, 0] });
    await scene.verify();
  });

  test('that make up the whole line move it to the other node', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'desk-two-nodes', qty: 3 }] });
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const [first, second] = await scene.routed(order.id);
    expect([first?.state, second?.state]).toEqual(['cancelled', 'allocated']);
    const moved = await scene.order(order.id);
    expect(moved).toMatchObject({ state: 'in-fulfilment', lines: [{ nodeId: 'dc-02', cancelledQty: 0 }] });
    expect(moved.lines[0].reservationId).not.toBe(order.lines[0].reservationId);
    await scene.delivered(await scene.dispatched(second?.id ?? ''));
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 3 }] });
    await scene.verify();
  });

  test('that no node has are cancelled and refunded; the rest completes the order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'desk-two-nodes', qty: 3 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 3 }], locationId: 'dc-02' } });
    const first = await scene.onlyFulfilment(order.id);
    const picking = await scene.short(order, first, 1);
    const refund = Math.floor((order.lines[0].lineTotal.amount * 2) / 3);
    const after = await scene.order(order.id);
    expect(after).toMatchObject({
      ...{ state: 'in-fulfilment', paymentStatus: 'partially-refunded' },
      lines: [{ cancelledQty: 2 }, { cancelledQty: 0 }],
      payments: [{ refundedAmount: { amount: refund } }],
    });
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    const sent = await scene.api('dispatch-fulfillment-order-api', { params: { id: first } });
    await scene.delivered(sent.shipments[0].id);
    const end = await scene.order(order.id);
    expect(end).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 2 }, { fulfilledQty: 1 }] });
    expect(end.earningAmount.amount).toBe(order.totals.total.amount - order.totals.shipping.amount - refund);
    await scene.verify();
  });

  test('short units of which another node has a part are served from there, and only the rest is cancelled and refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'desk-two-nodes', qty: 3 }] });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 1 }], locationId: 'dc-02' } });
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const [first, second, ...others] = await scene.routed(order.id);
    expect([first?.state, second?.state, others]).toEqual(['cancelled', 'allocated', []]);
    const served = await scene.fulfillmentOrder(second?.id);
    expect(served).toMatchObject({ locationId: 'dc-02', lines: [{ sku: 'desk-two-nodes', qty: 2 }] });
    expect(await scene.order(order.id)).toMatchObject({
      state: 'in-fulfilment',
      lines: [{ cancelledQty: 1, nodeId: 'dc-02' }],
      payments: [{ refundedAmount: { amount: Math.floor(order.lines[0].lineTotal.amount / 3) } }],
    });
    await scene.delivered(await scene.dispatched(second?.id ?? ''));
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2, cancelledQty: 1 }] });
    await scene.verify();
  });

  test('short units of which several nodes have a part are served from each, the largest part first', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 6 }] });
    for (const [locationId, onHand] of Object.entries({ 'dc-02': 2, 'store-01': 3, 'store-02': 0, 'store-03': 0 })) {
      await scene.client.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId }, body: { onHand } });
    }
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const served = (await scene.routed(order.id)).filter(({ state }) => state === 'allocated');
    const parts = await Promise.all(served.map(({ id }) => scene.fulfillmentOrder(id)));
    expect(parts.map(({ locationId, lines }) => [locationId, lines[0].qty])).toEqual([
      ['store-01', 3],
      ['dc-02', 2],
    ]);
    expect(await scene.order(order.id)).toMatchObject({ lines: [{ cancelledQty: 1, nodeId: 'store-01' }] });
    for (const { id } of parts) await scene.delivered(await scene.dispatched(id));
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 5, cancelledQty: 1 }] });
    await scene.verify();
  });

  test('that make up the whole order cancel it and refund its shipping', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'lamp-last-one', qty: 1 }] });
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const after = await scene.order(order.id);
    expect(after).toMatchObject({
      state: 'cancelled',
      cancelReason: 'not-fulfilled',
      paymentStatus: 'refunded',
      lines: [{ cancelledQty: 1 }],
    });
    expect(await scene.paid(order.id)).toEqual([['fully-refunded', 0]]);
    expect(await scene.events({ type: 'order-cancelled' })).toHaveLength(1);
    expect(await scene.stockOf('lamp-last-one')).toMatchObject({ 'dc-01': [0, 0] });
    await scene.verify();
  });

  test('at two nodes are served from the third', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const [, second] = await scene.routed(order.id);
    await scene.short(order, second?.id ?? '', 1);
    const all = await scene.routed(order.id);
    expect(all.map(({ locationId }) => locationId)).toEqual(['dc-01', 'dc-02', 'store-01']);
    expect(all.at(-1)).toMatchObject({ state: 'allocated' });
    await scene.verify();
  });

  test('of several lines are each served', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 2 },
        { sku: 'mug-green', qty: 2 },
      ],
    });
    const picking = await scene.picked(await scene.onlyFulfilment(order.id), 'started', {
      status: 'short',
      lines: order.lines.map(({ lineId }: { lineId: string }) => ({ orderLineId: lineId, pickedQty: 1 })),
    });
    expect(picking).toBeDefined();
    await scene.settle();
    expect((await scene.routed(order.id)).map(({ locationId }) => locationId)).toEqual(['dc-01', 'dc-02', 'dc-02']);
    await scene.verify();
  });

  test.each(['sim', 'inventory-service', 'fms'])('wait for the %s, and are served once', async (application) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    const api = { sim: 'reserve-inventory-api', 'inventory-service': 'check-availability-api', fms: 'create-fulfillment-orders' }[
      application
    ];
    await scene.fault('slow', { match: { api }, fault: { kind: 'status', status: 503 } });
    await scene.short(order, await scene.onlyFulfilment(order.id), 1);
    expect(await scene.routed(order.id)).toHaveLength(1);
    await scene.noFaults();
    await scene.advance('PT10M');
    const all = await scene.routed(order.id);
    expect(all.map(({ state }) => state)).toEqual(['picking', 'allocated']);
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-02': [1000, 1] });
    await scene.verify();
  });

  test.each(['reserve-inventory-api', 'confirm-reservation-api', 'create-fulfillment-orders'])(
    'are served once when the answer of %s is lost',
    async (api) => {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
      const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
      await scene.fault('lost', { match: { api }, fault: { kind: 'lost-response' }, times: 1 });
      await scene.short(order, await scene.onlyFulfilment(order.id), 1);
      await scene.advance('PT10M');
      expect(await scene.routed(order.id)).toHaveLength(2);
      expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-02': [1000, 1] });
      await scene.verify();
    },
  );

  test('are held anew when their replacement hold expired before it was confirmed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    await scene.fault('down', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'status', status: 503 } });
    await scene.short(order, await scene.onlyFulfilment(order.id), 1);
    await scene.advance('PT6M');
    await scene.noFaults();
    await scene.advance('PT1H');
    expect((await scene.routed(order.id)).map(({ state }) => state)).toEqual(['picking', 'allocated']);
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-02': [1000, 1] });
    await scene.verify();
  });

  // Found by random histories: the OMS did not know yet that the second node had its fulfillment order, and served the units twice.
  test('at the next node too, before the OMS knows of its fulfillment order, are served once from the third', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 1 }] });
    const first = await scene.onlyFulfilment(order.id);
    await scene.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.short(order, first, 0);
    await scene.fault('down', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'status', status: 503 } });
    const [, second] = await scene.routed(order.id);
    await scene.short(order, second?.id ?? '', 0);
    await scene.noFaults();
    await scene.advance('PT1H');
    const all = await scene.routed(order.id);
    expect(all.map(({ locationId, state }) => [locationId, state])).toEqual([
      ['dc-01', 'cancelled'],
      ['dc-02', 'cancelled'],
      ['store-01', 'allocated'],
    ]);
    await scene.verify();
  });
});
