import { readFileSync } from 'node:fs';
import { expect, test as plainTest } from '@jest/globals';
import { readRecording } from '../../control/story/recording.ts';
import type { OwnData } from '../../shared/catalog/control/own-data.ts';
import { inOneSlice } from '../../shared/domain/breathe.ts';
import { journalLimits } from '../../shared/store/journal-limits.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { LOGS } from '../../shared/store/ports/logs.ts';
import { aHop } from '../ports/a-hop.ts';
import { ADDRESS, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { openRehearsal, type SwapsInput } from '../support/open-rehearsal.ts';
import { formatted, replayed } from '../support/replay.ts';
import { collectionSteps, MONDAY } from '../support/steps/collection.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const storyOf = async (rehearsal: TestRehearsal): Promise<string> =>
  (await rehearsal.control('read-story')).text.replaceAll(rehearsal.name, 'example');

/** The expected text of a story: a file of the project. */
const golden = (name: string): string =>
  readFileSync(new URL(`stories/${name}.ts`, import.meta.url), 'utf8').replace('../../../rehearsal/public.ts', 'unified-commerce-estate');

const stories: Readonly<Record<string, (rehearsal: TestRehearsal) => Promise<void>>> = {
  /** Versions, polling reads, repeated keys, and one of two faults that is deleted. */
  async 'paid-at-the-second-attempt'(rehearsal) {
    const basket = await rehearsal.api('create-basket-api', {
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] },
    });
    const line = `/baskets/${basket.id}/lines/${basket.lines[0]?.lineId ?? ''}` as const;
    const ifMatch = { headers: { 'if-match': `"${basket.version}"` } };
    await rehearsal.call('PATCH', line, { qty: 2 }, ifMatch);
    await rehearsal.call('PATCH', line, { qty: 3 }, ifMatch);
    for (let times = 0; times < 3; times++) await rehearsal.call('GET', `/baskets/${basket.id}`);
    await rehearsal.api('checkout-basket-api', { params: { id: basket.id }, body: { shippingAddress: ADDRESS } });
    const order = await rehearsal.api('create-order-api', { body: { basketId: basket.id } });
    await rehearsal.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await rehearsal.fault('slow', { match: { api: 'confirm-order-api' }, fault: { kind: 'latency', ms: 20 } });
    const payment = { orderId: order.id, tender: { type: 'card', token: 'tok_of_ours' } };
    await rehearsal.call('POST', '/payments/authorizations', payment, { headers: { 'idempotency-key': 'once' } });
    await rehearsal.control('delete-fault', { params: { name: 'down' } });
    const key = { headers: { 'idempotency-key': 'pay-1' } };
    for (let times = 0; times < 2; times++) await rehearsal.call('POST', '/payments/authorizations', payment, key);
    await rehearsal.settle();
  },
  /** Changes by hand, amounts that are sent on, a dispute, and an advance. */
  async 'sold-in-the-store'(rehearsal) {
    await rehearsal.control('set-progression', { body: { carrier: 'manual' } });
    await rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'store-01' }, body: { onHand: 7 } });
    const sale = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] };
    const { id, totals } = await rehearsal.api('create-transaction-api', { body: sale });
    const cash = { tender: { type: 'cash' }, amount: { amount: 1_000, currency: 'EUR' } } as const;
    await rehearsal.api('add-payment-api', { params: { id }, body: cash });
    const rest = { amount: totals.total.amount - 1_000, currency: 'EUR' };
    await rehearsal.api('add-payment-api', { params: { id }, body: { tender: { type: 'card', token: 'tok_visa' }, amount: rest } });
    const payments = await rehearsal.events({ type: 'payment-captured' });
    const card = payments.find(({ data }) => data.object.tender.type === 'card');
    await rehearsal.control('open-dispute', { params: { id: card?.data.object.id ?? '' }, body: { reason: 'fraudulent' } });
    await rehearsal.advance('P8D');
    await rehearsal.api('get-order-api', { params: { id } });
  },
  /** The id of a parcel that only an event has. */
  async 'followed-by-an-event'(rehearsal) {
    await rehearsal.confirmed();
    await rehearsal.advance('P1D');
    const [label] = await rehearsal.events({ type: 'shipment-label-generated' });
    await rehearsal.api('track-shipment-api', { params: { id: label?.data.object.id ?? '' } });
  },
};

/** Events of different objects may arrive in any order. */
const inAnyOrder = (story: string): string =>
  story.replaceAll(/events: \[(.*)\]/g, (_all, names: string) => `events: [${names.split(', ').toSorted().join(', ')}]`);

test.each(Object.keys(stories))('The story %s equals its file in this repository, and passes', async (rehearsal, name) => {
  await stories[name]?.(rehearsal);
  const printed = await storyOf(rehearsal);
  const story = await formatted(printed);
  if (process.env['RECORD_STORIES'] === 'true') {
    const { writeFileSync } = await import('node:fs');
    writeFileSync(new URL(`stories/${name}.ts`, import.meta.url), story.replace('unified-commerce-estate', '../../../rehearsal/public.ts'));
  }
  expect(inAnyOrder(story)).toBe(inAnyOrder(golden(name)));
  expect(await replayed(printed)).toBe('passed');
});

test('The story of a client that reads before the consequences of its calls have ended passes', async (rehearsal) => {
  for (let times = 0; times < 5; times++) {
    const sale = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }] };
    const { id, totals } = await rehearsal.api('create-transaction-api', { body: sale });
    await rehearsal.api('add-payment-api', { params: { id }, body: { tender: { type: 'cash' }, amount: totals.total } });
    await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    await rehearsal.api('get-order-api', { params: { id } });
  }
  expect(await replayed((await rehearsal.control('read-story')).text)).toBe('passed');
});

test('The story of a client whose operation begins before the consequences of a call have ended passes', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'immediate', carrier: 'immediate' });
  const { id } = await rehearsal.authorised();
  await rehearsal.confirm(id);
  await rehearsal.control('count-stock-by-hand', { params: { sku: 'lamp-desk', locationId: 'store-01' }, body: { onHand: 7 } });
  await rehearsal.settle();
  expect(await replayed((await rehearsal.control('read-story')).text)).toBe('passed');
});

test('The story of goods that the staff of a store prepares in time begins when they were ordered, and passes', async () => {
  await using opened = await openRehearsal(estate.gateway, { store: 'time' }, { startsAt: MONDAY });
  const steps = withSteps(opened);
  const monday = { ...steps, ...collectionSteps(steps) };
  const { orderId } = await monday.toCollect();
  await monday.advance('PT3H');
  expect((await monday.order(orderId)).fulfillmentOrders).toMatchObject([{ state: 'dispatched' }]);
  const { text } = await monday.control('read-story');
  expect(text).toContain(`  startsAt: '${MONDAY}',\n`);
  expect(await replayed(text)).toBe('passed');
});

test('A story has the decision of a customer on the payment page, and no token of the page', async (rehearsal) => {
  const { nextAction } = await rehearsal.authorisation((await rehearsal.draft()).id, undefined, 'tok_3ds');
  const page = new URL(nextAction?.url ?? '', estate.gateway);
  expect((await fetch(`${page.href}/approve`, { method: 'POST', redirect: 'manual' })).status).toBe(303);
  await rehearsal.settle();
  const { text } = await rehearsal.control('read-story');
  expect(text).toContain("await stage.authenticate(payment.body.id, 'succeeded');");
  expect(text).not.toContain(page.pathname.split('/').at(-1));
  expect(await replayed(text)).toBe('passed');
});

test('A story names a token whose answers were changed by hand, although the journal redacts it', async (rehearsal) => {
  const declined = { outcome: 'decline', declineCode: 'lost_card' };
  await rehearsal.control('change-payment-token-by-hand', { params: { id: 'tok_of_ours' }, body: declined });
  const { id } = await rehearsal.draft();
  const body = { orderId: id, tender: { type: 'card', token: 'tok_of_ours' } };
  expect((await rehearsal.call('authorize-payment-api', { body })).status).toBe(402);
  const { text } = await rehearsal.control('read-story');
  expect(text).toContain("tender: { type: 'card', token: 'tok_by_hand' }");
  expect(await replayed(text)).toBe('passed');
});

test.each([
  ['permitted', 'unknown-member'],
  ['forbidden', 'wrong-total'],
])('A story has a %s change of an answer, and passes', async (rehearsal, kind, change) => {
  const { id } = await rehearsal.draft();
  await rehearsal.fault('changed', { match: { api: 'get-order-api', caller: 'outside' }, fault: { kind, change }, times: 1 });
  await rehearsal.order(id);
  const { text } = await rehearsal.control('read-story');
  expect(text).toContain(`fault: { kind: '${kind}', change: '${change}' }`);
  expect(await replayed(text)).toBe('passed');
});

test('The story of a refused card number sends a token that is refused alike', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  const body = { orderId: id, tender: { type: 'card', token: '4111111111111111' } };
  expect((await rehearsal.call('authorize-payment-api', { body })).status).toBe(422);
  expect(await replayed((await rehearsal.control('read-story')).text)).toBe('passed');
});

test('A story refuses an empty rehearsal, with the remedy', async (rehearsal) => {
  const { status, body } = await rehearsal.call('read-story');
  expect([status, body]).toMatchObject([
    409,
    { code: 'not_recordable', detail: 'Nothing has happened in this rehearsal yet. Call an API or the control plane in it first.' },
  ]);
});

plainTest.each<[beginning: string, data: OwnData | undefined, swap: SwapsInput | undefined]>([
  ['began with its own data', { vouchers: [{ code: 'WELCOME10', $remove: true }] }, undefined],
  ['uses real systems', undefined, { 'payment-hub': { url: 'http://127.0.0.1:9' } }],
])('A story refuses a rehearsal that %s, whose start a scenario cannot repeat', async (beginning, data, swap) => {
  await using rehearsal = await newRehearsal(undefined, data, swap);
  await rehearsal.basket();
  const { body } = await rehearsal.call('read-story');
  expect(body).toMatchObject({ code: 'not_recordable', detail: expect.stringContaining(`The rehearsal ${beginning}, and a scenario`) });
});

test('A story refuses a fork, whose start a scenario cannot repeat', async (rehearsal) => {
  await rehearsal.basket();
  await rehearsal.settle();
  const name = `${rehearsal.name}-fork`;
  await rehearsal.control('create-rehearsal', { body: { name, from: { rehearsal: rehearsal.name } } });
  try {
    const { body } = await rehearsal.call('read-story', { headers: { 'x-rehearsal': name } });
    expect(body).toMatchObject({ code: 'not_recordable', detail: expect.stringContaining('continues a fork or a snapshot') });
  } finally {
    await rehearsal.control('delete-rehearsal', { params: { name } });
  }
});

plainTest.each([
  ['hops', /^The journal has discarded the oldest hops of this rehearsal\. Reset the rehearsal/],
  ['operations', /^The rehearsal has more than 500 operations of the control plane\. Reset the rehearsal/],
] as const)('A recording refuses a rehearsal whose oldest %s are not on record', async (what, detail) => {
  const { worlds, control } = createMemoryStore({ journal: journalLimits({ records: 4, bytes: 100_000 }) });
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  if (what === 'hops') for (let n = 0; n < 9; n++) control.journal(world, aHop({ requestId: `h${n}`, correlationId: `c${n}` }));
  else for (let n = 0; n <= LOGS.operations.most; n++) await worlds.addEntry(world, 'operations', '{}');
  await expect(readRecording(worlds, { rehearsal: 'r', world }, inOneSlice)).rejects.toMatchObject({
    code: 'not_recordable',
    message: expect.stringMatching(detail),
  });
});
