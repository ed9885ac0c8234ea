import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Problem } from '../../shared/catalog/problems.ts';
import { ADMIN, API_KEY, aRig, asIntegration, BEARER, NO_SCOPE, type Reply, type Rig } from './running-gateway.ts';

let rig: Rig;
let asked: { principal: unknown; rehearsal: unknown; body: unknown }[] = [];
beforeAll(async () => {
  rig = await aRig({
    controlPlane: async ({ path, principal, rehearsal, body }, response) => {
      if (path !== '/_control/echo') throw new Problem('not_found', `Nothing is at ${path}.`);
      asked.push({ principal, rehearsal, body: JSON.parse(String(body)) });
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ path }));
    },
  });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
  asked = [];
});

const PARCEL = '/parcels/shp_1/tracking';
const BEARER_CHALLENGE = 'Bearer realm="unified-commerce"';
const API_KEY_CHALLENGE = 'ApiKey realm="unified-commerce"';

function expectRefused(reply: Reply, challenge: string): void {
  expect(reply).toMatchObject({ status: 401, json: { code: 'unauthenticated', type: '/problems/unauthenticated', retryable: false } });
  expect(reply.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'www-authenticate': challenge,
    'cache-control': 'no-store',
  });
  expect(rig.upstream.received).toEqual([]);
}

describe('An API with bearer authentication', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes a known token, with the scheme written as %s', async (scheme) => {
    const reply = await rig.call({ path: '/orders/ord_1', headers: { authorization: `${scheme} ${BEARER}` } });
    expect(reply.status).toBe(200);
    expect(rig.upstream.received[0]?.context?.principal).toBe('integration');
  });

  test.each([
    ['nothing', {}],
    ['an unknown token', { authorization: 'Bearer nobody-knows-this' }],
    ['a token that only begins like a known one', { authorization: `Bearer ${BEARER}x` }],
    ['a part of a known token', { authorization: `Bearer ${BEARER.slice(0, -1)}` }],
    ['a known token in other letters', { authorization: `Bearer ${BEARER.toUpperCase()}` }],
    ['no token after the scheme', { authorization: 'Bearer ' }],
    ['a known token without a scheme', { authorization: BEARER }],
    ['a known token as Basic', { authorization: `Basic ${BEARER}` }],
    ['two tokens in one', { authorization: `Bearer ${BEARER} ${BEARER}` }],
    ['a token longer than any', { authorization: `Bearer ${'x'.repeat(5_000)}` }],
    ['a known API key', { 'x-api-key': API_KEY }],
    ['a known API key as bearer', { authorization: `Bearer ${API_KEY}` }],
    ['a known token as API key', { 'x-api-key': BEARER }],
    ['a known token in the query', {}, '/orders/ord_1?access_token=integration-token'],
  ])('refuses %s with 401, a challenge, and no call to the application', async (_what, headers, path = '/orders/ord_1') => {
    const reply = await rig.call({ path, headers: { ...headers, 'x-correlation-id': 'refused' } });
    expectRefused(reply, BEARER_CHALLENGE);
    expect(reply.headers['x-correlation-id']).toBe('refused');
  });

  test('refuses a request with a body without reading the rest of it', async () => {
    expectRefused(await rig.call({ method: 'POST', path: '/baskets', body: '{"a":1}' }), BEARER_CHALLENGE);
  });

  test.each([NO_SCOPE, ADMIN])('refuses a known token without the scope with 403', async (token) => {
    const reply = await rig.call({ path: '/orders/ord_1', headers: { authorization: `Bearer ${token}` } });
    expect(reply).toMatchObject({ status: 403, json: { code: 'forbidden', scope: 'catalog' } });
    expect(reply.headers).not.toHaveProperty('www-authenticate');
    expect(rig.upstream.received).toEqual([]);
  });
});

describe('An API with API-key authentication', () => {
  test('takes a known key', async () => {
    expect(await rig.call({ path: PARCEL, headers: { 'x-api-key': API_KEY } })).toMatchObject({ status: 200 });
    expect(rig.upstream.received[0]?.context?.principal).toBe('carrier');
  });

  test.each([
    ['nothing', {}],
    ['an unknown key', { 'x-api-key': 'nobody-knows-this' }],
    ['a known bearer token', asIntegration],
    ['a known key as bearer', { authorization: `Bearer ${API_KEY}` }],
  ])('refuses %s with 401, a challenge, and no call to the application', async (_what, headers) => {
    expectRefused(await rig.call({ path: PARCEL, headers }), API_KEY_CHALLENGE);
  });
});

describe('An API without authentication', () => {
  test('admits anonymous callers', async () => {
    expect(await rig.call({ path: '/products/mug' })).toMatchObject({ status: 200 });
    expect(rig.upstream.received[0]?.context?.principal).toBe('anonymous');
  });

  test.each([
    ['token', asIntegration, 'integration'],
    ['API key', { 'x-api-key': API_KEY }, 'carrier'],
    ['token without the scope', { authorization: `Bearer ${NO_SCOPE}` }, 'nobody-much'],
  ])('recognises a known %s all the same', async (_what, headers, principal) => {
    expect(await rig.call({ path: '/products/mug', headers })).toMatchObject({ status: 200 });
    expect(rig.upstream.received[0]?.context?.principal).toBe(principal);
  });

  test('ignores an unknown credential', async () => {
    expect(await rig.call({ path: '/products/mug', headers: { authorization: 'Bearer a-typo' } })).toMatchObject({ status: 200 });
    expect(rig.upstream.received[0]?.context?.principal).toBe('anonymous');
  });
});

describe('The control plane', () => {
  const echo = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
    rig.call({
      method: 'POST',
      path: '/_control/echo',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"by":"PT1H"}',
    });

  test('serves the scope control, and receives the caller and the rehearsal', async () => {
    const reply = await echo({ authorization: `Bearer ${ADMIN}`, 'x-rehearsal': 'not-there-yet', 'x-correlation-id': 'by-admin' });
    expect(reply).toMatchObject({ status: 201, json: { path: '/_control/echo' } });
    expect(reply.headers['x-correlation-id']).toBe('by-admin');
    expect(asked).toEqual([{ principal: 'admin', rehearsal: 'not-there-yet', body: { by: 'PT1H' } }]);
    expect(await rig.adapter.worlds.resolve('not-there-yet')).toBeUndefined();
    await echo({ authorization: `Bearer ${ADMIN}` });
    expect(asked[1]).toMatchObject({ rehearsal: 'default' });
  });

  test('refuses all other callers', async () => {
    const { bearer } = await rig.rehearsal('bound-to-it');
    expectRefused(await echo({}), BEARER_CHALLENGE);
    expectRefused(await echo({ 'x-api-key': ADMIN }), BEARER_CHALLENGE);
    expectRefused(await echo({ authorization: 'Bearer unknown' }), BEARER_CHALLENGE);
    for (const token of [BEARER, bearer]) {
      expect(await echo({ authorization: `Bearer ${token}` })).toMatchObject({
        status: 403,
        json: { code: 'forbidden', scope: 'control' },
      });
    }
    expect(asked).toEqual([]);
  });

  test('answers 404 for an unknown path, and 400 for an invalid name', async () => {
    const authorization = `Bearer ${ADMIN}`;
    expect(await rig.call({ path: '/_control', headers: { authorization } })).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await rig.call({ path: '/_control/nothing', headers: { authorization } })).toMatchObject({ status: 404 });
    expect(await echo({ authorization, 'x-rehearsal': 'Not A Name' })).toMatchObject({ status: 400 });
    expect(await rig.journal('default')).toEqual([]);
  });
});

test('Neither answers nor the log contain credentials, known or unknown', async () => {
  const secrets = [BEARER, NO_SCOPE, API_KEY, 'some-guess'];
  for (const secret of secrets) {
    const credentials: Record<string, string>[] = [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }];
    for (const headers of credentials) {
      for (const path of ['/orders/ord_1', PARCEL, '/products/mug', '/_control/echo', '/nothing']) {
        const { text, headers: answered } = await rig.call({ path, headers });
        for (const known of secrets) expect(text + JSON.stringify(answered)).not.toContain(known);
      }
    }
  }
  expect(rig.logged()).not.toBe('');
  for (const secret of secrets) expect(rig.logged()).not.toContain(secret);
});
