import { describe, expect, test } from '@jest/globals';
import { eventually, newRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';

describe('Create Order', () => {
  test('creates a draft with the lines, prices and hold of a basket in checkout, and a number to read out', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const basket = await scene.checkedOut({ qty: 2 });
    const reply = await scene.call('create-order-api', { body: { basketId: basket.id } });
    expect(reply.status).toBe(201);
    const order = reply.body;
    expect(order).toMatchObject({
      ...{ state: 'draft', version: 1, channel: 'web', basketId: basket.id, customerId: 'cus_ada', totals: basket.totals },
      ...{ shippingAddress: basket.shippingAddress, shippingMethod: 'STANDARD', payments: [], paymentStatus: 'unpaid' },
    });
    expect(order.id).toMatch(/^ord_[0-9A-Z]{26}$/);
    expect(order.orderNumber).toMatch(/^\d{6}-[0-9A-Z]{6}$/);
    const [line] = basket.lines;
    expect(order.lines).toEqual([{ ...line, reservationId: basket.reservationId, fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 }]);
    expect(reply.headers['etag']).toBe('"1"');
    expect(await scene.object('basket', basket.id)).toMatchObject({ state: 'converted', orderId: order.id });
    expect(await scene.orderEvents(order.id)).toEqual(['order-created v1']);
    await scene.verify();
  });

  test('answers the same basket with the same order, whatever its state', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    const again = await scene.call('create-order-api', { body: { basketId: order.basketId } });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(order);
    await scene.cancel(order.id);
    const cancelled = await scene.call('create-order-api', { body: { basketId: order.basketId } });
    expect([cancelled.status, cancelled.body.id, cancelled.body.state]).toEqual([200, order.id, 'cancelled']);
    expect((await scene.orderEvents(order.id)).filter((event) => event.startsWith('order-created'))).toHaveLength(1);
  });

  test('repeats the stored answer to the same Idempotency-Key', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.checkedOut();
    const headers = { 'idempotency-key': 'create-1' };
    const first = await scene.call('create-order-api', { body: { basketId }, headers });
    const second = await scene.call('create-order-api', { body: { basketId }, headers });
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(second.body).toEqual(first.body);
  });

  test('creates one order of a basket, however many requests come at once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.checkedOut();
    await scene.fault('together', { match: { api: 'convert-basket' }, fault: { kind: 'barrier', parties: 5 } });
    const replies = await Promise.all(Array.from({ length: 5 }, () => scene.call('create-order-api', { body: { basketId } })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(await scene.events({ type: 'order-created' })).toHaveLength(1);
    await scene.verify();
  });

  test.each([
    ['with the same key', { 'idempotency-key': 'k-1' }],
    ['without a key', {}],
  ])('answers the order of the first attempt when the answer of the conversion was lost and it is repeated %s', async (_, headers) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.checkedOut();
    await scene.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response' }, times: 1 });
    const lost = await scene.call('create-order-api', { body: { basketId }, headers });
    expect([lost.status, lost.body.code]).toEqual([504, 'dependency_timeout']);
    const { orderId } = await scene.object('basket', basketId);
    const repeated = await scene.call('create-order-api', { body: { basketId }, headers });
    expect([repeated.status, repeated.body.id]).toEqual([201, orderId]);
    await scene.verify();
  });

  test('is finished by due work without a repeat', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.checkedOut();
    await scene.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response', as: 'reset' }, times: 1 });
    expect((await scene.call('create-order-api', { body: { basketId } })).status).toBe(502);
    const { orderId } = await scene.object('basket', basketId);
    expect((await scene.call('get-order-api', { params: { id: orderId } })).status).toBe(404);
    await scene.advance('PT1M');
    expect(await scene.order(orderId)).toMatchObject({ id: orderId, basketId, state: 'draft' });
    await scene.verify();
  });

  test('leaves nothing behind when the basket was not converted', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.checkedOut();
    await scene.down({ api: 'convert-basket' });
    expect((await scene.call('create-order-api', { body: { basketId } })).status).toBe(503);
    await scene.noFaults();
    await scene.advance('PT1M');
    expect(await scene.object('basket', basketId)).toMatchObject({ state: 'locked' });
    expect(await scene.events({ type: 'order-created' })).toEqual([]);
  });

  test('takes the basket that the eCommerce Platform converted, without calling it back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.basket();
    const placed = await scene.api('checkout-basket-api', {
      params: { id },
      body: {
        shippingAddress: { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' },
        placeOrder: true,
      },
    });
    expect(placed).toMatchObject({ state: 'converted', orderId: expect.stringMatching(/^ord_/) });
    expect(await scene.order(placed.orderId)).toMatchObject({ state: 'draft', basketId: id, totals: placed.totals });
    const hops = await scene.journal();
    expect(hops.filter(({ api }) => api === 'get-basket' || api === 'convert-basket')).toEqual([]);
  });

  describe('refuses', () => {
    test('a basket that is not in checkout', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.basket();
      const { status, body } = await scene.call('create-order-api', { body: { basketId: id } });
      expect(status).toBe(409);
      expect(body).toMatchObject({ code: 'invalid_state_transition', objectType: 'basket', id, currentState: 'open', retryable: false });
      expect(body.allowedFrom).toContain('locked');
    });

    test('a basket whose checkout expired', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.checkedOut();
      await scene.advance(TTL);
      const { status, body } = await scene.call('create-order-api', { body: { basketId: id } });
      expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', 'open']);
    });

    test('an empty basket', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } });
      const { status, body } = await scene.call('create-order-api', { body: { basketId: id } });
      expect([status, body.code, body.id]).toEqual([409, 'basket_empty', id]);
    });

    test('an unknown basket', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { status, body } = await scene.call('create-order-api', { body: { basketId: 'bsk_nobody' } });
      expect([status, body.code, body.objectType]).toEqual([404, 'not_found', 'basket']);
    });

    test('unknown members, and those that only services may send', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const basket = await scene.checkedOut();
      const { status, body } = await scene.call('create-order-api', { body: { basketId: basket.id, basket } });
      expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', '/basket']);
    });

    test('a customer while the CRM is down', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id: basketId } = await scene.checkedOut();
      await scene.down('crm');
      const { status, body } = await scene.call('create-order-api', { body: { basketId } });
      expect([status, body.code, body.dependency]).toEqual([503, 'dependency_unavailable', 'crm']);
      await scene.noFaults();
      expect((await scene.call('create-order-api', { body: { basketId } })).status).toBe(201);
    });
  });
});

describe('An unconfirmed draft', () => {
  test('is cancelled after a day: payments voided, stock released', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.authorised();
    await scene.advance('PT24H1S');
    const expired = await eventually('expiry', async () => {
      const found = await scene.order(order.id);
      return found.state === 'cancelled' && found.compensation === undefined && found;
    });
    expect(expired).toMatchObject({ cancelReason: 'expired', paymentStatus: 'unpaid', payments: [{ state: 'voided' }] });
    expect(await scene.reserved('mug-blue')).toBe(0);
    expect(await scene.orderEvents(order.id)).toEqual(['order-created v1', 'order-cancelled v2', 'ext.order-changed v3']);
    await scene.verify();
  });

  test('does not expire when it is confirmed in time', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.confirmed();
    await scene.advance('PT25H');
    expect(await scene.order(order.id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
  });
});
