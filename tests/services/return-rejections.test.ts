import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';
import { CASH, eur } from '../support/steps/tender.ts';

/** Refund Payment by a client, unknown to the FMS so far. */
const unheard = { match: { event: 'ext.payment-changed' }, fault: { kind: 'withhold' } } as const;

describe('A return that is rejected while a client refunds it', () => {
  test('has its value reduced, also when the FMS does not know of the refund', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.fault('unheard', unheard);
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(1000), returnId: id } });
    await scene.moved(id, 'reject');
    expect((await scene.announced(order, 1)).refundAmount).toEqual(eur(299));
    await scene.noFaults();
    await scene.verify();
  });

  test('is refused while the Payment Hub is down, and rejected when it is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.down('payment-hub');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.object('return', id)).state).toBe('rejected');
    await scene.verify();
  });
});

describe('A rejection while the OMS is down', () => {
  test('refuses other moves of the return until it has ended, and names itself as the reason', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.announced(await scene.completed());
    await scene.down('oms');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    const { body } = await scene.move(id, 'approve');
    expect(body).toMatchObject({
      code: 'invalid_state_transition',
      currentState: 'requested',
      allowedFrom: ['requested'],
      retryable: true,
    });
    expect(body.detail).toBe(
      `A rejection of the return "${id}" has been in progress since ${body.pendingAction.since}; send this request again when it has ended.`,
    );
    expect((await scene.move(id, 'inspect')).body).toMatchObject({ allowedFrom: ['received'], retryable: false });
  });

  test('is tried for a week, parked without further work, and finished when the OMS is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { resolution: 'exchange' });
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.down('oms');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    const { ran } = await scene.advance('P8D');
    expect(ran.filter(({ kind }) => kind === 'settle-return').length).toBeLessThan(2);
    expect((await scene.settle()).parked.map(({ key }) => key)).toEqual([`fms|finish-rejection|${id}`]);
    await scene.noFaults();
    expect((await scene.settle()).parked).toEqual([]);
    expect((await scene.object('return', id)).state).toBe('rejected');
    await scene.verify();
  });
});

describe('An exchange that was refunded before its inspection', () => {
  test('does not wait for an order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { resolution: 'exchange' });
    await scene.moved(id, 'approve', 'receive');
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(1299), returnId: id } });
    await scene.moved(id, 'inspect');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.verify();
  });
});

describe('Rejecting an inspected return whose unit was sold in the meantime', () => {
  /** A lamp that came back to a store, was inspected there and is on the shelf again. */
  const lampBack = async (scene: TestRehearsal, resolution: 'exchange' | 'refund' = 'refund') => {
    const order = await scene.completed([{ sku: 'lamp-last-one', qty: 1 }]);
    const { id } = await scene.announced(order, 1, { resolution });
    await scene.moved(id, 'approve', 'receive', 'inspect');
    return { id, order };
  };
  const sell = async (scene: TestRehearsal) => {
    const sale = await scene.sale({ lines: [{ sku: 'lamp-last-one', qty: 1 }] });
    await scene.pay(sale.id, CASH, sale.totals.total.amount);
    await scene.settle();
  };

  test('is refused, names the available units, and parks nothing: the return is refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id, order } = await lampBack(scene);
    await sell(scene);
    const refused = await scene.move(id, 'reject', { reason: 'worn' });
    expect([refused.status, refused.body.code, refused.body.objectType, refused.body.id]).toEqual([
      409,
      'insufficient_stock',
      'return',
      id,
    ]);
    expect(refused.body.skus).toEqual([{ sku: 'lamp-last-one', requested: 1, available: 0 }]);
    await scene.advance('P3D');
    expect((await scene.settle()).parked).toEqual([]);
    const kept = await scene.object('return', id);
    expect([kept.state, kept.rejecting]).toEqual(['inspected', undefined]);
    await scene.api('refund-payment-api', {
      params: { id: order.payments[0].id },
      body: { amount: kept.refundAmount, returnId: id },
    });
    await scene.settle();
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.verify();
  });

  test('succeeds once the unit is available again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id } = await lampBack(scene);
    const hold = await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    expect((await scene.move(id, 'reject')).status).toBe(409);
    await scene.api('release-reservation-api', { params: { id: hold.id } });
    expect((await scene.move(id, 'reject')).body.state).toBe('rejected');
    expect(await scene.onHand('lamp-last-one', STORE)).toBe(0);
    await scene.verify();
  });

  test('with several lines takes no line back unless all units are available', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed([
      { sku: 'mug-blue', qty: 2 },
      { sku: 'lamp-last-one', qty: 1 },
    ]);
    const lines = order.lines.map(({ lineId, qty }: { lineId: string; qty: number }) => ({
      orderLineId: lineId,
      qty,
      reason: 'too small',
    }));
    const { body } = await scene.announce({ orderId: order.id, lines, locationId: STORE });
    await scene.moved(body.id, 'approve', 'receive', 'inspect');
    const before = await scene.onHand('mug-blue', STORE);
    const hold = await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    expect((await scene.move(body.id, 'reject')).body.code).toBe('insufficient_stock');
    expect(await scene.onHand('mug-blue', STORE)).toBe(before);
    await scene.verify();
    await scene.api('release-reservation-api', { params: { id: hold.id } });
    await scene.moved(body.id, 'reject');
    expect(await scene.onHand('mug-blue', STORE)).toBe(before - 2);
    await scene.verify();
  });

  test('leaves an exchange the rest of its week', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await lampBack(scene, 'exchange');
    await scene.advance('P2D');
    await sell(scene);
    expect((await scene.move(id, 'reject')).body.code).toBe('insufficient_stock');
    await scene.advance('P4DT23H');
    expect((await scene.object('return', id)).state).toBe('inspected');
    await scene.advance('PT2H');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test('puts the units on the shelf again when the OMS refuses', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id } = await lampBack(scene, 'exchange');
    const basket = await scene.checkedOut({ sku: 'mug-blue', qty: 1 });
    await scene.api('create-order-api', { body: { basketId: basket.id, exchangeForReturnId: id } });
    const refused = await scene.move(id, 'reject');
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state_transition']);
    expect(await scene.onHand('lamp-last-one', STORE)).toBe(1);
    await scene.verify();
  });

  test('completes when the Inventory Service is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id } = await lampBack(scene);
    await sell(scene);
    await scene.down('inventory-service');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.settle()).parked).toEqual([]);
    const kept = await scene.object('return', id);
    expect([kept.state, kept.rejecting]).toEqual(['inspected', undefined]);
    await scene.verify();
  });
});
