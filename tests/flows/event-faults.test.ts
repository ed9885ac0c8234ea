import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const HELD = 'publish-held-event';
const CONFIRMED = { event: 'order-confirmed' };
const BASKET_CHANGED = { event: 'ext.basket-changed' };
const CARRIER = { webhook: 'carrier' };

/** A basket; each added line is one change with one event. */
async function basketOf(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web' } });
  return {
    id,
    subject: `basket/${id}`,
    change: async (times = 1) => {
      for (let n = 0; n < times; n++) await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
    },
    /** The versions of its events in bus order. */
    versions: async (): Promise<number[]> =>
      (await rehearsal.events({ subject: `basket/${id}`, ext: true })).map(({ aggregateversion }) => aggregateversion),
  };
}

const customer = (rehearsal: TestRehearsal, id = 'cus_ben') => rehearsal.api('get-customer-api', { params: { id } });
const noFault = (rehearsal: TestRehearsal, name: string) => rehearsal.client.control('delete-fault', { params: { name } });
const hits = async (rehearsal: TestRehearsal) => (await rehearsal.faults()).map((fault) => [fault.name, fault.hits]);

describe('An event that is duplicated', () => {
  test('is on the bus the configured number of times, always identical, and has one effect', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { version } = await customer(scene);
    await scene.fault('twice', { match: CONFIRMED, fault: { kind: 'duplicate', copies: 2 } });
    const { id } = await scene.confirmed({ customerId: 'cus_ben' });
    const confirmed = await scene.events({ type: 'order-confirmed' });
    expect(confirmed.map(({ subject }) => subject)).toEqual(Array(3).fill(`order/${id}`));
    expect(new Set(confirmed.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(await hits(scene)).toEqual([['twice', 1]]);
    expect(await customer(scene)).toMatchObject({ state: 'active', version: version + 1 });
    expect(await scene.events({ type: 'ext.customer-changed', subject: 'customer/cus_ben' })).toHaveLength(1);
    // Who consumed it before has nothing to do, which is no failure.
    const repeats = (await scene.journal()).filter(({ api }) => api === 'event:order-confirmed');
    expect(repeats.length).toBeGreaterThanOrEqual(6);
    expect(repeats.filter(({ status }) => status !== 200)).toEqual([]);
    await scene.verify();
  });

  test('earns points once, although every change of the order is delivered twice', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.fault('twice', { match: { event: 'ext.order-changed' }, fault: { kind: 'duplicate' } });
    const before = (await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).entries.length;
    const { orderId } = await scene.dispatchedOrder();
    await scene.advance('P2D');
    const versions = (await scene.orderEvents(orderId)).filter((name) => name.startsWith('ext.'));
    expect(versions.length).toBeGreaterThan(4);
    expect(versions).toEqual([...new Set(versions)].flatMap((name) => [name, name]));
    const { entries } = await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    expect(entries.slice(before)).toMatchObject([{ type: 'earn', orderId }]);
    await scene.verify();
  });

  test('is duplicated only as often as the fault may strike, and only when it matches', async () => {
    await using rehearsal = await newRehearsal();
    const [mine, other] = [await basketOf(rehearsal), await basketOf(rehearsal)];
    const match = { event: 'com.unified-commerce.ext.basket-changed', subject: mine.subject };
    await rehearsal.fault('twice', { match, fault: { kind: 'duplicate' }, times: 2 });
    await mine.change(3);
    await other.change(3);
    expect(await mine.versions()).toEqual([1, 2, 2, 3, 3, 4]);
    expect(await other.versions()).toEqual([1, 2, 3, 4]);
    expect(await hits(rehearsal)).toEqual([['twice', 2]]);
  });

  test('is struck by one fault alone: the oldest', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('first', { match: BASKET_CHANGED, fault: { kind: 'duplicate' }, times: 1 });
    await rehearsal.fault('second', { match: BASKET_CHANGED, fault: { kind: 'duplicate', copies: 2 } });
    await basket.change(2);
    expect(await basket.versions()).toEqual([1, 2, 2, 3, 3, 3]);
    expect(await hits(rehearsal)).toEqual([
      ['first', 1],
      ['second', 1],
    ]);
  });
});

describe('An event that is late', () => {
  test('arrives at its instant on the rehearsal’s clock, unchanged, and has its effect then', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.client.control('set-clock', { body: { flowing: false } });
    await scene.fault('slow', { match: CONFIRMED, fault: { kind: 'late', by: 'PT10M' } });
    const { id } = await scene.confirmed({ customerId: 'cus_ben' });
    const confirmedAt = await scene.now();
    const settled = await scene.settle();
    const until = new Date(confirmedAt + 600_000).toISOString();
    expect(settled).toMatchObject({ settled: true, waitingFor: [], withheld: [{ what: 'event', fault: 'slow', until }] });
    expect(settled.withheld).toMatchObject([{ type: 'com.unified-commerce.order-confirmed', subject: `order/${id}` }]);

    await scene.advance('PT9M59S');
    expect(await scene.events({ type: 'order-confirmed' })).toEqual([]);
    expect((await customer(scene)).state).toBe('registered');

    const { ran, now } = await scene.advance('PT1S');
    expect([now, ran.filter(({ kind }) => kind === HELD)]).toMatchObject([until, [{ application: 'oms', at: until }]]);
    const [event, ...more] = await scene.events({ type: 'order-confirmed' });
    expect([event.subject, event.time, more]).toEqual([`order/${id}`, new Date(confirmedAt).toISOString(), []]);
    expect((await customer(scene)).state).toBe('active');
    expect((await scene.settle()).withheld).toEqual([]);
    expect(await hits(scene)).toEqual([['slow', 1]]);
    await scene.verify();
  });

  test('lets later events pass', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('slow', { match: BASKET_CHANGED, fault: { kind: 'late', by: 'PT1M' }, times: 1 });
    await basket.change(3);
    expect(await basket.versions()).toEqual([1, 3, 4]);
    await rehearsal.advance('PT1M');
    expect(await basket.versions()).toEqual([1, 3, 4, 2]);
  });

  test('arrives by itself when the clock flows', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('slow', { match: BASKET_CHANGED, fault: { kind: 'late', by: 'PT0.2S' } });
    await basket.change();
    const body = { type: 'ext.basket-changed', subject: basket.subject, timeoutMs: 5_000 };
    expect(await rehearsal.client.control('wait-for-events', { body })).toMatchObject({ found: true });
  });

  test('arrives at once when its fault is deleted', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('slow', { match: BASKET_CHANGED, fault: { kind: 'late', by: 'P30D' } });
    await basket.change();
    expect(await basket.versions()).toEqual([1]);
    await noFault(rehearsal, 'slow');
    expect(await basket.versions()).toEqual([1, 2]);
    expect((await rehearsal.advance('P31D')).ran.filter(({ kind }) => kind === HELD)).toEqual([]);
    // The basket was abandoned in the meantime.
    expect(await basket.versions()).toEqual([1, 2, 3]);
  });
});

describe('An event that is withheld', () => {
  test('does not delay an advance and arrives with its effect when the fault is deleted', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.fault('lost', { match: CONFIRMED, fault: { kind: 'withhold' } });
    const { id } = await scene.confirmed({ customerId: 'cus_ben' });
    await scene.advance('P3D');
    const { settled, withheld } = await scene.settle();
    expect([settled, withheld]).toEqual([
      true,
      [
        {
          what: 'event',
          id: expect.stringMatching(/^evt_/),
          type: 'com.unified-commerce.order-confirmed',
          subject: `order/${id}`,
          fault: 'lost',
        },
      ],
    ]);
    expect(await scene.events({ type: 'order-confirmed' })).toEqual([]);
    expect((await customer(scene)).state).toBe('registered');
    await scene.verify();

    await noFault(scene, 'lost');
    expect((await scene.events({ type: 'order-confirmed' })).map((event) => event.id)).toEqual([withheld[0]?.id]);
    expect((await customer(scene)).state).toBe('active');
    expect((await scene.settle()).withheld).toEqual([]);
    await scene.verify();
  });

  test('arrives after the events published meanwhile, and several keep their order', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('lost', { match: BASKET_CHANGED, fault: { kind: 'withhold' }, times: 12 });
    await basket.change(13);
    expect(await basket.versions()).toEqual([1, 14]);
    await rehearsal.noFaults();
    expect(await basket.versions()).toEqual([1, 14, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    await rehearsal.verify();
  });

  test('is released when another fault takes the name, and is not struck again', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('lost', { match: BASKET_CHANGED, fault: { kind: 'withhold' } });
    await basket.change(2);
    await rehearsal.fault('lost', { match: BASKET_CHANGED, fault: { kind: 'duplicate' } });
    expect(await basket.versions()).toEqual([1, 2, 3]);
    expect(await hits(rehearsal)).toEqual([['lost', 0]]);
  });

  test('is discarded by a reset', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('lost', { match: BASKET_CHANGED, fault: { kind: 'withhold' } });
    await basket.change();
    expect((await rehearsal.settle()).withheld).toHaveLength(1);
    await rehearsal.client.control('reset-rehearsal');
    expect(await rehearsal.settle()).toMatchObject({ settled: true, withheld: [] });
    const again = await basketOf(rehearsal);
    await again.change();
    expect(await again.versions()).toEqual([1, 2]);
  });

  test('counts as future progress of the objects that wait for it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { orderId, shipmentId } = await scene.dispatchedOrder();
    await scene.fault('lost', { match: { event: 'ext.fulfillment-order-changed' }, fault: { kind: 'withhold' } });
    await scene.advance('P2D');
    expect((await scene.track(shipmentId)).body.state).toBe('delivered');
    expect((await scene.order(orderId)).state).toBe('in-fulfilment');
    await scene.verify();
    await noFault(scene, 'lost');
    await scene.settle();
    expect((await scene.order(orderId)).state).toBe('completed');
    await scene.verify();
  });
});

describe('An event that is reordered', () => {
  test('arrives directly after the next event of the same object', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder' }, times: 1 });
    await basket.change(3);
    expect(await basket.versions()).toEqual([1, 3, 2, 4]);
    expect(await hits(rehearsal)).toEqual([['swap', 1]]);
    await rehearsal.verify();
  });

  test('is swapped pair by pair while the fault stands, whatever the time between them', async () => {
    await using rehearsal = await newRehearsal();
    const [basket, other] = [await basketOf(rehearsal), await basketOf(rehearsal)];
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder' } });
    await basket.change();
    expect(await basket.versions()).toEqual([1]);
    await other.change();
    expect(await basket.versions()).toEqual([1]);
    await basket.change(4);
    expect(await basket.versions()).toEqual([1, 3, 2, 5, 4]);
    const { withheld } = await rehearsal.settle();
    expect(withheld.map(({ subject }) => subject)).toEqual([other.subject, basket.subject]);
  });

  test('arrives by itself when no other event follows in time', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder', within: 'PT1H' }, times: 1 });
    await basket.change();
    await rehearsal.advance('PT59M');
    expect(await basket.versions()).toEqual([1]);
    await rehearsal.advance('PT1M');
    expect(await basket.versions()).toEqual([1, 2]);
  });

  test('arrives when the fault is deleted and no other event has followed', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder' } });
    await basket.change();
    await noFault(rehearsal, 'swap');
    expect(await basket.versions()).toEqual([1, 2]);
  });

  test('waits for an event that is sent: one that another fault withholds does not overtake it', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder' }, times: 1 });
    await basket.change();
    await rehearsal.fault('kept', { match: BASKET_CHANGED, fault: { kind: 'withhold' }, times: 1 });
    await basket.change();
    expect(await basket.versions()).toEqual([1]);
    await basket.change();
    expect(await basket.versions()).toEqual([1, 4, 2]);
    expect(await hits(rehearsal)).toEqual([
      ['swap', 1],
      ['kept', 1],
    ]);
    await noFault(rehearsal, 'kept');
    expect(await basket.versions()).toEqual([1, 4, 2, 3]);
  });

  test('follows all copies of the next event when that is duplicated', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await basketOf(rehearsal);
    await rehearsal.fault('swap', { match: BASKET_CHANGED, fault: { kind: 'reorder' }, times: 1 });
    await rehearsal.fault('twice', { match: BASKET_CHANGED, fault: { kind: 'duplicate' }, times: 1 });
    await basket.change(2);
    expect(await basket.versions()).toEqual([1, 3, 3, 2]);
    expect(await hits(rehearsal)).toEqual([
      ['swap', 1],
      ['twice', 1],
    ]);
  });

  test('has the same effect: an order with reordered events is completed and earns once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const before = (await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).entries.length;
    await scene.fault('swap-steps', { match: { event: 'ext.fulfillment-order-changed' }, fault: { kind: 'reorder', within: 'PT1H' } });
    await scene.fault('swap-order', { match: { event: 'ext.order-changed' }, fault: { kind: 'reorder', within: 'PT1H' } });
    const { orderId } = await scene.dispatchedOrder();
    await scene.advance('P2D');
    expect((await hits(scene)).every(([, count]) => Number(count) > 1)).toBe(true);
    expect((await scene.order(orderId)).state).toBe('completed');
    const { entries } = await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    expect(entries.slice(before)).toMatchObject([{ type: 'earn', orderId }]);
    await scene.verify();
  });
});

/** Webhooks received by the FMS, attempt by attempt: scan and answer. */
async function told(rehearsal: TestRehearsal): Promise<[string, number][]> {
  const hops = (await rehearsal.journal()).filter(({ api }) => api === 'carrier-webhook');
  return hops.map(({ request, status }) => [request.data.status, status]);
}

/** A parcel with its label, and the webhook about it. */
async function labelled(fault?: Record<string, unknown>) {
  const scene = await newRehearsal({ warehouse: 'manual' });
  await scene.progress({ carrier: 'manual' });
  const ids = await scene.dispatchedOrder();
  await scene.settle();
  if (fault) await scene.fault('road', fault);
  const scan = async (...scans: readonly string[]) => {
    for (const one of scans) {
      await scene.client.control('play-scan', { params: { id: ids.shipmentId, scan: one }, body: {} });
      await scene.settle();
    }
  };
  const parcel = async () => (await scene.fulfillmentOrder(ids.fulfillmentOrderId)).shipments[0].state;
  return { ...scene, ...ids, scan, parcel, told: async () => (await told(scene)).slice(1) };
}

describe('A carrier’s webhook', () => {
  test('that is duplicated is accepted each time and counts once', async () => {
    await using scene = await labelled({ match: CARRIER, fault: { kind: 'duplicate', copies: 2 }, times: 1 });
    const { version } = await scene.fulfillmentOrder(scene.fulfillmentOrderId);
    await scene.scan('collect', 'depart');
    expect(await scene.told()).toEqual([
      ['collected', 204],
      ['collected', 204],
      ['collected', 204],
      ['in-transit', 204],
    ]);
    expect(await scene.fulfillmentOrder(scene.fulfillmentOrderId)).toMatchObject({ version: version + 2 });
    const sending = (await scene.journal()).filter(({ faults }) => faults.includes('road'));
    expect(sending.map(({ api }) => api)).toEqual(['due:deliver-webhook']);
    await scene.verify();
  });

  test('that is late arrives at its instant and moves nothing back', async () => {
    await using scene = await labelled({ match: { ...CARRIER, status: 'collected' }, fault: { kind: 'late', by: 'PT3H' } });
    await scene.scan('collect');
    expect([await scene.parcel(), await scene.told()]).toEqual(['label-created', []]);
    const { settled, withheld } = await scene.settle();
    expect([settled, withheld]).toMatchObject([true, [{ what: 'webhook', id: `${scene.shipmentId}.2`, fault: 'road' }]]);
    await scene.scan('depart');
    expect(await scene.parcel()).toBe('in-transit');
    await scene.advance('PT3H');
    expect(await scene.told()).toEqual([
      ['in-transit', 204],
      ['collected', 204],
    ]);
    expect(await scene.parcel()).toBe('in-transit');
    await scene.verify();
  });

  test('that is reordered arrives after the next one of its parcel and moves nothing back', async () => {
    await using scene = await labelled({ match: CARRIER, fault: { kind: 'reorder' } });
    await scene.scan('collect');
    expect([await scene.parcel(), await scene.told()]).toEqual(['label-created', []]);
    await scene.scan('depart', 'out-for-delivery', 'deliver');
    expect(await scene.told()).toEqual([
      ['in-transit', 204],
      ['collected', 204],
      ['delivered', 204],
      ['out-for-delivery', 204],
    ]);
    expect(await scene.parcel()).toBe('delivered');
    expect((await scene.order(scene.orderId)).state).toBe('completed');
    expect(await hits(scene)).toEqual([['road', 2]]);
    await scene.verify();
  });

  test('that overtakes a reordered one is struck by other faults', async () => {
    await using scene = await labelled({ match: CARRIER, fault: { kind: 'reorder' }, times: 1 });
    await scene.scan('collect');
    await scene.fault('forged', { match: CARRIER, fault: { kind: 'bad-signature' }, times: 1 });
    await scene.scan('depart');
    expect(await scene.told()).toEqual([
      ['in-transit', 401],
      ['collected', 204],
    ]);
    expect(await hits(scene)).toEqual([
      ['road', 1],
      ['forged', 1],
    ]);
    await scene.advance('PT1H');
    expect(await scene.parcel()).toBe('in-transit');
    await scene.verify();
  });

  test('that is reordered arrives by itself when no other one follows in time', async () => {
    await using scene = await labelled({ match: CARRIER, fault: { kind: 'reorder', within: 'PT1H' } });
    await scene.scan('collect');
    await scene.advance('PT59M');
    expect(await scene.parcel()).toBe('label-created');
    await scene.advance('PT1M');
    expect(await scene.parcel()).toBe('collected');
  });

  test('that is withheld is sent when the fault is deleted, however late', async () => {
    await using scene = await labelled({ match: CARRIER, fault: { kind: 'withhold' } });
    await scene.scan('collect', 'depart', 'out-for-delivery', 'deliver');
    await scene.advance('P2D');
    expect([await scene.parcel(), await scene.told()]).toEqual(['label-created', []]);
    expect((await scene.settle()).withheld).toHaveLength(4);
    expect((await scene.track(scene.shipmentId)).body.state).toBe('delivered');
    await scene.verify();
    await scene.noFaults();
    await scene.settle();
    expect((await scene.told()).map(([, status]) => status)).toEqual([204, 204, 204, 204]);
    expect([await scene.parcel(), (await scene.order(scene.orderId)).state]).toEqual(['delivered', 'completed']);
    await scene.verify();
  });

  test.each(['bad-signature', 'stale-timestamp'])('with a %s is refused, and its next attempt counts', async (kind) => {
    await using scene = await labelled({ match: CARRIER, fault: { kind }, times: 2 });
    await scene.scan('collect');
    expect([await scene.parcel(), await scene.told()]).toEqual(['label-created', [['collected', 401]]]);
    await scene.advance('PT1H');
    expect((await scene.told()).map(([, status]) => status)).toEqual([401, 401, 204]);
    expect(await scene.parcel()).toBe('collected');
    expect(await hits(scene)).toEqual([['road', 2]]);
    await scene.verify();
  });

  test('of a carrier that scans at once is reordered without a scan sent twice', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    await scene.progress({ carrier: 'immediate' });
    await scene.fault('road', { match: CARRIER, fault: { kind: 'reorder' } });
    await scene.dispatchedOrder();
    await scene.settle();
    await scene.noFaults();
    await scene.settle();
    expect((await told(scene)).map(([status]) => status)).toEqual([
      ...['collected', 'label-created', 'out-for-delivery', 'in-transit', 'delivered'],
    ]);
    await scene.verify();
  });
});

describe('A fault of events and webhooks is refused by PUT /_control/faults', () => {
  const duplicate = { kind: 'duplicate' };
  test.each([
    ['an unknown event', { match: { event: 'order-conformed' }, fault: duplicate }, '/match/event', 'order-confirmed, order-cancelled'],
    ['a kind of calls for an event', { match: CONFIRMED, fault: { kind: 'outage' } }, '/fault/kind', 'duplicate, late, reorder, withhold'],
    ['a kind of webhooks for an event', { match: CONFIRMED, fault: { kind: 'bad-signature' } }, '/fault/kind', 'duplicate, late'],
    ['a kind of events for a call', { match: { application: 'crm' }, fault: duplicate }, '/fault/kind', 'latency, status, outage, drop'],
    ['a kind of calls for a webhook', { match: CARRIER, fault: { kind: 'drop' } }, '/fault/kind', 'bad-signature, stale-timestamp'],
    ['an unknown webhook', { match: { webhook: 'postman' }, fault: duplicate }, '/match/webhook', 'carrier'],
    ['an unknown status', { match: { ...CARRIER, status: 'eaten' }, fault: duplicate }, '/match/status', 'in-transit'],
    ['an event and an api', { match: { ...CONFIRMED, api: 'get-order-api' }, fault: duplicate }, '/match', 'one of them'],
    ['an event and a webhook', { match: { ...CONFIRMED, ...CARRIER }, fault: duplicate }, '/match', 'one of them'],
    ['a subject of no event', { match: { ...CARRIER, subject: 'order/x' }, fault: duplicate }, '/match/subject', 'event'],
    ['a status of no webhook', { match: { ...CONFIRMED, status: 'collected' }, fault: duplicate }, '/match/status', 'webhook'],
    ['a zero duration', { match: CONFIRMED, fault: { kind: 'late', by: 'PT0S' } }, '/fault/by', 'PT10M'],
    ['a month, which has no fixed length', { match: CONFIRMED, fault: { kind: 'late', by: 'P1M' } }, '/fault/by', 'PT10M'],
    ['a probability without a seed', { match: CONFIRMED, fault: duplicate, probability: 0.5 }, '/seed', 'seed'],
    ['a seed without a probability', { match: CONFIRMED, fault: duplicate, seed: 'x' }, '/probability', 'probability'],
    ['a probability above one', { match: CONFIRMED, fault: duplicate, probability: 2, seed: 'x' }, '/probability', '1'],
  ])('for %s', async (_what, rule, pointer, names) => {
    await using rehearsal = await newRehearsal();
    const headers = { 'x-rehearsal': rehearsal.name };
    const { status, body } = await rehearsal.call('PUT', '/_control/faults/wrong', rule, { as: 'admin', headers });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
    expect(body.errors[0].detail).toContain(names);
    expect(await rehearsal.faults()).toEqual([]);
  });
});
