import { describe, expect } from '@jest/globals';
import { estate, type TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { STORE } from '../support/steps/return.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';
import { readLabel } from './label-reading.ts';

const test = testIn(byHand);

interface Order {
  readonly id: string;
  readonly lines: { lineId: string; qty: number }[];
}
const lineOf = (order: Order, at = 0): string => order.lines[at]?.lineId ?? '';
const bodyFor = (order: Order, qty: number) => ({
  ...{ orderId: order.id, locationId: STORE, lines: [{ orderLineId: lineOf(order), qty, reason: 'too small' }] },
});
const lostBooking = { match: { application: 'oms', api: 'book-return' }, fault: { kind: 'lost-response' }, times: 1 } as const;

describe('Create Return', () => {
  test('A return is announced, approved, received, inspected and refunded, with one event for each step', async (rehearsal) => {
    const order = await rehearsal.completed();
    const reply = await rehearsal.announce(bodyFor(order, 1));
    expect([reply.status, reply.headers['etag']]).toEqual([201, '"1"']);
    const lines = [{ orderLineId: lineOf(order), sku: 'mug-blue', qty: 1, reason: 'too small' }];
    const { id } = reply.body;
    expect(reply.body).toEqual({
      ...{ id: expect.stringMatching(/^ret_/), version: 1, state: 'requested', orderId: order.id, customerId: 'cus_ada' },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String), dropOff: 'store', resolution: 'refund' },
      ...{ lines, locationId: STORE, refundAmount: eur(1299), refunds: [], shipments: [] },
    });
    const events = await rehearsal.events({ subject: `return/${id}` });
    expect(events.map(({ type }) => type)).toEqual(['com.unified-commerce.return-requested', 'com.unified-commerce.return-created']);
    for (const { data, ...event } of events) {
      expect([event.aggregateversion, event.classification, data]).toEqual([1, 'created', { object: reply.body }]);
    }
    const after = await rehearsal.order(order.id);
    expect(after).toMatchObject({ state: 'return-in-progress', paymentStatus: 'paid' });
    expect(after.returns).toEqual([{ id, state: 'requested', refundAmount: eur(1299), lines }]);
    const onHand = await rehearsal.onHand('mug-blue', STORE);
    expect(await rehearsal.moved(id, 'approve', 'receive', 'inspect')).toMatchObject({ state: 'inspected' });
    expect(await rehearsal.returned(id)).toMatchObject({
      ...{ state: 'refunded', refunds: [{ amount: eur(1299), paymentId: order.payments[0].id }] },
      lines: [{ condition: 'resellable', disposition: 'restock' }],
    });
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'partially-refunded', returns: [{ state: 'refunded' }], lines: [{ returnedQty: 1 }] },
    });
    expect(await rehearsal.onHand('mug-blue', STORE)).toBe(onHand + 1);
    const moves = (await rehearsal.returnEvents(id)).slice(2).filter(([, from, to]) => from !== to);
    expect(moves.map((move) => move.join(' '))).toEqual([
      'ext.return-changed requested approved',
      'ext.return-changed approved received',
      'ext.return-changed received inspected',
      'ext.return-changed inspected refunded',
    ]);
  });

  test('Create Return merges repeated lines; one damaged unit scraps the whole line', async (rehearsal) => {
    const order = await rehearsal.completed();
    const lines = ['too small', 'Damaged'].map((reason) => ({ orderLineId: lineOf(order), qty: 1, reason }));
    const { body } = await rehearsal.announce({ orderId: order.id, lines, locationId: 'store-02' });
    expect(body).toMatchObject({ locationId: 'store-02', refundAmount: eur(2598) });
    expect(body.lines).toEqual([{ orderLineId: lineOf(order), sku: 'mug-blue', qty: 2, reason: 'too small; Damaged' }]);
    const before = await rehearsal.onHand('mug-blue', 'store-02');
    await rehearsal.moved(body.id, 'approve', 'receive', 'inspect');
    expect((await rehearsal.returned(body.id)).lines).toMatchObject([{ condition: 'damaged', disposition: 'scrap' }]);
    expect(await rehearsal.onHand('mug-blue', 'store-02')).toBe(before);
  });

  test('Create Return refuses an order that is not completed', async (rehearsal) => {
    const body = { code: 'order_not_closed', currentState: 'confirmed', allowedFrom: ['completed', 'return-in-progress'] };
    expect(await rehearsal.announce(bodyFor(await rehearsal.confirmed(), 1))).toMatchObject({ status: 409, body });
  });

  test('Create Return refuses more units than the customer has outside other returns', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 3 }]);
    const refuses = async (requested: number, returnable: number) => {
      const { status, body } = await rehearsal.announce(bodyFor(order, requested));
      expect([status, body]).toMatchObject([409, { code: 'return_quantity_exceeded', objectType: 'order', id: order.id }]);
      expect(body.lines).toEqual([{ orderLineId: lineOf(order), requested, returnable }]);
    };
    await refuses(4, 3);
    const { id } = await rehearsal.announced(order, 2);
    await refuses(2, 1);
    await rehearsal.moved(id, 'approve', 'receive', 'inspect');
    expect((await rehearsal.order(order.id)).lines[0].returnedQty).toBe(2);
    await refuses(2, 1);
    await rehearsal.announced(order, 1);
    await refuses(1, 0);
  });

  test('Of two concurrent returns of the same units one is announced', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 3 }]);
    await rehearsal.fault('together', { match: { api: 'book-return' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all([1, 2].map(() => rehearsal.announce(bodyFor(order, 2))));
    expect(replies.map(({ body }) => body.code ?? body.state).toSorted()).toEqual(['requested', 'return_quantity_exceeded']);
  });

  test('Create Return whose booking has no answer stores nothing, and blocks its units until the booking is undone', async (rehearsal) => {
    const order = await rehearsal.completed();
    const ask = (headers = {}) => rehearsal.announce(bodyFor(order, 2), headers);
    await rehearsal.fault('lost', lostBooking);
    expect((await ask()).body.dependency).toBe('oms');
    expect((await rehearsal.order(order.id)).state).toBe('return-in-progress');
    const early = await ask({ 'idempotency-key': 'early' });
    expect([early.status, early.headers['retry-after'], early.body]).toMatchObject([
      ...[409, '1', { code: 'return_quantity_exceeded', retryable: true }],
    ]);
    await rehearsal.advance('PT1M');
    expect((await rehearsal.order(order.id)).state).toBe('completed');
    await rehearsal.verify();
    expect((await ask({ 'idempotency-key': 'early' })).status).toBe(201);
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'return_quantity_exceeded', retryable: false } });
  });
});

describe('Returns driven by hand', () => {
  test('A return that is rejected with a reason cannot be refunded, and its units may be announced again', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const order = await rehearsal.completed();
    const { id } = await rehearsal.announced(order, 2);
    const { body } = await rehearsal.move(id, 'reject', { reason: 'Worn for a year.' });
    expect(body).toMatchObject({ state: 'rejected', rejectReason: 'Worn for a year.' });
    const refund = await rehearsal.refund(order.payments[0].id, 100, { returnId: id });
    expect(refund).toMatchObject({ status: 409, body: { code: 'refund_exceeds_captured' } });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    expect((await rehearsal.announced(order, 2)).refundAmount).toEqual(eur(2598));
  });
});

describe('Returns driven by time', () => {
  test('A return is approved after an hour, received after a day, inspected four hours later, and refunded', async (rehearsal) => {
    await rehearsal.progress({ returns: 'time' });
    const { id } = await rehearsal.announced(await rehearsal.completed());
    const states = [];
    for (const by of ['PT59M', 'PT1M', 'PT23H59M', 'PT1M', 'PT3H59M', 'PT1M']) {
      await rehearsal.advance(by);
      states.push(await rehearsal.returnState(id));
    }
    expect(states).toEqual(['requested', 'approved', 'approved', 'received', 'received', 'refunded']);
  });

  test('A return continues from its state under a new progression', async (rehearsal) => {
    await rehearsal.progress({ returns: 'time' });
    const { id } = await rehearsal.announced(await rehearsal.completed());
    await rehearsal.progress({ returns: 'manual' });
    await rehearsal.advance('P2D');
    expect(await rehearsal.returnState(id)).toBe('requested');
    await rehearsal.progress({ returns: 'time' });
    await rehearsal.settle();
    await rehearsal.advance('PT1S');
    expect(await rehearsal.returnState(id)).toBe('approved');
    await rehearsal.progress({ returns: 'immediate' });
    await rehearsal.settle();
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });

  test('A return announced on the last day of the return window is approved at any later time; one announced afterwards is rejected', async (rehearsal) => {
    await rehearsal.progress({ returns: 'time' });
    const order = await rehearsal.completed();
    await rehearsal.advance('P29DT23H50M');
    const { id: inTime } = await rehearsal.announced(order);
    await rehearsal.advance('PT1H');
    expect(await rehearsal.returnState(inTime)).toBe('approved');
    const { id: late } = await rehearsal.announced(order);
    await rehearsal.advance('PT1H');
    expect(await rehearsal.returned(late)).toMatchObject({ state: 'rejected', rejectReason: expect.stringContaining('30 days') });
    expect((await rehearsal.order(order.id)).state).toBe('return-in-progress');
  });
});

describe('Returns by parcel', () => {
  const byParcel = async (rehearsal: TestRehearsal) => {
    const order = await rehearsal.completed();
    const { id } = await rehearsal.announced(order, 1, { dropOff: 'carrier' });
    await rehearsal.moved(id, 'approve');
    return { order, id, parcel: (await rehearsal.returned(id)).shipments[0].id as string };
  };

  test('A return by parcel gets a label on approval, is in transit from its first scan and received with its delivery', async (rehearsal) => {
    const { id, order, parcel } = await byParcel(rehearsal);
    const ready = { state: 'label-created', labelStatus: 'ready', trackingNumber: expect.stringMatching(/^UC/) };
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'approved', shipments: [{ id: parcel, ...ready }] });
    const { body } = await rehearsal.track(parcel);
    expect(body).toMatchObject({ returnId: id, state: 'label-created', service: 'STANDARD' });
    expect(body.fulfillmentOrderId).toBeUndefined();
    const label = await fetch(`${estate.gateway}${body.label.url}`);
    expect([label.status, label.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const { text, code } = await readLabel(new Uint8Array(await label.arrayBuffer()));
    expect([code, text]).toEqual([body.trackingNumber, expect.stringContaining(`Return ${id}`)]);
    expect(text.indexOf(order.shippingAddress.line1)).toBeLessThan(text.indexOf('Athlone distribution centre'));
    expect(await rehearsal.events({ type: 'shipment-label-generated', subject: `shipment/${parcel}` })).toHaveLength(1);
    const states = [];
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'deliver'] as const) {
      await rehearsal.scanned(parcel, scan);
      const { state, shipments } = await rehearsal.returned(id);
      states.push(`${state}, ${shipments[0].state}`);
    }
    expect(states).toEqual(['in-transit, collected', 'in-transit, in-transit', 'in-transit, out-for-delivery', 'received, delivered']);
    await rehearsal.moved(id, 'inspect');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });

  test('A return by parcel arrives when carrier and returns follow the clock', async (rehearsal) => {
    await rehearsal.progress({ returns: 'time' });
    const order = await rehearsal.completed();
    await rehearsal.progress({ carrier: 'time' });
    const { id } = await rehearsal.announced(order, 1, { dropOff: 'carrier' });
    await rehearsal.advance('PT4H');
    expect(await rehearsal.returnState(id)).toBe('in-transit');
    await rehearsal.advance('P2D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', shipments: [{ state: 'delivered' }] });
  });

  test('A return by parcel is not received at a store automatically', async (rehearsal) => {
    const { id } = await byParcel(rehearsal);
    await rehearsal.progress({ returns: 'time' });
    await rehearsal.advance('P3D');
    expect(await rehearsal.returnState(id)).toBe('approved');
    expect(await rehearsal.moved(id, 'receive')).toMatchObject({ state: 'received' });
  });

  test.each([
    ['lost', ['collect', 'lose']],
    ['returned-to-sender', ['collect', 'depart', 'return']],
  ] as const)(
    'A return whose parcel is %s stays in transit until it is received and inspected by hand',
    async (rehearsal, state, scans) => {
      const { id, parcel, order } = await byParcel(rehearsal);
      const { nodeId } = order.lines[0];
      const before = await rehearsal.onHand('mug-blue', nodeId);
      await rehearsal.scanned(parcel, ...scans);
      expect(await rehearsal.returned(id)).toMatchObject({ state: 'in-transit', shipments: [{ state }] });
      await rehearsal.verify();
      await rehearsal.moved(id, 'receive');
      await rehearsal.move(id, 'inspect', { lines: [{ orderLineId: lineOf(order), condition: 'damaged' }] });
      await rehearsal.settle();
      expect([await rehearsal.returnState(id), await rehearsal.onHand('mug-blue', nodeId)]).toEqual(['refunded', before]);
    },
  );

  test('A return gets its label by Generate Label in a rehearsal without automatic labels', async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    const { id } = await rehearsal.announced(await rehearsal.completedWithLabel(), 1, { dropOff: 'carrier' });
    await rehearsal.moved(id, 'approve');
    const [parcel] = (await rehearsal.returned(id)).shipments;
    expect(parcel).toMatchObject({ state: 'pending', labelStatus: 'none' });
    expect(await rehearsal.label(parcel.id)).toMatchObject({ status: 201, body: { returnId: id } });
    await rehearsal.settle();
    expect((await rehearsal.returned(id)).shipments).toMatchObject([{ state: 'label-created', labelStatus: 'ready' }]);
  });
});

describe('Inspections', () => {
  const received = async (rehearsal: TestRehearsal, lines = [{ sku: 'mug-blue', qty: 1 }]) => {
    const order = await rehearsal.completed(lines);
    const all = order.lines.map(({ lineId, qty }) => ({ orderLineId: lineId, qty, reason: 'too small' }));
    const { body } = await rehearsal.announce({ ...bodyFor(order, 1), lines: all });
    await rehearsal.moved(body.id, 'approve', 'receive');
    return { order, id: body.id as string };
  };

  test('An inspection records condition and disposition of each line', async (rehearsal) => {
    const bought = ['mug-blue', 'wine-red', 'desk-two-nodes'].map((sku) => ({ sku, qty: 1 }));
    const { order, id } = await received(rehearsal, bought);
    const worn = { condition: 'damaged' };
    const lines = [worn, { ...worn, disposition: 'restock' }].map((found, at) => ({ orderLineId: lineOf(order, at), ...found }));
    const { body } = await rehearsal.move(id, 'inspect', { lines });
    expect(body.lines).toMatchObject(['scrap', 'restock', 'restock'].map((disposition) => ({ disposition })));
    await rehearsal.settle();
  });

  test('An inspection refuses a line that is not in the return, and a second finding of a line', async (rehearsal) => {
    const { order, id } = await received(rehearsal);
    const found = (...ids: string[]) => ({ lines: ids.map((orderLineId) => ({ orderLineId, condition: 'damaged' })) });
    for (const [at, ids] of [['line_nobody'], [lineOf(order), lineOf(order)]].entries()) {
      const refused = await rehearsal.move(id, 'inspect', found(...ids));
      expect(refused).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: `/lines/${at}/orderLineId` }] },
      });
    }
    expect(await rehearsal.returnState(id)).toBe('received');
  });
});

describe('Rejections after the inspection', () => {
  test('A rejection is refused while the OMS refunds the return', async (rehearsal) => {
    const { id } = await rehearsal.announced(await rehearsal.completed());
    await rehearsal.moved(id, 'approve', 'receive');
    await rehearsal.down('payment-hub');
    await rehearsal.moved(id, 'inspect');
    expect(await rehearsal.move(id, 'reject')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT10M');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });
});

test('Get Order omits returns and fulfillment orders while the FMS is down', async (rehearsal) => {
  const order = await rehearsal.completed();
  await rehearsal.announced(order);
  const { returns: _, fulfillmentOrders: __, ...rest } = await rehearsal.order(order.id);
  await rehearsal.down('fms');
  expect(await rehearsal.order(order.id)).toEqual({ ...rest, state: 'return-in-progress' });
});
