import { expect } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import type { PlainReply as Reply } from '../support/plain-client.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

/** A successful request, a repeat with other content, and the values in effect. */
interface Done {
  readonly type: string;
  readonly id: string;
  readonly send: (body?: object) => Promise<Reply>;
  readonly same: readonly (object | undefined)[];
  readonly others: readonly object[];
  readonly standing: object;
}

const [SWIFT, EXPRESS, STANDARD] = [{ carrier: 'swift' }, { service: 'EXPRESS' }, { service: 'STANDARD' }];
const DEMO = { carrier: 'demo-carrier' };

async function dispatched(rehearsal: TestRehearsal, body: object) {
  const { fulfillmentOrderId: id } = await rehearsal.dispatchedOrder(body);
  return {
    ...{ type: 'fulfillment-order', id },
    send: (more?: object) => rehearsal.call('dispatch-fulfillment-order-api', { params: { id }, body: more }),
  };
}

async function startedPicking(rehearsal: TestRehearsal, ...more: 'picked'[]) {
  const { pickingOrder } = await rehearsal.pickedOrder({ qty: 2 }, 'started', ...more);
  const [{ orderLineId }] = pickingOrder.lines;
  const { id } = pickingOrder;
  return {
    id,
    move: (status: string, pickedQty: number, line = orderLineId) => rehearsal.movePicking(id, status, [{ orderLineId: line, pickedQty }]),
  };
}

async function cancelled(rehearsal: TestRehearsal, reason?: string) {
  const { id } = await rehearsal.confirmed();
  await rehearsal.cancel(id, { reason });
  return { type: 'order', id, send: (body?: object) => rehearsal.cancel(id, body), others: [{ reason: 'too late' }] };
}

async function routed(rehearsal: TestRehearsal, strategy?: string) {
  if (strategy) await rehearsal.progress({ route: 'manual' });
  const { id } = await rehearsal.confirmed();
  const send = (body?: object) => rehearsal.call('route-order-api', { params: { id }, body });
  if (strategy) expect((await send({ strategy })).status).toBe(200);
  return { type: 'order', id, send };
}

/** A return that waits for its exchange. */
async function toExchange(rehearsal: TestRehearsal) {
  const order = await rehearsal.completed();
  return { order, returnId: await rehearsal.inspected(order, 1, { resolution: 'exchange' }) };
}

const requests: Readonly<Record<string, (rehearsal: TestRehearsal) => Promise<Done>>> = {
  'Dispatch Fulfillment Order with carrier and service': async (rehearsal) => ({
    ...(await dispatched(rehearsal, { ...SWIFT, ...EXPRESS })),
    same: [{}, EXPRESS, SWIFT, { ...SWIFT, ...EXPRESS }],
    others: [STANDARD, DEMO],
    standing: { ...SWIFT, ...EXPRESS },
  }),
  'Dispatch Fulfillment Order with defaults': async (rehearsal) => ({
    ...(await dispatched(rehearsal, {})),
    same: [{ ...DEMO, ...STANDARD }],
    others: [EXPRESS],
    standing: { ...DEMO, ...STANDARD },
  }),
  'Generate Shipping Label': async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    const { shipmentId: id } = await rehearsal.dispatchedOrder();
    const send = (body?: object) => rehearsal.label(id, body);
    expect(await send({ ...SWIFT, ...EXPRESS })).toMatchObject({ status: 201, body: { ...SWIFT, ...EXPRESS } });
    const same = [{}, { format: 'PDF' }, SWIFT, { ...EXPRESS, format: 'PDF' }];
    return { type: 'shipment', id, send, same, others: [DEMO, STANDARD], standing: { ...SWIFT, ...EXPRESS } };
  },
  'Update Picking Status short': async (rehearsal) => {
    const { id, move } = await startedPicking(rehearsal);
    const { body } = await move('short', 1);
    const [{ orderLineId }] = body.lines;
    const send = (picked = {}) => rehearsal.movePicking(id, 'short', [{ orderLineId, ...picked }]);
    const [one, none] = [{ pickedQty: 1 }, { pickedQty: 0 }];
    return { type: 'picking-order', id, send, same: [one], others: [none], standing: { lines: [{ orderLineId, ...one }] } };
  },
  'Cancel Order with a reason': async (rehearsal) => {
    const reason = 'changed my mind';
    return { ...(await cancelled(rehearsal, reason)), same: [undefined, {}, { reason }], standing: { reason } };
  },
  'Cancel Order without a reason': async (rehearsal) => ({ ...(await cancelled(rehearsal)), same: [{}], standing: { reason: null } }),
  'Void Transaction with a reason': async (rehearsal) => {
    const { id } = await rehearsal.sale();
    const reason = 'customer left';
    await rehearsal.voidSale(id, { reason });
    const send = (body = {}) => rehearsal.voidSale(id, { ...body });
    return { type: 'transaction', id, send, same: [{}, { reason }], others: [{ reason: 'wrong lane' }], standing: { reason } };
  },
  'Route Order with a strategy': async (rehearsal) => {
    const standing = { strategy: 'most-stock' };
    return { ...(await routed(rehearsal, 'most-stock')), same: [{}, standing], others: [{ strategy: 'nearest' }], standing };
  },
  'Route Order of an order routed automatically': async (rehearsal) => {
    const standing = { strategy: 'nearest' };
    return { ...(await routed(rehearsal)), same: [{}, standing], others: [{ strategy: 'most-stock' }], standing };
  },
  'Create Order without a return': async (rehearsal) => {
    const { returnId } = await toExchange(rehearsal);
    const { id, basketId } = await rehearsal.draft({ qty: 1 });
    const send = (more?: object) => rehearsal.call('create-order-api', { body: { basketId, ...more } });
    const others = [{ exchangeForReturnId: returnId }];
    return { type: 'order', id, send, same: [{}], others, standing: { exchangeForReturnId: null } };
  },
};

test.each(Object.entries(requests))(
  '%s answers a repeat with the same values, and refuses other values and shows the existing ones',
  async (rehearsal, _, done) => {
    const { type, id, send, same, others, standing } = await done(rehearsal);
    await rehearsal.settle();
    const stands = async (body?: object) => {
      const reply = await send(body);
      expect([body, reply.status]).toEqual([body, 200]);
      return reply.body;
    };
    const before = await stands(same[0]);
    for (const body of same) expect(await stands(body)).toEqual(before);
    const refused = { code: 'conflicting_repeat', objectType: type, id };
    for (const body of others) {
      const reply = await send(body);
      expect([body, reply]).toMatchObject([body, { status: 409, body: refused }]);
      expect(reply.body.standing).toEqual(standing);
    }
    expect(await stands(same[0])).toEqual(before);
  },
);

/** Requests without a key, and the call where concurrent ones meet. */
const concurrent: Readonly<Record<string, readonly [status: number, meetAt: string | undefined, prepare: Prepare]>> = {
  'Create Order': [
    201,
    'convert-basket',
    async ({ call, checkedOut }) => {
      const { id: basketId } = await checkedOut();
      return () => call('create-order-api', { body: { basketId } });
    },
  ],
  'Confirm Order': [
    200,
    'confirm-reservation-api',
    async ({ authorised, confirm }) => {
      const { id } = await authorised();
      return () => confirm(id);
    },
  ],
  'Cancel Order': [
    200,
    undefined,
    async ({ api, cancel, confirmed }) => {
      const { id, payments } = await confirmed();
      await api('capture-payment-api', { params: { id: payments[0].id } });
      return () => cancel(id);
    },
  ],
  'Create Picking Order': [
    201,
    undefined,
    async ({ openPicking, routedOrder }) => {
      const { fulfillmentOrderId } = await routedOrder();
      return () => openPicking(fulfillmentOrderId);
    },
  ],
  'Dispatch Fulfillment Order': [
    200,
    undefined,
    async ({ dispatch, packedOrder }) => {
      const { fulfillmentOrderId } = await packedOrder();
      return () => dispatch(fulfillmentOrderId);
    },
  ],
  'Generate Shipping Label': [
    201,
    undefined,
    async ({ dispatchedOrder, label, progress }) => {
      await progress({ label: 'manual' });
      const { shipmentId } = await dispatchedOrder();
      return () => label(shipmentId);
    },
  ],
};
type Prepare = (rehearsal: TestRehearsal) => Promise<() => Promise<Reply>>;

test.each(Object.entries(concurrent))(
  '%s sent by six clients concurrently has one effect, and a later repeat has none',
  async (rehearsal, _, row) => {
    const [status, meetAt, prepare] = row;
    const sentBy = async (clients: number, where: TestRehearsal) => {
      const send = await prepare(where);
      await where.settle();
      if (meetAt && clients > 1) await where.fault('together', { match: { api: meetAt }, fault: { kind: 'barrier', parties: clients } });
      const replies = await Promise.all(Array.from({ length: clients }, send));
      await where.noFaults();
      const events = await where.events({ ext: true });
      expect((await send()).status).toBe(200);
      expect(await where.events({ ext: true })).toHaveLength(events.length);
      return { replies, events: events.map(({ type, aggregateversion }) => `${type} v${aggregateversion}`).toSorted() };
    };
    const { replies, events } = await sentBy(6, rehearsal);
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([...Array(5).fill(200), status]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    await using once = await byHand();
    expect(events).toEqual((await sentBy(1, once)).events);
  },
);

test('Of two concurrent dispatches with different services one is refused, and the refusal names the service in effect', async (rehearsal) => {
  const { fulfillmentOrderId: id } = await rehearsal.packedOrder();
  await rehearsal.fault('together', { match: { api: 'ensure-captured' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
  const bodies = [STANDARD, EXPRESS];
  const replies = await Promise.all(bodies.map((body) => rehearsal.call('dispatch-fulfillment-order-api', { params: { id }, body })));
  await rehearsal.noFaults();
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const refused = replies.find(({ status }) => status === 409);
  const { service } = await rehearsal.object('shipment', (await rehearsal.fulfillmentOrder(id)).shipments[0].id);
  expect(refused?.body).toMatchObject({ code: 'conflicting_repeat', standing: { service } });
});

test('Update Picking Status, repeated, may name the lines of a full picking, and refuses other quantities and lines', async (rehearsal) => {
  const full = await startedPicking(rehearsal, 'picked');
  expect((await rehearsal.movePicking(full.id, 'picked')).status).toBe(200);
  expect([(await full.move('picked', 2)).status, (await full.move('picked', 1)).status]).toEqual([200, 422]);
  const short = await startedPicking(rehearsal);
  await short.move('short', 1);
  expect(await short.move('short', 0, 'line_nobody')).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/lines/0/orderLineId' }] },
  });
  expect((await rehearsal.movePicking(short.id, 'packed')).body.lines[0].pickedQty).toBe(1);
});

test('Void Transaction succeeds when the order made by hand was cancelled for another reason', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await rehearsal.api('create-order-api', { body: { transactionId: id } });
  await rehearsal.fault('withheld', { match: { event: 'order-cancelled' }, fault: { kind: 'withhold' } });
  await rehearsal.cancel(id, { reason: 'by hand' });
  await rehearsal.pay(id, CASH, 1000);
  expect((await rehearsal.voidSale(id, { reason: 'customer left' })).status).toBe(200);
  await rehearsal.noFaults();
  await rehearsal.advance('P1D');
});

test('Create Order, sent concurrently with and without a return, leaves no return waiting forever', async (rehearsal) => {
  const { returnId, order } = await toExchange(rehearsal);
  const { id: basketId } = await rehearsal.checkedOut({ qty: 1 });
  await rehearsal.fault('together', { match: { api: 'convert-basket' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
  const bodies = [{ basketId, exchangeForReturnId: returnId }, { basketId }];
  const replies = await Promise.all(bodies.map((body) => rehearsal.call('create-order-api', { body })));
  await rehearsal.noFaults();
  expect(replies.find(({ status }) => status < 300)?.body.basketId).toBe(basketId);
  await rehearsal.advance('P10D');
  expect((await rehearsal.settle()).parked).toEqual([]);
  expect((await rehearsal.object('return', returnId)).state).toBe('refunded');
  expect((await rehearsal.order(order.id)).payments[0].refundedAmount).toEqual(eur(1299));
});
