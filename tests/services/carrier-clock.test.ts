import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

/** A dispatched parcel whose label the FMS has noted. Scans come from a carrier outside the estate, whose clock is its own. */
async function awaitingCarrier() {
  const scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
  const { id: orderId } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 1 }] });
  await scene.authorisation(orderId);
  await scene.confirmed(orderId);
  const [fulfillmentOrder] = await scene.routed(orderId);
  const fulfillmentOrderId: string = fulfillmentOrder?.id ?? '';
  const shipmentId = await scene.dispatched(fulfillmentOrderId);
  await scene.settle();
  let count = 0;
  /** Reports a scan whose instant differs from the rehearsal's clock by `aheadMs`. */
  const report = async (status: string, aheadMs = 0) => {
    const occurredAt = new Date((await scene.now()) + aheadMs).toISOString();
    count += 1;
    await scene.webhook(`carrier-${count}`, { shipmentId, status, occurredAt });
    return occurredAt;
  };
  const state = async () => (await scene.fulfillmentOrder(fulfillmentOrderId)).shipments[0].state;
  /** Why the newest webhook changed nothing. */
  const reason = async () => (await scene.journal()).findLast(({ api }) => api === 'carrier-webhook')?.unchanged;
  return { ...scene, orderId, shipmentId, report, state, reason, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('The first scan of a carrier', () => {
  test.each([
    ['two seconds', 2 * SECOND],
    ['four minutes', 4 * MINUTE],
    ['a day', 24 * 60 * MINUTE],
  ])('moves the parcel although the clock of the carrier is %s behind', async (_words, behindMs) => {
    await using scene = await awaitingCarrier();
    await scene.report('delivered', -behindMs);
    await scene.settle();
    expect([await scene.state(), (await scene.order(scene.orderId)).state, await scene.reason()]).toEqual([
      ...['delivered', 'completed', undefined],
    ]);
    await scene.verify();
  });
});

describe('Scans of a carrier outside the estate', () => {
  test('are ordered by the clock of that carrier, not by scans of the simulated carrier', async () => {
    await using scene = await awaitingCarrier();
    await scene.scanned(scene.shipmentId, 'collect', 'depart');
    await scene.report('out-for-delivery', -2 * SECOND);
    expect([await scene.state(), await scene.reason()]).toEqual(['out-for-delivery', undefined]);
    await scene.report('delivery-attempted', -3 * SECOND);
    expect([await scene.state(), await scene.reason()]).toEqual([
      'out-for-delivery',
      expect.stringMatching(/^The scan is of .*, and the same carrier scanned the parcel later, at .*\.$/),
    ]);
    await scene.report('delivered', -SECOND);
    expect(await scene.state()).toBe('delivered');
    await scene.verify();
  });

  test('do not stop the scans of the simulated carrier', async () => {
    await using scene = await awaitingCarrier();
    await scene.report('collected', 4 * MINUTE);
    expect(await scene.state()).toBe('collected');
    await scene.scanned(scene.shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    expect(await scene.state()).toBe('delivered');
    await scene.verify();
  });

  test('that lie too far ahead are refused with the remedy, and block nothing', async () => {
    await using scene = await awaitingCarrier();
    await expect(scene.report('collected', 6 * MINUTE)).rejects.toThrow('422');
    const refused = (await scene.journal()).findLast(({ api }) => api === 'carrier-webhook');
    expect(refused?.response).toMatchObject({ errors: [{ code: 'in_the_future', detail: expect.stringContaining('/_control/clock') }] });
    await scene.report('delivered');
    expect(await scene.state()).toBe('delivered');
  });
});

describe('The hop of a webhook that changes nothing says why:', () => {
  test('a repeated webhook-id', async () => {
    await using scene = await awaitingCarrier();
    const data = { shipmentId: scene.shipmentId, status: 'collected', occurredAt: new Date(await scene.now()).toISOString() };
    await scene.webhook('same', data);
    expect(await scene.reason()).toBeUndefined();
    await scene.webhook('same', data);
    expect(await scene.reason()).toBe('A webhook with the webhook-id "same" arrived before.');
  });

  test('a repeated scan', async () => {
    await using scene = await awaitingCarrier();
    const occurredAt = new Date(await scene.now()).toISOString();
    await scene.webhook('first', { shipmentId: scene.shipmentId, status: 'collected', occurredAt });
    await scene.webhook('second', { shipmentId: scene.shipmentId, status: 'collected', occurredAt });
    expect(await scene.reason()).toBe(`The scan collected of ${occurredAt} arrived before.`);
  });

  test('a scan that does not follow from the state of the parcel', async () => {
    await using scene = await awaitingCarrier();
    await scene.report('delivered');
    await scene.report('collected');
    expect(await scene.reason()).toBe('The parcel is delivered, and collected does not follow from that.');
  });
});
