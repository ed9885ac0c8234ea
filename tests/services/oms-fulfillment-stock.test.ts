import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const opened = () => newRehearsal({ warehouse: 'manual', carrier: 'manual' });

/** The order has ended, the counters are these, and nothing is parked. */
async function hasEnded(rehearsal: TestRehearsal, orderId: string, onHand: number): Promise<void> {
  const after = await rehearsal.order(orderId);
  expect([after.state, after.compensation]).toEqual(['cancelled', undefined]);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [onHand, 0] });
  expect((await rehearsal.settle()).parked).toEqual([]);
  await rehearsal.verify();
}

describe('Movements that the SIM misses while it is down', () => {
  test.each([
    ['is lost', 'lose', 998],
    ['comes back', 'return', 1000],
  ] as const)('Goods leave the stock records even if their parcel %s before the SIM is back', async (_, scan, onHand) => {
    await using rehearsal = await opened();
    const { orderId, fulfillmentOrderId } = await rehearsal.packedOrder();
    await rehearsal.settle();
    await rehearsal.down('sim');
    await rehearsal.scanned(await rehearsal.handedOver(fulfillmentOrderId), 'collect', scan);
    await rehearsal.noFaults();
    await rehearsal.advance('PT3H');
    const { paymentStatus, lines } = await rehearsal.order(orderId);
    expect([paymentStatus, (await rehearsal.object('reservation', lines[0].reservationId)).state]).toEqual(['refunded', 'fulfilled']);
    await hasEnded(rehearsal, orderId, onHand);
  });

  test.each(['before', 'after'])('Short units are written off and not released when the SIM is back %s the cancellation', async (when) => {
    await using rehearsal = await opened();
    const order = await rehearsal.confirmed({ qty: 3 });
    await rehearsal.down('sim');
    await rehearsal.short(order, await rehearsal.onlyFulfilment(order.id), 1);
    if (when === 'before') await rehearsal.noFaults();
    expect((await rehearsal.cancel(order.id)).body.state).toBe('cancelled');
    // After the last attempt of the write-off, and before the next one.
    await rehearsal.advance('PT40S');
    await rehearsal.noFaults();
    await rehearsal.advance('PT3H');
    await hasEnded(rehearsal, order.id, 998);
  });
});
