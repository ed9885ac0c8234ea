import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Movements that the SIM misses while it is down count later: units that left or were missing are not on hand. */

const parkedIn = async (rehearsal: TestRehearsal) => (await rehearsal.settle()).parked;

async function packedWithoutSim(scene: TestRehearsal) {
  const order = await scene.confirmed({ qty: 2 });
  const [first] = await scene.routed(order.id);
  if (!first) throw new Error('not routed');
  await scene.packed(first.id);
  await scene.settle();
  await scene.down('sim');
  const { body } = await scene.dispatch(first.id);
  return { order, parcel: body.shipments[0].id as string };
}

describe('Goods that left while the SIM was down', () => {
  test.each([
    ['is lost', 'lose', 998],
    ['comes back', 'return', 1000],
  ] as const)('leave the stock records even if their parcel %s before the SIM is back', async (_what, scan, onHand) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { order, parcel } = await packedWithoutSim(scene);
    await scene.scanned(parcel, 'collect', scan);
    await scene.noFaults();
    await scene.advance('PT3H');
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    expect(after).not.toHaveProperty('compensation');
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [onHand, 0] });
    expect(await scene.object('reservation', order.lines[0].reservationId)).toMatchObject({ state: 'fulfilled' });
    expect(await parkedIn(scene)).toEqual([]);
    await scene.verify();
  });
});

describe('Units that were short while the SIM was down', () => {
  test.each([
    ['and it is back before the order is cancelled', true],
    ['and it is back only later', false],
  ])('are written off and not released with the rest of the order, %s', async (_when, isBack) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ qty: 3 });
    const [first] = await scene.routed(order.id);
    await scene.down('sim');
    await scene.short(order, first?.id ?? '', 1);
    if (isBack) await scene.noFaults();
    expect((await scene.cancel(order.id)).body.state).toBe('cancelled');
    // After the last attempt of the write-off, and before the next one.
    await scene.advance('PT40S');
    await scene.noFaults();
    await scene.advance('PT3H');
    expect(await scene.order(order.id)).not.toHaveProperty('compensation');
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0] });
    expect(await parkedIn(scene)).toEqual([]);
    await scene.verify();
  });
});
