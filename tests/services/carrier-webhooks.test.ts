import { describe, expect, test } from '@jest/globals';
import * as carrierPlatform from '../../services/carrier-platform/service.ts';
import { TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import { putShipment, resendScanWebhook, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { ADDRESS } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { startReceiver } from './webhook-receiver.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Seconds between the first attempt and each of the ten attempts, which are 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h apart. */
const SCHEDULE = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105];

const STATUSES = ['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivered'];

type Answer = Parameters<typeof startReceiver>[0];

/** The carrier and a receiver of its webhooks, with one labelled parcel. The clock only moves by advances. */
async function carrierAndReceiver(answer: Answer, prepare: (inside: Awaited<ReturnType<typeof startInside>>) => unknown = () => {}) {
  const receiver = await startReceiver(answer);
  const inside = await startInside(carrierPlatform);
  inside.sendWebhooksTo(receiver.url);
  await prepare(inside);
  const labelled = async (service: 'STANDARD' | 'LOST' = 'STANDARD') => {
    const parcel = { fulfillmentOrderId: 'ful_1', carrier: 'demo-carrier', service, from: ADDRESS, to: ADDRESS };
    await inside.as('fms')(putShipment, { params: { id: 'shp_1' }, body: parcel });
    const { body } = await inside.call('POST', '/shipments/shp_1/label', {});
    await inside.events();
    return body;
  };
  const { received, mostAtOnce } = receiver;
  return {
    inside,
    labelled,
    received,
    mostAtOnce,
    statuses: () => received.map(({ status }) => status),
    of: (id: string) => received.filter((one) => one.id === id),
    /** Seconds between an attempt and each later one. The timestamp of a webhook has whole seconds. */
    secondsSince: (position: number) =>
      received.slice(position + 1).map(({ at }) => Math.round((at - (received[position]?.at ?? 0)) / SECOND)),
    resent: () => inside.play(resendScanWebhook, { params: { id: 'shp_1' } }),
    tracked: async () => (await inside.call('GET', '/shipments/shp_1/tracking')).body,
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
}

describe('Webhooks of the carrier', () => {
  test('Signed webhooks report the label and every scan, each with a unique id', async () => {
    await using carrier = await carrierAndReceiver(() => ({ status: 204 }));
    const { trackingNumber, estimatedDelivery } = await carrier.labelled();
    await carrier.inside.advance(28 * HOUR);
    const expected = STATUSES.map((status, position) => [`shp_1.${position + 1}`, status, undefined]);
    expect(carrier.received.map(({ id, status, refusal }) => [id, status, refusal])).toEqual(expected);
    const { events } = await carrier.tracked();
    for (const [position, { body }] of carrier.received.entries()) {
      const data = { shipmentId: 'shp_1', trackingNumber, estimatedDelivery, ...events[position] };
      const timestamp = events[position].occurredAt;
      expect(TrackingUpdate.parse(body)).toEqual({ type: 'shipment.tracking.updated', timestamp, data });
    }
  });

  test('A webhook without a successful answer is sent ten times in all and then parked visibly', async () => {
    await using carrier = await carrierAndReceiver(({ status }) => ({ status: status === 'label-created' ? 500 : 204 }));
    await carrier.labelled('LOST');
    await carrier.inside.advance(4 * 24 * HOUR);
    const attempts = carrier.of('shp_1.1');
    const first = attempts[0]?.at ?? 0;
    expect(attempts.map(({ at }) => Math.round((at - first) / SECOND))).toEqual(SCHEDULE);
    expect(new Set(attempts.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(attempts.filter(({ refusal }) => refusal)).toEqual([]);
    const parked = { key: expect.stringContaining('shp_1.1'), error: expect.stringMatching(/in 10 attempts.*500/) };
    expect(await carrier.inside.parked()).toMatchObject([parked]);
    expect(carrier.of('shp_1.2')).toHaveLength(1);
  });

  test.each([...[200, 201, 204, 299].map((status) => [status, 1]), ...[302, 400, 401, 404, 409, 429, 503].map((status) => [status, 2])])(
    'a webhook answered %i is sent %i times',
    async (status, times) => {
      await using carrier = await carrierAndReceiver((_received, attempt) => ({ status: attempt === 1 ? status : 204 }));
      await carrier.labelled();
      await carrier.inside.advance(MINUTE);
      expect(carrier.received.map(({ id }) => id)).toEqual(Array(times).fill('shp_1.1'));
    },
  );

  test('A webhook is sent again no sooner than Retry-After and its schedule allow', async () => {
    const retryAfter = [60, 1];
    await using carrier = await carrierAndReceiver((_received, attempt) =>
      attempt < 3 ? { status: 503, retryAfter: retryAfter[attempt - 1] } : { status: 204 },
    );
    await carrier.labelled();
    await carrier.inside.advance(HOUR);
    expect(carrier.secondsSince(0)).toEqual([60, 360]);
  });

  test('A webhook answered 410, and all later webhooks, are not sent again', async () => {
    await using carrier = await carrierAndReceiver(({ status }) => ({ status: status === 'collected' ? 410 : 503 }));
    await carrier.labelled();
    await carrier.inside.advance(3 * HOUR);
    const before = carrier.received.length;
    expect(carrier.statuses().at(-1)).toBe('collected');
    await carrier.inside.advance(5 * 24 * HOUR);
    expect(carrier.received).toHaveLength(before);
    expect([(await carrier.tracked()).state, await carrier.inside.parked()]).toEqual(['delivered', []]);
    await expect(carrier.resent()).rejects.toMatchObject({ code: 'delivery_not_possible' });
  });

  test('A webhook that is sent again has the same id and body, and replaces its next attempt', async () => {
    let status = 503;
    await using carrier = await carrierAndReceiver(() => ({ status }));
    await carrier.labelled();
    status = 204;
    expect(await carrier.resent()).toEqual({ webhookId: 'shp_1.1', scan: 'label-created' });
    await carrier.inside.events();
    await carrier.inside.advance(MINUTE);
    const [first, ...others] = carrier.received;
    expect(others.map(({ id, body }) => ({ id, body }))).toEqual([{ id: first?.id, body: first?.body }]);
    expect(await carrier.inside.parked()).toEqual([]);
  });

  test('A webhook without an answer within 15 seconds counts as a failed attempt', async () => {
    await using carrier = await carrierAndReceiver((_received, attempt) =>
      attempt === 1 ? { status: 204, afterMs: 17_000 } : { status: attempt === 2 ? 503 : 204 },
    );
    await carrier.labelled();
    await carrier.inside.advance(HOUR);
    // The second attempt failed as well: the third comes after 5 minutes, not after 5 seconds as after a single attempt.
    expect(carrier.secondsSince(1)).toEqual([300]);
  });

  test('A late webhook does not delay the next one of its parcel', async () => {
    await using carrier = await carrierAndReceiver(({ status }, attempt) => ({
      status: status === 'collected' && attempt < 4 ? 500 : 204,
    }));
    await carrier.labelled();
    for (const scan of ['collect', 'depart'] as const) await carrier.inside.play(scanShipment, { params: { id: 'shp_1' }, body: { scan } });
    await carrier.inside.advance(HOUR);
    expect(carrier.statuses().toSorted()).toEqual([...Array(4).fill('collected'), 'in-transit', 'label-created']);
    expect(carrier.statuses().at(-1)).toBe('collected');
  });

  test('Webhooks of a carrier that scans immediately wait for the previous one', async () => {
    await using carrier = await carrierAndReceiver(
      () => ({ status: 204, afterMs: 20 }),
      (inside) => inside.setProgression({ carrier: 'immediate' }),
    );
    await carrier.labelled();
    expect([carrier.statuses(), carrier.mostAtOnce()]).toEqual([STATUSES, 1]);
  });

  test('A duplicated webhook is sent once, and then all copies concurrently', async () => {
    await using carrier = await carrierAndReceiver(
      () => ({ status: 204, afterMs: 200 }),
      (inside) =>
        inside.fault('copied', { match: { webhook: 'carrier', status: 'label-created' }, fault: { kind: 'duplicate', copies: 5 } }),
    );
    await carrier.labelled();
    expect([carrier.of('shp_1.1').length, carrier.mostAtOnce()]).toEqual([6, 5]);
  });
});
