import { randomBytes } from 'node:crypto';
import { describe, expect, test as plainTest } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { onMonday } from '../support/steps/collection.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);
const testOnMonday = testIn(() => onMonday());

interface Changed {
  readonly data: {
    readonly object: {
      readonly state: string;
      readonly collection?: { readonly qrUrl?: string };
      readonly label?: { readonly url: string };
    };
  };
}

const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
const freshName = () => `s-${randomBytes(6).toString('hex')}`;

// biome-ignore lint/suspicious/noExplicitAny: tests change files of any shape
type File = any;

/** A snapshot that is deleted at the end of the test. */
async function kept(rehearsal: TestRehearsal, { journal = false } = {}) {
  const name = freshName();
  const head = await rehearsal.control('save-snapshot', { params: { name }, body: { journal } });
  return {
    name,
    head,
    file: async (): Promise<File> => rehearsal.control('read-snapshot', { params: { name } }),
    open: () => EstateRehearsal.create(access, { from: { snapshot: name } }),
    async [Symbol.asyncDispose]() {
      await rehearsal.control('delete-snapshot', { params: { name } });
    },
  };
}

type Rehearsal = Pick<TestRehearsal, 'call' | 'control'> | EstateRehearsal;

const stateOf = async (rehearsal: Rehearsal, id: string): Promise<string> =>
  (await (rehearsal as TestRehearsal).call('get-order-api', { params: { id } })).body.state;
const brokenIn = async ({ control }: Rehearsal) => (await control('verify')).invariants.filter(({ holds }) => !holds);

/** A world with something of most kinds: orders in several states, a return, a fault with a withheld event, and parked deliveries. */
async function livedIn(rehearsal: TestRehearsal) {
  const { id: draft } = await rehearsal.draft();
  const completed = await rehearsal.completed();
  const { id: confirmed } = await rehearsal.confirmed();
  await rehearsal.fault('late', { match: { event: 'basket-created' }, fault: { kind: 'withhold' } });
  const { id: basket } = await rehearsal.basket();
  await rehearsal.settle();
  return { draft, completed, confirmed, basket };
}

/** A sale at the till, which takes effect once per key. @returns its id */
const sellOnce = async (rehearsal: Rehearsal): Promise<string> => {
  const body = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }] };
  return (await rehearsal.call('create-transaction-api', { body, headers: { 'idempotency-key': 'sale' } })).body.id;
};

describe('Snapshots', () => {
  test('A rehearsal opened from a snapshot has the world of that moment, continues, and returns to it with a reset', async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    const { draft, confirmed } = await livedIn(rehearsal);
    await using snapshot = await kept(rehearsal);
    await rehearsal.authorisation(draft);
    await rehearsal.confirm(draft);
    await using opened = await snapshot.open();
    expect([await stateOf(rehearsal, draft), await stateOf(opened, draft)]).toEqual(['confirmed', 'draft']);
    expect((await opened.control('read-progression')).warehouse).toBe('manual');
    expect(await opened.control('list-faults')).toMatchObject({ items: [{ name: 'late', hits: 1 }] });
    await opened.api('cancel-order-api', { params: { id: confirmed } });
    await opened.settle();
    expect(await brokenIn(opened)).toEqual([]);
    await opened.control('reset-rehearsal');
    expect([await stateOf(opened, draft), await stateOf(opened, confirmed)]).toEqual(['draft', await stateOf(rehearsal, confirmed)]);
    expect(await brokenIn(opened)).toEqual([]);
  });

  test('A repeat with the same key gets the first answer after two days of the clock, in the rehearsal, a fork and an opened snapshot', async (rehearsal) => {
    const first = await sellOnce(rehearsal);
    await using snapshot = await kept(rehearsal);
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    await using opened = await snapshot.open();
    for (const one of [rehearsal, fork, opened]) {
      await one.control('advance-clock', { body: { by: 'P2D' } });
      expect(await sellOnce(one)).toEqual(first);
    }
  });

  test('A reference finds its object in a fork, in an opened snapshot, and not after a reset', async (rehearsal) => {
    const body = { channel: 'web', reference: { source: 'web-shop', id: '#1001' } } as const;
    const create = async (one: Rehearsal) => {
      const reply = await (one as TestRehearsal).call('create-basket-api', { body });
      return [reply.status, reply.body.id];
    };
    const [, id] = await create(rehearsal);
    await using snapshot = await kept(rehearsal);
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    await using opened = await snapshot.open();
    for (const one of [rehearsal, fork, opened]) expect([await create(one), await brokenIn(one)]).toEqual([[200, id], []]);
    await rehearsal.control('reset-rehearsal');
    expect((await create(rehearsal))[0]).toBe(201);
  });

  test('A payment that waits for its customer has a page in a fork, in an opened snapshot and after a reset', async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    const authorize = { body: { orderId, tender: card('tok_3ds') }, headers: { 'idempotency-key': 'pay' } };
    const { id, nextAction } = await rehearsal.api('authorize-payment-api', authorize);
    await using snapshot = await kept(rehearsal);
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    await using opened = await snapshot.open();
    const pageOf = async ({ control }: Rehearsal): Promise<string> =>
      ((await control('read-object', { params: { type: 'payment', id } })) as File).nextAction.url;
    const page = (url: string, init?: RequestInit) => fetch(new URL(url, estate.gateway), { redirect: 'manual', ...init });
    expect(await pageOf(rehearsal)).toBe(nextAction?.url);
    for (const one of [fork, opened, opened]) {
      const { objects } = await one.control('compare-worlds', { query: { from: rehearsal.name, to: one.name } });
      expect(objects).toEqual([]);
      const url = await pageOf(one);
      expect(url).toContain(`/payment-actions/${one.name}/${id}/`);
      expect((await page(url)).status).toBe(200);
      expect((await one.call('authorize-payment-api', authorize)).body).toMatchObject({ id, nextAction: { url } });
      expect((await page(`${url}/approve`, { method: 'POST' })).status).toBe(303);
      expect((await one.control('read-object', { params: { type: 'payment', id } }))['state']).toBe('authorised');
      await one.control('reset-rehearsal');
    }
    const unchanged = await rehearsal.control('compare-worlds', { query: { from: snapshot.name, to: rehearsal.name } });
    expect([unchanged.objects, await brokenIn(rehearsal), await brokenIn(opened)]).toEqual([[], [], []]);
  });

  test('A label has the address of the fork that answers', async (rehearsal) => {
    const { fulfillmentOrders = [] } = await rehearsal.completed();
    const id = fulfillmentOrders[0]?.shipments[0]?.id ?? '';
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    const { label } = await fork.api('track-shipment-api', { params: { id } });
    expect(label?.url).toContain(`/labels/${fork.name}/`);
    expect((await fork.control('read-object', { params: { type: 'shipment', id } }))['label']).toEqual(label);
    expect((await fetch(new URL(label?.url ?? '', estate.gateway))).status).toBe(200);
    const { objects } = await fork.control('compare-worlds', { query: { from: rehearsal.name, to: fork.name } });
    expect(objects).toEqual([]);
  });

  testOnMonday('Events of a fork have the addresses of labels and QR codes in the fork', async (rehearsal) => {
    const { fulfillmentOrderId, shipmentId, code } = await rehearsal.atCounter();
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    await fork.api('hand-over-collection-api', { params: { id: fulfillmentOrderId }, body: { code } });
    await fork.settle();
    const lastOf = async (subject: string) =>
      (await fork.control('list-events', { query: { ext: 'true', subject } })).items.at(-1)?.event as Changed | undefined;
    const handedOver = (await lastOf(`fulfillment-order/${fulfillmentOrderId}`))?.data.object;
    expect(handedOver?.state).toBe('delivered');
    for (const url of [handedOver?.collection?.qrUrl, (await lastOf(`shipment/${shipmentId}`))?.data.object.label?.url]) {
      expect(url).toContain(`/${fork.name}/`);
      expect((await fetch(new URL(url ?? '', estate.gateway))).status).toBe(200);
    }
    await fork.verify();
  });

  test('A fork continues independently, with the events, faults, answers and withheld events of the first rehearsal', async (rehearsal) => {
    const { draft, basket } = await livedIn(rehearsal);
    const headers = { 'idempotency-key': freshName() };
    const created = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [] }, headers });
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: rehearsal.name } });
    expect((await fork.call('create-basket-api', { body: { channel: 'web', lines: [] }, headers })).body).toEqual(created);
    await rehearsal.authorisation(draft);
    await rehearsal.confirm(draft);
    expect(await stateOf(fork, draft)).toBe('draft');
    await fork.deleteFault('late');
    await fork.settle();
    const events = async ({ control }: Rehearsal) =>
      (await control('list-events', { query: { subject: `basket/${basket}` } })).items.map(({ event }) => event.type);
    expect([await events(fork), await events(rehearsal)]).toEqual([['com.unified-commerce.basket-created'], []]);
    await fork.advance('P2D');
    expect(await stateOf(fork, draft)).toBe('cancelled');
    expect([await brokenIn(fork), await brokenIn(rehearsal)]).toEqual([[], []]);
  });

  test('A downloaded file is the same snapshot when it is uploaded, and has neither secrets nor webhooks', async (rehearsal) => {
    await livedIn(rehearsal);
    // No later attempt of the webhook joins a trace.
    await rehearsal.control('set-clock', { body: { flowing: false } });
    const { secret = '' } = await rehearsal.control('put-webhook', {
      params: { name: 'shop' },
      body: { url: 'http://127.0.0.1:9/events' },
    });
    const asked = await rehearsal.draft();
    await rehearsal.authorisation(asked.id, undefined, 'tok_3ds');
    await rehearsal.call('create-customer-api', { body: { firstName: '4111 1111 1111 1111' } });
    await using snapshot = await kept(rehearsal, { journal: true });
    const file = await snapshot.file();
    const text = JSON.stringify(file);
    const { bearer, apiKey, webhookSecret, clientSecret } = rehearsal.credentials;
    const own = Object.values(DEMO_CREDENTIALS).flatMap((value) => (typeof value === 'string' ? value : []));
    for (const credential of [secret, bearer, apiKey, webhookSecret, clientSecret, ...own]) {
      expect([credential.length > 5, text.includes(credential)]).toEqual([true, false]);
    }
    expect(text).not.toMatch(/whsec_|payment-actions\/[^/]+\/[^/]+\/[0-9a-f]{40}/);
    expect(file.digest).toBe(snapshot.head.digest);
    const again = await rehearsal.control('upload-snapshot', { query: { name: `${snapshot.name}-2` }, body: file });
    expect(again).toMatchObject({ kept: true, objects: snapshot.head.objects, events: snapshot.head.events });
    const { digest: _digest, name: _name, ...rest } = file;
    expect(await rehearsal.control('read-snapshot', { params: { name: again.name } })).toMatchObject(rest);
    await using opened = await EstateRehearsal.create(access, { from: { snapshot: again.name } });
    expect(await brokenIn(opened)).toEqual([]);
    expect(await opened.control('list-webhooks')).toEqual({ items: [] });
    const traces = async ({ control }: Rehearsal) => {
      const { items } = await control('list-traces', { query: { limit: 100 } });
      return items.map(({ correlationId, status, path, failed }) => ({ correlationId, status, path, failed }));
    };
    expect(await traces(opened)).toEqual(await traces(rehearsal));
    await rehearsal.control('delete-snapshot', { params: { name: again.name } });
  });

  test('A world whose count found fewer units, and whose gift card was lowered, is kept and opened', async (rehearsal) => {
    await rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 0 } });
    await rehearsal.control('change-gift-card-by-hand', { params: { id: 'gift_50' }, body: { balance: eur(1) } });
    await using snapshot = await kept(rehearsal);
    await using opened = await snapshot.open();
    expect(await brokenIn(opened)).toEqual([]);
  });

  test('A busy rehearsal is not kept, and the refusal names the work', async (rehearsal) => {
    const { id } = await rehearsal.authorised();
    await rehearsal.fault('slow', { match: { application: 'fms' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
    const confirming = rehearsal.confirm(id, { 'idempotency-key': freshName() });
    await rehearsal.struck('slow');
    const { status, body } = await rehearsal.call('save-snapshot', { params: { name: freshName() }, body: { timeoutMs: 300 } });
    expect([status, body.code]).toEqual([409, 'not_at_rest']);
    expect([body.waitingFor.join(), body.detail]).toEqual([expect.stringMatching(/oms/), expect.stringContaining('still busy: ')]);
    await confirming;
  });
});

type Mistake = readonly [what: string, change: (file: File) => unknown, pointer: RegExp | string, code: string, detail?: RegExp];

test('A reset of a fork does what a reset of the first rehearsal does', async (rehearsal) => {
  const { id: first } = await rehearsal.draft();
  await using snapshot = await kept(rehearsal);
  await using opened = await snapshot.open();
  for (const [from, status] of [
    [rehearsal, 404],
    [opened, 200],
  ] as const) {
    await using fork = await EstateRehearsal.create(access, { from: { rehearsal: from.name } });
    expect((await fork.call('get-order-api', { params: { id: first } })).status).toBe(200);
    await fork.control('reset-rehearsal');
    expect((await fork.call('get-order-api', { params: { id: first } })).status).toBe(status);
  }
});

test('A call that a fault delays before its application begins is not waited for', async (rehearsal) => {
  const fault = { kind: 'latency', ms: 1_500 } as const;
  await rehearsal.fault('slow', { match: { application: 'ecommerce-platform' }, fault, times: 1 });
  const creating = rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [] } });
  await rehearsal.struck('slow');
  await using snapshot = await kept(rehearsal);
  const { id } = await creating;
  expect(JSON.stringify(await snapshot.file())).not.toContain(id);
});

describe('Uploads', () => {
  const orders = (file: File) => file.applications.oms.objects.orders;
  const mistakes: readonly Mistake[] = [
    ['another format', (file) => Object.assign(file, { format: 'something' }), '/format', 'not_a_snapshot', /GET \/_control\/snapshots/],
    [
      'a version of the future',
      (file) => Object.assign(file, { version: 99 }),
      '/version',
      'unsupported_version',
      /reads version 1 .* not 99/,
    ],
    ['a missing section', (file) => Reflect.deleteProperty(file, 'events'), '/events', 'required'],
    ['a changed clock', (file) => Object.assign(file.clock, { flowing: false }), '/digest', 'wrong_digest', /the option reseal/],
    ['an unknown member', (file) => Object.assign(file, { teapot: 1 }), '/teapot', 'unknown_member'],
    [
      'an unknown application',
      (file) => Object.assign(file.applications, { cms: file.applications.oms }),
      '/applications/cms',
      'unknown_application',
    ],
    [
      'an unknown collection',
      (file) => Object.assign(file.applications.oms.objects, { order: [] }),
      '/applications/oms/objects/order',
      'unknown_collection',
      /orders/,
    ],
    [
      'an object without a member',
      (file) => Reflect.deleteProperty(orders(file)[0].object, 'totals'),
      '/applications/oms/objects/orders/0/object/totals',
      'required',
    ],
    [
      'a state of no life cycle',
      (file) => Object.assign(orders(file)[0].object, { state: 'shiny' }),
      '/applications/oms/objects/orders/0/object/state',
      'invalid_value',
    ],
    ['an object twice', (file) => orders(file).push({ ...orders(file)[0], order: 999_999 }), /orders\/\d+\/object\/id/, 'not_unique'],
    [
      'a payment of no order',
      (file) => Object.assign(file.applications['payment-hub'].objects.payments[0].object, { orderId: 'ord_none' }),
      '/applications/payment-hub/objects/payments/0/object',
      'unknown_reference',
      /ord_none/,
    ],
    [
      'a number of parcels below zero',
      (file) => {
        const [moved] = Object.values<File>(file.applications['inventory-service'].counters['units-moved']);
        moved.shipped = -1;
      },
      /units-moved\/.*\/shipped$/,
      'below_zero',
      /at least 0, but is -1/,
    ],
    ['unknown due work', (file) => Object.assign(file.due[0], { kind: 'make-tea' }), '/due/0/kind', 'unknown_kind'],
    ['a delivery of no event', (file) => file.deliveries.push('crm|evt_none'), /\/deliveries\/\d+/, 'unknown_event'],
  ];

  test('An upload is refused with the place of every mistake, and nothing is kept', async (rehearsal) => {
    await livedIn(rehearsal);
    await using snapshot = await kept(rehearsal);
    const text = JSON.stringify(await snapshot.file());
    const upload = (file: File, query: { dryRun?: 'true'; reseal?: 'true' } = { reseal: 'true' }) =>
      rehearsal.call('upload-snapshot', { query: { name: `${snapshot.name}-bad`, ...query }, body: file });
    for (const [what, change, pointer, code, detail = /./] of mistakes) {
      const file = JSON.parse(text);
      change(file);
      const { status, body } = await upload(file, what === 'a changed clock' ? {} : { reseal: 'true' });
      const found = body.errors?.find(
        (one: { code: string; pointer: string }) =>
          one.code === code && (typeof pointer === 'string' ? one.pointer === pointer : pointer.test(one.pointer)),
      );
      expect([what, status, found ? detail.test(found.detail) : body.errors]).toEqual([what, 422, true]);
    }
    const several = JSON.parse(text);
    Object.assign(orders(several)[0].object, { state: 'shiny' });
    Object.assign(several.due[0], { kind: 'make-tea' });
    const both = await upload(several, {});
    expect(both.body.errors.map(({ code }: { code: string }) => code)).toEqual(['invalid_value', 'unknown_kind', 'wrong_digest']);
    expect(
      (
        await rehearsal.call('POST', '/_control/snapshots', text.slice(0, 5_000), {
          as: 'admin',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(400);
    expect((await upload(JSON.parse(text), { dryRun: 'true' })).body).toMatchObject({ kept: false });
    const { items } = await rehearsal.control('list-snapshots');
    expect(items.map(({ name }) => name)).not.toContain(`${snapshot.name}-bad`);
  });

  test('A file whose money or stock disagree is refused with the sentence of the invariant and its place', async (rehearsal) => {
    const { completed } = await livedIn(rehearsal);
    await using snapshot = await kept(rehearsal);
    const file = await snapshot.file();
    const payment = file.applications['payment-hub'].objects.payments.findIndex((row: File) => row.object.orderId === completed.id);
    file.applications['payment-hub'].objects.payments[payment].object.refundedAmount = eur(5);
    const counters = file.applications['inventory-service'].counters;
    const [key = ''] = Object.keys(counters.stock);
    counters.stock[key].onHand += 1;
    const { status, body } = await rehearsal.call('upload-snapshot', { query: { reseal: 'true' }, body: file });
    expect(status).toBe(422);
    expect(body.errors.map(({ code }: { code: string }) => code)).toEqual(expect.arrayContaining(['invariant']));
    const money = body.errors.find(({ detail }: { detail: string }) => detail.includes('(money)'));
    const stock = body.errors.find(({ detail }: { detail: string }) => detail.includes('(stock)'));
    expect([money?.pointer, stock !== undefined]).toEqual([`/applications/payment-hub/objects/payments/${payment}/object`, true]);
  });
});

test('A comparison shows the states, amounts, stock and objects that differ', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  await using before = await kept(rehearsal);
  await rehearsal.authorisation(id);
  await rehearsal.confirm(id);
  await rehearsal.settle();
  const { objects, counters, from, to } = await rehearsal.control('compare-worlds', { query: { from: before.name, to: rehearsal.name } });
  expect([from.world, to.world]).toEqual([`snapshot:${before.name}`, `rehearsal:${rehearsal.name}`]);
  const order = objects.find((one) => one.id === id);
  expect(order).toMatchObject({ type: 'order', change: 'changed' });
  expect(order?.members).toContainEqual({ member: 'state', from: 'draft', to: expect.any(String) });
  expect(objects.filter(({ type }) => type === 'payment')).toMatchObject([{ change: 'added' }]);
  expect(counters.length).toBeGreaterThan(0);
  const same = await rehearsal.control('compare-worlds', { query: { from: before.name, to: `snapshot:${before.name}` } });
  expect([same.objects, same.counters, same.omitted]).toEqual([[], [], 0]);
  expect((await rehearsal.call('compare-worlds', { query: { from: 'none', to: before.name } })).body).toMatchObject({
    status: 404,
    code: 'not_found',
  });
});

plainTest('The number of snapshots and the size of a file are limited', async () => {
  await using small = await anObservedEstate({ MAX_SNAPSHOTS: '1', MAX_SNAPSHOT_BYTES: '1000000' });
  const { client } = small;
  const save = (name: string) => client.call('PUT', `/_control/snapshots/${name}`, {}, { as: 'admin' });
  expect([(await save('one')).status, (await save('one')).status, (await save('two')).status]).toEqual([200, 200, 409]);
  const file = (await client.control('read-snapshot', { params: { name: 'one' } })) as File;
  const upload = (padding: number) =>
    client.call('POST', '/_control/snapshots', { ...file, data: { padding: ['x'.repeat(padding)] } }, { as: 'admin' });
  const refused = [await upload(1_000_000), await upload(100)];
  expect(refused.map(({ status, body }) => [status, (body as File).code])).toEqual([
    [413, 'payload_too_large'],
    [422, 'validation_failed'],
  ]);
  expect((await client.control('list-snapshots')).items.map(({ name }) => name)).toEqual(['one']);
});

plainTest.each(['real', 'shadow'] as const)('A rehearsal with a real system in the mode %s is neither kept nor forked', async (mode) => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode } });
  const kept = await rehearsal.call('save-snapshot', { params: { name: freshName() } });
  const forked = await rehearsal.call('create-rehearsal', { body: { from: { rehearsal: rehearsal.name } } });
  expect([kept.body.code, kept.body.applications, forked.body.code]).toEqual(['swapped', ['payment-hub'], 'swapped']);
});

test.each([
  ['a swap with from', { from: { rehearsal: 'default' }, swap: {} }, 422, '/swap'],
  ['data with from', { from: { rehearsal: 'default' }, data: {} }, 422, '/data'],
  ['two sources', { from: { rehearsal: 'default', snapshot: 'x' } }, 422, '/from'],
  ['no source', { from: {} }, 422, '/from'],
  ['an unknown snapshot', { from: { snapshot: 'none' } }, 404, undefined],
  ['an unknown rehearsal', { from: { rehearsal: 'none' } }, 404, undefined],
])('A rehearsal with %s is refused and does not begin', async (rehearsal, _what, body, status, pointer) => {
  const name = freshName();
  const refused = await rehearsal.call('create-rehearsal', { body: { name, ...body } });
  expect([refused.status, refused.body.errors?.[0].pointer]).toEqual([status, pointer]);
  expect((await rehearsal.call('read-rehearsal', { params: { name } })).status).toBe(404);
});

test('A reset of a rehearsal whose snapshot was deleted is refused, and the rehearsal stays', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  const snapshot = await kept(rehearsal);
  await using opened = await snapshot.open();
  await snapshot[Symbol.asyncDispose]();
  expect(await opened.client.call('POST', '/_control/reset', {}, { as: 'admin' })).toMatchObject({ status: 404 });
  expect(await stateOf(opened, id)).toBe('draft');
});
