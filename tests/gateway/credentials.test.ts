import { beforeEach, expect, test } from '@jest/globals';
import { Problem } from '../../shared/catalog/problems.ts';
import { ADMIN, API_KEY, asCarrier, asIntegration, BEARER, NO_SCOPE, PARCEL, type Reply, sharedRig } from './running-gateway.ts';

let asked: object[] = [];
const rig = sharedRig({
  controlPlane: async ({ path, principal, rehearsal, body }, response) => {
    if (path !== '/_control/echo') throw new Problem('not_found', `Nothing is at ${path}.`);
    asked.push({ principal, rehearsal, body: JSON.parse(String(body)) });
    response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ path }));
  },
});
beforeEach(() => {
  asked = [];
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const principal = () => rig.upstream.received[0]?.context?.principal;
const statusOf = async (path: string, headers: Record<string, string>) => (await rig.call({ path, headers })).status;

function expectRefused(reply: Reply, scheme: 'Bearer' | 'ApiKey'): void {
  const json = { code: 'unauthenticated', type: '/problems/unauthenticated', retryable: false };
  const type = 'application/problem+json; charset=utf-8';
  const headers = { 'content-type': type, 'www-authenticate': `${scheme} realm="unified-commerce"`, 'cache-control': 'no-store' };
  expect(reply).toMatchObject({ status: 401, json, headers });
  expect(rig.upstream.received).toEqual([]);
}

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('A known token is accepted with the scheme written as %s', async (scheme) => {
  expect(await statusOf('/orders/ord_1', { authorization: `${scheme} ${BEARER}` })).toBe(200);
  expect(principal()).toBe('integration');
});

test.each<[string, Record<string, string>, string?]>([
  ['nothing', {}],
  ['an unknown token', bearer('unknown-token')],
  ['a token that only begins like a known one', bearer(`${BEARER}x`)],
  ['a part of a known token', bearer(BEARER.slice(0, -1))],
  ['a known token in other letters', bearer(BEARER.toUpperCase())],
  ['no token after the scheme', { authorization: 'Bearer ' }],
  ['a known token without a scheme', { authorization: BEARER }],
  ['a known token as Basic', { authorization: `Basic ${BEARER}` }],
  ['two tokens in one', bearer(`${BEARER} ${BEARER}`)],
  ['a token longer than any', bearer('x'.repeat(5_000))],
  ['a known API key', asCarrier],
  ['a known API key as bearer', bearer(API_KEY)],
  ['a known token as API key', { 'x-api-key': BEARER }],
  ['a known token in the query', {}, `/orders/ord_1?access_token=${BEARER}`],
])('An API with bearer authentication refuses %s with a challenge', async (_what, headers, path = '/orders/ord_1') => {
  const reply = await rig.call({ path, headers: { ...headers, 'x-correlation-id': 'refused' } });
  expectRefused(reply, 'Bearer');
  expect(reply.headers['x-correlation-id']).toBe('refused');
});

test.each([NO_SCOPE, ADMIN])('The token %s without the scope is refused with 403', async (token) => {
  const reply = await rig.call({ path: '/orders/ord_1', headers: bearer(token) });
  expect(reply).toMatchObject({ status: 403, json: { code: 'forbidden', scope: 'catalog' } });
  expect(reply.headers).not.toHaveProperty('www-authenticate');
  expect(rig.upstream.received).toEqual([]);
});

test('A known API key is accepted', async () => {
  expect(await statusOf(PARCEL, asCarrier)).toBe(200);
  expect(principal()).toBe('carrier');
});

test.each<[string, Record<string, string>]>([
  ['nothing', {}],
  ['an unknown key', { 'x-api-key': 'unknown-key' }],
  ['a known bearer token', asIntegration],
  ['a known key as bearer', bearer(API_KEY)],
])('An API with API-key authentication refuses %s with a challenge', async (_what, headers) => {
  expectRefused(await rig.call({ path: PARCEL, headers }), 'ApiKey');
});

test.each<[string, Record<string, string>, string]>([
  ['no credential', {}, 'anonymous'],
  ['an unknown credential', bearer('a-typo'), 'anonymous'],
  ['a known token', asIntegration, 'integration'],
  ['a known API key', asCarrier, 'carrier'],
  ['a token without the scope', bearer(NO_SCOPE), 'nobody-much'],
])('An API without authentication takes %s', async (_what, headers, expected) => {
  expect(await statusOf('/products/mug', headers)).toBe(200);
  expect(principal()).toBe(expected);
});

const echo = (headers: Readonly<Record<string, string>>): Promise<Reply> => {
  const type = { 'content-type': 'application/json' };
  return rig.call({ method: 'POST', path: '/_control/echo', headers: { ...type, ...headers }, body: '{"by":"PT1H"}' });
};

test('The control plane serves the scope control, and receives the caller and the rehearsal', async () => {
  const reply = await echo({ ...bearer(ADMIN), 'x-rehearsal': 'not-there-yet', 'x-correlation-id': 'by-admin' });
  expect(reply).toMatchObject({ status: 201, json: { path: '/_control/echo' }, headers: { 'x-correlation-id': 'by-admin' } });
  await echo(bearer(ADMIN));
  const request = { principal: 'admin', rehearsal: 'not-there-yet', body: { by: 'PT1H' } };
  expect(asked).toEqual([request, { ...request, rehearsal: 'default' }]);
  expect(await rig.adapter.worlds.resolve('not-there-yet')).toBeUndefined();
});

test('The control plane refuses all other callers', async () => {
  const unknown: Record<string, string>[] = [{}, { 'x-api-key': ADMIN }, bearer('unknown')];
  for (const headers of unknown) expectRefused(await echo(headers), 'Bearer');
  for (const token of [BEARER, (await rig.rehearsal('bound-to-it')).bearer])
    expect(await echo(bearer(token))).toMatchObject({ status: 403, json: { code: 'forbidden', scope: 'control' } });
  expect(asked).toEqual([]);
});

test('The control plane answers 404 to an unknown path, and 400 to an invalid name', async () => {
  expect([await statusOf('/_control', bearer(ADMIN)), await statusOf('/_control/nothing', bearer(ADMIN))]).toEqual([404, 404]);
  expect(await echo({ ...bearer(ADMIN), 'x-rehearsal': 'Not A Name' })).toMatchObject({ status: 400 });
  expect(await rig.journal('default')).toEqual([]);
});

test('Neither answers nor the log contain credentials, known or unknown', async () => {
  const secrets = [BEARER, NO_SCOPE, API_KEY, 'some-guess'];
  for (const headers of secrets.flatMap((secret): Record<string, string>[] => [bearer(secret), { 'x-api-key': secret }])) {
    for (const path of ['/orders/ord_1', PARCEL, '/products/mug', '/_control/echo', '/nothing']) {
      const { text, headers: answered } = await rig.call({ path, headers });
      for (const known of secrets) expect(text + JSON.stringify(answered)).not.toContain(known);
    }
  }
  expect(rig.logged()).not.toBe('');
  for (const secret of secrets) expect(rig.logged()).not.toContain(secret);
});
