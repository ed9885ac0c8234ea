import { describe, expect, test } from '@jest/globals';
import { euros, returning } from './return-scenes.ts';

/** Refund Payment by hand, of which the FMS has not heard yet. */
const unheard = { match: { event: 'ext.payment-changed' }, fault: { kind: 'withhold' } } as const;

describe('A return that is rejected while it is paid back by hand', () => {
  test('is worth so much less, also when the FMS has not heard of the refund', async () => {
    await using scene = await returning({ refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.requested(order, 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.rehearsal.fault('unheard', unheard);
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(1000), returnId: id });
    await scene.moved(id, 'reject');
    expect((await scene.requested(order, 1)).refundAmount).toEqual(euros(299));
    await scene.rehearsal.noFaults();
    await scene.rehearsal.verify();
  });

  test('is told so when the Payment Hub cannot be asked, and rejected once it can be', async () => {
    await using scene = await returning({ refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.requested(order, 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.down('payment-hub');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT10M');
    expect((await scene.object(id)).state).toBe('rejected');
    await scene.rehearsal.verify();
  });
});

describe('A rejection of which the OMS cannot be asked', () => {
  test('is tried again a few times, and then waits for somebody: nothing turns round and round meanwhile', async () => {
    await using scene = await returning({ refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.requested(order, 1, { resolution: 'exchange' });
    await scene.moved(id, 'approve', 'receive', 'inspect');
    await scene.down('oms');
    expect((await scene.move(id, 'reject')).status).toBe(503);
    const { ran } = await scene.rehearsal.advance('P8D');
    expect(ran.filter(({ kind }) => kind === 'settle-return').length).toBeLessThan(2);
    await scene.rehearsal.noFaults();
    expect((await scene.move(id, 'reject')).body.state).toBe('rejected');
    await scene.rehearsal.verify();
  });
});

describe('An exchange that somebody has paid back before it was inspected', () => {
  test('waits for no order', async () => {
    await using scene = await returning();
    const order = await scene.completed();
    const { id } = await scene.requested(order, 1, { resolution: 'exchange' });
    await scene.moved(id, 'approve', 'receive');
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(1299), returnId: id });
    await scene.moved(id, 'inspect');
    expect((await scene.object(id)).state).toBe('refunded');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.rehearsal.verify();
  });
});
