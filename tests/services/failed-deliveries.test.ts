import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('Failed deliveries', () => {
  test.each([
    ['completed when the parcel was delivered', 'deliver', 'completed'],
    ['refunded when the parcel came back', 'return', 'cancelled'],
  ] as const)('a failed delivery is %s while the FMS was away for more than a week', async (_name, scan, state) => {
    await using rehearsal = await newRehearsal({ warehouse: 'manual', returns: 'manual', carrier: 'manual' });
    const { orderId, shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.scanned(shipmentId, 'collect', 'depart');
    for (const _of of [1, 2, 3]) {
      await rehearsal.scanned(shipmentId, 'out-for-delivery', 'attempt');
      await rehearsal.advance('PT10M');
    }
    await rehearsal.down('fms');
    await rehearsal.advance('P1D');
    await rehearsal.scanned(shipmentId, scan);
    await rehearsal.advance('P6DT2H');
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await rehearsal.order(orderId)).toMatchObject({ state });
    await rehearsal.verify();
  });
});
