import { describe, expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { STORE } from '../support/steps/return.ts';
import { testIn } from '../support/test-in.ts';

/** A rehearsal whose warehouse, carrier and returns move by hand. */
async function opened() {
  const rehearsal = await byHand();
  return {
    ...rehearsal,
    /** A confirmed order whose parcel has its label and no scan. */
    labelled: async () => {
      const order = await rehearsal.dispatchedOrder({}, { qty: 1 });
      await rehearsal.settle();
      return order;
    },
    /** An approved return of two units by parcel. */
    byParcel: async (more: object = {}) => {
      const order = await rehearsal.completed();
      const { id } = await rehearsal.announced(order, 2, { dropOff: 'carrier', ...more });
      await rehearsal.moved(id, 'approve');
      const parcel: string = (await rehearsal.returned(id)).shipments[0].id;
      return { id, order, parcel };
    },
    /** The state of a parcel in the records of the FMS. */
    copyOf: async (id: string) => (await rehearsal.fulfillmentOrder(id)).shipments[0].state,
    /** A scan of a carrier outside the estate. */
    report: async (id: string, shipmentId: string, status: string) =>
      rehearsal.webhook(id, { shipmentId, status, occurredAt: new Date(await rehearsal.now()).toISOString() }),
  };
}
const test = testIn(opened);

describe('Parcels that are never collected', () => {
  test('A return whose parcel is never collected is rejected a week after its loss: the customer has the goods', async (rehearsal) => {
    const { id, order, parcel } = await rehearsal.byParcel();
    await rehearsal.advance('P20D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'approved', shipments: [{ state: 'lost' }] });
    await rehearsal.verify();
    await rehearsal.advance('P1DT1H');
    const rejected = { state: 'rejected', rejectReason: 'Its parcel was never handed to the carrier.' };
    expect(await rehearsal.returned(id)).toMatchObject(rejected);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 0 }] });
    const found = await rehearsal.call('POST', `/_control/shipments/${parcel}/find`, {}, { as: 'admin' });
    const detail = `The customer never handed over the parcel "${parcel}" of the return "${id}", so it cannot be found. No further scan is allowed.`;
    expect(found).toMatchObject({ status: 409, body: { allowedScans: [], allowedFrom: [], detail } });
    expect((await rehearsal.announced(order, 2)).state).toBe('requested');
  });

  test('The goods of a return whose parcel is never collected can be received at the store within a week of its loss', async (rehearsal) => {
    const { id } = await rehearsal.byParcel({ locationId: STORE });
    await rehearsal.advance('P15D');
    await rehearsal.moved(id, 'receive', 'inspect');
    await rehearsal.advance('P10D');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });
});

describe('Parcels that a carrier outside the estate scans', () => {
  test('A parcel is lost 14 days after the last scan of its carrier, even if the Carrier Platform reported none', async (rehearsal) => {
    const { orderId, shipmentId, fulfillmentOrderId } = await rehearsal.labelled();
    await rehearsal.advance('P10D');
    await rehearsal.report('one', shipmentId, 'in-transit');
    await rehearsal.advance('P13D');
    expect(await rehearsal.copyOf(fulfillmentOrderId)).toBe('in-transit');
    const ignored = (await rehearsal.journal()).findLast(({ api }) => api === 'carrier-webhook');
    expect(ignored?.unchanged).toBe('A carrier outside the estate scans the parcel, so the Carrier Platform cannot report its loss.');
    await rehearsal.advance('P1DT1H');
    expect([await rehearsal.copyOf(fulfillmentOrderId), (await rehearsal.order(orderId)).state]).toEqual(['lost', 'cancelled']);
  });

  test.each([
    ['completed when the parcel was delivered', 'deliver', 'completed'],
    ['refunded when the parcel came back', 'return', 'cancelled'],
  ] as const)('a failed delivery is %s while the FMS was down for more than a week', async (rehearsal, _name, scan, state) => {
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
  });
});

describe('Rejecting a return', () => {
  test.each([
    [[], 'label-created', 'Wait until the parcel arrives'],
    [['collect'], 'collected', 'Wait until the parcel arrives'],
    [['collect', 'depart'], 'in-transit', 'Wait until the parcel arrives'],
    [['collect', 'lose'], 'lost', 'Write the return off'],
  ] as const)('rejecting a return after the scans %j of its parcel is refused with the remedy', async (rehearsal, scans, state, remedy) => {
    const { id, parcel } = await rehearsal.byParcel();
    await rehearsal.scanned(parcel, ...scans);
    const detail = expect.stringContaining(`is ${state}, so its goods may still arrive. ${remedy}`);
    expect(await rehearsal.move(id, 'reject')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', detail } });
  });
});
