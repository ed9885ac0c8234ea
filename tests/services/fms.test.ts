import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { newRehearsal } from '../support/estate.ts';

type Scene = Awaited<ReturnType<typeof fulfilling>>;

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

/** A rehearsal with the steps that lead to a parcel. The simulated carrier scans nothing by itself: the tests send its webhooks. */
async function fulfilling() {
  const orders = await newRehearsal({ warehouse: 'manual' });
  await orders.client.control('set-progression', { body: { carrier: 'manual' } });
  let webhooks = 0;
  const read = (id: string) => orders.fulfillmentOrder(id);
  async function packed(qty = 2): Promise<string> {
    const { id: orderId } = await orders.confirmed({ qty });
    const { fulfillmentOrders } = await orders.order(orderId);
    const [{ id }] = fulfillmentOrders;
    const picking = await orders.picked(id);
    for (const status of ['started', 'picked', 'packed'] as const)
      await orders.api('update-picking-status-api', { params: { id: picking.id }, body: { status } });
    return id;
  }
  const dispatch = (id: string, body: object = {}) => orders.call('dispatch-fulfillment-order-api', { params: { id }, body });
  async function dispatched() {
    const id = await packed();
    const { body } = await dispatch(id);
    await orders.settle();
    const [shipment] = body.shipments;
    return { id, shipmentId: shipment.id as string, trackingNumber: shipment.trackingNumber as string };
  }
  async function webhook({ status, at, id = `scan-${++webhooks}`, secret, signedAt = 0, ...parcel }: Scan) {
    const now = await orders.now();
    const instant = new Date(at ?? now).toISOString();
    const body = JSON.stringify({
      type: 'shipment.tracking.updated',
      timestamp: instant,
      data: { ...parcel, status, occurredAt: instant },
    });
    const headers = { ...signWebhook(secret ?? orders.credentials.webhookSecret, { id, at: now + signedAt, body }) };
    return orders.client.call('POST', `/webhooks/carrier?rehearsal=${orders.name}`, body, { as: 'none', headers });
  }
  return {
    ...orders,
    ...{ read, packed, dispatch, dispatched, webhook },
    /** Sends scans of one parcel, a minute apart; each must be accepted. */
    async scans(shipmentId: string, ...statuses: readonly string[]) {
      for (const status of statuses) {
        await orders.advance('PT1M');
        const { status: answer, body } = await webhook({ shipmentId, status });
        if (answer !== 204) throw new Error(`${status}: ${answer} ${JSON.stringify(body)}`);
      }
    },
    label: (shipmentId: string) => orders.call('generate-label-api', { params: { id: shipmentId }, body: {} }),
    onHand: () => orders.onHand('mug-blue', 'dc-01'),
    /** The transitions of a fulfillment order since its dispatch. */
    async moves(id: string): Promise<string[]> {
      const events = await orders.events({ subject: `fulfillment-order/${id}`, ext: true });
      const all = events.map(({ data }) => `${data.previousState ?? '–'}→${data.object.state}`);
      return all.slice(all.indexOf('packed→dispatched') + 1);
    },
    labels: async () => (await orders.events({ type: 'shipment-label-generated' })).length,
    outage: (application: string) => orders.fault('gone', { match: { application }, fault: { kind: 'outage' } }),
  };
}

let scene: Scene;
beforeEach(async () => {
  scene = await fulfilling();
});
afterEach(async () => {
  await scene.noFaults();
  await scene[Symbol.asyncDispose]();
});

describe('Dispatch', () => {
  test('answers the parcel with its label and number; a repeat answers the same', async () => {
    const { packed, dispatch, read, onHand, labels } = scene;
    const before = await onHand();
    const id = await packed();
    const first = await dispatch(id);
    expect([first.status, first.body.state]).toEqual([200, 'dispatched']);
    const [shipment] = first.body.shipments;
    expect(shipment).toEqual({
      ...{ id: expect.stringMatching(/^shp_/), trackingNumber: expect.any(String) },
      ...{ state: 'label-created', labelStatus: 'ready' },
    });
    expect((await scene.object('shipment', shipment.id)).trackingNumber).toBe(shipment.trackingNumber);
    await scene.settle();
    const again = await dispatch(id);
    expect([again.status, again.body.shipments]).toEqual([200, first.body.shipments]);
    expect((await read(id)).version).toBe(again.body.version);
    expect(await onHand()).toBe(before - 2);
    expect(await labels()).toBe(1);
    await scene.verify();
  });

  test('succeeds while the carrier is down: the label is failed and made later', async () => {
    const { packed, dispatch, read, labels, outage, moves } = scene;
    const id = await packed();
    await outage('carrier-platform');
    const { status, body } = await dispatch(id);
    expect([status, body.state]).toEqual([200, 'dispatched']);
    expect(body.shipments[0]).toMatchObject({ state: 'pending', labelStatus: 'failed' });
    await scene.advance('PT5M');
    expect((await read(id)).shipments[0].labelStatus).toBe('failed');
    await scene.noFaults();
    await scene.advance('PT1H');
    expect((await read(id)).shipments[0]).toMatchObject({
      state: 'label-created',
      labelStatus: 'ready',
      trackingNumber: expect.any(String),
    });
    expect(await labels()).toBe(1);
    expect(await moves(id)).toEqual(['dispatched→dispatched', 'dispatched→dispatched']);
    await scene.verify();
  });

  test('without a label leaves it to Generate Label; its number arrives by webhook', async () => {
    const { packed, dispatch, read, label, labels, outage } = scene;
    const id = await packed();
    await outage('carrier-platform');
    const { body } = await dispatch(id);
    await scene.noFaults();
    const made = await label(body.shipments[0].id);
    expect(made.status).toBe(201);
    await scene.settle();
    const [shipment] = (await read(id)).shipments;
    expect(shipment).toMatchObject({ state: 'label-created', labelStatus: 'ready', trackingNumber: made.body.trackingNumber });
    await scene.advance('PT3H');
    expect((await read(id)).shipments).toEqual([shipment]);
    expect(await labels()).toBe(1);
  });

  test('repeated makes a missing label', async () => {
    const { packed, dispatch, labels, outage } = scene;
    const id = await packed();
    await outage('carrier-platform');
    await dispatch(id);
    await scene.noFaults();
    const { status, body } = await dispatch(id);
    expect([status, body.shipments[0].labelStatus]).toEqual([200, 'ready']);
    await scene.advance('PT3H');
    expect(await labels()).toBe(1);
  });

  test('makes a label once when the answer is lost', async () => {
    const { packed, dispatch, read, labels } = scene;
    const id = await packed();
    await scene.fault('lost', { match: { api: 'generate-label-api' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await dispatch(id)).status).toBe(200);
    await scene.advance('PT10M');
    expect((await read(id)).shipments[0]).toMatchObject({
      state: 'label-created',
      labelStatus: 'ready',
      trackingNumber: expect.any(String),
    });
    expect(await labels()).toBe(1);
  });

  test('makes no label with manual labels', async () => {
    const { packed, dispatch, read, label, labels } = scene;
    await scene.client.control('set-progression', { body: { label: 'manual' } });
    const id = await packed();
    const { body } = await dispatch(id);
    expect(body.shipments[0]).toMatchObject({ state: 'pending', labelStatus: 'none' });
    await scene.advance('P1D');
    expect((await read(id)).shipments).toEqual(body.shipments);
    expect(await labels()).toBe(0);
    expect((await label(body.shipments[0].id)).status).toBe(201);
    await scene.settle();
    expect((await read(id)).shipments[0]).toMatchObject({ state: 'label-created', labelStatus: 'ready' });
  });

  test('leads to the delivery also when the carrier scans at once', async () => {
    const { packed, dispatch, read } = scene;
    await scene.client.control('set-progression', { body: { carrier: 'immediate' } });
    const id = await packed();
    expect((await dispatch(id)).status).toBe(200);
    await scene.settle();
    expect(await read(id)).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered', labelStatus: 'ready' }] });
    await scene.verify();
  });
});

describe('The carrier’s webhook', () => {
  test('is refused, and moves nothing, when it is forged, late or about an unknown parcel', async () => {
    const { dispatched, webhook, read } = scene;
    const { id, shipmentId } = await dispatched();
    const before = await read(id);
    const forged = await webhook({ shipmentId, status: 'delivered', secret: 'whsec_Zm9yZ2Vk' });
    expect([forged.status, forged.body.code]).toEqual([401, 'unauthenticated']);
    for (const signedAt of [-6 * 60_000, 6 * 60_000]) {
      expect((await webhook({ shipmentId, status: 'delivered', signedAt })).status).toBe(401);
    }
    const unknown = await webhook({ shipmentId: 'shp_unknown', status: 'delivered' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    expect((await webhook({ trackingNumber: 'unknown', status: 'delivered' })).status).toBe(404);
    expect((await webhook({ status: 'delivered' })).status).toBe(422);
    expect((await webhook({ shipmentId, status: 'pending' })).status).toBe(422);
    const ahead = await webhook({ shipmentId, status: 'delivered', at: (await scene.now()) + 6 * 60_000 });
    expect([ahead.status, ahead.body.errors[0].pointer]).toEqual([422, '/data/occurredAt']);
    expect(await read(id)).toEqual(before);
  });

  test('finds a parcel by its id, by its number, and by its number when the id belongs to another parcel', async () => {
    const { dispatched, webhook, read } = scene;
    const { id, shipmentId, trackingNumber } = await dispatched();
    expect((await webhook({ shipmentId, status: 'collected' })).status).toBe(204);
    expect((await read(id)).shipments[0].state).toBe('collected');
    expect((await webhook({ trackingNumber, status: 'in-transit' })).status).toBe(204);
    expect((await read(id)).shipments[0].state).toBe('in-transit');
    expect((await webhook({ shipmentId: 'theirs', trackingNumber, status: 'out-for-delivery' })).status).toBe(204);
    expect((await read(id)).shipments[0].state).toBe('out-for-delivery');
  });

  test('that names two parcels is refused, and moves neither', async () => {
    const { dispatched, webhook, read } = scene;
    const one = await dispatched();
    const other = await dispatched();
    const before = [await read(one.id), await read(other.id)];
    const both = { shipmentId: one.shipmentId, trackingNumber: other.trackingNumber, status: 'delivered' };
    const { status, body } = await webhook({ ...both, id: 'two-parcels' });
    expect([status, body.errors[0]?.pointer, body.errors[0]?.code]).toEqual([422, '/data/trackingNumber', 'other_shipment']);
    expect([await read(one.id), await read(other.id)]).toEqual(before);
    expect((await webhook({ ...both, trackingNumber: one.trackingNumber, id: 'two-parcels' })).status).toBe(204);
    expect((await read(one.id)).state).toBe('delivered');
  });

  test('adds an unknown number to its parcel', async () => {
    const { packed, dispatch, webhook, read } = scene;
    await scene.client.control('set-progression', { body: { label: 'manual' } });
    const id = await packed();
    const [{ id: shipmentId }] = (await dispatch(id)).body.shipments;
    await webhook({ shipmentId, trackingNumber: 'THEIRS-1', status: 'collected' });
    expect((await read(id)).shipments).toEqual([{ id: shipmentId, trackingNumber: 'THEIRS-1', state: 'collected', labelStatus: 'ready' }]);
    expect((await webhook({ trackingNumber: 'THEIRS-1', status: 'delivered' })).status).toBe(204);
    expect((await read(id)).state).toBe('delivered');
  });

  test('moves its parcel with one event per scan', async () => {
    const { dispatched, scans, read, moves } = scene;
    const { id, shipmentId } = await dispatched();
    const noted = (await moves(id)).length;
    await scans(shipmentId, 'collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot', 'delivered');
    expect(await read(id)).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered' }] });
    expect((await moves(id)).slice(noted)).toEqual([...Array<string>(5).fill('dispatched→dispatched'), 'dispatched→delivered']);
    await scene.verify();
  });

  test('counts an id once, whatever its content', async () => {
    const { dispatched, webhook, read } = scene;
    const { id, shipmentId } = await dispatched();
    const at = await scene.now();
    const scan = { shipmentId, status: 'delivery-attempted', at, id: 'one' };
    const answers = await Promise.all([
      webhook(scan),
      webhook(scan),
      webhook(scan),
      webhook({ ...scan, at: at + 1 }),
      webhook({ ...scan, at: at + 2 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    const { version, state } = await read(id);
    expect(state).toBe('dispatched');
    expect((await webhook({ ...scan, status: 'delivered', at: at + 60_000 })).status).toBe(204);
    expect(await read(id)).toMatchObject({ version, state: 'dispatched', shipments: [{ state: 'delivery-attempted' }] });
  });

  test('ignores scans that are late or repeated, also under new ids', async () => {
    const { dispatched, webhook, read } = scene;
    const { id, shipmentId } = await dispatched();
    await scene.advance('PT1H');
    const at = await scene.now();
    await webhook({ shipmentId, status: 'out-for-delivery', at });
    const before = await read(id);
    const late = [
      { status: 'out-for-delivery', at },
      { status: 'out-for-delivery', at: at - 1 },
      { status: 'in-transit', at: at - 60_000 },
      { status: 'collected', at },
      { status: 'in-transit', at: at + 60_000 },
      { status: 'label-created', at: at + 60_000 },
      { status: 'delivered', at: at - 1 },
    ];
    for (const scan of late) expect((await webhook({ shipmentId, ...scan })).status).toBe(204);
    expect(await read(id)).toEqual(before);
  });

  test('delivers once under repeated scans in any order', async () => {
    const { dispatched, webhook, read, moves } = scene;
    const { id, shipmentId } = await dispatched();
    const noted = (await moves(id)).length;
    await scene.advance('PT1H');
    const at = await scene.now();
    const way = ['collected', 'in-transit', 'out-for-delivery', 'delivered'];
    const storm = [3, 0, 2, 1, 3, 1, 0, 2, 3, 3].map((step, position) =>
      webhook({
        shipmentId,
        status: way[step] ?? '',
        at: at - 1_000 + step,
        id: position % 2 === 0 ? `storm-${step}` : `echo-${position}`,
      }),
    );
    expect(new Set((await Promise.all(storm)).map(({ status }) => status))).toEqual(new Set([204]));
    expect(await read(id)).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered' }] });
    const delivered = (await moves(id)).slice(noted);
    expect(delivered.filter((move) => move.endsWith('delivered'))).toEqual(['dispatched→delivered']);
    expect(delivered.at(-1)).toBe('dispatched→delivered');
    await scene.verify();
  });
});

describe('Delivery', () => {
  test('fails with the third attempt, continues when the parcel is on the van again, and fails with the next attempt', async () => {
    const { dispatched, scans, read } = scene;
    const { id, shipmentId } = await dispatched();
    const attempt = ['out-for-delivery', 'delivery-attempted'];
    await scans(shipmentId, ...attempt, ...attempt);
    expect((await read(id)).state).toBe('dispatched');
    await scans(shipmentId, ...attempt);
    expect(await read(id)).toMatchObject({ state: 'failed-delivery', failureReason: 'delivery-attempts' });
    await scans(shipmentId, 'out-for-delivery');
    const again = await read(id);
    expect([again.state, again.failureReason]).toEqual(['dispatched', undefined]);
    await scans(shipmentId, 'delivery-attempted');
    expect((await read(id)).state).toBe('failed-delivery');
    await scans(shipmentId, 'delivered');
    const delivered = await read(id);
    expect([delivered.state, delivered.failureReason]).toEqual(['delivered', undefined]);
  });

  test('that failed and is not scanned for seven days is returned to sender, and on hand again when the parcel is back', async () => {
    const { dispatched, scans, read, onHand, moves } = scene;
    const { id, shipmentId } = await dispatched();
    const before = await onHand();
    await scans(shipmentId, 'delivery-attempted', 'delivery-attempted', 'delivery-attempted');
    await scene.advance('P6D');
    await scans(shipmentId, 'held-at-depot');
    await scene.advance('P6D');
    expect(await read(id)).toMatchObject({ state: 'failed-delivery', shipments: [{ state: 'held-at-depot' }] });
    await scene.advance('P1D');
    expect(await read(id)).toMatchObject({ state: 'returned-to-sender', failureReason: 'delivery-attempts' });
    expect(await onHand()).toBe(before);
    expect((await moves(id)).at(-1)).toBe('failed-delivery→returned-to-sender');
    await scans(shipmentId, 'returned-to-sender');
    expect(await read(id)).toMatchObject({ state: 'returned-to-sender', shipments: [{ state: 'returned-to-sender' }] });
    expect((await moves(id)).at(-1)).toBe('returned-to-sender→returned-to-sender');
    expect(await onHand()).toBe(before + 2);
    await scene.verify();
  });

  test('of a parcel already returned by time puts no units on hand again', async () => {
    const { dispatched, scans, read, onHand } = scene;
    const { id, shipmentId } = await dispatched();
    const before = await onHand();
    await scans(shipmentId, 'delivery-attempted', 'delivery-attempted', 'delivery-attempted');
    await scene.advance('P8D');
    expect((await read(id)).state).toBe('returned-to-sender');
    expect(await onHand()).toBe(before);
    await scans(shipmentId, 'delivered');
    expect(await read(id)).toMatchObject({ state: 'returned-to-sender', shipments: [{ state: 'delivered' }] });
    await scene.advance('P8D');
    expect(await onHand()).toBe(before);
    await scene.verify();
  });

  test('after the third attempt remains when the seven days are over', async () => {
    const { dispatched, scans, read } = scene;
    const { id, shipmentId } = await dispatched();
    await scans(shipmentId, 'delivery-attempted', 'delivery-attempted', 'delivery-attempted', 'out-for-delivery');
    await scene.advance('P8D');
    expect((await read(id)).state).toBe('dispatched');
    await scans(shipmentId, 'delivered');
    await scene.advance('P8D');
    expect((await read(id)).state).toBe('delivered');
  });

  test('of a lost parcel is possible at any time, and no other scan or timer moves it', async () => {
    const { dispatched, scans, read, onHand } = scene;
    const { id, shipmentId } = await dispatched();
    const before = await onHand();
    await scans(shipmentId, 'collected', 'lost');
    const lost = await read(id);
    expect(lost).toMatchObject({ state: 'failed-delivery', failureReason: 'lost', shipments: [{ state: 'lost' }] });
    await scene.advance('P30D');
    await scans(shipmentId, 'out-for-delivery', 'returned-to-sender');
    expect(await read(id)).toEqual(lost);
    expect(await onHand()).toBe(before);
    await scans(shipmentId, 'delivered');
    expect(await read(id)).toMatchObject({ state: 'delivered', shipments: [{ state: 'delivered' }] });
  });

  test('that failed may be followed by a loss; the parcel is then not returned by time', async () => {
    const { dispatched, scans, read, moves } = scene;
    const { id, shipmentId } = await dispatched();
    await scans(shipmentId, 'delivery-attempted', 'delivery-attempted', 'delivery-attempted', 'lost');
    expect(await read(id)).toMatchObject({ state: 'failed-delivery', failureReason: 'lost' });
    expect((await moves(id)).at(-1)).toBe('failed-delivery→failed-delivery');
    await scene.advance('P8D');
    expect((await read(id)).state).toBe('failed-delivery');
  });

  test.each([
    ['dispatched', []],
    ['failed-delivery', ['delivery-attempted', 'delivery-attempted', 'delivery-attempted']],
  ] as const)('of a %s fulfillment order ends when the parcel is sent back, and its units are on hand again once', async (from, before) => {
    const { dispatched, scans, webhook, read, onHand, moves } = scene;
    const { id, shipmentId } = await dispatched();
    const sent = await onHand();
    await scans(shipmentId, ...before, 'returned-to-sender');
    expect((await read(id)).state).toBe('returned-to-sender');
    expect((await moves(id)).at(-1)).toBe(`${from}→returned-to-sender`);
    expect(await onHand()).toBe(sent + 2);
    await webhook({ shipmentId, status: 'returned-to-sender' });
    await scene.advance('P8D');
    expect(await onHand()).toBe(sent + 2);
  });

  test.each(['outage', 'lost-response'] as const)(
    'ends when the parcel is sent back, and its units are on hand once although the Inventory Service fails (%s)',
    async (kind) => {
      const { dispatched, webhook, read, onHand } = scene;
      const { id, shipmentId } = await dispatched();
      const sent = await onHand();
      await scene.fault('gone', { match: { api: 'record-stock-movement' }, fault: { kind }, times: 2 });
      expect((await webhook({ shipmentId, status: 'returned-to-sender' })).status).toBe(204);
      expect((await read(id)).state).toBe('returned-to-sender');
      await scene.advance('PT1H');
      expect(await onHand()).toBe(sent + 2);
    },
  );
});
