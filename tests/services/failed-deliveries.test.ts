import { describe, expect, test } from '@jest/globals';
import { returning } from './return-scenes.ts';

describe('A failed delivery', () => {
  test.each([
    ['is completed when the parcel was delivered', 'deliver', 'completed'],
    ['is refunded when the parcel came back', 'return', 'cancelled'],
  ])('%s while the FMS was away for more than a week', async (_name, scan, state) => {
    await using scene = await returning({ carrier: 'manual' });
    const { rehearsal } = scene;
    const { id: orderId } = await scene.draftOf([{ sku: 'mug-blue', qty: 2 }]);
    await scene.authorise(orderId);
    await rehearsal.ok('POST', `/orders/${orderId}/confirm`);
    const [fulfillmentOrder] = await scene.routed(orderId);
    const parcel = await scene.sent(fulfillmentOrder?.id ?? '');
    const play = (verb: string) => rehearsal.call('POST', `/_control/shipments/${parcel}/${verb}`, {}, { as: 'admin' });
    for (const verb of ['collect', 'depart', 'out-for-delivery', 'attempt', 'out-for-delivery', 'attempt', 'out-for-delivery', 'attempt']) {
      expect([verb, (await play(verb)).status]).toEqual([verb, 200]);
      await rehearsal.advance('PT10M');
    }
    await rehearsal.fault('away', { match: { application: 'fms' }, fault: { kind: 'outage' } });
    await rehearsal.advance('P1D');
    expect((await play(scan)).status).toBe(200);
    await rehearsal.advance('P6DT2H');
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await scene.order(orderId)).toMatchObject({ state });
    await rehearsal.verify();
  });
});
