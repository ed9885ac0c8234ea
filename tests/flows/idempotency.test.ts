import { describe, expect } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { type ApiDefinition, isMutating } from '../../shared/catalog/define.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { testIn } from '../support/test-in.ts';
import { type Prepare, requests, sendRequest } from './changing-requests.ts';

const test = testIn(newRehearsal);

const mutating = (Object.values(apis) as unknown as ApiDefinition[]).filter((api) => isMutating(api) && api.auth !== 'signature');

describe.each(mutating.map((api) => [api.name, api] as const))('%s', (name, api) => {
  const prepare = requests[api.id] as Prepare;
  const send = (
    rehearsal: TestRehearsal,
    request: Parameters<typeof sendRequest>[2],
    headers: Record<string, string> = { 'idempotency-key': 'one' },
  ) => sendRequest(rehearsal, api.id, request, { headers });
  const published = async (rehearsal: TestRehearsal) =>
    (await rehearsal.events({ ext: true })).map(({ type, subject, aggregateversion }) => `${type} ${subject} ${aggregateversion}`);

  test(`${name} sent twice with one key has one effect and one answer, and is refused with another body`, async (rehearsal) => {
    const request = await prepare(rehearsal);
    const first = await send(rehearsal, request);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([api.status, undefined]);
    const before = await published(rehearsal);
    const { status, body, headers } = await send(rehearsal, request);
    expect([status, headers['idempotent-replayed'], headers['etag']]).toEqual([first.status, 'true', first.headers['etag']]);
    expect(body).toEqual(first.body);
    if (JSON.stringify(request.other) !== JSON.stringify(request.body)) {
      const other = await send(rehearsal, { ...request, body: request.other });
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
    expect(await published(rehearsal)).toEqual(before);
  });

  if (api.path.includes('{id}')) {
    test(`${name} with an If-Match of another version is refused and changes nothing`, async (rehearsal) => {
      const request = await prepare(rehearsal);
      const before = await published(rehearsal);
      const reply = await send(rehearsal, request, { 'if-match': '"999"' });
      expect(reply).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: expect.any(Number) } });
      expect(await published(rehearsal)).toEqual(before);
      expect((await send(rehearsal, request, { 'if-match': `"${reply.body.currentVersion}"` })).status).toBe(api.status);
    });
  }

  test(`${name} sent in fifty concurrent requests with one key has one effect`, async () => {
    // Ids differ between rehearsals.
    const kinds = async (rehearsal: TestRehearsal) => (await published(rehearsal)).map((event) => event.replace(/\/\S+/, '')).toSorted();
    await using once = await newRehearsal();
    await send(once, await prepare(once));
    await using rehearsal = await newRehearsal();
    const request = await prepare(rehearsal);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(rehearsal, request)));
    const answered = replies.filter(({ status }) => status === api.status);
    expect(new Set(answered.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(replies.filter((reply) => !answered.includes(reply)).every(({ body }) => body.code === 'idempotency_in_progress')).toBe(true);
    expect(await kinds(rehearsal)).toEqual(await kinds(once));
    await rehearsal.verify();
  });
});

describe('Idempotency-Key', () => {
  const KEY = { 'idempotency-key': 'one-key' };
  const grant = (rehearsal: TestRehearsal, id = 'loy_ada') =>
    rehearsal.call('issue-loyalty-points-api', { params: { id }, body: { points: 5, reason: 'late delivery' }, headers: KEY });

  test('An Idempotency-Key is for one path: the same body at another path is another request', async (rehearsal) => {
    for (const id of ['loy_ada', 'loy_clara']) {
      expect(await grant(rehearsal, id)).toMatchObject({ status: 201, body: { id } });
      expect((await grant(rehearsal, id)).headers['idempotent-replayed']).toBe('true');
    }
  });

  test('An Idempotency-Key is for one caller: the same request with another credential is another request', async (rehearsal) => {
    const create = async (bearer: string) => {
      const headers = { ...KEY, authorization: `Bearer ${bearer}`, 'x-rehearsal': rehearsal.name };
      return (await rehearsal.api('create-basket-api', { body: { channel: 'web' }, headers })).id;
    };
    const other = await create('demo-integration-token');
    expect(other).not.toBe(await create(rehearsal.credentials.bearer));
    expect(await create('demo-integration-token')).toBe(other);
  });

  test('The key of a request that failed at another application can be used immediately', async (rehearsal) => {
    await rehearsal.down('loyalty-platform');
    expect(await grant(rehearsal)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } });
    await rehearsal.noFaults();
    expect(await grant(rehearsal)).toMatchObject({ status: 201, body: { id: 'loy_ada' } });
  });

  test('A key that a request has claimed for more than a second is refused with the rest of its lease in Retry-After', async (rehearsal) => {
    await rehearsal.fault('slow', { match: { api: 'put-ledger-entry' }, fault: { kind: 'latency', ms: 4_000 } });
    const running = grant(rehearsal);
    const retryAfter = async () => {
      const { body, headers } = await grant(rehearsal);
      return body.code === 'idempotency_in_progress' ? Number(headers['retry-after']) : undefined;
    };
    await eventually('a Retry-After of a second', async () => (await retryAfter()) === 1);
    await eventually('a Retry-After of the lease', async () => Number(await retryAfter()) > 10);
    await running;
  });
});
