import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import { pause } from '../../shared/process/waiting.ts';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { ADMIN } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { type PlainClient, plain } from '../support/plain-client.ts';

const HOUR = 3_600_000;
/** Longer than any pause between two calls on a loaded machine. */
const IDLE_MS = 4_000;
const newName = (): string => `life-${randomBytes(5).toString('hex')}`;

let estate: ObservedEstate;
let admin: PlainClient;
beforeAll(async () => {
  estate = await anObservedEstate({ REHEARSAL_IDLE_EXPIRY: 'PT2H' });
  admin = plain(estate.client);
});
afterAll(async () => estate[Symbol.asyncDispose]());

const create = async (body: { idleExpiry?: string; keep?: boolean } = {}): Promise<string> => {
  const name = newName();
  await admin.control('create-rehearsal', { body: { name, ...body } });
  return name;
};
const createBy = (body: object) => admin.call('POST', '/_control/rehearsals', body, { as: 'admin' });
const listed = async (name: string) => (await admin.control('list-rehearsals')).items.find((one) => one.name === name);
/** Milliseconds from the last use of a rehearsal to its end. */
const lifetime = async (name: string) => {
  const { endsAt, lastUsedAt } = (await listed(name)) ?? {};
  return endsAt === undefined ? undefined : Date.parse(endsAt) - Date.parse(String(lastUsedAt));
};
const within = (rehearsal: string) => {
  const { gateway } = estate.running;
  return createEstateClient({ gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN, rehearsal });
};
const ADA = { params: { id: 'cus_ada' } };

test.each([
  ['the default idle time', {}, 2 * HOUR],
  ['its idle time', { idleExpiry: 'P3D' }, 72 * HOUR],
  ['no idle time when it is kept', { keep: true }, undefined],
])('A rehearsal ends after %s', async (_what, body, expected) => {
  expect(await lifetime(await create(body))).toBe(expected);
});

test('A rehearsal created by its first use has the default idle time, and the default rehearsal has none', async () => {
  const name = newName();
  await using client = within(name);
  expect((await client.call('get-customer-api', ADA)).status).toBe(200);
  expect([await lifetime(name), await lifetime('default')]).toEqual([2 * HOUR, undefined]);
});

test.each([
  ...['an hour', 'P1M', 'PT0S', '-PT1H', 'P367D'].map((idleExpiry) => [{ idleExpiry }, 'invalid_duration'] as const),
  [{ idleExpiry: 'PT1H', keep: true }, 'not_together'] as const,
])('A rehearsal with %j is refused and not created', async (body, code) => {
  const name = newName();
  expect(await createBy({ name, ...body })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/idleExpiry', code }] } });
  expect(await listed(name)).toBeUndefined();
});

test('A rehearsal without use expires: it is then unknown, and its credentials are invalid', async () => {
  const name = newName();
  const { credentials } = await admin.control('create-rehearsal', { body: { name, idleExpiry: 'PT1S' } });
  await eventually('it ends', async () => (await listed(name)) === undefined);
  const headers = { authorization: `Bearer ${credentials.bearer}` };
  expect((await admin.call('GET', '/customers/cus_ada', undefined, { as: 'none', headers })).status).toBe(401);
  await using client = within(name);
  await expect(client.control('read-clock')).rejects.toThrow('404');
});

test.each<[string, (client: EstateClient) => Promise<unknown>]>([
  ['requests', (client) => client.call('get-customer-api', ADA)],
  ['operations', (client) => client.control('read-clock')],
  [
    'a wait that is longer than the idle time',
    (client) => client.control('wait-for-events', { body: { type: 'order-created', timeoutMs: IDLE_MS + 500 } }),
  ],
  [
    'a stream that is open for longer than the idle time',
    async (client) => {
      const stream = client.stream('read-stream');
      await stream.next();
      await pause(IDLE_MS + 500);
      await stream.return();
    },
  ],
])('A rehearsal does not end while it is used by %s', async (_what, use) => {
  const name = await create({ idleExpiry: `PT${IDLE_MS / 1_000}S` });
  await using client = within(name);
  const { world } = (await listed(name)) ?? {};
  const until = Date.now() + IDLE_MS + 500;
  await eventually('longer than its idle time', async () => {
    await use(client);
    return Date.now() > until;
  });
  expect((await listed(name))?.world).toBe(world);
});

test.each<[string, string, object | undefined]>([
  ['GET', '/_control/clock', undefined],
  ['PUT', '/_control/clock', { flowing: true }],
  ['POST', '/_control/reset', {}],
  ['PUT', '/_control/faults/f', { match: { application: 'oms' }, fault: { kind: 'outage' } }],
  ['DELETE', '/_control/rehearsals/{name}', undefined],
  ['GET', '/_control/stream', undefined],
])('%s %s does not create an unknown rehearsal', async (method, path, body) => {
  const name = newName();
  await using client = within(name);
  const reply = await plain(client).call(method, path.replace('{name}', name), body, { as: 'admin' });
  expect(reply).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal', rehearsal: name } });
  expect(await listed(name)).toBeUndefined();
});

test('An estate with the maximum number of rehearsals refuses another until one is deleted', async () => {
  await using full = await anObservedEstate({ MAX_REHEARSALS: '3' });
  const { call, control } = plain(full.client);
  for (const name of ['one', 'two']) await control('create-rehearsal', { body: { name } });
  const longestIdle = { name: 'one', lastUsedAt: expect.any(String), endsAt: expect.any(String) };
  const refused = { status: 429, body: { code: 'too_many_rehearsals', retryable: true, most: 3, longestIdle } };

  const reply = await call('POST', '/_control/rehearsals', { name: 'three' }, { as: 'admin' });
  expect(reply).toMatchObject(refused);
  expect(reply.body.detail).toContain('"one"');
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(86_000);

  const use = (name: string) => call('GET', '/customers/cus_ada', undefined, { headers: { 'x-rehearsal': name } });
  for (const one of await Promise.all(Array.from({ length: 10 }, (_, n) => use(`another-${n}`)))) expect(one).toMatchObject(refused);
  expect((await use('one')).status).toBe(200);
  expect((await control('list-rehearsals')).items.map(({ name }) => name)).toEqual(['default', 'one', 'two']);

  await control('delete-rehearsal', { params: { name: 'two' } });
  await control('create-rehearsal', { body: { name: 'three' } });
  expect((await control('reset-rehearsal')).name).toBe('default');
});
