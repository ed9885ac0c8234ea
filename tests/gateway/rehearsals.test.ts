import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mintCredentials } from '../../shared/control/credentials.ts';
import { REHEARSAL_NAME_RULE } from '../../shared/domain/ids.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import { API_KEY, aRig, asIntegration, PEPPER, type Rig } from './running-gateway.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await aRig();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
});

const worldOf = async (name: string): Promise<string | undefined> => (await rig.adapter.worlds.resolve(name))?.world;
const worldAsked = (): string | undefined => rig.upstream.received[0]?.context?.world;

describe('A request belongs', () => {
  test('to "default" when it names no rehearsal, whether its caller is known or not', async () => {
    await rig.call({ path: '/products/mug' });
    await rig.call({ path: '/products/mug', headers: asIntegration });
    expect(rig.upstream.received.map(({ context }) => context?.world)).toEqual([await worldOf('default'), await worldOf('default')]);
  });

  test('to the rehearsal of the header', async () => {
    await rig.rehearsal('by-header');
    await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, 'x-rehearsal': 'by-header' } });
    expect(worldAsked()).toBe(await worldOf('by-header'));
    await rig.call({ path: '/products/mug', headers: { 'x-rehearsal': 'by-header' } });
    expect(rig.upstream.received[1]?.context).toMatchObject({ world: await worldOf('by-header'), principal: 'anonymous' });
  });

  test('to the current world of its rehearsal, also after a reset', async () => {
    await rig.rehearsal('resetting');
    const before = await worldOf('resetting');
    await rig.rehearsal('resetting');
    await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, 'x-rehearsal': 'resetting' } });
    expect(worldAsked()).toBe(await worldOf('resetting'));
    expect(worldAsked()).not.toBe(before);
  });
});

describe('A credential bound to a rehearsal', () => {
  test('selects it without a header', async () => {
    const { bearer, apiKey } = await rig.rehearsal('bound');
    await rig.call({ path: '/orders/ord_1', headers: { authorization: `Bearer ${bearer}` } });
    await rig.call({ path: '/parcels/shp_1/tracking', headers: { 'x-api-key': apiKey } });
    await rig.call({ path: '/products/mug', headers: { authorization: `Bearer ${bearer}` } });
    await rig.call({ path: '/products/mug', headers: { 'x-api-key': apiKey } });
    const world = await worldOf('bound');
    const contexts = rig.upstream.received.map(({ context }) => [context?.world, context?.principal]);
    expect(contexts).toEqual(Array.from({ length: 4 }, () => [world, 'reh:bound']));
  });

  test('may name its own rehearsal, and no other', async () => {
    const { bearer } = await rig.rehearsal('mine');
    await rig.rehearsal('theirs');
    const authorization = `Bearer ${bearer}`;
    expect(await rig.call({ path: '/orders/o', headers: { authorization, 'x-rehearsal': 'mine' } })).toMatchObject({ status: 200 });
    rig.upstream.received.length = 0;
    for (const path of ['/orders/o', '/products/mug']) {
      for (const name of ['theirs', 'default', 'not-there']) {
        const reply = await rig.call({ path, headers: { authorization, 'x-rehearsal': name } });
        expect(reply).toMatchObject({ status: 403, json: { code: 'forbidden', rehearsal: 'mine' } });
      }
    }
    expect(rig.upstream.received).toEqual([]);
    expect(await worldOf('not-there')).toBeUndefined();
    const refusals = await rig.journal('mine');
    expect(refusals).toHaveLength(6);
    expect(refusals[0]).toMatchObject({ application: 'gateway', api: 'get-order-api', status: 403, response: { code: 'forbidden' } });
    expect(JSON.stringify(refusals)).not.toContain(bearer);
    expect(await rig.journal('theirs')).toEqual([]);
  });

  test('is identified by its secret, not by the name in it', async () => {
    const { bearer, apiKey } = await rig.rehearsal('guarded');
    const foreign = mintCredentials('guarded', PEPPER).plain;
    const attempts = [
      { authorization: `Bearer ${foreign.bearer}` },
      { authorization: `Bearer ${apiKey}` },
      { authorization: `Bearer ${bearer.slice(0, -1)}` },
      { authorization: `Bearer ${bearer.replace('reh_guarded_', 'reh_default_')}` },
      { authorization: `Bearer ${mintCredentials('never-created', PEPPER).plain.bearer}` },
    ];
    for (const headers of attempts) {
      expect(await rig.call({ path: '/orders/o', headers })).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
    }
    expect(rig.upstream.received).toEqual([]);
    expect(await worldOf('never-created')).toBeUndefined();
  });

  test('is unknown after its rehearsal was deleted, also for APIs without authentication', async () => {
    const { bearer, apiKey } = await rig.rehearsal('deleted');
    const authorization = `Bearer ${bearer}`;
    expect(await rig.call({ path: '/orders/o', headers: { authorization } })).toMatchObject({ status: 200 });
    await rig.adapter.worlds.remove('deleted');
    rig.upstream.received.length = 0;
    expect(await rig.call({ path: '/orders/o', headers: { authorization } })).toMatchObject({ status: 401 });
    const product = await rig.call({ path: '/products/mug', headers: { authorization } });
    expect(product).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="unified-commerce"' } });
    const byKey = await rig.call({ path: '/products/mug', headers: { 'x-api-key': apiKey } });
    expect(byKey).toMatchObject({ status: 401, headers: { 'www-authenticate': 'ApiKey realm="unified-commerce"' } });
    expect(rig.upstream.received).toEqual([]);
  });

  test('still selects it after a reset', async () => {
    const { bearer } = await rig.rehearsal('kept');
    await rig.rehearsal('kept');
    expect(await rig.call({ path: '/orders/o', headers: { authorization: `Bearer ${bearer}` } })).toMatchObject({ status: 200 });
  });
});

describe('A rehearsal that does not exist yet', () => {
  test('is created by a known credential that uses its name', async () => {
    expect(await rig.call({ path: '/orders/o', headers: { ...asIntegration, 'x-rehearsal': 'first-use' } })).toMatchObject({ status: 200 });
    expect(worldAsked()).toBe(await worldOf('first-use'));
    expect(await rig.call({ path: '/products/m', headers: { 'x-api-key': API_KEY, 'x-rehearsal': 'by-carrier' } })).toMatchObject({
      status: 200,
    });
  });

  test('is 404 unknown_rehearsal for other callers, and is not created', async () => {
    const reply = await rig.call({ path: '/products/mug', headers: { 'x-rehearsal': 'nobodys' } });
    expect(reply).toMatchObject({ status: 404, json: { code: 'unknown_rehearsal', rehearsal: 'nobodys' } });
    const mistyped = await rig.call({ path: '/products/mug', headers: { authorization: 'Bearer a-typo', 'x-rehearsal': 'nobodys' } });
    expect(mistyped).toMatchObject({ status: 404, json: { code: 'unknown_rehearsal' } });
    expect(await rig.call({ path: '/orders/o', headers: { 'x-rehearsal': 'nobodys' } })).toMatchObject({ status: 401 });
    expect(await worldOf('nobodys')).toBeUndefined();
    expect(rig.upstream.received).toEqual([]);
  });

  test.each(['UPPER', '-leading', 'a_b', 'a'.repeat(41), 'a b', '', 'a~b', '../x'])(
    'and cannot be called "%s", which is 400',
    async (name) => {
      const reply = await rig.call({ path: '/orders/o', headers: { ...asIntegration, 'x-rehearsal': name } });
      expect(reply).toMatchObject({
        status: 400,
        json: { code: 'malformed_request', errors: [{ pointer: 'X-Rehearsal', code: 'invalid_header' }] },
      });
      expect(rig.upstream.received).toEqual([]);
    },
  );

  test.each([
    ['Bad_', REHEARSAL_NAME_RULE],
    ['a'.repeat(41), REHEARSAL_NAME_RULE],
    ['', REHEARSAL_NAME_RULE],
    ['a&rehearsal=b', 'This must be text, not a list.'],
  ])('and cannot be called "%s" in the address of a webhook, which is 422', async (name, detail) => {
    const reply = await rig.call({ method: 'POST', path: `/webhooks/carrier?rehearsal=${name}` });
    expect(reply).toMatchObject({ status: 422, json: { code: 'validation_failed', errors: [{ pointer: '?rehearsal', detail }] } });
  });

  test('may have a name of 40 characters', async () => {
    const name = `0${'a'.repeat(38)}-`;
    expect(await rig.call({ path: '/orders/o', headers: { ...asIntegration, 'x-rehearsal': name } })).toMatchObject({ status: 200 });
  });
});

describe('When the store cannot be reached', () => {
  const unreachable = () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:6379'));

  test('a request is refused at once with 503 and Retry-After, and liveness stays', async () => {
    await using cut = await aRig({ directory: { resolve: unreachable, current: unreachable } });
    const reply = await cut.call({ path: '/orders/o', headers: asIntegration });
    expect(reply).toMatchObject({ status: 503, json: { code: 'dependency_unavailable', dependency: 'store', retryable: true } });
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.text).not.toContain('6379');
    expect(cut.logged()).toContain('6379');
    expect(await cut.call({ path: '/healthz' })).toMatchObject({ status: 200 });
    const { bearer } = mintCredentials('somebody', PEPPER).plain;
    expect(await cut.call({ path: '/orders/o', headers: { authorization: `Bearer ${bearer}` } })).toMatchObject({ status: 503 });
  });

  test('creating a rehearsal fails in the same way', async () => {
    await using cut = await aRig({ createRehearsal: unreachable as () => Promise<WorldView> });
    const reply = await cut.call({ path: '/orders/o', headers: { ...asIntegration, 'x-rehearsal': 'new-one' } });
    expect(reply).toMatchObject({ status: 503, json: { code: 'dependency_unavailable', dependency: 'store' } });
  });
});
