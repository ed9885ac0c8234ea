import { describe, expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { STORE } from '../support/steps/return.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

/** In cents. */
const MUG = 1299;
const LAMP = { sku: 'lamp-last-one', qty: 1 };

async function opened(refund: 'auto' | 'manual' = 'manual') {
  const rehearsal = await byHand({ refund });
  return {
    ...rehearsal,
    /** A lamp that came back to a store, was inspected there and is for sale again. */
    lampBack: async (resolution: 'exchange' | 'refund' = 'refund') => {
      const order = await rehearsal.completed([LAMP]);
      return { order, id: await rehearsal.inspected(order, 1, { resolution }) };
    },
    sellLamp: async () => {
      const { id, totals } = await rehearsal.sale({ lines: [LAMP] });
      await rehearsal.pay(id, CASH, totals.total.amount);
      await rehearsal.settle();
    },
    /** The return is inspected as before, and nothing is parked. */
    isKept: async (id: string) => {
      expect((await rehearsal.settle()).parked).toEqual([]);
      const kept = await rehearsal.returned(id);
      expect([kept.state, kept.rejecting]).toEqual(['inspected', undefined]);
      return kept;
    },
  };
}
const test = testIn(opened);

describe('Rejections of returns', () => {
  test.each([true, false])(
    'A rejection of an inspected return is refused after a partial refund, and its units stay on hand (the FMS received their event: %s)',
    async (rehearsal, isHeard) => {
      const order = await rehearsal.completed();
      const id = await rehearsal.inspected(order);
      const before = await rehearsal.onHand('mug-blue', STORE);
      if (!isHeard) await rehearsal.fault('withheld', { match: { event: 'ext.payment-changed' }, fault: { kind: 'withhold' } });
      await rehearsal.refunded(order.payments[0].id, 500, id);
      const refused = await rehearsal.move(id, 'reject');
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'invalid_state_transition', currentState: 'inspected', retryable: false },
      });
      expect(refused.body.detail).toBe(`The return "${id}" has a refund, so it cannot be rejected. Refund the rest of it instead.`);
      await rehearsal.noFaults();
      expect([await rehearsal.returnState(id), await rehearsal.onHand('mug-blue', STORE)]).toEqual(['inspected', before]);
      await rehearsal.refunded(order.payments[0].id, 799, id);
      await rehearsal.settle();
      expect(await rehearsal.returnState(id)).toBe('refunded');
    },
  );

  test.each(['tok_refund_fails', 'tok_refund_later', 'tok_visa'])(
    'A return before its inspection with a refund to %s cannot be rejected, before or after the decision of the provider',
    async (rehearsal, token) => {
      const { id: orderId } = await rehearsal.draft();
      await rehearsal.authorisation(orderId, undefined, token);
      const order = await rehearsal.completedOrder(orderId);
      const { id } = await rehearsal.announced(order, 1);
      await rehearsal.refunded(order.payments[0].id, MUG, id);
      expect((await rehearsal.move(id, 'reject')).status).toBe(409);
      await rehearsal.advance('P2D');
      expect((await rehearsal.move(id, 'reject')).status).toBe(409);
      await rehearsal.moved(id, 'approve', 'receive', 'inspect');
      if (token === 'tok_refund_fails') {
        const payOutTo = { type: 'gift-card' as const, token: 'gift_50' };
        expect((await rehearsal.refund(order.payments[0].id, MUG, { returnId: id, payOutTo })).status).toBe(201);
      }
      await rehearsal.settle();
      expect(await rehearsal.returnState(id)).toBe('refunded');
      expect((await rehearsal.order(orderId)).owedRefund).toBeUndefined();
      await rehearsal.verify();
    },
  );

  test.each([true, false])(
    'Policy approves a return that was announced too late and has a refund (the FMS received its event: %s)',
    async (rehearsal, isHeard) => {
      const order = await rehearsal.completed();
      await rehearsal.advance('P31D');
      const { id } = await rehearsal.announced(order, 1);
      if (!isHeard) await rehearsal.fault('withheld', { match: { event: 'ext.payment-changed' }, fault: { kind: 'withhold' } });
      await rehearsal.refunded(order.payments[0].id, 500, id);
      await rehearsal.progress({ returns: 'immediate' });
      await rehearsal.settle();
      await rehearsal.noFaults();
      await rehearsal.settle();
      expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [{ amount: eur(500) }] });
    },
  );

  test('Of a refund and a rejection at the same time, one is refused', async (rehearsal) => {
    const order = await rehearsal.completed();
    const { id } = await rehearsal.announced(order, 1);
    const [refunded, rejected] = await Promise.all([
      rehearsal.refund(order.payments[0].id, MUG, { returnId: id }),
      rehearsal.move(id, 'reject'),
    ]);
    await rehearsal.settle();
    const statuses = [refunded.status, rejected.status];
    expect([
      [201, 409],
      [409, 200],
    ]).toContainEqual(statuses);
    await rehearsal.verify();
  });

  test('A refund without an answer from the OMS delays a rejection by 30 seconds: it may be in progress', async (rehearsal) => {
    const order = await rehearsal.completed();
    const { id } = await rehearsal.announced(order, 1);
    await rehearsal.fault('lost', { match: { api: 'announce-refund' }, fault: { kind: 'lost-response' }, times: 1 });
    expect([502, 504]).toContain((await rehearsal.refund(order.payments[0].id, MUG, { returnId: id })).status);
    const refused = await rehearsal.move(id, 'reject');
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', retryable: true } });
    await rehearsal.advance('PT1M');
    expect(await rehearsal.returnState(id)).toBe('rejected');
    const late = await rehearsal.refund(order.payments[0].id, MUG, { returnId: id });
    expect(late).toMatchObject({ status: 409, body: { code: 'refund_exceeds_captured', refundableAmount: eur(0) } });
  });

  test('A rejection that waits for the OMS refuses other moves of the return, and names itself as the reason', async (rehearsal) => {
    const { id } = await rehearsal.announced(await rehearsal.completed());
    await rehearsal.down('oms');
    expect((await rehearsal.move(id, 'reject')).status).toBe(503);
    const { body } = await rehearsal.move(id, 'approve');
    const blocked = { code: 'invalid_state_transition', currentState: 'requested', allowedFrom: ['requested'], retryable: true };
    expect(body).toMatchObject(blocked);
    expect(body.detail).toBe(
      `A rejection of the return "${id}" has been in progress since ${body.pendingAction.since}; repeat the request when it has ended.`,
    );
    expect((await rehearsal.move(id, 'inspect')).body).toMatchObject({ allowedFrom: ['received'], retryable: false });
  });

  test('A rejection without the OMS is retried for a week, parked, and finished when the OMS is available again', async (rehearsal) => {
    const id = await rehearsal.inspected(await rehearsal.completed(), 1, { resolution: 'exchange' });
    await rehearsal.down('oms');
    expect((await rehearsal.move(id, 'reject')).status).toBe(503);
    const { ran } = await rehearsal.advance('P8D');
    expect(ran.filter(({ kind }) => kind === 'settle-return').length).toBeLessThan(2);
    expect((await rehearsal.settle()).parked.map(({ key }) => key)).toEqual([`fms|finish-rejection|${id}`]);
    await rehearsal.noFaults();
    expect([(await rehearsal.settle()).parked, await rehearsal.returnState(id)]).toEqual([[], 'rejected']);
  });
});

describe('Rejections of an inspected return whose unit was sold', () => {
  test('A rejection is refused with the available units when too few are left, and the return can be refunded', async (rehearsal) => {
    const { id, order } = await rehearsal.lampBack();
    await rehearsal.sellLamp();
    const refused = await rehearsal.move(id, 'reject', { reason: 'worn' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_stock', objectType: 'return', id } });
    expect(refused.body.skus).toEqual([{ sku: 'lamp-last-one', requested: 1, available: 0 }]);
    await rehearsal.advance('P3D');
    const kept = await rehearsal.isKept(id);
    await rehearsal.refunded(order.payments[0].id, kept.refundAmount.amount, id);
    await rehearsal.settle();
    expect([await rehearsal.returnState(id), (await rehearsal.order(order.id)).state]).toEqual(['refunded', 'completed']);
  });

  test('A rejection is refused unless the restocked units of all lines are available', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 2 }, LAMP]);
    const lines = order.lines.map(({ lineId, qty }) => ({ orderLineId: lineId, qty, reason: 'too small' }));
    const { body } = await rehearsal.announce({ orderId: order.id, lines, locationId: STORE });
    await rehearsal.moved(body.id, 'approve', 'receive', 'inspect');
    const before = await rehearsal.onHand('mug-blue', STORE);
    const taken = await rehearsal.api('reserve-inventory-api', { body: { items: [LAMP] } });
    expect((await rehearsal.move(body.id, 'reject')).body.code).toBe('insufficient_stock');
    expect(await rehearsal.onHand('mug-blue', STORE)).toBe(before);
    await rehearsal.verify();
    await rehearsal.api('release-reservation-api', { params: { id: taken.id } });
    expect((await rehearsal.move(body.id, 'reject')).body.state).toBe('rejected');
    await rehearsal.settle();
    expect([await rehearsal.onHand('mug-blue', STORE), await rehearsal.onHand(LAMP.sku, STORE)]).toEqual([before - 2, 0]);
  });

  test('A refused rejection does not shorten the week for an exchange', async (rehearsal) => {
    await rehearsal.progress({ refund: 'auto' });
    const { id } = await rehearsal.lampBack('exchange');
    await rehearsal.advance('P2D');
    await rehearsal.sellLamp();
    expect((await rehearsal.move(id, 'reject')).body.code).toBe('insufficient_stock');
    await rehearsal.advance('P4DT23H');
    expect(await rehearsal.returnState(id)).toBe('inspected');
    await rehearsal.advance('PT2H');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });

  test('A rejection that the OMS refuses puts the units back into stock', async (rehearsal) => {
    const { id } = await rehearsal.lampBack('exchange');
    const { id: basketId } = await rehearsal.checkedOut({ qty: 1 });
    await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: id } });
    expect(await rehearsal.move(id, 'reject')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    expect(await rehearsal.onHand(LAMP.sku, STORE)).toBe(1);
  });

  test('A rejection that waits for the Inventory Service is refused when the service is back', async (rehearsal) => {
    const { id } = await rehearsal.lampBack();
    await rehearsal.sellLamp();
    await rehearsal.down('inventory-service');
    expect((await rehearsal.move(id, 'reject')).status).toBe(503);
    await rehearsal.noFaults();
    await rehearsal.advance('PT10M');
    await rehearsal.isKept(id);
  });
});
