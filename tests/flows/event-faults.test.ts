import { describe, expect, test as plainTest } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const CONFIRMED = { event: 'order-confirmed' };
const CHANGED = { event: 'ext.basket-changed' };
const CARRIER = { webhook: 'carrier' };

/** A basket of a rehearsal. Each added line is one change with one event. */
async function basketIn(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web' } });
  return {
    subject: `basket/${id}`,
    change: async (times = 1) => {
      for (let n = 0; n < times; n++) await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
    },
    /** The versions of the basket's events, in bus order. */
    versions: async (): Promise<number[]> =>
      (await rehearsal.events({ subject: `basket/${id}`, ext: true })).map(({ aggregateversion }) => aggregateversion),
  };
}

const ben = (rehearsal: TestRehearsal) => rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
const noFault = (rehearsal: TestRehearsal, name: string) => rehearsal.control('delete-fault', { params: { name } });
const hits = async (rehearsal: TestRehearsal) => Object.fromEntries((await rehearsal.faults()).map((fault) => [fault.name, fault.hits]));

describe('Duplicated events', () => {
  test('A duplicated event is on the bus in identical copies and has one effect', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    const { version } = await ben(rehearsal);
    await rehearsal.fault('twice', { match: CONFIRMED, fault: { kind: 'duplicate', copies: 2 } });
    const { id } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    const confirmed = await rehearsal.events({ type: 'order-confirmed' });
    expect(confirmed.map(({ subject }) => subject)).toEqual(Array(3).fill(`order/${id}`));
    expect(new Set(confirmed.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(await rehearsal.faults()).toMatchObject([{ name: 'twice', hits: 1, struck: [{ eventId: confirmed[0]?.id }] }]);
    expect(await ben(rehearsal)).toMatchObject({ state: 'active', version: version + 1 });
    expect(await rehearsal.events({ type: 'ext.customer-changed', subject: 'customer/cus_ben' })).toHaveLength(1);
    const deliveries = (await rehearsal.journal()).filter(({ api }) => api === 'event:order-confirmed');
    expect(deliveries.length).toBeGreaterThanOrEqual(6);
    expect(deliveries.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('A fault duplicates events of its subject only, and at most the configured number of times', async (rehearsal) => {
    const [mine, other] = [await basketIn(rehearsal), await basketIn(rehearsal)];
    const match = { event: 'com.unified-commerce.ext.basket-changed', subject: mine.subject };
    await rehearsal.fault('twice', { match, fault: { kind: 'duplicate' }, times: 2 });
    await mine.change(3);
    await other.change(3);
    expect([await mine.versions(), await other.versions()]).toEqual([
      [1, 2, 2, 3, 3, 4],
      [1, 2, 3, 4],
    ]);
    expect(await hits(rehearsal)).toEqual({ twice: 2 });
  });

  test.each([
    ['The oldest of several faults alone strikes an event', { kind: 'duplicate' }, { kind: 'duplicate', copies: 2 }, [1, 2, 2, 3, 3, 3]],
    ['A reordered event follows all copies of a duplicated one', { kind: 'reorder' }, { kind: 'duplicate' }, [1, 3, 3, 2]],
  ])('%s', async (rehearsal, _title, first, second, versions) => {
    const basket = await basketIn(rehearsal);
    await rehearsal.fault('first', { match: CHANGED, fault: first, times: 1 });
    await rehearsal.fault('second', { match: CHANGED, fault: second, times: 1 });
    await basket.change(2);
    expect(await basket.versions()).toEqual(versions);
    expect(await hits(rehearsal)).toEqual({ first: 1, second: 1 });
  });
});

describe('Late, withheld and reordered events', () => {
  test('A late event arrives unchanged at its instant on the rehearsal’s clock, and has its effect then', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.fault('slow', { match: CONFIRMED, fault: { kind: 'late', by: 'PT10M' } });
    const { id } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    const confirmedAt = await rehearsal.now();
    const until = new Date(confirmedAt + 600_000).toISOString();
    const late = { what: 'event', type: 'com.unified-commerce.order-confirmed', subject: `order/${id}`, fault: 'slow', until };
    expect(await rehearsal.settle()).toMatchObject({ settled: true, waitingFor: [], withheld: [late] });

    await rehearsal.advance('PT9M59S');
    expect(await rehearsal.events({ type: 'order-confirmed' })).toEqual([]);
    expect((await ben(rehearsal)).state).toBe('registered');

    const { ran, now } = await rehearsal.advance('PT1S');
    const published = ran.filter(({ kind }) => kind === 'publish-held-event');
    expect([now, published]).toMatchObject([until, [{ application: 'oms', at: until }]]);
    const events = await rehearsal.events({ type: 'order-confirmed' });
    expect(events.map(({ subject, time }) => [subject, time])).toEqual([[`order/${id}`, new Date(confirmedAt).toISOString()]]);
    expect((await ben(rehearsal)).state).toBe('active');
    expect((await rehearsal.settle()).withheld).toEqual([]);
  });

  test('A late event arrives without an advance when the clock flows', async (rehearsal) => {
    const basket = await basketIn(rehearsal);
    await rehearsal.fault('slow', { match: CHANGED, fault: { kind: 'late', by: 'PT0.2S' } });
    await basket.change();
    const body = { type: 'ext.basket-changed', subject: basket.subject, timeoutMs: 5_000 } as const;
    expect(await rehearsal.control('wait-for-events', { body })).toMatchObject({ found: true });
  });

  test('A withheld event delays no advance, and arrives with its effect when the fault is deleted', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    await rehearsal.fault('lost', { match: CONFIRMED, fault: { kind: 'withhold' } });
    const { id } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    await rehearsal.advance('P3D');
    const { settled, withheld } = await rehearsal.settle();
    const type = 'com.unified-commerce.order-confirmed';
    const held = { what: 'event', id: expect.stringMatching(/^evt_/), type, subject: `order/${id}`, fault: 'lost' };
    expect([settled, withheld]).toEqual([true, [held]]);
    expect(await rehearsal.events({ type: 'order-confirmed' })).toEqual([]);
    expect((await ben(rehearsal)).state).toBe('registered');
    await rehearsal.verify();

    await noFault(rehearsal, 'lost');
    expect((await rehearsal.events({ type: 'order-confirmed' })).map((event) => event.id)).toEqual([withheld[0]?.id]);
    expect((await ben(rehearsal)).state).toBe('active');
    expect((await rehearsal.settle()).withheld).toEqual([]);
  });

  const TWELVE = Array.from({ length: 12 }, (_, n) => n + 2);
  const LATE = { kind: 'late', by: 'PT1M' };
  const WITHHELD = { kind: 'withhold' };
  const REORDERED = { kind: 'reorder' };
  const deleted = (rehearsal: TestRehearsal) => noFault(rehearsal, 'first');
  const advanced = (by: string) => (rehearsal: TestRehearsal) => rehearsal.advance(by);
  test.each<[string, object, number, number[], (rehearsal: TestRehearsal) => Promise<unknown>, number[]]>([
    ['A late event lets later ones pass', { fault: LATE, times: 1 }, 3, [1, 3, 4], advanced('PT1M'), [1, 3, 4, 2]],
    ['A late event arrives when its fault is deleted', { fault: LATE }, 1, [1], deleted, [1, 2]],
    ['Withheld events arrive in their order, after all others', { fault: WITHHELD, times: 12 }, 13, [1, 14], deleted, [1, 14, ...TWELVE]],
    ['A reordered event follows the next one of its object', { fault: REORDERED, times: 1 }, 3, [1, 3, 2, 4], deleted, [1, 3, 2, 4]],
    ['A reordered event does not arrive before its time', { fault: { ...REORDERED, within: 'PT1H' } }, 1, [1], advanced('PT59M'), [1]],
    ['A reordered event arrives in time without a next one', { fault: { ...REORDERED, within: 'PT1H' } }, 1, [1], advanced('PT1H'), [1, 2]],
    ['A reordered event arrives when its fault is deleted', { fault: REORDERED }, 1, [1], deleted, [1, 2]],
  ])('%s', async (rehearsal, _title, rule, changes, before, release, arrived) => {
    const basket = await basketIn(rehearsal);
    await rehearsal.fault('first', { match: CHANGED, ...rule });
    await basket.change(changes);
    expect(await basket.versions()).toEqual(before);
    await release(rehearsal);
    expect(await basket.versions()).toEqual(arrived);
  });

  test('Objects that wait for a withheld event count as in progress', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    const { orderId, shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.fault('lost', { match: { event: 'ext.fulfillment-order-changed' }, fault: { kind: 'withhold' } });
    await rehearsal.advance('P2D');
    expect((await rehearsal.track(shipmentId)).body.state).toBe('delivered');
    expect((await rehearsal.order(orderId)).state).toBe('in-fulfilment');
    await rehearsal.verify();
    await noFault(rehearsal, 'lost');
    await rehearsal.settle();
    expect((await rehearsal.order(orderId)).state).toBe('completed');
  });

  test('A reordered event waits for the next event that is sent, not for one that another fault withholds', async (rehearsal) => {
    const basket = await basketIn(rehearsal);
    await rehearsal.fault('swap', { match: CHANGED, fault: { kind: 'reorder' }, times: 1 });
    await basket.change();
    await rehearsal.fault('kept', { match: CHANGED, fault: { kind: 'withhold' }, times: 1 });
    await basket.change();
    expect(await basket.versions()).toEqual([1]);
    await basket.change();
    expect(await basket.versions()).toEqual([1, 4, 2]);
    expect(await hits(rehearsal)).toEqual({ swap: 1, kept: 1 });
    await noFault(rehearsal, 'kept');
    expect(await basket.versions()).toEqual([1, 4, 2, 3]);
  });
});

/** Webhooks that the FMS received, attempt by attempt: the scan and the status of the answer. */
async function received(rehearsal: TestRehearsal): Promise<[string, number][]> {
  const hops = (await rehearsal.journal()).filter(({ api }) => api === 'carrier-webhook');
  return hops.map(({ request, status }) => [request.data.status, status]);
}

const accepted = (scan: string): [string, number] => [scan, 204];

/** A parcel after the webhook about its label, and a fault of the later webhooks. */
async function labelled(fault: Record<string, unknown>) {
  const rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
  const ids = await rehearsal.dispatchedOrder();
  await rehearsal.settle();
  await rehearsal.fault('road', { match: CARRIER, ...fault });
  return {
    ...rehearsal,
    ...ids,
    scan: (...scans: Parameters<typeof rehearsal.scanned>[1][]) => rehearsal.scanned(ids.shipmentId, ...scans),
    /** The state of the parcel at the FMS. */
    parcel: async () => (await rehearsal.fulfillmentOrder(ids.fulfillmentOrderId)).shipments[0].state,
    received: async () => (await received(rehearsal)).slice(1),
  };
}

describe('Faults of webhooks', () => {
  plainTest('A duplicated webhook is accepted each time and counts once', async () => {
    await using parcel = await labelled({ fault: { kind: 'duplicate', copies: 2 }, times: 1 });
    const { version } = await parcel.fulfillmentOrder(parcel.fulfillmentOrderId);
    await parcel.scan('collect', 'depart');
    expect(await parcel.received()).toEqual([...Array(3).fill(['collected', 204]), ['in-transit', 204]]);
    expect(await parcel.fulfillmentOrder(parcel.fulfillmentOrderId)).toMatchObject({ version: version + 2 });
    const sending = (await parcel.journal()).filter(({ faults }) => faults.includes('road'));
    expect(sending.map(({ api }) => api)).toEqual(['due:deliver-webhook']);
    await parcel.verify();
  });

  plainTest('A late webhook arrives at its instant and moves no parcel back', async () => {
    await using parcel = await labelled({ match: { ...CARRIER, status: 'collected' }, fault: { kind: 'late', by: 'PT3H' } });
    await parcel.scan('collect');
    expect([await parcel.parcel(), await parcel.received()]).toEqual(['label-created', []]);
    const withheld = [{ what: 'webhook', id: `${parcel.shipmentId}.2`, fault: 'road' }];
    expect(await parcel.settle()).toMatchObject({ settled: true, withheld });
    await parcel.scan('depart');
    expect(await parcel.parcel()).toBe('in-transit');
    await parcel.advance('PT3H');
    expect([await parcel.parcel(), await parcel.received()]).toEqual(['in-transit', ['in-transit', 'collected'].map(accepted)]);
    await parcel.verify();
  });

  plainTest('A reordered webhook arrives after the next one of its parcel and moves no parcel back', async () => {
    await using parcel = await labelled({ fault: { kind: 'reorder' } });
    await parcel.scan('collect');
    expect([await parcel.parcel(), await parcel.received()]).toEqual(['label-created', []]);
    await parcel.scan('depart', 'out-for-delivery', 'deliver');
    const statuses = ['in-transit', 'collected', 'delivered', 'out-for-delivery'];
    expect(await parcel.received()).toEqual(statuses.map(accepted));
    expect([await parcel.parcel(), (await parcel.order(parcel.orderId)).state]).toEqual(['delivered', 'completed']);
    expect(await hits(parcel)).toEqual({ road: 2 });
    await parcel.verify();
  });

  plainTest('Withheld webhooks are sent when the fault is deleted, however late', async () => {
    await using parcel = await labelled({ fault: { kind: 'withhold' } });
    await parcel.scan('collect', 'depart', 'out-for-delivery', 'deliver');
    await parcel.advance('P2D');
    expect([await parcel.parcel(), await parcel.received()]).toEqual(['label-created', []]);
    expect((await parcel.settle()).withheld).toHaveLength(4);
    expect((await parcel.track(parcel.shipmentId)).body.state).toBe('delivered');
    await parcel.verify();
    await parcel.noFaults();
    await parcel.settle();
    expect((await parcel.received()).map(([, status]) => status)).toEqual([204, 204, 204, 204]);
    expect([await parcel.parcel(), (await parcel.order(parcel.orderId)).state]).toEqual(['delivered', 'completed']);
    await parcel.verify();
  });

  plainTest.each(['bad-signature', 'stale-timestamp'])('A webhook with a %s is refused, and its next attempt counts', async (kind) => {
    await using parcel = await labelled({ fault: { kind }, times: 2 });
    await parcel.scan('collect');
    expect([await parcel.parcel(), await parcel.received()]).toEqual(['label-created', [['collected', 401]]]);
    await parcel.advance('PT1H');
    expect((await parcel.received()).map(([, status]) => status)).toEqual([401, 401, 204]);
    expect(await parcel.parcel()).toBe('collected');
    const [webhookId, ...others] = (await parcel.faults()).flatMap(({ struck }) => struck.map((one) => one.webhookId));
    expect([webhookId, others]).toEqual([expect.any(String), [webhookId]]);
    await parcel.verify();
  });

  test('Reordered webhooks of a carrier that scans immediately are each sent once', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual', carrier: 'immediate' });
    await rehearsal.fault('road', { match: CARRIER, fault: { kind: 'reorder' } });
    await rehearsal.dispatchedOrder();
    await rehearsal.settle();
    await rehearsal.noFaults();
    await rehearsal.settle();
    const statuses = ['collected', 'label-created', 'out-for-delivery', 'in-transit', 'delivered'];
    expect((await received(rehearsal)).map(([status]) => status)).toEqual(statuses);
  });
});

describe('Wrong faults', () => {
  const OUTAGE = { kind: 'outage' };
  const DUPLICATE = { kind: 'duplicate' };
  const CRM = { application: 'crm' };
  const STATUS = { kind: 'status', status: 409 };
  test.each<[string, object, string, string]>([
    ['an unknown event', { match: { event: 'order-conformed' }, fault: DUPLICATE }, '/match/event', 'order-confirmed, order-cancelled'],
    ['a kind of calls for an event', { match: CONFIRMED, fault: OUTAGE }, '/fault/kind', 'duplicate, late, reorder, withhold'],
    ['a kind of events for a call', { match: CRM, fault: DUPLICATE }, '/fault/kind', 'latency, status, outage, drop'],
    ['an unknown status', { match: { ...CARRIER, status: 'eaten' }, fault: DUPLICATE }, '/match/status', 'in-transit'],
    ['an event and an API', { match: { ...CONFIRMED, api: 'get-order-api' }, fault: DUPLICATE }, '/match', 'one of them'],
    ['a subject of no event', { match: { ...CARRIER, subject: 'order/x' }, fault: DUPLICATE }, '/match/subject', 'event'],
    ['a subject of another event', { match: { ...CONFIRMED, subject: 'payment/x' }, fault: DUPLICATE }, '/match/subject', 'order/'],
    ['a zero duration', { match: CONFIRMED, fault: { kind: 'late', by: 'PT0S' } }, '/fault/by', 'PT10M'],
    ['a caller of events', { match: { ...CONFIRMED, caller: 'oms' }, fault: DUPLICATE }, '/match/caller', 'application'],
    ['an unknown caller', { match: { ...CRM, caller: 'client' }, fault: OUTAGE }, '/match/caller', 'outside'],
    ['clients that call an internal API', { match: { api: 'get-stock', caller: 'outside' }, fault: OUTAGE }, '/match/caller', 'sim'],
    ['a caller that never calls', { match: { api: 'capture-payment-api', caller: 'crm' }, fault: OUTAGE }, '/match/caller', 'oms'],
    ['no calls that pass', { match: CRM, fault: OUTAGE, skip: 0 }, '/skip', '1'],
    ['a probability without a seed', { match: CONFIRMED, fault: DUPLICATE, probability: 0.5 }, '/seed', 'seed'],
    ['a seed without a probability', { match: CONFIRMED, fault: DUPLICATE, seed: 'x' }, '/probability', 'probability'],
    ['an unknown application', { match: { application: 'tills' }, fault: OUTAGE }, '/match/application', 'pos'],
    ['an unknown API', { match: { api: 'capture' }, fault: OUTAGE }, '/match/api', 'capture-payment-api'],
    ['an API of another', { match: { ...CRM, api: 'capture-payment-api' }, fault: OUTAGE }, '/match/application', 'payment-hub'],
    ['a call of the control plane alone', { match: { api: 'count-stock' }, fault: OUTAGE }, '/match/api', ''],
    ['nothing', { match: {}, fault: OUTAGE }, '/match', ''],
    ['an unknown kind', { match: CRM, fault: { kind: 'flood' } }, '/fault/kind', 'outage'],
    ['an unknown code', { match: CRM, fault: { kind: 'status', status: 412, code: 'nope' } }, '/fault/code', 'version_mismatch'],
    ['a code of another status', { match: CRM, fault: { ...STATUS, code: 'not_found' } }, '/fault/code', ''],
  ])('A fault of %s is refused with a pointer and the remedy', async (rehearsal, _what, rule, pointer, remedy) => {
    const { status, body } = await rehearsal.call('PUT', '/_control/faults/wrong', rule, { as: 'admin' });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
    expect(body.errors[0].detail).toContain(remedy);
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('A fault is refused for its name before its body', async (rehearsal) => {
    const pointersOf = async (name: string, body: object) =>
      (await rehearsal.call('put-fault', { params: { name }, body })).body.errors.map(({ pointer }: { pointer: string }) => pointer);
    for (const name of ['no name', 'n'.repeat(65)]) expect(await pointersOf(name, { fault: { kind: 'nonsense' } })).toEqual(['{name}']);
    expect(await pointersOf('a-name', {})).toEqual(['/match', '/fault']);
    await rehearsal.fault('n'.repeat(64), { match: CRM, fault: OUTAGE });
  });
});
