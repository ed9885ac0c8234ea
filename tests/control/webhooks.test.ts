import { expect } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { MOST_WEBHOOKS } from '../../shared/catalog/control/webhooks.ts';
import { estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type ReceivedEvent, receiveEvents } from '../support/event-receiver.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const put = (rehearsal: TestRehearsal, { name = 'shop', ...body }: { name?: string; url?: string; types?: string[] } = {}) =>
  rehearsal.call('put-webhook', { params: { name }, body: { url: 'http://127.0.0.1:9/events', ...body } });

test('Put Webhook refuses unknown events with the nearest name, and every mistake together', async (rehearsal) => {
  const { status, body } = await put(rehearsal, { types: ['order-confirmd', 'ext.*', 'nothing-like-it'] });
  expect([status, body.errors]).toMatchObject([
    422,
    [
      { pointer: '/types/0', code: 'unknown_event', detail: 'There is no event order-confirmd; did you mean order-confirmed?' },
      { pointer: '/types/2', code: 'unknown_event' },
    ],
  ]);
});

test.each(['carrier', 'Shop', '-shop', 'a'.repeat(41)])('Put Webhook refuses the name %s', async (rehearsal, name) => {
  expect(await put(rehearsal, { name })).toMatchObject({ status: 422, body: { errors: [{ pointer: '{name}' }] } });
});

test('A rehearsal has at most twenty webhooks, and a deleted one makes room', async (rehearsal) => {
  const made = await Promise.all(Array.from({ length: MOST_WEBHOOKS }, (_, number) => put(rehearsal, { name: `w-${number}` })));
  expect(made.map(({ status }) => status)).toEqual(Array(MOST_WEBHOOKS).fill(200));
  expect((await put(rehearsal, { name: 'another' })).body).toMatchObject({ status: 409, code: 'too_many_webhooks' });
  await rehearsal.control('delete-webhook', { params: { name: 'w-3' } });
  expect((await put(rehearsal, { name: 'another' })).status).toBe(200);
  const { items } = await rehearsal.control('list-webhooks');
  expect(new Set(items.map(({ name }) => name)).size).toBe(MOST_WEBHOOKS);
});

test('A delivery of a deleted webhook is not sent to a webhook that is registered under its name before the delivery ends', async (rehearsal) => {
  const { promise: released, resolve: release } = Promise.withResolvers<{ readonly status: number }>();
  await using former = await receiveEvents(() => ({ status: 503 }));
  await using slow = await receiveEvents(() => released);
  await using successor = await receiveEvents();
  const types = ['order-created'];
  await put(rehearsal, { url: former.url, types });
  await rehearsal.draft();
  await rehearsal.advance('P4D');
  expect((await rehearsal.settle()).parked).toHaveLength(1);
  // While an attempt runs, no other due work of the rehearsal begins.
  await put(rehearsal, { name: 'slow', url: slow.url, types: ['order-confirmed'] });
  await rehearsal.confirmed();
  await eventually('the slow receiver is asked', async () => slow.received.length > 0);
  await rehearsal.control('delete-webhook', { params: { name: 'shop' } });
  await put(rehearsal, { url: successor.url, types });
  release({ status: 204 });
  await rehearsal.settle();
  expect(successor.received).toEqual([]);
  const { id } = await rehearsal.draft();
  await rehearsal.settle();
  expect(successor.received.map(({ subject }) => subject)).toEqual([`order/${id}`]);
});

test('Only the answer to the registration has the secret', async (rehearsal) => {
  expect((await put(rehearsal)).body.secret).toMatch(/^whsec_/);
  const read = await rehearsal.control('read-webhook', { params: { name: 'shop' } });
  const others = [(await put(rehearsal)).body, await rehearsal.control('list-webhooks'), read];
  expect(JSON.stringify(others)).not.toContain('whsec_');
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/events',
  'http://10.0.0.1/events',
  'http://[::ffff:10.0.0.1]/events',
  'http://167772161/events',
  'http://1.1.1.1/events',
])('Put Webhook refuses the address %s and names the variable', async (rehearsal, url) => {
  const { body } = await put(rehearsal, { url });
  expect(body).toMatchObject({ status: 403, code: 'outbound_refused', detail: expect.stringContaining('OUTBOUND_ALLOW') });
});

test.each([
  ['http://user:password@127.0.0.1:9/events', 'a user or a password'],
  ['http://127.0.0.1:9/events#top', 'a fragment'],
  ['ftp://127.0.0.1/events', 'not an address like https://'],
  ['nonsense', 'not an address like https://'],
])('Put Webhook refuses %s as malformed, and names the mistake', async (rehearsal, url, mistake) => {
  const { body } = await put(rehearsal, { url });
  const detail = expect.stringContaining(mistake);
  expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/url', code: 'invalid_address', detail }] });
});

test.each([
  ['the gateway', () => estate.gateway],
  ['an application', () => estate.applications['oms']],
  ['the touchpoint mock', () => estate.touchpoint],
  ['the portal under another spelling', () => estate.portal.replace('127.0.0.1', '0x7f.1')],
])('Put Webhook refuses %s, which is a listener of the estate', async (rehearsal, _listener, url) => {
  const { body } = await put(rehearsal, { url: url() });
  expect(body).toMatchObject({ code: 'outbound_refused', detail: expect.stringContaining('a listener of the estate itself') });
});

const verifiedBy = (secret: string, { text, headers }: ReceivedEvent): unknown =>
  new Verifier(secret).verify(text, headers as Record<string, string>);

const setFault = (rehearsal: TestRehearsal, webhook: string) =>
  rehearsal.call('put-fault', { params: { name: 'f' }, body: { match: { webhook }, fault: { kind: 'bad-signature' }, times: 1 } });

test('A fault may name a webhook before it is registered, strikes once it is, and stays when the webhook is registered again', async (rehearsal) => {
  await using receiver = await receiveEvents();
  expect((await setFault(rehearsal, 'shop')).body).toMatchObject({ hits: 0, registered: false });
  expect(await rehearsal.faults()).toMatchObject([{ name: 'f', registered: false }]);
  const types = ['order-created'];
  await put(rehearsal, { url: receiver.url, types });
  await rehearsal.control('delete-webhook', { params: { name: 'shop' } });
  const secret = (await put(rehearsal, { url: receiver.url, types })).body.secret ?? '';
  expect((await rehearsal.faults())[0]).not.toHaveProperty('registered');
  await rehearsal.draft();
  await rehearsal.draft();
  await rehearsal.settle();
  const [first, second] = receiver.received;
  expect(first && (() => verifiedBy(secret, first))).toThrow('No matching signature');
  expect(second && verifiedBy(secret, second)).toMatchObject({ type: expect.stringContaining('order-created') });
  expect(await rehearsal.faults()).toMatchObject([{ hits: 1, struck: [{ webhookId: first?.id }] }]);
});

test.each(['carier', 'carriers', 'carreir'])(
  'A fault on the webhook %s is refused as a misspelt carrier, unless this webhook is registered',
  async (rehearsal, name) => {
    const detail = `The webhook ${name} does not exist; did you mean carrier? If your webhook has this name, register it first.`;
    expect((await setFault(rehearsal, name)).body.errors).toEqual([{ pointer: '/match/webhook', code: 'unknown_webhook', detail }]);
    await put(rehearsal, { name });
    expect(await setFault(rehearsal, name)).toMatchObject({ status: 200, body: { match: { webhook: name } } });
  },
);

test.each(['Shop', 'a'.repeat(41), ''])(
  'A fault on the webhook "%s" is refused, because no webhook can have the name',
  async (rehearsal, name) => {
    expect(await setFault(rehearsal, name)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/match/webhook' }] } });
  },
);
