import { describe, expect, test } from '@jest/globals';
import { returnLifeCycle } from '../../shared/catalog/fulfillment/returns.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { readLabel } from './label-reading.ts';

const lineOf = (order: { lines: { lineId: string }[] }, at = 0): string => order.lines[at]?.lineId ?? '';

describe('Create Return', () => {
  test('announces units of a completed order: return-requested, then return-created', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const reply = await scene.announce({
      orderId: order.id,
      locationId: STORE,
      lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'too small' }],
    });
    expect(reply.status).toBe(201);
    expect(reply.headers['etag']).toBe('"1"');
    expect(reply.body).toEqual({
      ...{ id: expect.stringMatching(/^ret_/), version: 1, state: 'requested', orderId: order.id, customerId: 'cus_ada' },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String), dropOff: 'store', resolution: 'refund' },
      lines: [{ orderLineId: lineOf(order), sku: 'mug-blue', qty: 1, reason: 'too small' }],
      ...{ locationId: STORE, refundAmount: eur(1299), refunds: [], shipments: [] },
    });
    const events = await scene.events({ subject: `return/${reply.body.id}` });
    expect(events.map(({ type, aggregateversion }) => [type, aggregateversion])).toEqual([
      ['com.unified-commerce.return-requested', 1],
      ['com.unified-commerce.return-created', 1],
    ]);
    expect(events.map(({ data, classification }) => [data.object, data.previousState, classification])).toEqual([
      [reply.body, undefined, 'created'],
      [reply.body, undefined, 'created'],
    ]);
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'return-in-progress', paymentStatus: 'paid' });
    expect(after.returns).toEqual([{ id: reply.body.id, state: 'requested', refundAmount: eur(1299), lines: reply.body.lines }]);
    await scene.verify();
  });

  test('answers where the goods are handed in, and joins a line that is named twice', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const lines = [
      { orderLineId: lineOf(order), qty: 1, reason: 'too small' },
      { orderLineId: lineOf(order), qty: 1, reason: 'damaged' },
    ];
    const { body } = await scene.announce({ orderId: order.id, lines, locationId: 'store-02' });
    expect(body).toMatchObject({ locationId: 'store-02', refundAmount: eur(2598) });
    expect(body.lines).toEqual([{ orderLineId: lineOf(order), sku: 'mug-blue', qty: 2, reason: 'too small; damaged' }]);
  });

  test('repeated with its key answers the same return; without a key it makes another one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'too small' }] };
    const first = await scene.announce(body, { 'idempotency-key': 'one' });
    const again = await scene.announce(body, { 'idempotency-key': 'one' });
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    const other = await scene.announce(body);
    expect([other.status, other.body.id === first.body.id]).toEqual([201, false]);
    expect((await scene.order(order.id)).returns).toHaveLength(2);
  });

  test('refuses an unknown order, line or location', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const lines = [{ orderLineId: lineOf(order), qty: 1, reason: 'too small' }];
    const unknown = await scene.announce({ orderId: 'ord_nobody', lines, locationId: STORE });
    expect([unknown.status, unknown.body.code, unknown.body.objectType]).toEqual([404, 'not_found', 'order']);
    const stray = await scene.announce({ orderId: order.id, lines: [{ ...lines[0], orderLineId: 'line_nobody' }], locationId: STORE });
    expect([stray.status, stray.body.errors]).toEqual([
      422,
      [{ pointer: '/lines/0/orderLineId', code: 'unknown_line', detail: `The order "${order.id}" has no line "line_nobody".` }],
    ]);
    const nowhere = await scene.announce({ orderId: order.id, lines, locationId: 'dc-09' });
    expect([nowhere.status, nowhere.body.objectType]).toEqual([404, 'location']);
    expect((await scene.order(order.id)).state).toBe('completed');
  });

  test.each([
    ['no lines', { lines: [] }, '/lines'],
    ['no unit', { lines: [{ orderLineId: 'x', qty: 0, reason: 'r' }] }, '/lines/0/qty'],
    ['no reason', { lines: [{ orderLineId: 'x', qty: 1 }] }, '/lines/0/reason'],
    ['another way back', { dropOff: 'balloon' }, '/dropOff'],
  ])('refuses %s', async (_what, wrong, pointer) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { status, body } = await scene.announce({ orderId: 'ord_x', lines: [{ orderLineId: 'x', qty: 1, reason: 'r' }], ...wrong });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
  });

  test('refuses an order that is not completed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const draft = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    const refused = async (order: { id: string; lines: { lineId: string }[] }) => {
      const { status, body } = await scene.announce({
        orderId: order.id,
        locationId: STORE,
        lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'too small' }],
      });
      return [status, body.code, body.currentState, body.allowedFrom];
    };
    const closed = ['completed', 'return-in-progress'];
    expect(await refused(draft)).toEqual([409, 'order_not_closed', 'draft', closed]);
    await scene.authorisation(draft.id);
    const confirmed = await scene.confirmed(draft.id);
    expect(await refused(confirmed)).toEqual([409, 'order_not_closed', 'confirmed', closed]);
    await scene.dispatched((await scene.routed(draft.id))[0]?.id ?? '');
    expect(await refused(confirmed)).toEqual([409, 'order_not_closed', 'in-fulfilment', closed]);
    const other = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 1 }] });
    await scene.cancel(other.id);
    expect(await refused(other)).toEqual([409, 'order_not_closed', 'cancelled', closed]);
  });

  test('refuses more units than the customer has outside other returns', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed([{ sku: 'mug-blue', qty: 3 }]);
    const ask = (qty: number) =>
      scene.announce({ orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty, reason: 'too small' }] });
    const refusal = (requested: number, returnable: number) => ({
      status: 409,
      body: expect.objectContaining({
        code: 'return_quantity_exceeded',
        objectType: 'order',
        id: order.id,
        lines: [{ orderLineId: lineOf(order), requested, returnable }],
      }),
    });
    expect(await ask(4)).toMatchObject(refusal(4, 3));
    const open = await scene.announced(order, 2);
    expect(await ask(2)).toMatchObject(refusal(2, 1));
    await scene.moved(open.id, 'approve', 'receive', 'inspect');
    expect((await scene.order(order.id)).lines[0].returnedQty).toBe(2);
    expect(await ask(2)).toMatchObject(refusal(2, 1));
    expect((await ask(1)).status).toBe(201);
    expect(await ask(1)).toMatchObject(refusal(1, 0));
    await scene.verify();
  });

  test('sent concurrently for the same units makes one return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 2, reason: 'too small' }] };
    await scene.fault('together', { match: { api: 'book-return' }, fault: { kind: 'barrier', parties: 5 }, times: 5 });
    const replies = await Promise.all(Array.from({ length: 5 }, () => scene.announce(body)));
    await scene.noFaults();
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect(new Set(replies.filter(({ status }) => status === 409).map((reply) => reply.body.code))).toEqual(
      new Set(['return_quantity_exceeded']),
    );
    expect((await scene.order(order.id)).returns).toHaveLength(1);
    await scene.verify();
  });

  test('sent concurrently for the same units makes one return, also beside an open one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed([{ sku: 'mug-blue', qty: 3 }]);
    await scene.announced(order, 1);
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 2, reason: 'too small' }] };
    await scene.fault('together', { match: { api: 'book-return' }, fault: { kind: 'barrier', parties: 5 }, times: 5 });
    const replies = await Promise.all(Array.from({ length: 5 }, () => scene.announce(body)));
    await scene.noFaults();
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    await scene.verify();
  });

  test('stores nothing while the OMS is unavailable and succeeds when it is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 2, reason: 'too small' }] };
    await scene.fault('lost', { match: { application: 'oms', api: 'book-return' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.announce(body)).body.dependency).toBe('oms');
    // The OMS has booked units, and its answer was lost.
    expect((await scene.order(order.id)).state).toBe('return-in-progress');
    const early = await scene.announce(body, { 'idempotency-key': 'early' });
    expect([early.status, early.body.code, early.body.retryable, early.headers['retry-after']]).toEqual([
      ...[409, 'return_quantity_exceeded', true, '1'],
    ]);
    await scene.advance('PT1M');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.verify();
    expect((await scene.announce(body, { 'idempotency-key': 'early' })).status).toBe(201);
    const final = await scene.announce(body);
    expect([final.status, final.body.code, final.body.retryable]).toEqual([409, 'return_quantity_exceeded', false]);
    await scene.verify();
  });

  test('whose answer was lost is completed by a repeat with its key', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 2, reason: 'too small' }] };
    const ask = () => scene.announce(body, { 'idempotency-key': 'mine' });
    await scene.fault('lost', { match: { application: 'oms', api: 'book-return' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await ask()).status).toBeGreaterThanOrEqual(500);
    const { status, body: made } = await ask();
    expect([status, made.state]).toEqual([201, 'requested']);
    await scene.advance('PT1M');
    expect((await scene.order(order.id)).returns).toHaveLength(1);
    await scene.verify();
  });

  test('repeated with its key after it was undone makes another return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty: 2, reason: 'too small' }] };
    await scene.fault('lost', { match: { application: 'oms', api: 'book-return' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.announce(body, { 'idempotency-key': 'mine' });
    await scene.advance('PT1M');
    expect((await scene.announce(body, { 'idempotency-key': 'mine' })).status).toBe(201);
    expect((await scene.order(order.id)).returns).toHaveLength(1);
    await scene.verify();
  });
});

describe('A return that is driven by hand', () => {
  test('is approved, received, inspected and refunded, with an event each', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const before = await scene.onHand('mug-blue', STORE);
    const { id } = await scene.announced(order, 1);
    expect(await scene.moved(id, 'approve', 'receive', 'inspect')).toMatchObject({ state: 'inspected' });
    expect(await scene.object('return', id)).toMatchObject({
      state: 'refunded',
      refunds: [{ amount: eur(1299), paymentId: expect.stringMatching(/^pay_/) }],
      lines: [{ condition: 'resellable', disposition: 'restock' }],
    });
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'completed', paymentStatus: 'partially-refunded', returns: [{ state: 'refunded' }] });
    expect(after.lines[0].returnedQty).toBe(1);
    expect(await scene.onHand('mug-blue', STORE)).toBe(before + 1);
    const [, , ...moves] = await scene.returnEvents(id);
    expect(moves.filter(([, from, to]) => from !== to)).toEqual([
      ['ext.return-changed', 'requested', 'approved'],
      ['ext.return-changed', 'approved', 'received'],
      ['ext.return-changed', 'received', 'inspected'],
      ['ext.return-changed', 'inspected', 'refunded'],
    ]);
    await scene.verify();
  });

  const reach: Record<string, (scene: TestRehearsal) => Promise<string>> = {
    requested: async (scene) => (await scene.announced(await scene.completed(), 1)).id,
    approved: (scene) => further(scene, 'approve'),
    received: (scene) => further(scene, 'approve', 'receive'),
    inspected: (scene) => further(scene, 'approve', 'receive', 'inspect'),
    rejected: (scene) => further(scene, 'reject'),
    refunded: async (scene) => {
      const id = await further(scene, 'approve', 'receive', 'inspect');
      await scene.progress({ refund: 'auto' });
      const { orderId } = await scene.object('return', id);
      const { payments } = await scene.order(orderId);
      await scene.api('refund-payment-api', { params: { id: payments[0].id }, body: { amount: eur(1299), returnId: id } });
      await scene.settle();
      return id;
    },
  };
  async function further(scene: TestRehearsal, ...verbs: Parameters<TestRehearsal['moved']>[1][]): Promise<string> {
    const { id } = await scene.announced(await scene.completed(), 1);
    await scene.moved(id, ...verbs);
    return id;
  }

  test('rejected is known to the Payment Hub, and has nothing left to refund', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const id = await further(scene, 'reject');
    const { orderId } = await scene.object('return', id);
    const [payment] = (await scene.order(orderId)).payments;
    const reply = await scene.call('refund-payment-api', {
      params: { id: payment.id },
      body: { amount: eur(100), returnId: id },
    });
    expect([reply.status, reply.body.code]).toEqual([409, 'refund_exceeds_captured']);
    expect((await scene.order(orderId)).paymentStatus).toBe('paid');
    await scene.verify();
  });

  test.each(Object.keys(reach))('while %s takes the verbs of its life cycle and refuses all others without a change', async (state) => {
    for (const verb of ['approve', 'reject', 'receive', 'inspect'] as const) {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
      const id = (await reach[state]?.(scene)) ?? '';
      const before = await scene.object('return', id);
      expect(before.state).toBe(state);
      const allowed = allowedFrom(returnLifeCycle, verb);
      const { status, body } = await scene.move(id, verb);
      if ((allowed as readonly string[]).includes(state)) {
        expect([verb, status, body.version > before.version]).toEqual([verb, 200, true]);
        continue;
      }
      expect([verb, status, body.code, body.currentState, body.action]).toEqual([verb, 409, 'invalid_state_transition', state, verb]);
      expect(body.allowedFrom).toEqual(allowed);
      expect(await scene.object('return', id)).toEqual(before);
    }
  });

  test('is rejected with a reason, and its units may be announced again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 2);
    const { body } = await scene.move(id, 'reject', { reason: 'Worn for a year.' });
    expect(body).toMatchObject({ state: 'rejected', rejectReason: 'Worn for a year.' });
    expect((await scene.order(order.id)).state).toBe('completed');
    expect((await scene.announced(order, 2)).refundAmount).toEqual(eur(2598));
    await scene.verify();
  });

  test('answers 404 for an unknown return and an unknown verb', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    expect((await scene.move('ret_nobody', 'approve')).status).toBe(404);
    const { id } = await scene.announced(await scene.completed(), 1);
    expect((await scene.call('POST', `/_control/returns/${id}/teleport`, {}, { as: 'admin' })).status).toBe(404);
  });
});

describe('A return that is driven by time', () => {
  test('is approved after an hour, received after a day, inspected four hours later, and refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'time' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    const stateAfter = async (by: string) => {
      await scene.advance(by);
      return (await scene.object('return', id)).state;
    };
    expect(await stateAfter('PT59M')).toBe('requested');
    expect(await stateAfter('PT1M')).toBe('approved');
    expect(await stateAfter('PT23H59M')).toBe('approved');
    expect(await stateAfter('PT1M')).toBe('received');
    expect(await stateAfter('PT3H59M')).toBe('received');
    expect(await stateAfter('PT1M')).toBe('refunded');
    await scene.verify();
  });

  test('moves at once with immediate progression', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'immediate' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    await scene.settle();
    expect((await scene.object('return', id)).state).toBe('refunded');
  });

  test('continues from its state under a new progression', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'time' });
    const { id } = await scene.announced(await scene.completed(), 1);
    await scene.progress({ returns: 'manual' });
    await scene.advance('P2D');
    expect((await scene.object('return', id)).state).toBe('requested');
    await scene.progress({ returns: 'time' });
    await scene.settle();
    await scene.advance('PT1S');
    expect((await scene.object('return', id)).state).toBe('approved');
    await scene.progress({ returns: 'immediate' });
    await scene.settle();
    expect((await scene.object('return', id)).state).toBe('refunded');
  });

  test('is approved on the last day of the return window, however late it is decided, and rejected after it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'time' });
    const order = await scene.completed();
    await scene.advance('P29DT23H50M');
    const { id: inTime } = await scene.announced(order, 1);
    await scene.advance('PT1H');
    expect((await scene.object('return', inTime)).state).toBe('approved');
    const { id: late } = await scene.announced(order, 1);
    await scene.advance('PT1H');
    expect(await scene.object('return', late)).toMatchObject({ state: 'rejected', rejectReason: expect.stringContaining('30 days') });
    expect((await scene.order(order.id)).state).toBe('return-in-progress');
    await scene.verify();
  });
});

describe('A return that comes by parcel', () => {
  const byParcel = async (scene: TestRehearsal) => {
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { dropOff: 'carrier' });
    await scene.moved(id, 'approve');
    const { shipments } = await scene.object('return', id);
    return { order, id, parcel: shipments[0]?.id ?? '' };
  };
  const track = (scene: TestRehearsal, parcel: string) => scene.call('track-shipment-api', { params: { id: parcel } });

  test('gets a label on approval: from the customer to the node', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, order, parcel } = await byParcel(scene);
    expect(await scene.object('return', id)).toMatchObject({
      state: 'approved',
      shipments: [{ id: parcel, state: 'label-created', labelStatus: 'ready', trackingNumber: expect.stringMatching(/^UC/) }],
    });
    const { body } = await track(scene, parcel);
    expect(body).toMatchObject({ returnId: id, state: 'label-created', service: 'STANDARD' });
    expect(body.fulfillmentOrderId).toBeUndefined();
    const label = await fetch(`${estate.gateway}${body.label.url}`);
    expect([label.status, label.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const { text, code } = await readLabel(new Uint8Array(await label.arrayBuffer()));
    expect(code).toBe(body.trackingNumber);
    expect(text).toContain(`Return ${id}`);
    expect(text.indexOf(order.shippingAddress.line1)).toBeLessThan(text.indexOf('Athlone distribution centre'));
    const events = await scene.events({ type: 'shipment-label-generated', subject: `shipment/${parcel}` });
    expect(events).toHaveLength(1);
    await scene.verify();
  });

  test('is in transit from its first scan and received with its delivery', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, parcel } = await byParcel(scene);
    const states = [];
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'deliver'] as const) {
      await scene.scanned(parcel, scan);
      const { state, shipments } = await scene.object('return', id);
      states.push([scan, state, shipments[0]?.state]);
    }
    expect(states).toEqual([
      ['collect', 'in-transit', 'collected'],
      ['depart', 'in-transit', 'in-transit'],
      ['out-for-delivery', 'in-transit', 'out-for-delivery'],
      ['deliver', 'received', 'delivered'],
    ]);
    await scene.moved(id, 'inspect');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test('arrives by itself when carrier and returns follow the clock', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'time' });
    const order = await scene.completed();
    await scene.progress({ carrier: 'time' });
    const { id } = await scene.announced(order, 1, { dropOff: 'carrier' });
    await scene.advance('PT4H');
    expect((await scene.object('return', id)).state).toBe('in-transit');
    await scene.advance('P2D');
    expect(await scene.object('return', id)).toMatchObject({ state: 'refunded', shipments: [{ state: 'delivered' }] });
    await scene.verify();
  });

  test('is not handed in by time: a store does not receive goods in transit', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await byParcel(scene);
    await scene.progress({ returns: 'time' });
    await scene.advance('P3D');
    expect((await scene.object('return', id)).state).toBe('approved');
    expect(await scene.moved(id, 'receive')).toMatchObject({ state: 'received' });
  });

  test.each([
    ['lost', ['collect', 'lose']],
    ['returned-to-sender', ['collect', 'depart', 'return']],
  ] as const)('that is %s stays in transit until it is received and inspected by hand', async (state, scans) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, parcel, order } = await byParcel(scene);
    const before = await scene.onHand('mug-blue', order.lines[0].nodeId);
    await scene.scanned(parcel, ...scans);
    expect(await scene.object('return', id)).toMatchObject({ state: 'in-transit', shipments: [{ state }] });
    await scene.verify();
    await scene.moved(id, 'receive');
    await scene.move(id, 'inspect', { lines: [{ orderLineId: lineOf(order), condition: 'damaged' }] });
    await scene.settle();
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect(await scene.onHand('mug-blue', order.lines[0].nodeId)).toBe(before);
    await scene.verify();
  });

  test('that is found after its loss is received; found after the refund, only its copy moves', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const found = await byParcel(scene);
    await scene.scanned(found.parcel, 'collect', 'lose', 'find');
    expect(await scene.object('return', found.id)).toMatchObject({ state: 'received', shipments: [{ state: 'delivered' }] });
    const late = await byParcel(scene);
    await scene.scanned(late.parcel, 'collect', 'lose');
    await scene.moved(late.id, 'receive', 'inspect');
    await scene.scanned(late.parcel, 'find');
    expect(await scene.object('return', late.id)).toMatchObject({ state: 'refunded', shipments: [{ state: 'delivered' }] });
    await scene.verify();
  });

  test('is approved while the carrier is down; its label follows', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { dropOff: 'carrier' });
    await scene.down('carrier-platform');
    // Only the clock approves while the carrier is down: faults do not strike commands of the control plane.
    await scene.progress({ returns: 'time' });
    await scene.advance('PT1H');
    expect(await scene.object('return', id)).toMatchObject({ state: 'approved', shipments: [{ state: 'pending', labelStatus: 'failed' }] });
    await scene.noFaults();
    await scene.advance('PT1M');
    expect((await scene.object('return', id)).shipments[0]).toMatchObject({ state: 'label-created', labelStatus: 'ready' });
    await scene.verify();
  });

  test('gets its label by an explicit call without automatic labels, registered or not', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', label: 'manual' });
    const { id, parcel } = await byParcelWithoutLabel(scene);
    const label = await scene.call('generate-label-api', { params: { id: parcel }, body: {} });
    expect([label.status, label.body.returnId]).toEqual([201, id]);
    await scene.settle();
    expect((await scene.object('return', id)).shipments[0]).toMatchObject({ state: 'label-created', labelStatus: 'ready' });
    await scene.verify();
  });
  async function byParcelWithoutLabel(scene: TestRehearsal) {
    const order = await scene.completedWithLabel();
    const { id } = await scene.announced(order, 1, { dropOff: 'carrier' });
    await scene.moved(id, 'approve');
    const { shipments } = await scene.object('return', id);
    expect(shipments[0]).toMatchObject({ state: 'pending', labelStatus: 'none' });
    return { id, parcel: shipments[0]?.id ?? '' };
  }

  test('counts each scan once: repeated, stale and late scans change nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, parcel } = await byParcel(scene);
    const now = await scene.now();
    const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
    await scene.webhook('w1', { shipmentId: parcel, status: 'in-transit', occurredAt: at(20) });
    const moved = await scene.object('return', id);
    expect(moved.state).toBe('in-transit');
    // The same delivery, the same scan under another id, and an earlier scan.
    await scene.webhook('w1', { shipmentId: parcel, status: 'in-transit', occurredAt: at(20) });
    await scene.webhook('w2', { shipmentId: parcel, status: 'in-transit', occurredAt: at(20) });
    await scene.webhook('w3', { shipmentId: parcel, status: 'collected', occurredAt: at(10) });
    expect(await scene.object('return', id)).toEqual(moved);
    await scene.webhook('w4', { trackingNumber: moved.shipments[0].trackingNumber, status: 'delivered', occurredAt: at(30) });
    expect((await scene.object('return', id)).state).toBe('received');
    await scene.webhook('w5', { shipmentId: parcel, status: 'out-for-delivery', occurredAt: at(25) });
    expect(await scene.object('return', id)).toMatchObject({ state: 'received', shipments: [{ state: 'delivered' }] });
  });
});

describe('An inspection', () => {
  const received = async (scene: TestRehearsal, lines: { sku: string; qty: number }[], reason = 'too small') => {
    const order = await scene.completed(lines);
    const reply = await scene.announce({
      locationId: STORE,
      orderId: order.id,
      lines: order.lines.map(({ lineId, qty }: { lineId: string; qty: number }) => ({ orderLineId: lineId, qty, reason })),
    });
    await scene.moved(reply.body.id, 'approve', 'receive');
    return { order, id: reply.body.id as string };
  };

  test('scraps goods that the customer reported as damaged', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await received(scene, [{ sku: 'mug-blue', qty: 2 }], 'Damaged');
    const before = await scene.onHand('mug-blue', STORE);
    await scene.moved(id, 'inspect');
    expect((await scene.object('return', id)).lines).toMatchObject([{ condition: 'damaged', disposition: 'scrap' }]);
    expect(await scene.onHand('mug-blue', STORE)).toBe(before);
    await scene.verify();
  });

  test('scraps all units of a line of which one was reported as damaged', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const orderLineId = lineOf(order);
    const lines = ['damaged', 'too blue'].map((reason) => ({ orderLineId, qty: 1, reason }));
    const { body } = await scene.announce({ orderId: order.id, locationId: STORE, lines });
    await scene.moved(body.id, 'approve', 'receive', 'inspect');
    expect((await scene.object('return', body.id)).lines).toMatchObject([
      { qty: 2, reason: 'damaged; too blue', condition: 'damaged', disposition: 'scrap' },
    ]);
    await scene.verify();
  });

  test('records condition and disposition of each line', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, id } = await received(scene, [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'wine-red', qty: 1 },
      { sku: 'desk-two-nodes', qty: 1 },
    ]);
    const lines = [
      { orderLineId: lineOf(order, 0), condition: 'damaged' },
      { orderLineId: lineOf(order, 1), condition: 'damaged', disposition: 'restock' },
    ];
    const { body } = await scene.move(id, 'inspect', { lines });
    expect(body.lines.map((line: { disposition: string }) => line.disposition)).toEqual(['scrap', 'restock', 'restock']);
    await scene.settle();
    await scene.verify();
  });

  test('refuses a line that is not in the return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await received(scene, [{ sku: 'mug-blue', qty: 1 }]);
    const { status, body } = await scene.move(id, 'inspect', { lines: [{ orderLineId: 'line_nobody', condition: 'damaged' }] });
    expect([status, body.errors[0].pointer]).toEqual([422, '/lines/0/orderLineId']);
    expect((await scene.object('return', id)).state).toBe('received');
  });

  test('refuses a second finding of the same line', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, id } = await received(scene, [{ sku: 'mug-blue', qty: 1 }]);
    const lines = [
      { orderLineId: lineOf(order), condition: 'damaged', disposition: 'scrap' },
      { orderLineId: lineOf(order), condition: 'resellable' },
    ];
    const { status, body } = await scene.move(id, 'inspect', { lines });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', '/lines/1/orderLineId']);
    expect((await scene.object('return', id)).state).toBe('received');
  });

  test('is booked when the Inventory Service is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await received(scene, [{ sku: 'mug-blue', qty: 1 }]);
    const before = await scene.onHand('mug-blue', STORE);
    await scene.down('inventory-service');
    expect((await scene.move(id, 'inspect')).status).toBe(200);
    await scene.noFaults();
    await scene.advance('PT1M');
    expect(await scene.onHand('mug-blue', STORE)).toBe(before + 1);
    await scene.verify();
  });
});

describe('A rejection after the inspection', () => {
  test('takes the units out of stock again and leaves them with the customer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const before = await scene.onHand('mug-blue', STORE);
    const { id } = await scene.announced(order, 2);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    expect(await scene.onHand('mug-blue', STORE)).toBe(before + 2);
    await scene.moved(id, 'reject');
    expect((await scene.object('return', id)).state).toBe('rejected');
    expect(await scene.onHand('mug-blue', STORE)).toBe(before);
    expect((await scene.order(order.id)).lines[0].returnedQty).toBe(0);
    expect((await scene.announced(order, 2)).state).toBe('requested');
    await scene.verify();
  });

  test('reduces the value of its units by the refunds made for them', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 2);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(500), returnId: id } });
    await scene.moved(id, 'reject');
    expect((await scene.announced(order, 2)).refundAmount).toEqual(eur(2098));
    await scene.verify();
  });

  test('is refused while the OMS refunds it, and blocks other verbs while the OMS is asked', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    await scene.moved(id, 'approve', 'receive');
    await scene.down('payment-hub');
    await scene.move(id, 'inspect');
    await scene.settle();
    const refused = await scene.move(id, 'reject');
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state_transition']);
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.advance('P31D');
    const other = await scene.announced(order, 1);
    await scene.down('oms');
    await scene.progress({ returns: 'immediate' });
    await scene.settle();
    expect((await scene.object('return', other.id)).state).toBe('requested');
    const meanwhile = await scene.move(other.id, 'approve');
    expect([meanwhile.status, meanwhile.body.retryable]).toEqual([409, true]);
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.object('return', other.id)).state).toBe('rejected');
    await scene.verify();
  });
});

describe('Get Order', () => {
  test('omits the returns while the FMS does not answer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    expect(order.returns).toEqual([]);
    await scene.announced(order, 1);
    await scene.down('fms');
    const after = await scene.order(order.id);
    expect([after.state, after.returns, after.fulfillmentOrders]).toEqual(['return-in-progress', undefined, undefined]);
  });

  test('shows the order completed again only after the last return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const [one, other] = [await scene.announced(order, 1), await scene.announced(order, 1)];
    await scene.moved(one.id, 'approve', 'receive', 'inspect');
    expect((await scene.order(order.id)).state).toBe('return-in-progress');
    await scene.moved(other.id, 'approve', 'receive', 'inspect');
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 2 }] });
    await scene.verify();
  });
});

describe('A return of goods bought in a store', () => {
  test('is brought to a store, since no collection address is known', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const sale = await scene.sale();
    await scene.pay(sale.id, CASH, 2598);
    await scene.settle();
    const order = await scene.order(sale.id);
    const refused = await scene.announce({
      orderId: order.id,
      lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'too small' }],
      dropOff: 'carrier',
    });
    expect([refused.status, refused.body.errors[0]]).toEqual([422, expect.objectContaining({ pointer: '/dropOff', code: 'no_address' })]);
    expect((await scene.order(order.id)).state).toBe('completed');
    const { id, locationId } = await scene.announced(order, 1);
    expect(locationId).toBe('store-01');
    const before = await scene.onHand('mug-blue', 'store-01');
    await scene.moved(id, 'approve', 'receive', 'inspect');
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', payments: [{ refundedAmount: eur(1299) }] });
    expect(await scene.onHand('mug-blue', 'store-01')).toBe(before + 1);
    await scene.verify();
  });
});
