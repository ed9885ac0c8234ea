import { describe, expect, test } from '@jest/globals';
import { eventually, newRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';

const LAST_ONE = { sku: 'lamp-last-one', qty: 1 } as const;

describe('Confirm Order', () => {
  test('confirms the hold of a paid draft, and each line gets its node', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const draft = await scene.authorised({ qty: 2 });
    const reply = await scene.confirm(draft.id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised', payments: [{ state: 'authorised' }] });
    expect(reply.body.lines).toEqual([{ ...draft.lines[0], nodeId: 'dc-01' }]);
    expect(reply.body).not.toHaveProperty('pendingAction');
    expect(await scene.order(draft.id)).toEqual(reply.body);
    const hold = await scene.object('reservation', draft.lines[0].reservationId);
    expect(hold).toMatchObject({ state: 'confirmed', orderId: draft.id });
    expect(hold).not.toHaveProperty('expiresAt');
    expect(await scene.orderEvents(draft.id)).toEqual(['order-created v1', 'ext.order-changed v2', 'order-confirmed v3']);
    const [confirmed] = await scene.events({ type: 'order-confirmed' });
    expect(confirmed.data.previousState).toBe('draft');
    expect(confirmed.data.object).toEqual(expect.not.objectContaining({ voucherCodes: expect.anything() }));
    await scene.advance('PT1H');
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.verify();
  });

  test('answers a repeat with the confirmed order, and changes nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.confirmed();
    const again = await scene.confirm(order.id);
    expect([again.status, again.body]).toEqual([200, order]);
    expect(await scene.events({ type: 'order-confirmed' })).toHaveLength(1);
  });

  test('repeats the stored answer to the same Idempotency-Key', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    const first = await scene.confirm(id, { 'idempotency-key': 'k' });
    const second = await scene.confirm(id, { 'idempotency-key': 'k' });
    expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([200, 'true', first.body]);
  });

  test('redeems the vouchers of the order, even if the Promotion Engine is back only later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    await scene.down('promotion-engine');
    expect((await scene.confirm(id)).body).toMatchObject({ state: 'confirmed' });
    await scene.noFaults();
    await scene.advance('PT1M');
    const hops = await scene.journal();
    const uses = hops.filter(({ api, status }) => api === 'record-voucher-use' && status === 200).map(({ request }) => request.state);
    expect(uses).toEqual(['locked', 'redeemed']);
    await scene.verify();
  });

  test('sent twice at once confirms once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.fault('together', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'barrier', parties: 2 } });
    const replies = await Promise.all([scene.confirm(id), scene.confirm(id)]);
    expect(replies.map(({ status, body }) => [status, body.state])).toEqual([
      [200, 'confirmed'],
      [200, 'confirmed'],
    ]);
    expect(await scene.events({ type: 'order-confirmed' })).toHaveLength(1);
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.verify();
  });
});

describe('Confirm Order checks the payments', () => {
  test('and names the outstanding amount; authorised and captured tenders count together', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft({ qty: 2 });
    const { amount: total } = order.totals.total;
    const unpaid = await scene.confirm(order.id);
    expect([unpaid.status, unpaid.body.code, unpaid.body.outstanding]).toEqual([
      409,
      'payment_incomplete',
      { amount: total, currency: 'EUR' },
    ]);
    const first = await scene.authorisation(order.id, 1000);
    await scene.api('capture-payment-api', { params: { id: first.id } });
    const half = await scene.confirm(order.id);
    expect(half.body).toMatchObject({
      code: 'payment_incomplete',
      objectType: 'order',
      id: order.id,
      outstanding: { amount: total - 1000 },
    });
    expect(await scene.order(order.id)).toMatchObject({ state: 'draft', version: 1, paymentStatus: 'unpaid' });
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.verify();
  });

  test('and does not count a pending one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.draft();
    await scene.authorisation(id, undefined, 'tok_async_approve');
    expect((await scene.confirm(id)).body.code).toBe('payment_incomplete');
    await scene.advance('PT2M');
    expect((await scene.confirm(id)).status).toBe(200);
  });

  test('and is refused while the Payment Hub is down; nothing is written', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.down('payment-hub');
    const headers = { 'idempotency-key': 'k' };
    const down = await scene.confirm(id, headers);
    expect([down.status, down.body.code, down.body.dependency]).toEqual([503, 'dependency_unavailable', 'payment-hub']);
    expect(down.headers['retry-after']).toBeDefined();
    expect(await scene.order(id)).toMatchObject({ state: 'draft', version: 1, paymentStatus: 'unknown', payments: [] });
    await scene.noFaults();
    expect((await scene.confirm(id, headers)).body.state).toBe('confirmed');
  });
});

describe('Confirm Order refuses', () => {
  test('a cancelled order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.draft();
    await scene.cancel(id);
    const { status, body } = await scene.confirm(id);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      ...{ code: 'invalid_state_transition', objectType: 'order', id, currentState: 'cancelled', action: 'confirm', retryable: false },
      allowedFrom: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress'],
    });
  });

  test('an unknown order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await scene.confirm('ord_nobody');
    expect([status, body.code, body.objectType]).toEqual([404, 'not_found', 'order']);
  });

  test('an order that has changed since it was read', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.confirmed();
    const { status, body } = await scene.confirm(id, { 'if-match': '"1"' });
    expect([status, body.code, body.currentVersion]).toEqual([412, 'version_mismatch', 3]);
  });

  test('an outdated version only before its own intent: a repeat with the same key continues, another request is refused', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, version } = await scene.authorised();
    await scene.fault('lost', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const asRead = { 'if-match': `"${version}"` };
    expect((await scene.confirm(id, { ...asRead, 'idempotency-key': 'mine' })).status).toBe(504);
    expect((await scene.confirm(id, { ...asRead, 'idempotency-key': 'other' })).status).toBe(412);
    const repeated = await scene.confirm(id, { ...asRead, 'idempotency-key': 'mine' });
    expect([repeated.status, repeated.body.state]).toEqual([200, 'confirmed']);
    await scene.verify();
  });

  test('no order because of a change that another request made after the intent', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, version } = await scene.authorised();
    await scene.fault('slow', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'latency', ms: 700 }, times: 1 });
    const first = scene.confirm(id, { 'if-match': `"${version}"` });
    await eventually('the intent', async () => (await scene.order(id)).pendingAction);
    expect((await scene.confirm(id)).body.state).toBe('confirmed');
    const { status, body } = await first;
    expect([status, body.state]).toEqual([200, 'confirmed']);
    expect(await scene.orderEvents(id)).toEqual(['order-created v1', 'ext.order-changed v2', 'order-confirmed v3']);
  });
});

describe('A hold that expired between payment and confirmation', () => {
  test('is replaced once, for all lines', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines } = await scene.authorised({ qty: 3 });
    await scene.advance(TTL);
    expect(await scene.reserved('mug-blue')).toBe(0);
    const { status, body } = await scene.confirm(id);
    expect([status, body.state, body.lines[0].nodeId]).toEqual([200, 'confirmed', 'dc-01']);
    expect(body.lines[0].reservationId).not.toBe(lines[0].reservationId);
    expect(await scene.object('reservation', body.lines[0].reservationId)).toMatchObject({ state: 'confirmed', orderId: id });
    await scene.advance('PT1H');
    expect(await scene.reserved('mug-blue')).toBe(3);
    await scene.verify();
  });

  test('is replaced even if a client released it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines } = await scene.authorised();
    await scene.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    expect((await scene.confirm(id)).body.state).toBe('confirmed');
    expect(await scene.reserved('mug-blue')).toBe(2);
  });

  test('leads to a refusal when the goods are sold: authorisations are voided, nothing is held, and the order may be confirmed again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.authorised(LAST_ONE);
    await scene.advance(TTL);
    await scene.checkedOut({ ...LAST_ONE, customerId: 'cus_ben' });
    const [line] = order.lines;

    const { status, body } = await scene.confirm(order.id);
    expect([status, body.code]).toEqual([409, 'reservation_expired']);
    expect(body).toMatchObject({
      ...{ objectType: 'order', id: order.id, retryable: false },
      skus: [{ sku: 'lamp-last-one', requested: 1, available: 0 }],
      lines: [{ lineId: line.lineId, sku: 'lamp-last-one', qty: 1 }],
    });
    const refused = await scene.order(order.id);
    expect(refused).toMatchObject({ state: 'draft', paymentStatus: 'unpaid', payments: [{ state: 'voided' }] });
    expect(refused.lines[0]).not.toHaveProperty('reservationId');
    expect(refused).not.toHaveProperty('compensation');
    expect(refused).not.toHaveProperty('pendingAction');

    expect(body.detail).toContain('expired or was released');
    await scene.authorisation(order.id);
    const withoutHold = await scene.confirm(order.id);
    expect(withoutHold.body).toMatchObject({ code: 'insufficient_stock', skus: [{ sku: 'lamp-last-one', requested: 1, available: 0 }] });
    expect((await scene.order(order.id)).payments.map(({ state }: { state: string }) => state)).toEqual(['voided', 'voided']);
    await scene.verify();

    await scene.advance(TTL);
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });

  test('leads to authorisations voided later when the Payment Hub goes down; they no longer count', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised(LAST_ONE);
    await scene.advance(TTL);
    const { id: other } = await scene.checkedOut({ ...LAST_ONE, customerId: 'cus_ben' });
    await scene.down({ api: 'reverse-payment' });
    expect((await scene.confirm(id)).body.code).toBe('reservation_expired');
    expect((await scene.settle()).settled).toBe(true);
    expect(await scene.order(id)).toMatchObject({ state: 'draft', compensation: 'pending', paymentStatus: 'authorised' });
    const { reservationId } = await scene.object('basket', other);
    await scene.api('release-reservation-api', { params: { id: reservationId } });
    expect((await scene.confirm(id)).body.code).toBe('payment_incomplete');
    await scene.noFaults();
    await scene.advance('PT1M');
    const settled = await scene.order(id);
    expect(settled).toMatchObject({ state: 'draft', payments: [{ state: 'voided' }] });
    expect(settled).not.toHaveProperty('compensation');
    await scene.verify();
  });
});

describe('When the SIM', () => {
  test('is down, the intent of Confirm Order is withdrawn at once, and it can be repeated', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.down('sim');
    const headers = { 'idempotency-key': 'k' };
    const down = await scene.confirm(id, headers);
    expect([down.status, down.body.dependency]).toEqual([503, 'sim']);
    const draft = await scene.order(id);
    expect(draft).toMatchObject({ state: 'draft', paymentStatus: 'authorised' });
    expect(draft).not.toHaveProperty('pendingAction');
    await scene.noFaults();
    expect((await scene.confirm(id, headers)).body.state).toBe('confirmed');
    await scene.verify();
  });

  test('cannot take a new hold because the Inventory Service is down, the order keeps its payments', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.advance(TTL);
    await scene.down('inventory-service');
    expect((await scene.confirm(id)).status).toBe(503);
    expect(await scene.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'authorised' });
    await scene.noFaults();
    expect((await scene.confirm(id)).body.state).toBe('confirmed');
    await scene.verify();
  });

  describe('confirms the hold and its answer is lost', () => {
    const lost = { match: { api: 'confirm-reservation-api' }, fault: { kind: 'lost-response' }, times: 1 };

    test('the order shows the pending action, and refuses Cancel Order meanwhile', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.authorised();
      await scene.fault('lost', lost);
      const { status, body } = await scene.confirm(id);
      expect([status, body.code]).toEqual([504, 'dependency_timeout']);
      expect(await scene.order(id)).toMatchObject({ state: 'draft', pendingAction: { action: 'confirm' } });
      const cancel = await scene.cancel(id);
      expect(cancel.status).toBe(409);
      expect(cancel.body).toMatchObject({
        ...{ code: 'invalid_state_transition', currentState: 'draft', action: 'cancel', retryable: true },
        pendingAction: { action: 'confirm' },
      });
      expect(cancel.headers['retry-after']).toBeDefined();
    });

    test.each([
      ['with the same key', { 'idempotency-key': 'k' }],
      ['without a key', {}],
    ])('a repeat %s continues', async (_, headers) => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.authorised();
      await scene.fault('lost', lost);
      expect((await scene.confirm(id, headers)).status).toBe(504);
      const repeated = await scene.confirm(id, headers);
      expect([repeated.status, repeated.body.state]).toEqual([200, 'confirmed']);
      expect(await scene.orderEvents(id)).toEqual(['order-created v1', 'ext.order-changed v2', 'order-confirmed v3']);
      await scene.verify();
    });

    test('due work continues without a repeat', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.authorised();
      await scene.fault('lost', lost);
      expect((await scene.confirm(id)).status).toBe(504);
      await scene.advance('PT1M');
      expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
      await scene.verify();
    });

    test('and it stays away, the intent is withdrawn, and Cancel Order releases the confirmed hold', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.authorised();
      await scene.fault('lost', lost);
      expect((await scene.confirm(id)).status).toBe(504);
      await scene.down('sim');
      await scene.advance('PT10M');
      const draft = await scene.order(id);
      expect(draft.state).toBe('draft');
      expect(draft).not.toHaveProperty('pendingAction');
      await scene.noFaults();
      expect(await scene.reserved('mug-blue')).toBe(2);
      expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
      expect(await scene.reserved('mug-blue')).toBe(0);
      await scene.verify();
    });

    test('and the payment is voided before the repeat, the intent is withdrawn', async () => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const order = await scene.draft();
      const { id: paymentId } = await scene.authorisation(order.id);
      await scene.fault('lost', lost);
      expect((await scene.confirm(order.id)).status).toBe(504);
      await scene.api('void-payment-api', { params: { id: paymentId } });
      expect((await scene.confirm(order.id)).body.code).toBe('payment_incomplete');
      expect(await scene.order(order.id)).not.toHaveProperty('pendingAction');
      await scene.authorisation(order.id);
      expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
      await scene.verify();
    });
  });

  describe('holds the last unit again and its answer is lost', () => {
    const lost = { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 1 };

    test.each([
      ['a repeat with the same key', { 'idempotency-key': 'k' }],
      ['a repeat without a key', {}],
      ['due work', undefined],
    ])('%s finds it held, and holds nothing twice', async (_, headers) => {
      await using scene = await newRehearsal({ warehouse: 'manual' });
      const { id } = await scene.authorised(LAST_ONE);
      await scene.advance(TTL);
      await scene.fault('lost', lost);
      expect((await scene.confirm(id, headers)).status).toBe(504);
      if (headers) expect((await scene.confirm(id, headers)).status).toBe(200);
      else await scene.advance('PT1M');
      expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
      expect(await scene.reserved('lamp-last-one')).toBe(1);
      await scene.advance('PT1H');
      expect(await scene.reserved('lamp-last-one')).toBe(1);
      await scene.verify();
    });
  });

  test('is slow, two confirmations that need a new hold take one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised(LAST_ONE);
    await scene.advance(TTL);
    await scene.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replies = await Promise.all([scene.confirm(id), scene.confirm(id)]);
    for (const { status, body } of replies) {
      if (status === 200) expect(body.state).toBe('confirmed');
      else expect(body).toMatchObject({ code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'confirm' } });
    }
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });
});

describe('The last unit, wanted by two orders with expired holds,', () => {
  test('goes to one of them; the other is refused and its authorisation voided', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const first = await scene.authorised(LAST_ONE);
    await scene.advance(TTL);
    const second = await scene.authorised({ ...LAST_ONE, customerId: 'cus_ben' });
    await scene.advance(TTL);
    const replies = await Promise.all([scene.confirm(first.id), scene.confirm(second.id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body.code).toBe('reservation_expired');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    expect(await scene.order(refused?.body.id)).toMatchObject({ state: 'draft', payments: [{ state: 'voided' }] });
    await scene.verify();
  });
});

describe('Get Order', () => {
  test('shows the current payments of the Payment Hub without a new version of the order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.confirmed();
    const [payment] = order.payments;
    await scene.api('capture-payment-api', { params: { id: payment.id } });
    const paid = await scene.order(order.id);
    expect(paid).toMatchObject({ version: order.version, paymentStatus: 'paid', payments: [{ capturedAmount: order.totals.total }] });
    await scene.api('refund-payment-api', { params: { id: payment.id }, body: { amount: { amount: 100, currency: 'EUR' } } });
    expect(await scene.order(order.id)).toMatchObject({
      paymentStatus: 'partially-refunded',
      payments: [{ refundedAmount: { amount: 100 } }],
    });
    const rest = { amount: order.totals.total.amount - 100, currency: 'EUR' };
    await scene.api('refund-payment-api', { params: { id: payment.id }, body: { amount: rest } });
    expect(await scene.order(order.id)).toMatchObject({ paymentStatus: 'refunded', version: order.version });
  });

  test('answers without payments while the Payment Hub is slow', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.fault('slow', { match: { api: 'list-payments' }, fault: { kind: 'latency', ms: 60_000 } });
    const asked = Date.now();
    const reply = await scene.call('get-order-api', { params: { id } });
    expect([reply.status, reply.body.paymentStatus, reply.body.payments, reply.headers['etag']]).toEqual([200, 'unknown', [], '"1"']);
    expect(Date.now() - asked).toBeLessThan(40_000);
  });

  test('refuses an unknown id', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await scene.call('get-order-api', { params: { id: 'ord_nobody' } });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('Confirm and Cancel at once', () => {
  test('refuse the second one with a retryable 409 while the first is pending', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id } = await scene.authorised();
    await scene.fault('slow', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'latency', ms: 500 }, times: 1 });
    const confirming = scene.confirm(id);
    await eventually('the intent', async () => (await scene.order(id)).pendingAction);
    const cancel = await scene.cancel(id);
    expect(cancel.body).toMatchObject({ code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'confirm' } });
    expect((await confirming).body.state).toBe('confirmed');
    expect((await scene.cancel(id)).body.state).toBe('cancelled');
    await scene.verify();
  });

  test('have one outcome, with all of its effects and none of the other', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const seen = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const { id } = await scene.authorised({ qty: 1 });
      const [confirm, cancel] = await Promise.all([scene.confirm(id), scene.cancel(id)]);
      const after = await scene.order(id);
      seen.add(`${confirm.status} ${cancel.status}`);
      expect([200, 409]).toContain(confirm.status);
      expect([200, 409]).toContain(cancel.status);
      if (cancel.status === 200) {
        expect(after).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
        expect((await scene.object('reservation', after.lines[0].reservationId)).state).toBe('released');
      } else {
        expect(cancel.body.retryable).toBe(true);
        expect(after).toMatchObject({ state: 'confirmed', payments: [{ state: 'authorised' }] });
        expect((await scene.object('reservation', after.lines[0].reservationId)).state).toBe('confirmed');
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    await scene.verify();
  });
});
