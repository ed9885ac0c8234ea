import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { ADMIN } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { plain } from '../support/plain-client.ts';

const HOUR = 3_600_000;
/** Longer than any pause between two calls on a machine with much else to do. */
const IDLE_MS = 4_000;
const newName = (): string => `life-${randomBytes(5).toString('hex')}`;

describe('A rehearsal', () => {
  let estate: ObservedEstate;
  let admin: EstateClient;
  beforeAll(async () => {
    estate = await anObservedEstate({ REHEARSAL_IDLE_EXPIRY: 'PT2H' });
    admin = estate.client;
  });
  afterAll(async () => {
    await estate[Symbol.asyncDispose]();
  });

  const create = async (body: { idleExpiry?: string; keep?: boolean } = {}): Promise<string> => {
    const name = newName();
    await admin.control('create-rehearsal', { body: { name, ...body } });
    return name;
  };
  const listed = async (name: string) => (await admin.control('list-rehearsals')).items.find((one) => one.name === name);
  const ends = async (name: string) => {
    const { endsAt, lastUsedAt } = (await listed(name)) ?? {};
    return endsAt !== undefined && Date.parse(endsAt) - Date.parse(String(lastUsedAt));
  };
  const within = (rehearsal: string) =>
    createEstateClient({
      gateway: estate.running.gateway,
      bearer: 'demo-integration-token',
      apiKey: 'demo-carrier-key',
      admin: ADMIN,
      rehearsal,
    });

  test('ends after the default or its own time without use, but never when it is kept or is the default rehearsal', async () => {
    expect(await ends(await create())).toBe(2 * HOUR);
    expect(await ends(await create({ idleExpiry: 'P3D' }))).toBe(72 * HOUR);
    expect(await ends(await create({ keep: true }))).toBe(false);
    expect(await ends('default')).toBe(false);
    await using client = within(newName());
    const name = newName();
    expect((await client.call('GET', '/customers/cus_ada', undefined, { headers: { 'x-rehearsal': name } })).status).toBe(200);
    expect(await ends(name)).toBe(2 * HOUR);
  });

  test.each(['an hour', 'P1M', 'PT0S', '-PT1H', 'P367D'])('with an idle time of "%s" is refused and not created', async (idleExpiry) => {
    const name = newName();
    const reply = await admin.call('POST', '/_control/rehearsals', { name, idleExpiry }, { as: 'admin' });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/idleExpiry', code: 'invalid_duration' }] } });
    expect(await listed(name)).toBeUndefined();
  });

  test('cannot be kept and have an idle time', async () => {
    const reply = await admin.call('POST', '/_control/rehearsals', { name: newName(), idleExpiry: 'PT1H', keep: true }, { as: 'admin' });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/idleExpiry', code: 'not_together' }] } });
  });

  test('without use expires: it is then unknown, and its credentials are invalid', async () => {
    const name = newName();
    const { credentials } = await admin.control('create-rehearsal', { body: { name, idleExpiry: 'PT1S' } });
    await eventually('it ends', async () => (await listed(name)) === undefined);
    const reply = await admin.call('GET', '/customers/cus_ada', undefined, {
      as: 'none',
      headers: { authorization: `Bearer ${credentials.bearer}` },
    });
    expect(reply.status).toBe(401);
    await using client = within(name);
    await expect(client.control('read-clock')).rejects.toThrow('404');
  });

  test.each([
    ['requests', (client: EstateClient) => client.call('GET', '/customers/cus_ada')],
    ['operations', (client: EstateClient) => client.control('read-clock')],
    [
      'a wait that is longer than its idle time',
      (client: EstateClient) => client.control('wait-for-events', { body: { type: 'order-created', timeoutMs: IDLE_MS + 500 } }),
    ],
  ])('that is used does not end: %s', async (_what, use) => {
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

  test('is listed with its content and its last use', async () => {
    const name = await create();
    await using client = within(name);
    const before = await listed(name);
    expect(before?.contents?.objects).toBeGreaterThan(0);
    expect(before?.contents).toMatchObject({ events: 0, journal: 0 });
    await client.call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] });
    await client.control('settle');
    await client.control('read-journal');
    const after = await listed(name);
    expect(after?.contents?.objects).toBe(Number(before?.contents?.objects) + 1);
    expect(after?.contents?.events).toBeGreaterThan(0);
    expect(after?.contents?.journal).toBeGreaterThan(0);
    expect(after?.contents?.bytes).toBeGreaterThan(Number(before?.contents?.bytes));
    expect(Date.parse(String(after?.lastUsedAt))).toBeGreaterThanOrEqual(Date.parse(String(before?.lastUsedAt)));
  });

  test.each([
    ['GET', '/_control/clock'],
    ['GET', '/_control/events'],
    ['GET', '/_control/journal'],
    ['GET', '/_control/verify'],
    ['GET', '/_control/faults'],
    ['PUT', '/_control/clock'],
    ['POST', '/_control/reset'],
    ['POST', '/_control/settle'],
    ['PUT', '/_control/faults/f'],
    ['DELETE', '/_control/faults'],
    ['DELETE', '/_control/rehearsals/{name}'],
  ])('that is unknown stays so when %s %s names it: 404', async (method, path) => {
    const name = newName();
    const bodies: Readonly<Record<string, unknown>> = {
      '/_control/clock': { flowing: true },
      '/_control/faults/f': { match: { application: 'oms' }, fault: { kind: 'outage' } },
    };
    const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[path] ?? {});
    await using client = within(name);
    const reply = await plain(client).call(method, path.replace('{name}', name), body, { as: 'admin' });
    expect(reply).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal', rehearsal: name } });
    expect(await listed(name)).toBeUndefined();
  });
});

describe('An estate with the maximum number of rehearsals', () => {
  let estate: ObservedEstate;
  beforeAll(async () => {
    estate = await anObservedEstate({ MAX_REHEARSALS: '3' });
    for (const name of ['one', 'two']) await estate.client.control('create-rehearsal', { body: { name } });
  });
  afterAll(async () => {
    await estate[Symbol.asyncDispose]();
  });

  const LONGEST_IDLE = { name: 'one', lastUsedAt: expect.any(String), endsAt: expect.any(String) };
  const REFUSED = { status: 429, body: { code: 'too_many_rehearsals', retryable: true, most: 3, longestIdle: LONGEST_IDLE } };

  test('refuses another with 429, which names the longest idle one and the time to retry', async () => {
    const reply = await plain(estate.client).call('POST', '/_control/rehearsals', { name: 'three' }, { as: 'admin' });
    expect(reply).toMatchObject(REFUSED);
    expect(reply.body.detail).toContain('"one"');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(86_000);
  });

  test('refuses the first use of a name in the same way, also for concurrent requests', async () => {
    const use = (name: string) => estate.client.call('GET', '/customers/cus_ada', undefined, { headers: { 'x-rehearsal': name } });
    const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => use(`another-${n}`)));
    for (const reply of replies) expect(reply).toMatchObject(REFUSED);
    expect((await use('one')).status).toBe(200);
    expect((await estate.client.control('list-rehearsals')).items.map(({ name }) => name)).toEqual(['default', 'one', 'two']);
  });

  test('creates another after a deletion, and still resets existing ones', async () => {
    await estate.client.control('delete-rehearsal', { params: { name: 'two' } });
    await estate.client.control('create-rehearsal', { body: { name: 'three' } });
    expect((await estate.client.control('reset-rehearsal')).name).toBe('default');
  });
});
