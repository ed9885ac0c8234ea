import { expect, test } from '@jest/globals';
import { mintCredentials } from '../../shared/control/credentials.ts';
import { REHEARSAL_NAME_RULE } from '../../shared/domain/ids.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { aRig, asCarrier, asIntegration, PARCEL, PEPPER, sharedRig } from './running-gateway.ts';

const rig = sharedRig();

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const order = (headers: Record<string, string>) => rig.call({ path: '/orders/ord_1', headers });
const product = (headers: Record<string, string>) => rig.call({ path: '/products/mug', headers });
const contexts = () => rig.upstream.received.map(({ context }) => [context?.world, context?.principal]);
const exists = async (name: string) => (await rig.adapter.worlds.resolve(name)) !== undefined;

test('A request without a name is for the rehearsal "default"', async () => {
  await product({});
  await product(asIntegration);
  const world = await rig.world('default');
  expect(contexts()).toEqual([
    [world, 'anonymous'],
    [world, 'integration'],
  ]);
});

test('A request is for the rehearsal of its header, and for its current world after a reset', async () => {
  const headers = { 'x-rehearsal': 'by-header' };
  await rig.rehearsal('by-header');
  const before = await rig.world('by-header');
  await order({ ...asIntegration, ...headers });
  await rig.rehearsal('by-header');
  await product(headers);
  expect(contexts()).toEqual([
    [before, 'integration'],
    [await rig.world('by-header'), 'anonymous'],
  ]);
  expect(await rig.world('by-header')).not.toBe(before);
});

test('A credential of a rehearsal selects it without a header, and after a reset', async () => {
  const { bearer, apiKey } = await rig.rehearsal('bound');
  await rig.rehearsal('bound');
  await order(bearing(bearer));
  await rig.call({ path: PARCEL, headers: { 'x-api-key': apiKey } });
  await product(bearing(bearer));
  await product({ 'x-api-key': apiKey });
  expect(contexts()).toEqual(Array(4).fill([await rig.world('bound'), 'reh:bound']));
});

test('A credential of a rehearsal is accepted with the name of that rehearsal, and refused with another name', async () => {
  const { bearer } = await rig.rehearsal('mine');
  await rig.rehearsal('theirs');
  for (const name of ['theirs', 'default', 'not-there'])
    for (const send of [order, product])
      expect(await send({ ...bearing(bearer), 'x-rehearsal': name })).toMatchObject({
        status: 403,
        json: { code: 'forbidden', rehearsal: 'mine' },
      });
  expect(rig.upstream.received).toEqual([]);
  expect(await exists('not-there')).toBe(false);
  const refusals = await rig.journal('mine');
  expect(refusals).toHaveLength(6);
  expect(refusals[0]).toMatchObject({ application: 'gateway', api: 'get-order-api', status: 403, response: { code: 'forbidden' } });
  expect(JSON.stringify(refusals)).not.toContain(bearer);
  expect(await rig.journal('theirs')).toEqual([]);
  expect((await order({ ...bearing(bearer), 'x-rehearsal': 'mine' })).status).toBe(200);
});

test('A credential of a rehearsal is identified by its secret, not by the name in it', async () => {
  const { bearer, apiKey } = await rig.rehearsal('guarded');
  const [foreign, unborn] = ['guarded', 'never-created'].map((name) => mintCredentials(name, PEPPER).plain.bearer);
  for (const token of [foreign, apiKey, bearer.slice(0, -1), bearer.replace('reh_guarded_', 'reh_default_'), unborn])
    expect(await order(bearing(token ?? ''))).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
  expect(rig.upstream.received).toEqual([]);
  expect(await exists('never-created')).toBe(false);
});

test('A credential of a deleted rehearsal is refused, even by APIs without authentication', async () => {
  const { bearer, apiKey } = await rig.rehearsal('deleted');
  expect((await order(bearing(bearer))).status).toBe(200);
  await rig.adapter.worlds.remove('deleted');
  expect((await order(bearing(bearer))).status).toBe(401);
  const challenge = (scheme: string) => ({ status: 401, headers: { 'www-authenticate': `${scheme} realm="unified-commerce"` } });
  expect(await product(bearing(bearer))).toMatchObject(challenge('Bearer'));
  expect(await product({ 'x-api-key': apiKey })).toMatchObject(challenge('ApiKey'));
  expect(rig.upstream.received).toHaveLength(1);
});

test('A known credential that uses the name of a rehearsal creates it', async () => {
  const longest = `0${'a'.repeat(38)}-`;
  expect((await order({ ...asIntegration, 'x-rehearsal': longest })).status).toBe(200);
  expect((await product({ ...asCarrier, 'x-rehearsal': 'by-carrier' })).status).toBe(200);
  expect(contexts()).toEqual([
    [await rig.world(longest), 'integration'],
    [await rig.world('by-carrier'), 'carrier'],
  ]);
});

test('A caller without a known credential is answered 404 unknown_rehearsal, and creates no rehearsal', async () => {
  const headers = { 'x-rehearsal': 'nobodys' };
  const unknown = { status: 404, json: { code: 'unknown_rehearsal', rehearsal: 'nobodys' } };
  expect(await product(headers)).toMatchObject(unknown);
  expect(await product({ ...bearing('a-typo'), ...headers })).toMatchObject(unknown);
  expect((await order(headers)).status).toBe(401);
  expect([await exists('nobodys'), rig.upstream.received]).toEqual([false, []]);
});

test.each(['UPPER', '-leading', 'a_b', 'a'.repeat(41), 'a b', '', 'a~b', '../x'])(
  'The name "%s" of a rehearsal is refused',
  async (name) => {
    const errors = [{ pointer: 'X-Rehearsal', code: 'invalid_header' }];
    expect(await order({ ...asIntegration, 'x-rehearsal': name })).toMatchObject({
      status: 400,
      json: { code: 'malformed_request', errors },
    });
    expect(rig.upstream.received).toEqual([]);
  },
);

test.each([
  ['Bad_', REHEARSAL_NAME_RULE],
  ['a'.repeat(41), REHEARSAL_NAME_RULE],
  ['', REHEARSAL_NAME_RULE],
  ['a&rehearsal=b', 'This must be text, not a list.'],
])('The name "%s" in the address of a webhook is refused', async (name, detail) => {
  const reply = await rig.call({ method: 'POST', path: `/webhooks/carrier?rehearsal=${name}` });
  expect(reply).toMatchObject({ status: 422, json: { code: 'validation_failed', errors: [{ pointer: '?rehearsal', detail }] } });
});

const unreachable = () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:6379'));
const AWAY = {
  status: 503,
  json: { code: 'dependency_unavailable', dependency: 'store', retryable: true },
  headers: { 'retry-after': '1' },
};

test('Requests are refused with 503 and Retry-After while the store cannot be reached, and liveness stays', async () => {
  await using cut = await aRig({
    directory: {
      resolve: unreachable,
      current: unreachable,
      nextNumber: unreachable,
      revokeToken: unreachable,
      isTokenRevoked: unreachable,
      expireTokens: unreachable,
    },
  });
  const reply = await cut.call({ path: '/orders/o', headers: asIntegration });
  expect(reply).toMatchObject(AWAY);
  expect(reply.text).not.toContain('6379');
  expect(cut.logged()).toContain('6379');
  expect(await cut.call({ path: '/healthz' })).toMatchObject({ status: 200 });
  const { bearer } = mintCredentials('somebody', PEPPER).plain;
  expect(await cut.call({ path: '/orders/o', headers: bearing(bearer) })).toMatchObject(AWAY);
});

test('Creating a rehearsal is refused with 503 and Retry-After while the store cannot be reached', async () => {
  await using cut = await aRig({ createRehearsal: unreachable as () => Promise<WorldView> });
  expect(await cut.call({ path: '/orders/o', headers: { ...asIntegration, 'x-rehearsal': 'new-one' } })).toMatchObject(AWAY);
});
