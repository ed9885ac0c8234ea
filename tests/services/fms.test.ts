import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

interface Scan {
  readonly shipmentId?: string;
  readonly trackingNumber?: string;
  readonly status: string;
  /** When it happened, epoch milliseconds; now when absent. */
  readonly at?: number;
  readonly id?: string;
  readonly secret?: string;
  /** Timestamp of the signature, relative to the clock of the rehearsal, in milliseconds. */
  readonly signedAt?: number;
}

const ATTEMPTS = ['delivery-attempted', 'delivery-attempted', 'delivery-attempted'] as const;
const LABELLED = { state: 'label-created', labelStatus: 'ready', trackingNumber: expect.any(String) };

/** A rehearsal whose goods are picked by hand, and whose carrier's webhooks the test sends. */
async function fulfilling(progression: ProgressionInput = {}) {
  const rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual', ...progression });
  const { call, name, now, credentials, events } = rehearsal;
  let webhooks = 0;
  return {
    ...rehearsal,
    /** The id of a packed fulfillment order of two mugs. */
    aPacked: async (goods?: Parameters<typeof rehearsal.packedOrder>[0]) => (await rehearsal.packedOrder(goods)).fulfillmentOrderId,
    mugs: () => rehearsal.stockAt('mug-blue', 'dc-01'),
    /** The transitions of a fulfillment order since its dispatch. */
    movesOf: async (id: string): Promise<string[]> => {
      const all = (await events({ subject: `fulfillment-order/${id}`, ext: true })).map(
        ({ data }) => `${data.previousState ?? '–'}→${data.object.state}`,
      );
      return all.slice(all.indexOf('packed→dispatched') + 1);
    },
    labels: async () => (await events({ type: 'shipment-label-generated' })).length,
    firstParcel: async (id: string) => (await rehearsal.fulfillmentOrder(id)).shipments[0],
    /** Sends a signed webhook with any body. */
    send: async (content: object, id: string, { secret = credentials.webhookSecret } = {}) => {
      const body = JSON.stringify(content);
      const headers = { 'content-type': 'application/json', ...signWebhook(secret, { id, at: await now(), body }) };
      return call('carrier-webhook', { query: { rehearsal: name }, body, headers, as: 'none' });
    },
    webhook: async ({ status, at, id = `scan-${++webhooks}`, secret = credentials.webhookSecret, signedAt = 0, ...parcel }: Scan) => {
      const instant = await now();
      const occurredAt = new Date(at ?? instant).toISOString();
      const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: occurredAt, data: { ...parcel, status, occurredAt } });
      const headers = { 'content-type': 'application/json', ...signWebhook(secret, { id, at: instant + signedAt, body }) };
      return call('carrier-webhook', { query: { rehearsal: name }, body, headers, as: 'none' });
    },
  };
}

/** A rehearsal with a labelled parcel of two mugs on its way. */
async function onItsWay() {
  const rehearsal = await fulfilling();
  const parcelOf = async () => {
    const id = await rehearsal.aPacked();
    const { body } = await rehearsal.dispatch(id);
    await rehearsal.settle();
    return { id, shipmentId: body.shipments[0].id as string, trackingNumber: body.shipments[0].trackingNumber as string };
  };
  const parcel = await parcelOf();
  const before = (await rehearsal.movesOf(parcel.id)).length;
  const scan = (status: string, more: Partial<Scan> = {}) => rehearsal.webhook({ shipmentId: parcel.shipmentId, status, ...more });
  return {
    ...rehearsal,
    ...parcel,
    parcelOf,
    read: () => rehearsal.fulfillmentOrder(parcel.id),
    moves: async () => (await rehearsal.movesOf(parcel.id)).slice(before),
    sentOnHand: (await rehearsal.mugs()).onHand,
    onHand: async () => (await rehearsal.mugs()).onHand,
    scan,
    /** Sends scans of the parcel, a minute apart; each must be accepted. */
    scans: async (...statuses: readonly string[]) => {
      for (const status of statuses) {
        await rehearsal.advance('PT1M');
        expect([status, (await scan(status)).status]).toEqual([status, 204]);
      }
    },
  };
}

describe('Dispatch Fulfillment Order', () => {
  const test = testIn(fulfilling);

  test('Dispatch Fulfillment Order and its repeat return the parcel with label and number, and the picked units leave once', async (rehearsal) => {
    const id = await rehearsal.aPacked();
    const { onHand, reserved } = await rehearsal.mugs();
    const first = await rehearsal.dispatch(id);
    expect(first).toMatchObject({ status: 200, body: { state: 'dispatched' } });
    const [shipment] = first.body.shipments;
    expect(shipment).toEqual({ ...LABELLED, id: expect.stringMatching(/^shp_/) });
    expect((await rehearsal.object('shipment', shipment.id)).trackingNumber).toBe(shipment.trackingNumber);
    await rehearsal.settle();
    const again = await rehearsal.dispatch(id);
    expect([again.status, again.body.shipments]).toEqual([200, first.body.shipments]);
    expect((await rehearsal.fulfillmentOrder(id)).version).toBe(again.body.version);
    expect([await rehearsal.mugs(), await rehearsal.labels()]).toEqual([{ onHand: onHand - 2, reserved: reserved - 2 }, 1]);
  });

  test('The first event of a dispatch has no tracking number, and the events of the label have it', async (rehearsal) => {
    const id = await rehearsal.aPacked();
    const { trackingNumber } = (await rehearsal.dispatch(id)).body.shipments[0];
    await rehearsal.settle();
    const changes = await rehearsal.events({ subject: `fulfillment-order/${id}`, ext: true });
    const numbers = changes
      .filter(({ data }) => data.object.state === 'dispatched')
      .map(({ data }) => (data.object['shipments'] as { trackingNumber?: string }[])[0]?.trackingNumber);
    expect(numbers).toEqual([undefined, trackingNumber]);
    const [label] = await rehearsal.events({ type: 'shipment-label-generated' });
    expect(label?.data.object).toMatchObject({ trackingNumber, fulfillmentOrderId: id });
  });

  test('Dispatch Fulfillment Order succeeds while the carrier is down: the label is failed and made later', async (rehearsal) => {
    const id = await rehearsal.aPacked();
    await rehearsal.down('carrier-platform');
    const { body } = await rehearsal.dispatch(id);
    expect(body).toMatchObject({ state: 'dispatched', shipments: [{ state: 'pending', labelStatus: 'failed' }] });
    await rehearsal.advance('PT5M');
    expect((await rehearsal.firstParcel(id)).labelStatus).toBe('failed');
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.firstParcel(id)).toMatchObject(LABELLED);
    expect(await rehearsal.labels()).toBe(1);
    expect(await rehearsal.movesOf(id)).toEqual(['dispatched→dispatched', 'dispatched→dispatched']);
  });

  test('Dispatch Fulfillment Order repeated makes a missing label', async (rehearsal) => {
    const id = await rehearsal.aPacked();
    await rehearsal.down('carrier-platform');
    await rehearsal.dispatch(id);
    await rehearsal.noFaults();
    expect(await rehearsal.dispatch(id)).toMatchObject({ status: 200, body: { shipments: [{ labelStatus: 'ready' }] } });
    await rehearsal.advance('PT3H');
    expect(await rehearsal.labels()).toBe(1);
  });

  test('Dispatch Fulfillment Order makes no label where the rehearsal makes labels by hand', async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    const id = await rehearsal.aPacked();
    const { body } = await rehearsal.dispatch(id);
    expect(body.shipments[0]).toMatchObject({ state: 'pending', labelStatus: 'none' });
    await rehearsal.advance('P1D');
    expect([await rehearsal.firstParcel(id), await rehearsal.labels()]).toEqual([body.shipments[0], 0]);
    expect((await rehearsal.label(body.shipments[0].id)).status).toBe(201);
    await rehearsal.settle();
    expect(await rehearsal.firstParcel(id)).toMatchObject(LABELLED);
  });

  test.each([
    ['payment_incomplete', { kind: 'status', status: 409, code: 'payment_incomplete' }, 409],
    ['dependency_unavailable', { kind: 'outage' }, 503],
    ['dependency_timeout', { kind: 'lost-response', as: 'timeout' }, 504],
  ] as const)(
    'Dispatch Fulfillment Order is refused while the OMS does not confirm the payment: %s',
    async (rehearsal, code, fault, status) => {
      const id = await rehearsal.aPacked();
      const before = await rehearsal.mugs();
      await rehearsal.fault('unpaid', { match: { api: 'ensure-captured' }, fault, times: 1 });
      expect(await rehearsal.dispatch(id)).toMatchObject({ status, body: { code } });
      expect(await rehearsal.fulfillmentOrder(id)).toMatchObject({ state: 'packed', shipments: [] });
      expect(await rehearsal.mugs()).toEqual(before);
      expect((await rehearsal.dispatch(id)).status).toBe(200);
    },
  );
});

describe('The carrier webhook', () => {
  const test = testIn(onItsWay);

  test('A webhook that is forged, late, incomplete or about an unknown parcel is refused and moves nothing', async (rehearsal) => {
    const { scan, webhook, read } = rehearsal;
    const before = await read();
    const forged = { status: 401, body: { code: 'unauthenticated' } };
    expect(await scan('delivered', { secret: 'whsec_Zm9yZ2Vk' })).toMatchObject(forged);
    for (const signedAt of [-6 * 60_000, 6 * 60_000]) expect((await scan('delivered', { signedAt })).status).toBe(401);
    const unknown = { status: 404, body: { code: 'not_found' } };
    expect(await webhook({ shipmentId: 'shp_unknown', status: 'delivered' })).toMatchObject(unknown);
    expect(await webhook({ trackingNumber: 'unknown', status: 'delivered' })).toMatchObject(unknown);
    expect((await webhook({ status: 'delivered' })).status).toBe(422);
    expect((await scan('pending')).status).toBe(422);
    const future = { status: 422, body: { errors: [{ pointer: '/data/occurredAt' }] } };
    expect(await scan('delivered', { at: (await rehearsal.now()) + 6 * 60_000 })).toMatchObject(future);
    expect(await read()).toEqual(before);
  });

  test('A webhook finds a parcel by its id, by its number, and by its number when the id belongs to another parcel', async (rehearsal) => {
    const { shipmentId, trackingNumber, webhook, read } = rehearsal;
    for (const [status, parcel] of [
      ['collected', { shipmentId }],
      ['in-transit', { trackingNumber }],
      ['out-for-delivery', { shipmentId: 'theirs', trackingNumber }],
    ] as const) {
      expect((await webhook({ ...parcel, status })).status).toBe(204);
      expect((await read()).shipments[0].state).toBe(status);
    }
  });

  test('A webhook that names two parcels is refused, and moves neither', async (rehearsal) => {
    const { trackingNumber, scan, read } = rehearsal;
    const other = await rehearsal.parcelOf();
    const states = async () => [await read(), await rehearsal.fulfillmentOrder(other.id)];
    const before = await states();
    const { status, body } = await scan('delivered', { trackingNumber: other.trackingNumber, id: 'two-parcels' });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/data/trackingNumber', code: 'other_shipment' }]]);
    expect(await states()).toEqual(before);
    expect((await scan('delivered', { trackingNumber, id: 'two-parcels' })).status).toBe(204);
    expect((await read()).state).toBe('delivered');
  });

  testIn(() => fulfilling({ label: 'manual' }))('a webhook adds an unknown number to its parcel', async (rehearsal) => {
    const id = await rehearsal.aPacked();
    const [{ id: shipmentId }] = (await rehearsal.dispatch(id)).body.shipments;
    await rehearsal.webhook({ shipmentId, trackingNumber: 'THEIRS-1', status: 'collected' });
    const parcel = { id: shipmentId, trackingNumber: 'THEIRS-1', state: 'collected', labelStatus: 'ready' };
    expect((await rehearsal.fulfillmentOrder(id)).shipments).toEqual([parcel]);
    expect((await rehearsal.webhook({ trackingNumber: 'THEIRS-1', status: 'delivered' })).status).toBe(204);
    expect((await rehearsal.fulfillmentOrder(id)).state).toBe('delivered');
  });

  test('A webhook with unknown members moves its parcel, and the journal names them', async (rehearsal) => {
    const { shipmentId, send, read, now } = rehearsal;
    const occurredAt = new Date(await now()).toISOString();
    const data = { shipmentId, status: 'collected', occurredAt, depot: { id: 'D-1' }, barcode: '4242 4242 4242 4242' };
    const body = { type: 'shipment.tracking.updated', timestamp: occurredAt, signedBy: 'carrier-eu', data };
    expect((await send(body, 'open-members')).status).toBe(204);
    expect((await read()).shipments[0]).toMatchObject({ state: 'collected' });
    const hop = (await rehearsal.journal()).find(({ headers }) => headers?.['webhook-id'] === 'open-members');
    expect(hop).toMatchObject({ status: 204, ignored: ['/signedBy', '/data/depot', '/data/barcode'] });
    expect(hop?.unchanged).toBeUndefined();
    expect(JSON.stringify(hop)).not.toContain('4242 4242 4242 4242');
  });

  test('A webhook of an unknown type is accepted and changes nothing', async (rehearsal) => {
    const { shipmentId, send, read, now } = rehearsal;
    const before = await read();
    for (const body of [
      { type: 'shipment.label.voided', timestamp: new Date(await now()).toISOString(), data: { shipmentId, status: 'delivered' } },
      { type: 'ping' },
    ]) {
      expect((await send(body, `other-${body.type}`)).status).toBe(204);
      const hop = (await rehearsal.journal()).find(({ headers }) => headers?.['webhook-id'] === `other-${body.type}`);
      expect(hop?.unchanged).toBe(`The type ${body.type} is unknown. Webhooks of the type shipment.tracking.updated report scans.`);
    }
    expect(await read()).toEqual(before);
    expect((await send({ type: 'ping' }, 'forged', { secret: 'whsec_AAAA' })).status).toBe(401);
  });

  test('A webhook with a wrong value in a known member is refused', async (rehearsal) => {
    const { shipmentId, send, read, now } = rehearsal;
    const occurredAt = new Date(await now()).toISOString();
    const right = { type: 'shipment.tracking.updated', timestamp: occurredAt, data: { shipmentId, status: 'delivered', occurredAt } };
    const before = await read();
    for (const [wrong, pointer] of [
      [{ ...right, type: 7 }, '/type'],
      [{ ...right, type: undefined }, '/type'],
      [{ ...right, type: '' }, '/type'],
      [{ ...right, timestamp: 'now' }, '/timestamp'],
      [{ ...right, data: { ...right.data, status: 'vanished' } }, '/data/status'],
      [{ ...right, data: { ...right.data, location: '4242 4242 4242 4242' } }, '/data/location'],
    ] as const) {
      const { status, body } = await send(wrong, `wrong-${pointer}`);
      expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
    }
    expect(await read()).toEqual(before);
  });

  test('A webhook id counts once, whatever its content', async (rehearsal) => {
    const { scan, read } = rehearsal;
    const at = await rehearsal.now();
    const send = (later: number) => scan('delivery-attempted', { at: at + later, id: 'one' });
    const answers = await Promise.all([0, 0, 0, 1, 2].map(send));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    const { version } = await read();
    expect((await scan('delivered', { at: at + 60_000, id: 'one' })).status).toBe(204);
    expect(await read()).toMatchObject({ version, state: 'dispatched', shipments: [{ state: 'delivery-attempted' }] });
  });

  test('Late and repeated scans change nothing, even under new ids', async (rehearsal) => {
    const { scan, read } = rehearsal;
    await rehearsal.advance('PT1H');
    const at = await rehearsal.now();
    await scan('out-for-delivery', { at });
    const before = await read();
    for (const [status, later] of [
      ['out-for-delivery', 0],
      ['out-for-delivery', -1],
      ['in-transit', -60_000],
      ['collected', 0],
      ['in-transit', 60_000],
      ['label-created', 60_000],
      ['delivered', -1],
    ] as const) {
      expect((await scan(status, { at: at + later })).status).toBe(204);
    }
    expect(await read()).toEqual(before);
  });
});

describe('Delivery', () => {
  const test = testIn(onItsWay);

  test('A delivery fails with the third attempt, continues when the parcel is on the van again, and fails with the next attempt', async (rehearsal) => {
    const { scans, read } = rehearsal;
    const attempt = ['out-for-delivery', 'delivery-attempted'];
    await scans(...attempt, ...attempt);
    expect((await read()).state).toBe('dispatched');
    await scans(...attempt);
    expect(await read()).toMatchObject({ state: 'failed-delivery', failureReason: 'delivery-attempts' });
    for (const [status, state, reason] of [
      ['out-for-delivery', 'dispatched', undefined],
      ['delivery-attempted', 'failed-delivery', 'delivery-attempts'],
      ['delivered', 'delivered', undefined],
    ] as const) {
      await scans(status);
      const { state: after, failureReason } = await read();
      expect([after, failureReason]).toEqual([state, reason]);
    }
  });

  test('A failed delivery without a scan for seven days is returned to sender, and restocked when the parcel arrives', async (rehearsal) => {
    const { scans, read, onHand, sentOnHand, moves } = rehearsal;
    await scans(...ATTEMPTS);
    await rehearsal.advance('P6D');
    await scans('held-at-depot');
    await rehearsal.advance('P6D');
    expect(await read()).toMatchObject({ state: 'failed-delivery', shipments: [{ state: 'held-at-depot' }] });
    await rehearsal.advance('P1D');
    expect(await read()).toMatchObject({ state: 'returned-to-sender', failureReason: 'delivery-attempts' });
    expect([await onHand(), (await moves()).at(-1)]).toEqual([sentOnHand, 'failed-delivery→returned-to-sender']);
    await scans('returned-to-sender');
    expect(await read()).toMatchObject({ state: 'returned-to-sender', shipments: [{ state: 'returned-to-sender' }] });
    expect([await onHand(), (await moves()).at(-1)]).toEqual([sentOnHand + 2, 'returned-to-sender→returned-to-sender']);
  });

  test('A parcel that is delivered after its timed return restocks no units again', async (rehearsal) => {
    const { scans, read, onHand, sentOnHand } = rehearsal;
    await scans(...ATTEMPTS);
    await rehearsal.advance('P8D');
    await scans('delivered');
    expect(await read()).toMatchObject({ state: 'returned-to-sender', shipments: [{ state: 'delivered' }] });
    await rehearsal.advance('P8D');
    expect(await onHand()).toBe(sentOnHand);
  });

  test('A lost parcel can be delivered at any time, and no other scan or timer moves it', async (rehearsal) => {
    const { scans, read, onHand, sentOnHand } = rehearsal;
    await scans('collected', 'lost');
    const lost = await read();
    expect(lost).toMatchObject({ state: 'failed-delivery', failureReason: 'lost', shipments: [{ state: 'lost' }] });
    await rehearsal.advance('P30D');
    await scans('out-for-delivery', 'returned-to-sender');
    expect([await read(), await onHand()]).toEqual([lost, sentOnHand]);
    await scans('delivered');
    expect(await read()).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered' }] });
  });

  test('A parcel that is lost after a failed delivery is not returned by time', async (rehearsal) => {
    await rehearsal.scans(...ATTEMPTS, 'lost');
    expect(await rehearsal.read()).toMatchObject({ state: 'failed-delivery', failureReason: 'lost' });
    expect((await rehearsal.moves()).at(-1)).toBe('failed-delivery→failed-delivery');
    await rehearsal.advance('P8D');
    expect((await rehearsal.read()).state).toBe('failed-delivery');
  });

  test.each([
    ['dispatched', []],
    ['failed-delivery', ATTEMPTS],
  ] as const)(
    'a %s fulfillment order ends when the parcel is sent back, and its units are on hand again once',
    async (rehearsal, from, before) => {
      const { scans, scan, read, onHand, sentOnHand, moves } = rehearsal;
      await scans(...before, 'returned-to-sender');
      expect([(await read()).state, (await moves()).at(-1)]).toEqual(['returned-to-sender', `${from}→returned-to-sender`]);
      expect(await onHand()).toBe(sentOnHand + 2);
      await scan('returned-to-sender');
      await rehearsal.advance('P8D');
      expect(await onHand()).toBe(sentOnHand + 2);
    },
  );
});
