import { expect } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type ReceivedEvent, receiveEvents } from '../support/event-receiver.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const NAME = { params: { name: 'shop' } };
const DOWN = { status: 503 };
const NONE = { status: 204 };

/** Registers a webhook. @returns its secret */
async function register({ control }: TestRehearsal, url: string, body: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { secret = '' } = await control('put-webhook', { ...NAME, body: { url, ...body } });
  return secret;
}

async function deliveriesOf({ control }: TestRehearsal, query: { before?: number; limit?: number } = {}) {
  return control('list-webhook-deliveries', { ...NAME, query });
}

const verify = (secret: string, { text, headers }: ReceivedEvent): unknown =>
  new Verifier(secret).verify(text, headers as Record<string, string>);

test('A registered webhook receives every event of its types once, as the bus carries it, signed for the library of receivers', async (rehearsal) => {
  await using receiver = await receiveEvents();
  const secret = await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed', 'ext.basket-changed'] });
  const order = await rehearsal.confirmed();
  const events = await rehearsal.events({ ext: true });
  const wanted = events.filter(({ type }) => /\.(order-created|order-confirmed|ext\.basket-changed)$/.test(type));
  expect(receiver.received.map(({ text }) => JSON.parse(text)).toSorted(byId)).toEqual(wanted.toSorted(byId));
  expect(receiver.types()).toEqual(expect.arrayContaining(['order-created', 'order-confirmed', 'ext.basket-changed']));
  expect(receiver.received.find(({ type }) => type === 'order-confirmed')?.subject).toBe(`order/${order.id}`);
  for (const one of receiver.received) {
    expect(verify(secret, one)).toMatchObject({ id: one.id });
    expect(one.headers['webhook-id']).toBe(one.id);
    expect(one.headers['content-type']).toMatch('application/cloudevents+json');
  }
});

test('An event that the receiver refuses is sent again on the rehearsal’s clock with the same id, and later events about its object wait', async (rehearsal) => {
  await using receiver = await receiveEvents(({ type }, attempt) => (type === 'order-created' && attempt < 3 ? DOWN : NONE));
  await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed', 'payment-authorized'] });
  await rehearsal.confirmed();
  await rehearsal.settle();
  expect(receiver.types()).toEqual(['order-created', 'payment-authorized']);
  await rehearsal.advance('PT5S');
  expect(receiver.types()).toEqual(['order-created', 'payment-authorized', 'order-created']);
  await rehearsal.advance('PT5M');
  expect(receiver.types().slice(3)).toEqual(['order-created', 'order-confirmed']);
  const { items } = await deliveriesOf(rehearsal);
  const created = items.find(({ event }) => event.type === 'order-created');
  expect(created).toMatchObject({ state: 'delivered', attempts: [DOWN, DOWN, NONE] });
  const [first, second, third] = created?.attempts.map(({ at }) => Date.parse(at)) ?? [];
  expect([(second ?? 0) - (first ?? 0), (third ?? 0) - (second ?? 0)]).toEqual([5_000, 300_000]);
});

test('A delivery is parked after its tenth attempt, counts as parked work, no longer holds back later events, and is redriven', async (rehearsal) => {
  let isUp = false;
  await using receiver = await receiveEvents(({ type }) =>
    isUp || type === 'order-confirmed' ? NONE : { status: 500, body: 'out of paper' },
  );
  await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed'] });
  await rehearsal.confirmed();
  await rehearsal.advance('P4D');
  expect(receiver.types()).toEqual([...Array(10).fill('order-created'), 'order-confirmed']);
  const { parked } = await rehearsal.settle();
  expect(parked).toEqual([
    expect.objectContaining({ what: 'due', key: 'gateway|deliver-webhook|shop/1', error: expect.stringContaining('500') }),
  ]);
  const [, oldest] = (await deliveriesOf(rehearsal)).items;
  expect(oldest).toMatchObject({ id: '1', state: 'parked', attempts: { length: 10 } });
  expect(oldest?.attempts[0]).toMatchObject({ status: 500, answer: 'out of paper' });
  isUp = true;
  await rehearsal.control('redrive-parked', { body: {} });
  await rehearsal.settle();
  expect((await deliveriesOf(rehearsal)).items[1]).toMatchObject({ id: '1', state: 'delivered' });
  expect(await rehearsal.control('list-parked')).toEqual({ items: [] });
});

test('A receiver that answers 410 gets nothing more, until its webhook is registered again', async (rehearsal) => {
  let isGone = true;
  await using receiver = await receiveEvents(() => (isGone ? { status: 410 } : NONE));
  await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed'] });
  await rehearsal.confirmed();
  await rehearsal.settle();
  expect(receiver.received).toHaveLength(1);
  expect(await rehearsal.control('read-webhook', NAME)).toMatchObject({ state: 'disabled', waiting: 0 });
  isGone = false;
  expect(await register(rehearsal, receiver.url, { types: ['order-created'] })).toBe('');
  await rehearsal.draft();
  await rehearsal.settle();
  expect(receiver.types().slice(1)).toEqual(['order-created']);
});

test('Retry-After delays the next attempt, and a redirect is a refusal', async (rehearsal) => {
  await using elsewhere = await receiveEvents();
  const refusal = { status: 307, headers: { location: elsewhere.url, 'retry-after': '60' } };
  await using receiver = await receiveEvents((_event, attempt) => (attempt === 1 ? refusal : NONE));
  await register(rehearsal, receiver.url, { types: ['order-created'] });
  await rehearsal.draft();
  await rehearsal.settle();
  await rehearsal.advance('PT59S');
  expect(receiver.received).toHaveLength(1);
  await rehearsal.advance('PT1S');
  expect([receiver.received.length, elsewhere.received.length]).toEqual([2, 0]);
});

const DAY = 86_400_000;
for (const [asked, wait] of [
  ['1000000000000000', DAY],
  ['1e308', 5_000],
  [new Date(Date.now() + 10 * DAY).toUTCString(), DAY],
] as const)
  test(`A receiver with the answer Retry-After: ${asked.slice(0, 5)} is tried again within a day`, async (rehearsal) => {
    const refusal = { status: 503, headers: { 'retry-after': asked } };
    await using receiver = await receiveEvents((_event, attempt) => (attempt === 1 ? refusal : NONE));
    await register(rehearsal, receiver.url, { types: ['order-created'] });
    await rehearsal.draft();
    await rehearsal.settle();
    const [waiting] = (await deliveriesOf(rehearsal)).items;
    const [attempt] = waiting?.attempts ?? [];
    expect(Date.parse(waiting?.nextAttemptAt ?? '') - Date.parse(attempt?.at ?? '')).toBe(wait);
    await rehearsal.advance('PT24H');
    expect((await deliveriesOf(rehearsal)).items).toMatchObject([{ state: 'delivered', attempts: [DOWN, NONE] }]);
  });

test('An old secret no longer signs after its end', async (rehearsal) => {
  await using receiver = await receiveEvents();
  const old = await register(rehearsal, receiver.url, { types: ['order-created'] });
  const { secret } = await rehearsal.control('rotate-webhook-secret', { ...NAME, body: { keepOldFor: 'PT1S' } });
  await eventually('the old secret has ended', async () => (await rehearsal.control('read-webhook', NAME)).oldSecretUntil === undefined);
  await rehearsal.draft();
  await rehearsal.settle();
  const [first] = receiver.received;
  if (!first) throw new Error('Nothing arrived.');
  expect(verify(secret, first)).toEqual(expect.anything());
  expect(() => verify(old, first)).toThrow();
});

test('A new secret and the old one both sign while the old one is kept', async (rehearsal) => {
  await using receiver = await receiveEvents();
  const old = await register(rehearsal, receiver.url, { types: ['order-created'] });
  const { secret, oldSecretUntil } = await rehearsal.control('rotate-webhook-secret', { ...NAME, body: { keepOldFor: 'PT1H' } });
  expect(Date.parse(oldSecretUntil ?? '')).toBeGreaterThan(Date.now());
  await rehearsal.draft();
  await rehearsal.settle();
  const [first] = receiver.received;
  if (!first) throw new Error('Nothing arrived.');
  expect([verify(old, first), verify(secret, first)]).toEqual([expect.anything(), expect.anything()]);
  const { secret: last } = await rehearsal.control('rotate-webhook-secret', { ...NAME, body: { keepOldFor: 'PT0S' } });
  await rehearsal.draft();
  await rehearsal.settle();
  const second = receiver.received[1] ?? first;
  expect(verify(last, second)).toEqual(expect.anything());
  expect(() => verify(secret, second)).toThrow();
});

test('The timestamp is wall time, or the rehearsal’s clock on request', async (rehearsal) => {
  await using receiver = await receiveEvents();
  await rehearsal.advance('P2D');
  await register(rehearsal, receiver.url, { types: ['order-created'] });
  await rehearsal.draft();
  await rehearsal.settle();
  await register(rehearsal, receiver.url, { types: ['order-created'], timestamp: 'rehearsal' });
  await rehearsal.draft();
  await rehearsal.settle();
  const [wall = 0, clock = 0] = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']) * 1_000);
  expect(Math.abs(wall - Date.now())).toBeLessThan(60_000);
  expect(clock - wall).toBeGreaterThan(2 * 86_400_000 - 60_000);
});

test('A reset keeps the registration and its secret, and new events are delivered', async (rehearsal) => {
  await using receiver = await receiveEvents();
  const secret = await register(rehearsal, receiver.url, { types: ['order-created'] });
  await rehearsal.draft();
  await rehearsal.settle();
  await rehearsal.control('reset-rehearsal');
  expect(await rehearsal.control('list-webhooks')).toEqual({ items: [expect.objectContaining({ name: 'shop', deliveries: 0 })] });
  await rehearsal.draft();
  await rehearsal.settle();
  expect(receiver.received.map((one) => verify(secret, one))).toHaveLength(2);
});

test('A deleted webhook gets nothing more, and its parked and waiting deliveries are gone', async (rehearsal) => {
  await using receiver = await receiveEvents(() => DOWN);
  await register(rehearsal, receiver.url, { types: ['order-created'] });
  await rehearsal.draft();
  await rehearsal.advance('P4D');
  await rehearsal.draft();
  await rehearsal.settle();
  await rehearsal.control('delete-webhook', NAME);
  const { length } = receiver.received;
  await rehearsal.draft();
  expect((await rehearsal.settle()).parked).toEqual([]);
  await rehearsal.advance('P1D');
  expect(receiver.received).toHaveLength(length);
  expect((await rehearsal.call('read-webhook', NAME)).status).toBe(404);
  await register(rehearsal, receiver.url, { types: ['order-created'] });
  expect(await deliveriesOf(rehearsal)).toEqual({ items: [] });
});

test('Redeliver sends a delivered event again with its id, tries a parked one again, and refuses one that waits for another', async (rehearsal) => {
  let isUp = false;
  await using receiver = await receiveEvents(() => (isUp ? NONE : DOWN));
  await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed'] });
  const redeliver = (id: string) => rehearsal.call('redeliver-webhook', { params: { name: 'shop', id } });
  await rehearsal.confirmed();
  await rehearsal.settle();
  expect((await redeliver('2')).body).toMatchObject({ status: 409, code: 'delivery_not_possible' });
  isUp = true;
  expect(await redeliver('1')).toMatchObject({ status: 202, body: { id: '1' } });
  await rehearsal.settle();
  expect(receiver.types()).toEqual(['order-created', 'order-created', 'order-confirmed']);
  await redeliver('1');
  await rehearsal.settle();
  expect(receiver.types().slice(3)).toEqual(['order-created']);
  expect(receiver.received[3]?.id).toBe(receiver.received[0]?.id);
  expect((await redeliver('3')).status).toBe(404);
});

test.each([
  ['withhold', { kind: 'withhold' }, ['order-confirmed'], ['order-created']],
  ['reorder', { kind: 'reorder' }, ['order-confirmed', 'order-created'], []],
  ['duplicate', { kind: 'duplicate', copies: 1 }, ['order-created', 'order-created', 'order-confirmed'], []],
])('the fault %s strikes the webhook that it names', async (rehearsal, _kind, fault, before, after) => {
  await using receiver = await receiveEvents();
  await register(rehearsal, receiver.url, { types: ['order-created', 'order-confirmed'] });
  await rehearsal.fault('hooks', { match: { webhook: 'shop' }, fault, times: 1 });
  await rehearsal.confirmed();
  await rehearsal.settle();
  expect(receiver.types()).toEqual(before);
  await rehearsal.noFaults();
  await rehearsal.settle();
  expect(receiver.types().slice(before.length)).toEqual(after);
});

test('The trace of the request that caused an event has a hop for each attempt, with its status', async (rehearsal) => {
  await using receiver = await receiveEvents((_event, attempt) => (attempt === 1 ? DOWN : NONE));
  await register(rehearsal, receiver.url, { types: ['order-created'] });
  await rehearsal.draft();
  await rehearsal.settle();
  await rehearsal.advance('PT5S');
  const [delivery] = (await deliveriesOf(rehearsal)).items;
  const hops = (await rehearsal.journal(delivery?.event.correlationId)).filter(({ api }) => api === 'webhook:shop');
  expect(hops.map(({ status, application, requestId }) => ({ status, application, requestId }))).toEqual(
    delivery?.attempts.map(({ status, requestId }) => ({ status, application: 'gateway', requestId })),
  );
  const [cause] = (await rehearsal.journal(delivery?.event.correlationId)).filter(({ requestId }) => requestId === hops[0].parentId);
  expect(cause).toMatchObject({ application: 'oms' });
  expect(hops[0].request).toMatchObject({ id: delivery?.event.id });
});

test.each([
  ['that is the beginning of JSON', '{"a":'],
  ['that is longer than what is kept of it', JSON.stringify({ text: 'x'.repeat(2_000) })],
  ['that nests deeply', '['.repeat(70) + ']'.repeat(70)],
  ['with members and numbers that no file may have', '{"__proto__":{},"a":1e400,"b":"\\ud800"}'],
])('An answer of a receiver %s leaves the journal readable, and the exported rehearsal acceptable', async (rehearsal, _what, body) => {
  await using receiver = await receiveEvents(() => ({ status: 200, body, headers: { 'content-type': 'application/json' } }));
  await register(rehearsal, receiver.url, { types: ['basket-created'] });
  await rehearsal.basket();
  await rehearsal.settle();
  const [hop] = (await rehearsal.journal()).filter(({ api }) => api === 'webhook:shop');
  expect(hop).toMatchObject({ status: 200, response: body.slice(0, 500) });
  const file = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
  const upload = { query: { name: `${rehearsal.name}-file`, dryRun: 'true' as const }, body: file as never };
  expect(await rehearsal.call('upload-snapshot', upload)).toMatchObject({ status: 200, body: { kept: false } });
});

test('Deliveries are listed newest first, in pages', async (rehearsal) => {
  await using receiver = await receiveEvents();
  await register(rehearsal, receiver.url, { types: ['basket-created'] });
  for (let made = 0; made < 5; made++) await rehearsal.basket();
  await rehearsal.settle();
  const first = await deliveriesOf(rehearsal, { limit: 2 });
  const second = await deliveriesOf(rehearsal, { limit: 2, before: first.next });
  const third = await deliveriesOf(rehearsal, { limit: 2, before: second.next });
  expect([first, second, third].map(({ items }) => items.map(({ id }) => id))).toEqual([['5', '4'], ['3', '2'], ['1']]);
  expect(third.next).toBeUndefined();
});

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
