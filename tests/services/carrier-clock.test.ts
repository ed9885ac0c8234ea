import { expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { testIn } from '../support/test-in.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A dispatched parcel whose label the FMS has. A carrier outside the estate, with another clock, scans it. */
async function awaitingCarrier() {
  const rehearsal = await byHand();
  const { orderId, shipmentId, fulfillmentOrderId } = await rehearsal.dispatchedOrder({}, { qty: 1 });
  await rehearsal.settle();
  let count = 0;
  const newest = async () => (await rehearsal.journal()).findLast(({ api }) => api === 'carrier-webhook');
  /** An instant that differs from the rehearsal's clock. */
  const instant = async (aheadMs = 0) => new Date((await rehearsal.now()) + aheadMs).toISOString();
  const send = (status: string, occurredAt: string, id = `carrier-${++count}`) => rehearsal.webhook(id, { shipmentId, status, occurredAt });
  return {
    ...rehearsal,
    orderId,
    shipmentId,
    newest,
    instant,
    send,
    report: async (status: string, aheadMs = 0) => send(status, await instant(aheadMs)),
    /** The state of the parcel, and why the newest webhook changed nothing. */
    outcome: async () => [(await rehearsal.fulfillmentOrder(fulfillmentOrderId)).shipments[0].state, (await newest())?.unchanged],
  };
}
const test = testIn(awaitingCarrier);

test.each([
  ['two seconds', 2 * SECOND],
  ['four minutes', 4 * MINUTE],
  ['a day', 24 * 60 * MINUTE],
])('the first scan moves the parcel although the clock of the carrier is %s behind', async (rehearsal, _words, behindMs) => {
  await rehearsal.report('delivered', -behindMs);
  await rehearsal.settle();
  expect(await rehearsal.outcome()).toEqual(['delivered', undefined]);
  expect((await rehearsal.order(rehearsal.orderId)).state).toBe('completed');
});

test('Scans of an outside carrier are sorted by its own clock, not with scans of the simulated carrier', async (rehearsal) => {
  const { report, outcome } = rehearsal;
  await rehearsal.scanned(rehearsal.shipmentId, 'collect', 'depart');
  await report('out-for-delivery', -2 * MINUTE);
  expect(await outcome()).toEqual(['out-for-delivery', undefined]);
  await report('delivery-attempted', -3 * MINUTE);
  const earlier = /^The scan was made at .*, and the same carrier scanned the parcel later, at .*\.$/;
  expect(await outcome()).toEqual(['out-for-delivery', expect.stringMatching(earlier)]);
  await report('delivered', -MINUTE);
  expect(await outcome()).toEqual(['delivered', undefined]);
});

test('Scans of an outside carrier do not stop scans of the simulated carrier', async (rehearsal) => {
  await rehearsal.report('collected', 4 * MINUTE);
  expect((await rehearsal.outcome())[0]).toBe('collected');
  await rehearsal.scanned(rehearsal.shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
  expect((await rehearsal.outcome())[0]).toBe('delivered');
});

test('The hop of a webhook that changes nothing has the reason', async (rehearsal) => {
  const at = await rehearsal.instant();
  for (const [id, status, reason] of [
    ['same', 'collected', undefined],
    ['same', 'collected', 'A webhook with the webhook-id "same" has already arrived.'],
    ['second', 'collected', `The scan collected of ${at} has already arrived.`],
  ] as const) {
    await rehearsal.send(status, at, id);
    expect((await rehearsal.outcome())[1]).toBe(reason);
  }
  await rehearsal.report('delivered', SECOND);
  await rehearsal.report('collected', 2 * SECOND);
  const reason = 'The parcel is delivered, and collected does not follow from that.';
  expect(await rehearsal.outcome()).toEqual(['delivered', reason]);
});

test('A parcel is lost 14 days after the last scan of its carrier, even if the Carrier Platform reported none', async (rehearsal) => {
  await rehearsal.advance('P10D');
  await rehearsal.report('in-transit');
  await rehearsal.advance('P13D');
  const ignored = 'A carrier outside the estate scans the parcel, so the Carrier Platform cannot report its loss.';
  expect(await rehearsal.outcome()).toEqual(['in-transit', ignored]);
  await rehearsal.advance('P1DT1H');
  expect([(await rehearsal.outcome())[0], (await rehearsal.order(rehearsal.orderId)).state]).toEqual(['lost', 'cancelled']);
});

test.each([
  ['completed when the parcel was delivered', 'deliver', 'completed'],
  ['refunded when the parcel came back', 'return', 'cancelled'],
] as const)('a failed delivery is %s while the FMS was down for more than a week', async (rehearsal, _name, scan, state) => {
  const { orderId, shipmentId } = rehearsal;
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
