import { describe, expect, test } from '@jest/globals';
import * as carrierPlatform from '../../services/carrier-platform/service.ts';
import { TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import { putShipment, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { ADDRESS, newRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { type Received, startReceiver } from './webhook-receiver.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Seconds after the first attempt at which each of the ten attempts is made: 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h apart. */
const SCHEDULE = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105];

/** The carrier and a receiver of its webhooks. The clock only moves by advances. */
async function carrierAndReceiver(answer: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(answer);
  const inside = await startInside(carrierPlatform);
  inside.sendWebhooksTo(receiver.url);
  const labelled = async (id: string, service: 'STANDARD' | 'LOST' = 'STANDARD') => {
    const parcel = { fulfillmentOrderId: 'ful_1', carrier: 'demo-carrier', service, from: ADDRESS, to: ADDRESS };
    await inside.as('fms')(putShipment, { params: { id }, body: parcel });
    const { body } = await inside.call('POST', `/shipments/${id}/label`, {});
    await inside.events();
    return body;
  };
  return {
    inside,
    labelled,
    ...{ received: receiver.received, mostAtOnce: receiver.mostAtOnce },
    of: (id: string): Received[] => receiver.received.filter((one) => one.id === id),
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
}

describe('A webhook', () => {
  test('reports the label and every scan, signed, each under an id of its own', async () => {
    await using scene = await carrierAndReceiver(() => ({ status: 204 }));
    const shipment = await scene.labelled('shp_1');
    await scene.inside.advance(28 * HOUR);
    expect(scene.received.map(({ id, status, refusal }) => [id, status, refusal])).toEqual([
      ['shp_1.1', 'label-created', undefined],
      ['shp_1.2', 'collected', undefined],
      ['shp_1.3', 'in-transit', undefined],
      ['shp_1.4', 'out-for-delivery', undefined],
      ['shp_1.5', 'delivered', undefined],
    ]);
    const { events } = (await scene.inside.call('GET', '/shipments/shp_1/tracking')).body;
    for (const [position, { body }] of scene.received.entries()) {
      expect(TrackingUpdate.parse(body)).toEqual({
        type: 'shipment.tracking.updated',
        timestamp: events[position].occurredAt,
        data: {
          ...{ shipmentId: 'shp_1', trackingNumber: shipment.trackingNumber, estimatedDelivery: shipment.estimatedDelivery },
          ...events[position],
        },
      });
    }
  });

  test('without a successful answer is sent ten times in all and then parked visibly', async () => {
    await using scene = await carrierAndReceiver(({ status }) => ({ status: status === 'label-created' ? 500 : 204 }));
    await scene.labelled('shp_1', 'LOST');
    await scene.inside.advance(4 * 24 * HOUR);
    const attempts = scene.of('shp_1.1');
    const first = attempts[0]?.at ?? 0;
    // The timestamp of a webhook has whole seconds.
    expect(attempts.map(({ at }) => Math.round((at - first) / SECOND))).toEqual(SCHEDULE);
    expect(new Set(attempts.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(attempts.map(({ refusal }) => refusal)).toEqual(SCHEDULE.map(() => undefined));
    const [parked, ...others] = await scene.inside.parked();
    expect(others).toEqual([]);
    expect(parked).toMatchObject({ key: expect.stringContaining('shp_1.1'), error: expect.stringMatching(/in 10 attempts.*500/) });
    expect(scene.of('shp_1.2')).toHaveLength(1);
  });

  test.each([200, 201, 204, 299])('answered %i is delivered', async (status) => {
    await using scene = await carrierAndReceiver(() => ({ status }));
    await scene.labelled('shp_1');
    await scene.inside.advance(MINUTE);
    expect(scene.received).toHaveLength(1);
  });

  test.each([302, 400, 401, 404, 409, 429, 503])('answered %i is sent again', async (status) => {
    await using scene = await carrierAndReceiver((_received, attempt) => ({ status: attempt === 1 ? status : 204 }));
    await scene.labelled('shp_1');
    await scene.inside.advance(MINUTE);
    expect(scene.received.map(({ id }) => id)).toEqual(['shp_1.1', 'shp_1.1']);
  });

  test('is sent again no sooner than Retry-After and its schedule allow', async () => {
    await using scene = await carrierAndReceiver((_received, attempt) =>
      attempt === 1 ? { status: 503, retryAfter: 60 } : attempt === 2 ? { status: 503, retryAfter: 1 } : { status: 204 },
    );
    await scene.labelled('shp_1');
    await scene.inside.advance(HOUR);
    const [first = 0, ...later] = scene.received.map(({ at }) => at);
    expect(later.map((at) => Math.round((at - first) / SECOND))).toEqual([60, 360]);
  });

  test('answered 410 is not sent again: its receiver is gone', async () => {
    await using scene = await carrierAndReceiver(({ status }) => ({ status: status === 'collected' ? 410 : 503 }));
    await scene.labelled('shp_1');
    await scene.inside.advance(3 * HOUR);
    const before = scene.received.length;
    expect(scene.received.at(-1)?.status).toBe('collected');
    await scene.inside.advance(5 * 24 * HOUR);
    expect(scene.received).toHaveLength(before);
    expect((await scene.inside.call('GET', '/shipments/shp_1/tracking')).body.state).toBe('delivered');
    expect(await scene.inside.parked()).toEqual([]);
  });

  test('without an answer within 15 seconds counts as a failed attempt', async () => {
    await using scene = await carrierAndReceiver((_received, attempt) =>
      attempt === 1 ? { status: 204, afterMs: 17_000 } : { status: attempt === 2 ? 503 : 204 },
    );
    await scene.labelled('shp_1');
    await scene.inside.advance(HOUR);
    const [, second = 0, ...later] = scene.received.map(({ at }) => at);
    // The second attempt failed as well: the third comes after 5 minutes, not after 5 seconds as after a single attempt.
    expect(later.map((at) => Math.round((at - second) / SECOND))).toEqual([300]);
  });

  test('that is late does not delay the next one of its parcel', async () => {
    await using scene = await carrierAndReceiver(({ status }, attempt) => ({ status: status === 'collected' && attempt < 4 ? 500 : 204 }));
    await scene.labelled('shp_1');
    await scene.inside.play(scanShipment, { params: { id: 'shp_1' }, body: { scan: 'collect' } });
    await scene.inside.play(scanShipment, { params: { id: 'shp_1' }, body: { scan: 'depart' } });
    await scene.inside.advance(HOUR);
    expect(scene.received.map(({ status }) => status).toSorted()).toEqual([
      ...['collected', 'collected', 'collected', 'collected', 'in-transit', 'label-created'],
    ]);
    expect(scene.received.at(-1)?.status).toBe('collected');
  });

  test('of a carrier that scans at once waits for the one before', async () => {
    await using scene = await carrierAndReceiver(() => ({ status: 204, afterMs: 20 }));
    await scene.inside.setProgression({ carrier: 'immediate' });
    await scene.labelled('shp_1');
    expect(scene.received.map(({ status }) => status)).toEqual([
      ...['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivered'],
    ]);
    expect(scene.mostAtOnce()).toBe(1);
  });

  test('that is duplicated arrives once by itself, and then all copies at once, so that a slow receiver does not add up', async () => {
    await using scene = await carrierAndReceiver(() => ({ status: 204, afterMs: 200 }));
    const match = { webhook: 'carrier', status: 'label-created' } as const;
    await scene.inside.fault('copied', { match, fault: { kind: 'duplicate', copies: 5 } });
    await scene.labelled('shp_1');
    expect(scene.of('shp_1.1')).toHaveLength(6);
    expect(scene.mostAtOnce()).toBe(5);
  });

  test('that never arrives leaves the parcel in transit', async () => {
    await using scene = await carrierAndReceiver(() => ({ status: 204 }));
    scene.inside.sendWebhooksTo('http://127.0.0.1:1');
    await scene.labelled('shp_1');
    await scene.inside.advance(28 * HOUR);
    expect((await scene.inside.call('GET', '/shipments/shp_1/tracking')).body.state).toBe('delivered');
    expect(scene.received).toEqual([]);
  });
});

describe('Scans that reach the FMS through the gateway', () => {
  test('are refused without a signature', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, headers } = await scene.call('carrier-webhook', { body: {} });
    expect([status, headers['www-authenticate']]).toEqual([401, 'StandardWebhooks realm="unified-commerce"']);
  });

  test('count once although their answer was lost', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId, fulfillmentOrderId } = await scene.dispatchedOrder();
    await scene.settle();
    await scene.fault('lost', { match: { api: 'carrier-webhook' }, fault: { kind: 'lost-response' }, times: 2 });
    const before = (await scene.fulfillmentOrder(fulfillmentOrderId)).version;
    await scene.advance('PT3H');
    const deliveries = (await scene.journal()).filter(
      ({ api, request }) => api === 'carrier-webhook' && request?.data?.status === 'collected',
    );
    expect(deliveries.map(({ status }) => status)).toEqual([504, 504, 204]);
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ version: before + 1, shipments: [{ state: 'collected' }] });
    expect((await scene.track(shipmentId)).body.state).toBe('collected');
  });

  test('may take longer than an advance waits: the advance ends at its deadline, and the scans arrive later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.fault('down', { match: { api: 'carrier-webhook' }, fault: { kind: 'outage' }, times: 1 });
    // The FMS knows of the label already: this webhook changes nothing.
    await scene.dispatchedOrder();
    await scene.settle();
    await scene.fault('slow', { match: { api: 'carrier-webhook' }, fault: { kind: 'latency', ms: 3_000 } });
    const { settled, waitingFor } = await scene.client.control('advance-clock', { body: { by: 'PT10S', timeoutMs: 1_000 } });
    expect([settled, waitingFor]).toEqual([false, [expect.stringMatching(/^running carrier-platform\|deliver-webhook\|/)]]);
    expect(await scene.settle()).toMatchObject({ settled: true, parked: [] });
  });

  test('arrive when the FMS is back after days', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { fulfillmentOrderId } = await scene.dispatchedOrder();
    await scene.settle();
    await scene.down({ api: 'carrier-webhook' });
    await scene.advance('P2D');
    expect((await scene.fulfillmentOrder(fulfillmentOrderId)).state).toBe('dispatched');
    await scene.noFaults();
    await scene.advance('P1D');
    expect((await scene.fulfillmentOrder(fulfillmentOrderId)).state).toBe('delivered');
    await scene.verify();
  });
});
