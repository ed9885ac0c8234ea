import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('Cancel Order of an order in the warehouse', () => {
  test('cancels before, during and after picking: payments are refunded and stock is released', async () => {
    for (const steps of [undefined, [], ['started'], ['started', 'picked'], ['started', 'picked', 'packed']] as const) {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
      const order = await scene.confirmed();
      const id = await scene.onlyFulfilment(order.id);
      if (steps) await scene.picked(id, ...steps);
      await scene.settle();
      const { status, body } = await scene.cancel(order.id);
      expect([status, body.state, body.paymentStatus]).toEqual([200, 'cancelled', steps ? 'refunded' : 'unpaid']);
      expect(body.fulfillmentOrders).toMatchObject([{ id, state: 'cancelled' }]);
      expect(body).not.toHaveProperty('pendingAction');
      expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0] });
      expect((await scene.cancel(order.id)).body).toEqual(body);
      await scene.verify();
    }
  });

  test('also releases the replacement holds of short units', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 3 }] });
    await scene.short(order, await scene.onlyFulfilment(order.id), 1);
    expect((await scene.cancel(order.id)).body).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0], 'dc-02': [1000, 0] });
    await scene.verify();
  });

  test('refuses once goods are dispatched, cancels no fulfillment order, and the order continues', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
    const order = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'desk-two-nodes', qty: 2 },
      ],
    });
    const [mugs, desks] = await scene.routed(order.id);
    const mug = await scene.dispatched(mugs?.id ?? '');
    const { status, body } = await scene.cancel(order.id, { reason: 'too late' });
    expect([status, body.code, body.currentState, body.retryable]).toEqual([409, 'invalid_state_transition', 'in-fulfilment', false]);
    // Its own state is not the reason, so it is not among those that would help.
    expect([body.allowedFrom, body.fulfillmentOrderId]).toEqual([['draft', 'confirmed', 'cancelled'], mugs?.id]);
    const after = await scene.order(order.id);
    expect(after.fulfillmentOrders.map(({ state }: { state: string }) => state)).toEqual(['dispatched', 'allocated']);
    expect(after).not.toHaveProperty('pendingAction');
    expect(after).not.toHaveProperty('cancelReason');
    await scene.delivered(mug);
    await scene.delivered(await scene.dispatched(desks?.id ?? ''));
    expect((await scene.order(order.id)).state).toBe('completed');
    expect((await scene.cancel(order.id)).body).toMatchObject({ status: 409, currentState: 'completed' });
    await scene.verify();
  });

  test('does not call the FMS for an order that was never routed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const { id } = await scene.confirmed();
    await scene.down('fms');
    expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', fulfillmentOrders: [] });
    await scene.noFaults();
    expect((await scene.call('route-order-api', { params: { id } })).status).toBe(409);
    await scene.verify();
  });

  test('is refused while the FMS is down, and changes nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('down', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'status', status: 503 } });
    expect((await scene.cancel(id)).body).toMatchObject({ status: 503, dependency: 'fms' });
    const after = await scene.order(id);
    expect(after).toMatchObject({ state: 'confirmed', fulfillmentOrders: [{ state: 'allocated' }] });
    expect(after).not.toHaveProperty('pendingAction');
    await scene.noFaults();
    expect((await scene.cancel(id)).body.state).toBe('cancelled');
    await scene.verify();
  });

  test('is finished by due work when the answer of the FMS is lost', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('lost', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.cancel(id, { reason: 'mine' })).status).toBe(504);
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', pendingAction: { action: 'cancel' } });
    await scene.advance('PT1M');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'mine', paymentStatus: 'unpaid' });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('with an unknown outcome keeps its intent while the FMS is down, and is finished by a repeat', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('lost', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.cancel(id);
    await scene.fault('down', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'status', status: 503 }, times: 1 });
    expect((await scene.cancel(id)).status).toBe(503);
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', pendingAction: { action: 'cancel' } });
    expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }] });
    await scene.verify();
  });

  test('leaves no fulfillment order behind when the FMS never answered the routing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.authorised();
    await scene.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' } });
    await scene.confirm(id);
    await scene.noFaults();
    expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }] });
    await scene.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }] });
    await scene.verify();
  });

  test('concurrent with Dispatch either lets the goods leave or cancels the order, never both', async () => {
    const ends: string[] = [];
    for (let round = 0; round < 6; round++) {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
      const order = await scene.confirmed();
      const id = await scene.onlyFulfilment(order.id);
      await scene.packed(id);
      await scene.settle();
      const first = round % 2 === 0;
      const racing = first ? [scene.cancel(order.id), scene.dispatch(id)] : [scene.dispatch(id), scene.cancel(order.id)];
      const replies = await Promise.all(racing);
      await scene.settle();
      await scene.advance('PT2M');
      const after = await scene.order(order.id);
      const [fulfilment] = after.fulfillmentOrders;
      ends.push(`${after.state} ${fulfilment.state}`);
      expect(['cancelled cancelled', 'in-fulfilment dispatched']).toContain(ends.at(-1));
      expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(after).not.toHaveProperty('pendingAction');
      await scene.verify();
    }
  });

  test('concurrent with Confirm Order leaves stock, payments and fulfillment orders consistent, whichever wins', async () => {
    for (let round = 0; round < 4; round++) {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
      const { id } = await scene.authorised();
      await Promise.all([scene.confirm(id), scene.cancel(id)]);
      await scene.advance('PT2M');
      const after = await scene.order(id);
      const states = after.fulfillmentOrders.map(({ state }: { state: string }) => state);
      if (after.state === 'cancelled') expect(states.every((state: string) => state === 'cancelled')).toBe(true);
      else expect([after.state, states]).toEqual(['confirmed', ['allocated']]);
      expect(await scene.reserved('mug-blue')).toBe(after.state === 'cancelled' ? 0 : 2);
      await scene.verify();
    }
  });

  test('stops goods that are about to be dispatched', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed();
    const id = await scene.onlyFulfilment(order.id);
    await scene.packed(id);
    await scene.settle();
    await scene.fault('slow', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'status', status: 504 }, times: 1 });
    expect((await scene.cancel(order.id)).status).toBe(504);
    const { status, body } = await scene.dispatch(id);
    expect([status, body.code, body.retryable]).toEqual([409, 'invalid_state_transition', true]);
    expect((await scene.cancel(order.id)).body.state).toBe('cancelled');
    await scene.verify();
  });
});
