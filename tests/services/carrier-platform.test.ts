import { describe, expect } from '@jest/globals';
import * as carrierPlatform from '../../services/carrier-platform/service.ts';
import { putShipment, resendScanWebhook, scanShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { Scan, shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { ADDRESS, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';
import { testIn } from '../support/test-in.ts';
import { readLabel } from './label-reading.ts';

const HOUR = 3_600_000;
const DEPOT = { name: 'Athlone distribution centre', line1: '4 Monksland Park', city: 'Athlone', postalCode: 'N37', country: 'IE' };
const PARCEL = { fulfillmentOrderId: 'ful_1', carrier: 'demo-carrier', service: 'STANDARD', from: DEPOT, to: ADDRESS } as const;

type Verb = (typeof Scan.options)[number];

/** The carrier alone: the test registers parcels as the FMS does, and no service receives the webhooks. */
async function carrier() {
  const inside = await startInside(carrierPlatform);
  const asFms = inside.as('fms');
  const register = (id: string, parcel: object = {}) => asFms(putShipment, { params: { id }, body: { ...PARCEL, ...parcel } });
  const label = (id: string, body: object = {}) => inside.call('POST', `/shipments/${id}/label`, body);
  const scan = (id: string, verb: Verb, more: object = {}) => inside.play(scanShipment, { params: { id }, body: { scan: verb, ...more } });
  return {
    inside,
    register,
    label,
    scan,
    scanned: async (id: string, ...scans: readonly Verb[]) => {
      for (const verb of scans) await scan(id, verb);
    },
    labelled: async (id: string, parcel: object = {}) => {
      await register(id, parcel);
      return (await label(id)).body;
    },
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

/** A rehearsal whose goods are picked by hand. */
const manual = () => newRehearsal({ warehouse: 'manual' });
const test = testIn(manual);

const testAlone = testIn(carrier);

describe('Generate Label', () => {
  testAlone('Generate Label gives the parcel its number, its label and a promise: 201', async (alone) => {
    await alone.register('shp_1');
    const { status, body } = await alone.label('shp_1');
    expect([status, body]).toMatchObject([201, { state: 'label-created', version: 2, labelStatus: 'ready' }]);
    expect(body.label).toEqual({ format: 'PDF', url: expect.stringMatching(/^\/labels\/inside\/[0-9a-f]{40}\.pdf$/) });
    expect(promiseOf(body)).toEqual([24 * HOUR, 48 * HOUR]);
    expect(body.events).toMatchObject([{ status: 'label-created', statusCode: 'pre_transit' }]);
    const [, event] = await alone.inside.events('shipment/shp_1');
    expect(event).toMatchObject({ type: 'com.unified-commerce.shipment-label-generated', aggregateversion: 2 });
    expect(event.data).toMatchObject({ previousState: 'pending', object: { trackingNumber: body.trackingNumber } });
    for (const hidden of ['from', 'to', 'labelToken']) expect(event.data.object).not.toHaveProperty(hidden);
  });

  testAlone('Generate Label gives every parcel a unique number with a check digit', async (alone) => {
    const numbers: string[] = [];
    for (let parcel = 1; parcel <= 50; parcel++) numbers.push((await alone.labelled(`shp_${parcel}`)).trackingNumber);
    expect(new Set(numbers).size).toBe(50);
    for (const number of numbers) {
      expect(number).toMatch(/^UC\d{14}$/);
      expect(checkDigit(number.slice(2, -1))).toBe(number.at(-1));
    }
  });

  test('Generate Label reads a parcel that is not registered yet from the FMS, and needs the FMS for it', async (rehearsal) => {
    await rehearsal.down({ api: 'put-shipment' });
    const { shipmentId } = await rehearsal.dispatchedOrder({ carrier: 'other', service: 'EXPRESS' });
    expect((await rehearsal.track(shipmentId)).status).toBe(404);
    await rehearsal.fault('no-fms', { match: { application: 'fms' }, fault: { kind: 'outage' }, times: 1 });
    expect(await rehearsal.label(shipmentId)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } });
    const { status, body } = await rehearsal.label(shipmentId);
    expect([status, body]).toMatchObject([201, { state: 'label-created', carrier: 'other', service: 'EXPRESS' }]);
    const { text } = await readLabel(new Uint8Array(await (await fetch(`${estate.gateway}${body.label.url}`)).arrayBuffer()));
    expect([ADDRESS.name, ADDRESS.line1, DEPOT.name].filter((part) => !text.includes(part))).toEqual([]);
    const events = await rehearsal.events({ subject: `shipment/${shipmentId}`, ext: true });
    expect(typesOf(events)).toEqual(['ext.shipment-changed', 'shipment-label-generated']);
    expect(events.map(({ aggregateversion }) => aggregateversion)).toEqual([1, 2]);
  });
});

describe('The label document', () => {
  const fetchLabel = (url: string) => fetch(`${estate.gateway}${url}`);

  test('The label document is a page of 4 by 6 inches, public to holders of its address, with the tracking number as barcode', async (rehearsal) => {
    await using other = await manual();
    const { shipmentId } = await rehearsal.dispatchedOrder();
    const { body } = await rehearsal.label(shipmentId);
    const response = await fetchLabel(body.label.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(response.headers.get('content-disposition')).toBe('inline; filename="shipping-label.pdf"');
    const bytes = new Uint8Array(await response.arrayBuffer());
    const read = await readLabel(bytes);
    expect(read).toMatchObject({ pages: 1, points: [288, 432], format: 'CODE_128', code: body.trackingNumber });
    const parts = ['DEMO-CARRIER', 'STANDARD', ADDRESS.name, ADDRESS.line1, 'H91 Galway', 'Ireland (IE)', 'Athlone distribution centre'];
    expect(parts.filter((part) => !read.text.includes(part))).toEqual([]);
    expect(new Uint8Array(await (await fetchLabel(body.label.url)).arrayBuffer())).toEqual(bytes);
    expect((await fetchLabel(body.label.url.replace(rehearsal.name, other.name))).status).toBe(404);
  });

  testAlone(
    'the label document prints the second line, the region and the phone, and leaves out a postal code that the country does not have',
    async (alone) => {
      const to = {
        name: 'Ada',
        line1: '9 Corniche Road',
        line2: 'Floor 3',
        city: 'Abu Dhabi',
        region: 'Al Danah',
        country: 'AE',
        phone: '+97125550101',
      };
      const shipment = await alone.labelled('shp_1', { to });
      const { text } = await readLabel((await alone.inside.document(shipment.label.url)).body);
      const parts = ['9 Corniche Road', 'Floor 3', 'Abu Dhabi', 'Al Danah', 'United Arab Emirates (AE)', 'Phone +97125550101'];
      expect(parts.filter((part) => !text.includes(part))).toEqual([]);
      expect(text).not.toContain('undefined');
    },
  );

  testAlone('the label document fits the longest names and addresses and letters of other alphabets', async (alone) => {
    const to = {
      name: `${'Wilhelmina-Maximiliane Łódźberg '.repeat(3)}Ångström`,
      line1: `${'Donaudampfschifffahrtsgesellschaftshauptgebäude'.repeat(2)} 4711`,
      city: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
      postalCode: '1234567890123456',
      country: 'GB',
    };
    const from = { name: 'W'.repeat(120), line1: 'Ω'.repeat(120), city: 'M'.repeat(80), postalCode: '9'.repeat(16), country: 'VC' };
    const shipment = await alone.labelled('shp_1', { to, from, carrier: 'x'.repeat(40), service: 'ATTEMPT3' });
    const read = await readLabel((await alone.inside.document(shipment.label.url)).body);
    expect([read.pages, read.code]).toEqual([1, shipment.trackingNumber]);
    const text = read.text.replaceAll(' ', '');
    const address = [to.line1.replaceAll(' ', ''), to.city, from.name, from.city, '?'.repeat(120), 'X'.repeat(40)];
    expect(['Lódzberg', 'Ångström', ...address].filter((part) => !text.includes(part))).toEqual([]);
  });

  test.each(['nobody-made-this.pdf', `${'0'.repeat(40)}.pdf`, `${'0'.repeat(40)}`, '%2e%2e.pdf'])(
    'The label %s is never served',
    async (rehearsal, file) => {
      expect([400, 404]).toContain((await fetchLabel(`/labels/${rehearsal.name}/${file}`)).status);
    },
  );
});

describe('Track Shipment', () => {
  testAlone('Track Shipment returns the newest hundred scans of a parcel with more scans', async (alone) => {
    await alone.labelled('shp_1');
    await alone.scanned('shp_1', 'collect', 'depart', 'out-for-delivery');
    for (let n = 0; n < 60; n++) {
      await alone.scan('shp_1', 'attempt', { message: `Attempt ${n}` });
      await alone.scan('shp_1', 'out-for-delivery');
    }
    const { body } = await alone.track('shp_1');
    expect(body).toMatchObject({ state: 'out-for-delivery', version: 125 });
    expect(body.events).toHaveLength(100);
    expect(body.events.at(-2)).toMatchObject({ status: 'delivery-attempted', message: 'Attempt 59' });
  });
});

describe('Scans', () => {
  testAlone('The webhook of a scan is not sent again for a parcel without a label, and an unknown parcel is not found', async (alone) => {
    await alone.register('shp_1');
    const resend = (id: string) => alone.inside.play(resendScanWebhook, { params: { id } });
    await expect(resend('shp_1')).rejects.toMatchObject({ code: 'invalid_state_transition', context: { currentState: 'pending' } });
    await expect(resend('shp_2')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('A scan played through the control plane is refused in the wrong state, and the refusal names the possible verbs', async (rehearsal) => {
    await rehearsal.progress({ carrier: 'manual' });
    const { shipmentId, fulfillmentOrderId } = await rehearsal.dispatchedOrder();
    const play = (id: string, scan: string) => rehearsal.call('POST', `/_control/shipments/${id}/${scan}`, {}, { as: 'admin' });
    const early = { code: 'invalid_state_transition', currentState: 'label-created', action: 'deliver', allowedScans: ['collect', 'lose'] };
    expect(await play(shipmentId, 'deliver')).toMatchObject({
      status: 409,
      body: { ...early, allowedFrom: allowedFrom(shipmentLifeCycle, 'deliver') },
    });
    await rehearsal.scanned(shipmentId, 'collect', 'depart', 'out-for-delivery', 'attempt');
    expect((await play(shipmentId, 'find')).body.allowedScans).toEqual(['out-for-delivery', 'hold', 'deliver', 'return', 'lose']);
    expect((await play(shipmentId, 'deliver')).body.state).toBe('delivered');
    const detail = expect.stringContaining('No further scan is allowed');
    expect(await play(shipmentId, 'return')).toMatchObject({ status: 409, body: { allowedScans: [], detail } });
    const known = expect.stringContaining(Scan.options.join(', '));
    expect(await play(shipmentId, 'explode')).toMatchObject({ status: 404, body: { detail: known } });
    expect(await play('shp_1', 'collect')).toMatchObject({ status: 404, body: { objectType: 'shipment', id: 'shp_1' } });
    await rehearsal.settle();
    const delivered = { state: 'delivered', shipments: [{ state: 'delivered' }] };
    expect(await rehearsal.fulfillmentOrder(fulfillmentOrderId)).toMatchObject(delivered);
  });
});

describe('Parcels', () => {
  const stateOf = async (rehearsal: TestRehearsal, id: string) => (await rehearsal.track(id)).body.state;
  const history = async (rehearsal: TestRehearsal, id: string): Promise<string[]> =>
    (await rehearsal.track(id)).body.events.map(({ status }: { status: string }) => status);

  const ATTEMPT = ['out-for-delivery', 'delivery-attempted'];
  test.each([
    ['STANDARD', 'PT28H', ['collected', 'in-transit', 'out-for-delivery', 'delivered'], 'delivered'],
    ['EXPRESS', 'PT12H', ['collected', 'in-transit', 'out-for-delivery', 'delivered'], 'delivered'],
    ['RTS', 'PT72H', ['collected', 'in-transit', ...ATTEMPT, 'returned-to-sender'], 'returned-to-sender'],
    ['ATTEMPT3', 'PT76H', ['collected', 'in-transit', ...ATTEMPT, ...ATTEMPT, ...ATTEMPT], 'failed-delivery'],
    ['LOST', 'P20D', ['collected', 'in-transit', 'lost'], 'failed-delivery'],
  ] as const)('a parcel of service %s completes its journey after %s', async (rehearsal, service, by, states, end) => {
    const { shipmentId, fulfillmentOrderId } = await rehearsal.dispatchedOrder({ service });
    await rehearsal.advance(by);
    expect(await history(rehearsal, shipmentId)).toEqual(['label-created', ...states]);
    expect((await rehearsal.fulfillmentOrder(fulfillmentOrderId)).state).toBe(end);
  });

  testAlone('a parcel is scanned at the hours of its service', async (alone) => {
    await alone.labelled('shp_1');
    for (const [hours, before, after] of [
      [2, 'label-created', 'collected'],
      [4, 'collected', 'in-transit'],
      [18, 'in-transit', 'out-for-delivery'],
      [4, 'out-for-delivery', 'delivered'],
    ] as const) {
      await alone.inside.advance(hours * HOUR - 36_000);
      expect((await alone.track('shp_1')).body.state).toBe(before);
      await alone.inside.advance(36_000);
      expect((await alone.track('shp_1')).body.state).toBe(after);
    }
  });

  test('A parcel with progression manual stays in its state until it is lost after 14 days without a scan', async (rehearsal) => {
    await rehearsal.progress({ carrier: 'manual' });
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.scanned(shipmentId, 'collect');
    await rehearsal.advance('P13D');
    await rehearsal.scanned(shipmentId, 'depart');
    await rehearsal.advance('P13D');
    expect(await stateOf(rehearsal, shipmentId)).toBe('in-transit');
    await rehearsal.advance('P1DT1S');
    expect(await stateOf(rehearsal, shipmentId)).toBe('lost');
  });

  test('A parcel that changes to automatic progression continues its plan from its current state', async (rehearsal) => {
    await rehearsal.progress({ carrier: 'manual' });
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.scanned(shipmentId, 'collect', 'depart', 'hold');
    await rehearsal.advance('PT25H');
    await rehearsal.progress({ carrier: 'time' });
    await rehearsal.settle();
    expect(await stateOf(rehearsal, shipmentId)).toBe('out-for-delivery');
    await rehearsal.advance('PT4H');
    const scans = ['label-created', 'collected', 'in-transit', 'held-at-depot', 'out-for-delivery', 'delivered'];
    expect(await history(rehearsal, shipmentId)).toEqual(scans);
  });

  test('A parcel in transit stops when progression becomes manual and is delivered when it becomes immediate', async (rehearsal) => {
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.advance('PT3H');
    await rehearsal.progress({ carrier: 'manual' });
    await rehearsal.advance('P2D');
    expect(await stateOf(rehearsal, shipmentId)).toBe('collected');
    await rehearsal.progress({ carrier: 'immediate' });
    await rehearsal.settle();
    expect(await stateOf(rehearsal, shipmentId)).toBe('delivered');
  });
});
