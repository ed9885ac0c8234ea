import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import type { PlainReply as Reply } from '../support/plain-client.ts';
import { STORE } from '../support/steps/return.ts';
import { CASH, eur } from '../support/steps/tender.ts';

/** The values of a refused repeat: code, object and standing values. */
const conflict = ({ status, body }: Reply) => [status, body.code, body.objectType, body.id, body.standing];
const standing = (objectType: string, id: string, values: object) => [409, 'conflicting_repeat', objectType, id, values];

describe('Dispatch Fulfillment Order, repeated', () => {
  const sentBy = async (body: object) => {
    const scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId: id } = await scene.dispatchedOrder(body);
    const dispatch = (more: object) => scene.call('dispatch-fulfillment-order-api', { params: { id }, body: more });
    return { scene, id, dispatch };
  };

  test('with an empty body or the same values answers 200 with the existing dispatch', async () => {
    const { scene, id, dispatch } = await sentBy({ carrier: 'swift', service: 'EXPRESS' });
    await using _ = scene;
    const before = await scene.fulfillmentOrder(id);
    for (const same of [{}, { service: 'EXPRESS' }, { carrier: 'swift' }, { carrier: 'swift', service: 'EXPRESS' }]) {
      const { status, body } = await dispatch(same);
      expect([same, status, body]).toEqual([same, 200, before]);
    }
  });

  test('with the defaults of its dispatch answers 200 as well', async () => {
    const { scene, dispatch } = await sentBy({});
    await using _ = scene;
    expect((await dispatch({ carrier: 'demo-carrier', service: 'STANDARD' })).status).toBe(200);
  });

  test('with another carrier or service is refused and names the standing ones', async () => {
    const { scene, id, dispatch } = await sentBy({ service: 'EXPRESS' });
    await using _ = scene;
    const before = await scene.fulfillmentOrder(id);
    for (const other of [{ service: 'STANDARD' }, { carrier: 'swift' }, { carrier: 'swift', service: 'EXPRESS' }]) {
      const values = { carrier: 'demo-carrier', service: 'EXPRESS' };
      expect(conflict(await dispatch(other))).toEqual(standing('fulfillment-order', id, values));
    }
    expect(await scene.fulfillmentOrder(id)).toEqual(before);
    await scene.verify();
  });

  test('concurrently with another service decides once and refuses the other request', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId: id } = await scene.packedOrder();
    await scene.fault('together', { match: { api: 'ensure-captured' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all(
      ['STANDARD', 'EXPRESS'].map((service) => scene.call('dispatch-fulfillment-order-api', { params: { id }, body: { service } })),
    );
    await scene.noFaults();
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [told] = replies.filter(({ status }) => status === 409);
    const { service } = await scene.object('shipment', (await scene.fulfillmentOrder(id)).shipments[0].id);
    expect(told?.body).toMatchObject({ code: 'conflicting_repeat', standing: { service } });
  });
});

describe('Generate Shipping Label', () => {
  test('accepts another carrier and service before the label exists, and refuses them afterwards', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ label: 'manual' });
    const { shipmentId: id } = await scene.dispatchedOrder();
    const first = await scene.label(id, { carrier: 'swift', service: 'EXPRESS' });
    expect([first.status, first.body.carrier, first.body.service]).toEqual([201, 'swift', 'EXPRESS']);
    const values = { carrier: 'swift', service: 'EXPRESS' };
    for (const same of [{}, { format: 'PDF' }, { carrier: 'swift' }, { service: 'EXPRESS', format: 'PDF' }]) {
      const again = await scene.label(id, same);
      expect([same, again.status, again.body.trackingNumber]).toEqual([same, 200, first.body.trackingNumber]);
    }
    for (const other of [{ carrier: 'demo-carrier' }, { service: 'STANDARD' }]) {
      expect(conflict(await scene.label(id, other))).toEqual(standing('shipment', id, values));
    }
    await scene.verify();
  });
});

describe('Update Picking Status, repeated', () => {
  const short = async () => {
    const scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder } = await scene.pickedOrder({ qty: 2 }, 'started');
    const { orderLineId } = pickingOrder.lines[0];
    await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 1 }]);
    return { scene, id: pickingOrder.id as string, orderLineId: orderLineId as string };
  };

  test('with the same quantities answers 200 with the existing picking order', async () => {
    const { scene, id, orderLineId } = await short();
    await using _ = scene;
    const again = await scene.movePicking(id, 'short', [{ orderLineId, pickedQty: 1 }]);
    expect([again.status, again.body.lines[0].pickedQty]).toEqual([200, 1]);
    await scene.verify();
  });

  test('with other quantities is refused and names the standing ones', async () => {
    const { scene, id, orderLineId } = await short();
    await using _ = scene;
    const lines = [{ orderLineId, pickedQty: 1 }];
    expect(conflict(await scene.movePicking(id, 'short', [{ orderLineId, pickedQty: 0 }]))).toEqual(
      standing('picking-order', id, { lines }),
    );
    const stray = await scene.movePicking(id, 'short', [{ orderLineId: 'line_nobody', pickedQty: 0 }]);
    expect([stray.status, stray.body.errors[0].pointer]).toEqual([422, '/lines/0/orderLineId']);
    expect((await scene.movePicking(id, 'packed')).body.lines[0].pickedQty).toBe(1);
    await scene.verify();
  });

  test('in full may name its lines or omit them', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder } = await scene.pickedOrder({ qty: 2 }, 'started', 'picked');
    const [{ orderLineId }] = pickingOrder.lines;
    expect((await scene.movePicking(pickingOrder.id, 'picked')).status).toBe(200);
    expect((await scene.movePicking(pickingOrder.id, 'picked', [{ orderLineId, pickedQty: 2 }])).status).toBe(200);
    expect((await scene.movePicking(pickingOrder.id, 'picked', [{ orderLineId, pickedQty: 1 }])).status).toBe(422);
  });

  test('with other quantities while the first request is running is refused with a retry hint', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { pickingOrder } = await scene.pickedOrder({ qty: 2 }, 'started');
    const [{ orderLineId }] = pickingOrder.lines;
    await scene.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 1 }])).status).toBeGreaterThanOrEqual(500);
    const meanwhile = await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 0 }]);
    expect([meanwhile.status, meanwhile.body.code, meanwhile.body.retryable]).toEqual([409, 'invalid_state_transition', true]);
    await scene.advance('PT1M');
    expect((await scene.movePicking(pickingOrder.id, 'short', [{ orderLineId, pickedQty: 1 }])).status).toBe(200);
    await scene.verify();
  });
});

describe('Cancel Order, repeated', () => {
  test('with an empty body or the same reason answers 200; with another reason it is refused and names the standing one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.confirmed();
    const first = await scene.cancel(id, { reason: 'changed my mind' });
    for (const same of [undefined, {}, { reason: 'changed my mind' }]) {
      const again = await scene.cancel(id, same);
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    expect(conflict(await scene.cancel(id, { reason: 'too late' }))).toEqual(standing('order', id, { reason: 'changed my mind' }));
    expect((await scene.order(id)).cancelReason).toBe('changed my mind');
  });

  test('with a reason where none is stored is refused: a cancelled order does not change', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.confirmed();
    await scene.cancel(id);
    expect(conflict(await scene.cancel(id, { reason: 'too late' }))).toEqual(standing('order', id, { reason: null }));
  });

  test('with another reason while the first request is running is refused with a retry hint', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('lost', { match: { api: 'cancel-fulfillment' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await scene.cancel(id, { reason: 'changed my mind' })).status).toBeGreaterThanOrEqual(500);
    const meanwhile = await scene.cancel(id, { reason: 'too late' });
    expect([meanwhile.status, meanwhile.body.retryable]).toEqual([409, true]);
    expect((await scene.cancel(id)).body).toMatchObject({ state: 'cancelled', cancelReason: 'changed my mind' });
  });
});

describe('Void Transaction, repeated', () => {
  test('with an empty body or the same reason answers 200; with another reason it is refused and names the standing one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.sale();
    const first = await scene.voidSale(id, { reason: 'customer left' });
    for (const same of [{}, { reason: 'customer left' }]) {
      const again = await scene.voidSale(id, same);
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    const refused = await scene.voidSale(id, { reason: 'wrong lane' });
    expect(conflict(refused)).toEqual(standing('transaction', id, { reason: 'customer left' }));
    await scene.verify();
  });

  test('completes also when the order made of it by hand was cancelled for another reason', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.sale();
    await scene.api('create-order-api', { body: { transactionId: id } });
    await scene.fault('unheard', { match: { event: 'order-cancelled' }, fault: { kind: 'withhold' } });
    await scene.cancel(id, { reason: 'by hand' });
    await scene.pay(id, CASH, 1000);
    expect((await scene.voidSale(id, { reason: 'customer left' })).status).toBe(200);
    await scene.noFaults();
    await scene.advance('P1D');
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });
});

describe('Route Order, repeated', () => {
  test('with an empty body or the same strategy answers 200; with another strategy it is refused and names the standing one', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', route: 'manual' });
    const { id } = await scene.confirmed();
    const route = (body: object) => scene.call('route-order-api', { params: { id }, body });
    const first = await route({ strategy: 'most-stock' });
    expect(first.status).toBe(200);
    for (const same of [{}, { strategy: 'most-stock' }]) expect((await route(same)).body).toEqual(first.body);
    expect(conflict(await route({ strategy: 'nearest' }))).toEqual(standing('order', id, { strategy: 'most-stock' }));
  });

  test('for an order routed automatically keeps the strategy nearest', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.confirmed();
    const route = (body: object) => scene.call('route-order-api', { params: { id }, body });
    expect([(await route({})).status, (await route({ strategy: 'nearest' })).status]).toEqual([200, 200]);
    expect(conflict(await route({ strategy: 'most-stock' }))).toEqual(standing('order', id, { strategy: 'nearest' }));
  });
});

describe('Create Order, repeated', () => {
  const inspected = async () => {
    const scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { resolution: 'exchange' });
    await scene.moved(id, 'approve', 'receive', 'inspect');
    return { scene, order, returnId: id as string };
  };

  test('for a return that does not pay for the existing order is refused and names the standing value; the return is refunded in time', async () => {
    const { scene, returnId } = await inspected();
    await using _ = scene;
    const basket = await scene.checkedOut({ qty: 1 });
    const draft = await scene.draft(basket.id);
    const create = (more: object) => scene.call('create-order-api', { body: { basketId: basket.id, ...more } });
    expect([(await create({})).status, (await create({})).body.id]).toEqual([200, draft.id]);
    expect(conflict(await create({ exchangeForReturnId: returnId }))).toEqual(standing('order', draft.id, { exchangeForReturnId: null }));
    await scene.advance('P8D');
    expect((await scene.object('return', returnId)).state).toBe('refunded');
    await scene.verify();
  });

  test('concurrently with and without a return leaves no return waiting for ever', async () => {
    const { scene, returnId, order } = await inspected();
    await using _ = scene;
    const basket = await scene.checkedOut({ qty: 1 });
    await scene.fault('together', { match: { api: 'convert-basket' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all(
      [{ exchangeForReturnId: returnId }, {}].map((more) => scene.call('create-order-api', { body: { basketId: basket.id, ...more } })),
    );
    await scene.noFaults();
    const [stands] = replies.filter(({ status }) => status < 300);
    expect(stands?.body.basketId).toBe(basket.id);
    await scene.advance('P10D');
    expect((await scene.settle()).parked).toEqual([]);
    expect((await scene.object('return', returnId)).state).toBe('refunded');
    expect((await scene.order(order.id)).payments[0].refundedAmount).toEqual(eur(1299));
    await scene.verify();
  });
});

describe('Create Return', () => {
  test('without a key makes another return for other units', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, lines: [{ orderLineId: order.lines[0].lineId, qty: 1, reason: 'too small' }], locationId: STORE };
    const [one, other] = [await scene.announce(body), await scene.announce({ ...body, locationId: 'store-02' })];
    expect([one.status, other.status, one.body.id === other.body.id]).toEqual([201, 201, false]);
  });
});
