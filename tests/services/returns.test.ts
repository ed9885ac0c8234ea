import { describe, expect, test } from '@jest/globals';
import { returning } from './return-scenes.ts';

describe('A return', () => {
  test('is requested, approved, received, inspected and refunded', async () => {
    await using scene = await returning();
    const order = await scene.completed();
    const before = await scene.onHand('mug-blue', order.lines[0].nodeId);
    const requested = await scene.requested(order, 1);
    expect(requested).toMatchObject({ state: 'requested', refundAmount: { amount: 1299, currency: 'EUR' }, dropOff: 'store' });
    expect((await scene.order(order.id)).state).toBe('return-in-progress');
    expect(await scene.moved(requested.id, 'approve', 'receive', 'inspect')).toMatchObject({ state: 'inspected' });
    expect(await scene.object(requested.id)).toMatchObject({ state: 'refunded' });
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'completed', paymentStatus: 'partially-refunded', returns: [{ state: 'refunded' }] });
    expect(after.lines[0].returnedQty).toBe(1);
    expect(await scene.onHand('mug-blue', order.lines[0].nodeId)).toBe(before + 1);
    expect(await scene.eventsOf(requested.id)).toEqual([
      ['return-requested', undefined, 'requested'],
      ['return-created', undefined, 'requested'],
      ['ext.return-changed', 'requested', 'approved'],
      ['ext.return-changed', 'approved', 'received'],
      ['ext.return-changed', 'received', 'inspected'],
      ['ext.return-changed', 'inspected', 'refunded'],
    ]);
    await scene.rehearsal.verify();
  });
});
