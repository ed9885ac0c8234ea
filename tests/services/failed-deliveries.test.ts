import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('A failed delivery', () => {
  test.each([
    ['is completed when the parcel was delivered', 'deliver', 'completed'],
    ['is refunded when the parcel came back', 'return', 'cancelled'],
  ])('%s while the FMS was away for more than a week', async (_name, scan, state) => {
    await using scene = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { id: orderId } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    await scene.authorisation(orderId);
    await scene.confirmed(orderId);
    const [fulfillmentOrder] = await scene.routed(orderId);
    const parcel = await scene.dispatched(fulfillmentOrder?.id ?? '');
    const play = (verb: string) => scene.call('POST', `/_control/shipments/${parcel}/${verb}`, {}, { as: 'admin' });
    for (const verb of ['collect', 'depart', 'out-for-delivery', 'attempt', 'out-for-delivery', 'attempt', 'out-for-delivery', 'attempt']) {
      expect([verb, (await play(verb)).status]).toEqual([verb, 200]);
      await scene.advance('PT10M');
    }
    await scene.fault('away', { match: { application: 'fms' }, fault: { kind: 'outage' } });
    await scene.advance('P1D');
    expect((await play(scan)).status).toBe(200);
    await scene.advance('P6DT2H');
    await scene.noFaults();
    await scene.settle();
    expect(await scene.order(orderId)).toMatchObject({ state });
    await scene.verify();
  });
});
