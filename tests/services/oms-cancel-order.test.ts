import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('Cancel Order', () => {
  test('voids the payments of a draft and releases its stock and vouchers before it answers', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const draft = await scene.authorised({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    const reply = await scene.cancel(draft.id, { reason: 'changed my mind' });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      state: 'cancelled',
      cancelReason: 'changed my mind',
      paymentStatus: 'unpaid',
      payments: [{ state: 'voided' }],
    });
    expect(reply.body).not.toHaveProperty('compensation');
    expect(reply.body).not.toHaveProperty('pendingAction');
    expect(await scene.order(draft.id)).toEqual(reply.body);
    expect(reply.headers['etag']).toBe(`"${reply.body.version}"`);
    expect(await scene.object('reservation', draft.lines[0].reservationId)).toMatchObject({ state: 'released' });
    const hops = await scene.journal();
    const uses = hops.filter(({ api }) => api === 'record-voucher-use').map(({ request }) => request.state);
    expect(uses).toEqual(['locked', 'released']);
    const changes = ['order-created v1', 'ext.order-changed v2', 'order-cancelled v3', 'ext.order-changed v4'];
    expect(await scene.orderEvents(draft.id)).toEqual(changes);
    await scene.verify();
  });

  test('refunds captured and voids authorised payments of a confirmed order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, totals } = await scene.draft({ qty: 2 });
    const first = await scene.authorisation(id, 1000);
    await scene.authorisation(id);
    const confirmed = await scene.confirmed(id);
    await scene.api('capture-payment-api', { params: { id: first.id } });
    const { status, body } = await scene.cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ state: 'cancelled', paymentStatus: 'refunded' },
      payments: [
        { id: first.id, state: 'fully-refunded', refundedAmount: { amount: 1000 } },
        { state: 'voided', amount: { amount: totals.total.amount - 1000 } },
      ],
    });
    expect(body).not.toHaveProperty('cancelReason');
    expect((await scene.object('reservation', confirmed.lines[0].reservationId)).state).toBe('released');
    expect(await scene.reserved('mug-blue')).toBe(0);
    const [cancelled] = await scene.events({ type: 'order-cancelled' });
    expect(cancelled.data).toMatchObject({ previousState: 'confirmed', object: { compensation: 'pending' } });
    await scene.verify();
  });

  test('cancels an unpaid order, and voids a payment that is approved later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.draft();
    await scene.authorisation(id, undefined, 'tok_async_approve');
    expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', paymentStatus: 'unpaid', payments: [{ state: 'pending' }] });
    await scene.advance('PT2M');
    expect((await scene.order(id)).payments).toMatchObject([{ state: 'voided' }]);
    await scene.verify();
  });

  test('answers a repeat with the cancelled order, and undoes nothing twice', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed();
    const first = await scene.cancel(id, { reason: 'first' });
    const again = await scene.cancel(id, { reason: 'first' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await scene.events({ type: 'order-cancelled' })).toHaveLength(1);
    const hops = await scene.journal();
    expect(hops.filter(({ api }) => api === 'reverse-payment')).toHaveLength(1);
  });

  test('repeats the stored answer to the same Idempotency-Key, and refuses another body under it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed();
    const headers = { 'idempotency-key': 'k' };
    const first = await scene.cancel(id, { reason: 'one' }, headers);
    const second = await scene.cancel(id, { reason: 'one' }, headers);
    expect([second.headers['idempotent-replayed'], second.body]).toEqual(['true', first.body]);
    expect((await scene.cancel(id, { reason: 'two' }, headers)).body.code).toBe('idempotency_key_reused');
  });

  test('sent twice at once cancels and refunds once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.confirmed();
    await scene.api('capture-payment-api', { params: { id: order.payments[0].id } });
    const replies = await Promise.all([scene.cancel(order.id), scene.cancel(order.id), scene.cancel(order.id)]);
    expect(replies.map(({ status, body }) => [status, body.state])).toEqual(replies.map(() => [200, 'cancelled']));
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ paymentStatus: 'refunded', payments: [{ state: 'fully-refunded', refundedAmount: order.totals.total }] });
    expect(after).not.toHaveProperty('compensation');
    expect(await scene.events({ type: 'order-cancelled' })).toHaveLength(1);
    await scene.verify();
  });

  test('refuses an unknown order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await scene.cancel('ord_nobody');
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  test('refuses an order that has changed since it was read', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed();
    expect((await scene.cancel(id, undefined, { 'if-match': '"1"' })).status).toBe(412);
    expect((await scene.cancel(id, undefined, { 'if-match': '"3"' })).body.state).toBe('cancelled');
  });

  test('leaves no other payment possible', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.draft();
    await scene.cancel(id);
    const { status, body } = await scene.call('authorize-payment-api', {
      body: {
        orderId: id,
        tender: { type: 'card', token: 'tok_visa' },
      },
    });
    expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', 'cancelled']);
  });
});

describe('Cancel Order goes on without', () => {
  test('the Payment Hub: the stock is released at once, the payments follow, and the order shows that until then', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed();
    await scene.down('payment-hub');
    const reply = await scene.cancel(id);
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ state: 'cancelled', compensation: 'pending', paymentStatus: 'unknown', payments: [] }),
    ]);
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.advance('PT1M');
    expect(await scene.order(id)).toMatchObject({ compensation: 'pending' });
    await scene.noFaults();
    await scene.advance('PT10M');
    const settled = await scene.order(id);
    expect(settled).toMatchObject({ state: 'cancelled', paymentStatus: 'unpaid', payments: [{ state: 'voided' }] });
    expect(settled).not.toHaveProperty('compensation');
    await scene.verify();
  });

  test('a lost answer of the Payment Hub, and refunds once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.confirmed();
    await scene.api('capture-payment-api', { params: { id: order.payments[0].id } });
    await scene.fault('lost', { match: { api: 'reverse-payment' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.cancel(order.id)).body).toMatchObject({ state: 'cancelled', compensation: 'pending' });
    await scene.advance('PT1M');
    const settled = await scene.order(order.id);
    expect(settled).toMatchObject({ payments: [{ state: 'fully-refunded', refundedAmount: order.totals.total }] });
    expect(settled).not.toHaveProperty('compensation');
    await scene.verify();
  });

  test.each(['sim', 'promotion-engine'])('the %s: due work or a repeat does its part later', async (application) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    await scene.down(application);
    const reply = await scene.cancel(id);
    expect(reply.body).toMatchObject({ state: 'cancelled', compensation: 'pending', payments: [{ state: 'voided' }] });
    await scene.noFaults();
    expect((await scene.cancel(id)).body).not.toHaveProperty('compensation');
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });
});
