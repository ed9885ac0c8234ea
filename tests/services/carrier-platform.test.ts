import { describe, expect, test } from '@jest/globals';
import * as carrierPlatform from '../../services/carrier-platform/service.ts';
import { putShipment, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { Scan, shipmentLifeCycle, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { ADDRESS, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { readLabel } from './label-reading.ts';

const HOUR = 3_600_000;
const DEPOT = { name: 'Athlone distribution centre', line1: '4 Monksland Park', city: 'Athlone', postalCode: 'N37', country: 'IE' };
const PARCEL = { fulfillmentOrderId: 'ful_1', carrier: 'demo-carrier', service: 'STANDARD', from: DEPOT, to: ADDRESS } as const;

type Verb = (typeof Scan.options)[number];

const refusal = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (problem: Problem) => problem,
  );

/** The carrier alone: the test registers parcels as the FMS does, and no service receives the webhooks. */
async function carrier() {
  const inside = await startInside(carrierPlatform);
  const asFms = inside.as('fms');
  const register = (id: string, parcel: object = {}) => asFms(putShipment, { params: { id }, body: { ...PARCEL, ...parcel } });
  const label = (id: string, body: object = {}) => inside.call('POST', `/shipments/${id}/label`, body);
  return {
    inside,
    ...{ register, label },
    labelled: async (id: string, parcel: object = {}) => {
      await register(id, parcel);
      return (await label(id)).body;
    },
    scan: (id: string, scan: Verb, more: object = {}) => inside.play(scanShipment, { params: { id }, body: { scan, ...more } }),
    track: (id: string) => inside.call('GET', `/shipments/${id}/tracking`),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  };
}

interface Promised {
  readonly estimatedDelivery: { readonly from: string; readonly to: string };
  readonly events: readonly { readonly occurredAt: string }[];
}

/** How long after the label the parcel is expected, at the earliest and at the latest. */
const promiseOf = ({ estimatedDelivery: { from, to }, events }: Promised): number[] =>
  [from, to].map((at) => Date.parse(at) - Date.parse(events[0]?.occurredAt ?? ''));

describe('Put Shipment', () => {
  test('registers a parcel once and ignores other values in a repeat', async () => {
    await using scene = await carrier();
    const first = await scene.register('shp_1');
    expect(first).toMatchObject({ id: 'shp_1', state: 'pending', version: 1, labelStatus: 'none', service: 'STANDARD', events: [] });
    expect(first).not.toHaveProperty('to');
    expect(await scene.register('shp_1', { service: 'EXPRESS' })).toEqual(first);
    expect((await scene.inside.events('shipment/shp_1')).map(({ type }) => type)).toEqual(['com.unified-commerce.ext.shipment-changed']);
  });
});

describe('Generate Label', () => {
  test('gives the parcel its number, its label and a promise: 201', async () => {
    await using scene = await carrier();
    await scene.register('shp_1');
    const { status, body } = await scene.label('shp_1');
    expect([status, body.state, body.version, body.labelStatus]).toEqual([201, 'label-created', 2, 'ready']);
    expect(body.label).toEqual({ format: 'PDF', url: expect.stringMatching(/^\/labels\/inside\/[0-9a-f]{40}\.pdf$/) });
    expect(promiseOf(body)).toEqual([24 * HOUR, 48 * HOUR]);
    expect(body.events).toMatchObject([{ status: 'label-created', statusCode: 'pre_transit' }]);
    const [, event] = await scene.inside.events('shipment/shp_1');
    expect(event).toMatchObject({
      type: 'com.unified-commerce.shipment-label-generated',
      aggregateversion: 2,
      data: { previousState: 'pending', object: { trackingNumber: body.trackingNumber } },
    });
    for (const hidden of ['from', 'to', 'labelToken']) expect(event.data.object).not.toHaveProperty(hidden);
  });

  test('repeated answers 200 with the same label in every state up to delivered', async () => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'attempt', 'hold', 'deliver'] as const) {
      await scene.scan('shp_1', scan);
      const before = (await scene.track('shp_1')).body;
      const { status, body } = await scene.label('shp_1', { service: 'STANDARD' });
      expect([status, body]).toEqual([200, before]);
    }
  });

  test.each(['return', 'lose'] as const)('is refused after %s: 409', async (end) => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    await scene.scan('shp_1', 'collect');
    const { state } = await scene.scan('shp_1', end);
    const { status, body } = await scene.label('shp_1');
    expect([status, body.code, body.currentState, body.action]).toEqual([409, 'invalid_state_transition', state, 'label']);
    expect(body.allowedFrom).toEqual(allowedFrom(shipmentLifeCycle, 'label'));
  });

  test('accepts another carrier and service before the label exists, and promises accordingly', async () => {
    await using scene = await carrier();
    await scene.register('shp_1');
    const { body } = await scene.label('shp_1', { carrier: 'fast-wheels', service: 'EXPRESS', format: 'PDF' });
    expect([body.carrier, body.service, ...promiseOf(body)]).toEqual(['fast-wheels', 'EXPRESS', 8 * HOUR, 16 * HOUR]);
  });

  test('gives every parcel a number of its own with a check digit', async () => {
    await using scene = await carrier();
    const numbers: string[] = [];
    for (let parcel = 1; parcel <= 50; parcel++) numbers.push((await scene.labelled(`shp_${parcel}`)).trackingNumber);
    expect(new Set(numbers).size).toBe(50);
    for (const number of numbers) {
      expect(number).toMatch(/^UC\d{14}$/);
      expect(checkDigit(number.slice(2, -1))).toBe(number.at(-1));
    }
  });

  test('sent ten times at once makes one label', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ label: 'manual', carrier: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    const replies = await Promise.all(Array.from({ length: 10 }, () => scene.label(shipmentId)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 9 }, () => 200), 201]);
    expect(new Set(replies.map(({ body }) => body.trackingNumber)).size).toBe(1);
    expect(await scene.events({ type: 'shipment-label-generated' })).toHaveLength(1);
    await scene.verify();
  });

  test('for a parcel that is not registered yet asks the FMS for it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.down({ api: 'put-shipment' });
    const { shipmentId } = await scene.dispatchedOrder();
    expect((await scene.track(shipmentId)).status).toBe(404);
    const { status, body } = await scene.label(shipmentId);
    expect([status, body.state]).toEqual([201, 'label-created']);
    const events = await scene.events({ subject: `shipment/${shipmentId}`, ext: true });
    expect(events.map(({ type, aggregateversion }) => [type.replace('com.unified-commerce.', ''), aggregateversion])).toEqual([
      ['ext.shipment-changed', 1],
      ['shipment-label-generated', 2],
    ]);
  });

  test('answers 404 for an unknown parcel and 503 while the FMS is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    expect((await scene.label('shp_1')).status).toBe(404);
    await scene.down('fms');
    const { status, body } = await scene.label('shp_1');
    expect([status, body.code]).toEqual([503, 'dependency_unavailable']);
  });

  test('requires the API key and accepts no bearer token', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, headers } = await scene.call('generate-label-api', { params: { id: 'shp_1' }, body: {}, as: 'bearer' });
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('ApiKey')]);
  });

  test('respects If-Match and an Idempotency-Key', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ label: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    expect((await scene.label(shipmentId, {}, { 'if-match': '"7"' })).status).toBe(412);
    const headers = { 'idempotency-key': 'label-it', 'if-match': '"1"' };
    const first = await scene.label(shipmentId, {}, headers);
    const second = await scene.label(shipmentId, {}, headers);
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
  });
});

describe('Label Document', () => {
  const fetchLabel = (url: string) => fetch(`${estate.gateway}${url}`);

  test('is a page of 4 by 6 inches, public to holders of its address, with the tracking number as barcode', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    const { body } = await scene.label(shipmentId);
    const response = await fetchLabel(body.label.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const read = await readLabel(bytes);
    expect(read).toMatchObject({ pages: 1, points: [288, 432], format: 'CODE_128', code: body.trackingNumber });
    for (const text of [
      'DEMO-CARRIER',
      'STANDARD',
      ADDRESS.name,
      ADDRESS.line1,
      'H91 Galway',
      'Ireland (IE)',
      'Athlone distribution centre',
    ]) {
      expect(read.text).toContain(text);
    }
    expect(new Uint8Array(await (await fetchLabel(body.label.url)).arrayBuffer())).toEqual(bytes);
  });

  test('fits the longest names and addresses and letters of other alphabets', async () => {
    await using scene = await carrier();
    const to = {
      name: `${'Wilhelmina-Maximiliane Łódźberg '.repeat(3)}Ångström`,
      line1: `${'Donaudampfschifffahrtsgesellschaftshauptgebäude'.repeat(2)} 4711`,
      city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      postalCode: '1234567890123456',
      country: 'GB',
    };
    const from = { name: 'W'.repeat(120), line1: 'Ω'.repeat(120), city: 'M'.repeat(80), postalCode: '9'.repeat(16), country: 'VC' };
    const shipment = await scene.labelled('shp_1', { to, from, carrier: 'x'.repeat(40), service: 'ATTEMPT3' });
    const { body } = await scene.inside.document(shipment.label.url);
    const read = await readLabel(body);
    expect([read.pages, read.code]).toEqual([1, shipment.trackingNumber]);
    const text = read.text.replaceAll(' ', '');
    for (const part of [
      'Lódzberg',
      'Ångström',
      to.line1.replaceAll(' ', ''),
      to.city,
      from.name,
      from.city,
      '?'.repeat(120),
      'X'.repeat(40),
    ]) {
      expect(text).toContain(part);
    }
  });

  test.each(['nobody-made-this.pdf', `${'0'.repeat(40)}.pdf`, `${'0'.repeat(40)}`, '%2e%2e.pdf'])('%s is never served', async (file) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    expect([400, 404]).toContain((await fetchLabel(`/labels/${scene.name}/${file}`)).status);
  });

  test('of one rehearsal is not shown in another', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await using other = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    const { body } = await scene.label(shipmentId);
    const elsewhere = body.label.url.replace(scene.name, other.name);
    expect([(await fetchLabel(body.label.url)).status, (await fetchLabel(elsewhere)).status]).toEqual([200, 404]);
  });
});

describe('Track Shipment', () => {
  test('answers the newest hundred scans of a parcel that is scanned without end', async () => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    for (const scan of ['collect', 'depart', 'out-for-delivery'] as const) await scene.scan('shp_1', scan);
    for (let n = 0; n < 60; n++) {
      await scene.scan('shp_1', 'attempt', { message: `Attempt ${n}` });
      await scene.scan('shp_1', 'out-for-delivery');
    }
    const { body } = await scene.track('shp_1');
    expect(body).toMatchObject({ state: 'out-for-delivery', version: 125 });
    expect(body.events).toHaveLength(100);
    expect(body.events.at(-2)).toMatchObject({ status: 'delivery-attempted', message: 'Attempt 59' });
  });

  test('answers state, promise and every scan, oldest first', async () => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    await scene.scan('shp_1', 'collect', { location: 'Athlone', message: 'Picked up' });
    await scene.scan('shp_1', 'depart');
    const { status, body } = await scene.track('shp_1');
    expect([status, body.state]).toEqual([200, 'in-transit']);
    expect(body.estimatedDelivery).toBeDefined();
    expect(body.events.map(({ status: state, statusCode }: { status: string; statusCode: string }) => [state, statusCode])).toEqual([
      ['label-created', 'pre_transit'],
      ['collected', 'in_transit'],
      ['in-transit', 'in_transit'],
    ]);
    expect(body.events[1]).toMatchObject({ location: 'Athlone', message: 'Picked up' });
  });

  test('answers 409 for a pending parcel and 404 for an unknown one', async () => {
    await using scene = await carrier();
    await scene.register('shp_1');
    const { status, body } = await scene.track('shp_1');
    expect([status, body.code, body.currentState, body.action]).toEqual([409, 'invalid_state_transition', 'pending', 'track']);
    expect(body.allowedFrom).toEqual(shipmentLifeCycle.states.slice(1));
    expect((await scene.track('shp_2')).status).toBe(404);
  });
});

/** Scans that lead a labelled parcel into each state. */
const waysTo: Readonly<Record<string, readonly Verb[]>> = {
  'label-created': [],
  collected: ['collect'],
  'in-transit': ['collect', 'depart'],
  'out-for-delivery': ['collect', 'depart', 'out-for-delivery'],
  'delivery-attempted': ['collect', 'depart', 'out-for-delivery', 'attempt'],
  'held-at-depot': ['collect', 'depart', 'hold'],
  delivered: ['collect', 'depart', 'out-for-delivery', 'deliver'],
  'returned-to-sender': ['collect', 'return'],
  lost: ['collect', 'lose'],
};

describe('A scan', () => {
  test.each(Object.entries(waysTo))('of a parcel that is %s follows the life cycle or is refused', async (state, way) => {
    await using scene = await carrier();
    for (const scan of Scan.options) {
      const id = `shp_${scan}`;
      await scene.labelled(id);
      for (const step of way) await scene.scan(id, step);
      const before = (await scene.track(id)).body;
      expect(before.state).toBe(state);
      const row = shipmentLifeCycle.rows.find(({ verb, from }) => verb === scan && (from as readonly unknown[]).includes(state));
      if (row) {
        const after = await scene.scan(id, scan);
        const [to] = row.to;
        expect([after.state, after.version, after.events.length]).toEqual([to, before.version + 1, before.events.length + 1]);
        expect(after.events.at(-1)).toMatchObject({ status: to, statusCode: trackingStatusCodes[to as keyof typeof trackingStatusCodes] });
      } else {
        const { code, context } = await refusal(scene.scan(id, scan));
        expect([code, context['currentState'], context['action']]).toEqual(['invalid_state_transition', state, scan]);
        expect(context['allowedFrom']).toEqual(allowedFrom(shipmentLifeCycle, scan));
        expect((await scene.track(id)).body).toEqual(before);
      }
    }
  });

  test('is refused for a parcel without a label and answered 404 for an unknown parcel', async () => {
    await using scene = await carrier();
    await scene.register('shp_1');
    expect((await refusal(scene.scan('shp_1', 'collect'))).context['allowedFrom']).toEqual(['label-created']);
    expect((await refusal(scene.scan('shp_2', 'collect'))).code).toBe('not_found');
  });

  test('has its own instant and its own event', async () => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'deliver'] as const) await scene.scan('shp_1', scan);
    const { events } = (await scene.track('shp_1')).body;
    const moments: string[] = events.map(({ occurredAt }: { occurredAt: string }) => occurredAt);
    expect(moments).toEqual([...new Set(moments)].toSorted());
    const emitted = await scene.inside.events('shipment/shp_1');
    expect(emitted.map(({ aggregateversion, data }) => `${aggregateversion} ${data.previousState ?? '–'} → ${data.object.state}`)).toEqual([
      '1 – → pending',
      '2 pending → label-created',
      '3 label-created → collected',
      '4 collected → in-transit',
      '5 in-transit → out-for-delivery',
      '6 out-for-delivery → delivered',
    ]);
  });

  test('played through the control plane is refused in the wrong state, and the refusal names the possible verbs', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    const play = (id: string, scan: string) => scene.call('POST', `/_control/shipments/${id}/${scan}`, {}, { as: 'admin' });
    const early = await play(shipmentId, 'deliver');
    expect([early.status, early.body.code, early.body.currentState, early.body.action]).toEqual([
      ...[409, 'invalid_state_transition', 'label-created', 'deliver'],
    ]);
    expect(early.body).toMatchObject({ allowedFrom: allowedFrom(shipmentLifeCycle, 'deliver'), allowedScans: ['collect', 'lose'] });
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'attempt']) expect((await play(shipmentId, scan)).status).toBe(200);
    expect((await play(shipmentId, 'find')).body.allowedScans).toEqual(['out-for-delivery', 'hold', 'deliver', 'return', 'lose']);
    expect((await play(shipmentId, 'deliver')).body.state).toBe('delivered');
    const late = await play(shipmentId, 'return');
    expect([late.status, late.body.allowedScans, late.body.detail]).toEqual([
      409,
      [],
      expect.stringContaining('No further scan is allowed'),
    ]);
    const unknown = await play(shipmentId, 'explode');
    expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining(Scan.options.join(', '))]);
    expect(await play('shp_1', 'collect')).toMatchObject({ status: 404, body: { objectType: 'shipment', id: 'shp_1' } });
  });

  test('played through the control plane moves the parcel, and the fulfillment order hears of it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'manual' });
    const { shipmentId, fulfillmentOrderId } = await scene.dispatchedOrder();
    for (const scan of waysTo['delivered'] ?? []) {
      await scene.client.control('play-scan', { params: { id: shipmentId, scan }, body: {} });
    }
    await scene.settle();
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered' }] });
    await scene.verify();
  });
});

describe('A parcel', () => {
  const history = async (scene: TestRehearsal, id: string): Promise<string[]> =>
    (await scene.track(id)).body.events.map(({ status }: { status: string }) => status);

  test.each([
    ['STANDARD', 'PT28H', ['collected', 'in-transit', 'out-for-delivery', 'delivered'], 'delivered'],
    ['EXPRESS', 'PT12H', ['collected', 'in-transit', 'out-for-delivery', 'delivered'], 'delivered'],
    ['RTS', 'PT72H', ['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'returned-to-sender'], 'returned-to-sender'],
    [
      'ATTEMPT3',
      'PT76H',
      [
        ...['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'out-for-delivery', 'delivery-attempted'],
        ...['out-for-delivery', 'delivery-attempted'],
      ],
      'failed-delivery',
    ],
    ['LOST', 'P20D', ['collected', 'in-transit', 'lost'], 'failed-delivery'],
  ])('of service %s completes its journey after %s', async (service, by, states, end) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId, fulfillmentOrderId } = await scene.dispatchedOrder({ service: service as 'STANDARD' });
    await scene.advance(by);
    expect(await history(scene, shipmentId)).toEqual(['label-created', ...states]);
    expect((await scene.fulfillmentOrder(fulfillmentOrderId)).state).toBe(end);
    await scene.verify();
  });

  test('is scanned at the hours of its service', async () => {
    await using scene = await carrier();
    await scene.labelled('shp_1');
    const seen: string[] = [];
    for (const hours of [1.99, 0.01, 3.99, 0.01, 17.99, 0.01, 3.99, 0.01]) {
      await scene.inside.advance(Math.round(hours * HOUR));
      seen.push((await scene.track('shp_1')).body.state);
    }
    expect(seen).toEqual([
      ...['label-created', 'collected', 'collected', 'in-transit', 'in-transit', 'out-for-delivery', 'out-for-delivery', 'delivered'],
    ]);
  });

  test('with progression manual stays in its state until it is given up after 14 days without a scan', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'manual' });
    const begun = await scene.dispatchedOrder();
    await scene.client.control('play-scan', { params: { id: begun.shipmentId, scan: 'collect' }, body: {} });
    await scene.advance('P13D');
    await scene.client.control('play-scan', { params: { id: begun.shipmentId, scan: 'depart' }, body: {} });
    await scene.advance('P13D');
    expect((await scene.track(begun.shipmentId)).body.state).toBe('in-transit');
    await scene.advance('P1DT1S');
    expect((await scene.track(begun.shipmentId)).body.state).toBe('lost');
  });

  test('with progression immediate is delivered when the estate is idle, with every scan reported in order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'immediate' });
    const { shipmentId, fulfillmentOrderId } = await scene.dispatchedOrder({ service: 'ATTEMPT3' });
    await scene.settle();
    expect(await history(scene, shipmentId)).toHaveLength(10);
    expect(await scene.fulfillmentOrder(fulfillmentOrderId)).toMatchObject({
      state: 'returned-to-sender',
      failureReason: 'delivery-attempts',
    });
  });

  test('that switches to automatic progression continues its plan from its current state', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    for (const scan of ['collect', 'depart', 'hold']) {
      await scene.client.control('play-scan', { params: { id: shipmentId, scan }, body: {} });
    }
    await scene.advance('PT25H');
    await scene.progress({ carrier: 'time' });
    await scene.settle();
    expect((await scene.track(shipmentId)).body.state).toBe('out-for-delivery');
    await scene.advance('PT4H');
    expect(await history(scene, shipmentId)).toEqual([
      ...['label-created', 'collected', 'in-transit', 'held-at-depot', 'out-for-delivery', 'delivered'],
    ]);
  });

  test('whose plan was overtaken by hand continues with the remaining scans', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    for (const scan of ['collect', 'depart', 'out-for-delivery', 'attempt']) {
      await scene.client.control('play-scan', { params: { id: shipmentId, scan }, body: {} });
    }
    await scene.advance('PT27H');
    expect((await scene.track(shipmentId)).body.state).toBe('delivery-attempted');
    await scene.advance('PT2H');
    expect((await scene.track(shipmentId)).body.state).toBe('delivered');
  });

  test('in transit stops when progression becomes manual and is delivered when it becomes immediate', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder();
    await scene.advance('PT3H');
    await scene.progress({ carrier: 'manual' });
    await scene.advance('P2D');
    expect((await scene.track(shipmentId)).body.state).toBe('collected');
    await scene.progress({ carrier: 'immediate' });
    await scene.settle();
    expect((await scene.track(shipmentId)).body.state).toBe('delivered');
  });

  test('that was delivered does not change with time', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.dispatchedOrder();
    await scene.advance('P2D');
    const { ran } = await scene.advance('P30D');
    expect(ran.filter(({ application }) => application === 'carrier-platform')).toEqual([]);
  });

  test('that was lost may be found and does not change afterwards', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { shipmentId } = await scene.dispatchedOrder({ service: 'LOST' });
    await scene.advance('P15D');
    await scene.client.control('play-scan', { params: { id: shipmentId, scan: 'find' }, body: {} });
    const { ran } = await scene.advance('P30D');
    expect(ran.filter(({ kind }) => kind === 'planned-scan' || kind === 'give-up-parcel')).toEqual([]);
    expect(await history(scene, shipmentId)).toEqual(['label-created', 'collected', 'in-transit', 'lost', 'delivered']);
  });
});
