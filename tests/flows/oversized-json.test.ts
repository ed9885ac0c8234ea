import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { someOf } from '../support/effort.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';

interface Target {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly as: 'bearer' | 'api-key' | 'admin' | 'none';
}

const SCHEMES = { bearer: 'bearer', 'api-key': 'api-key', signature: 'none', none: 'none' } as const;
const targets: readonly Target[] = [
  ...(Object.values(apis) as unknown as ApiDefinition[]).map(({ name, method, path, auth }) => ({ name, method, path, as: SCHEMES[auth] })),
  ...(Object.values(controlOperations) as readonly ControlOperation[]).map(
    ({ method, path }): Target => ({ name: `${method} ${path}`, method, path, as: 'admin' }),
  ),
]
  .filter(({ method }) => method === 'POST' || method === 'PUT')
  .map((target) => ({ ...target, path: target.path.replaceAll(/\{\w+\}/g, 'nothing') }));

/** Nested arrays or objects. */
const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const members = (count: number): string => `{${[...Array(count).keys()].map((n) => `"m${n}":0`).join(',')}}`;
const items = (count: number): string => `[${Array(count).fill('0').join(',')}]`;

const TOO_DEEP = { status: 400, body: { code: 'malformed_request', detail: expect.stringContaining('64 levels') } };
const TOO_MANY = { status: 400, body: { code: 'malformed_request', detail: expect.stringContaining('1,000') } };

describe.each(someOf(targets, 0.4))('$name', ({ method, path, as }) => {
  test('refuses JSON of more than 64 levels with 400 at any depth', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of [
      arrays(65),
      objects(65),
      `{"a":${arrays(64)}}`,
      arrays(5_000),
      objects(20_000),
      '['.repeat(500_000),
      '{"a":'.repeat(170_000),
    ]) {
      expect(await rehearsal.call(method, path, json, { as })).toMatchObject(TOO_DEEP);
    }
  });

  test('refuses more than 1,000 members or items at one level with 400', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of [members(1_001), members(30_000), `{"a":[${members(1_001)}]}`, items(1_001), `{"a":${items(100_000)}}`]) {
      expect(await rehearsal.call(method, path, json, { as })).toMatchObject(TOO_MANY);
    }
  });

  test('lists at most 20 validation errors and the number of further ones', async () => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await rehearsal.call(method, path, members(1_000), { as: as === 'none' ? 'bearer' : as });
    if (as === 'none') expect(status).toBe(401);
    else {
      expect(status).toBe(422);
      expect(body.errors).toHaveLength(20);
      expect(body.errorsOmitted).toBeGreaterThanOrEqual(980);
    }
  });

  test('refuses JSON that is not an object', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of ['null', '[]', '[{}]', '""', '"{}"', '0', 'true']) {
      const reply = await rehearsal.call(method, path, json, { as: as === 'none' ? 'bearer' : as });
      expect({ json, ...reply }).toMatchObject(
        as === 'none' ? { status: 401 } : { json, status: 422, body: { errors: [{ pointer: '' }] } },
      );
    }
  });
});

describe('JSON of the maximal size', () => {
  test('is validated by its schema: 64 levels, 1,000 members', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of [
      objects(64),
      `{"a":${arrays(63)}}`,
      members(1_000),
      `{"a":${items(1_000)}}`,
      `{"a":"${'[{'.repeat(5_000)}"}`,
      '{"a":"\\"[[["}',
    ]) {
      expect(await rehearsal.call('create-basket-api', { body: json })).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    }
  });

  test('that is not well-formed is refused as such, not as too deep', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of [']'.repeat(100), '{"a":"', '{"a":"\\', '}{', '"', 'nul', '{"a":1}}', '{"a":1,}', '\u0000', ' ']) {
      const reply = await rehearsal.call('create-basket-api', { body: json });
      expect({ json, ...reply }).toMatchObject({ status: 400, body: { code: 'malformed_request', detail: 'The body is not valid JSON.' } });
    }
  });
});

describe('A refusal', () => {
  test('does not repeat a member name of a million characters', async () => {
    await using rehearsal = await newRehearsal();
    for (const json of [`{"${'x'.repeat(1_000_000)}":1}`, `{"${'😀'.repeat(200_000)}":1}`, `{"${'y'.repeat(900_000)}":"\\ud800"}`]) {
      const reply = await rehearsal.call('create-basket-api', { body: json });
      expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(JSON.stringify(reply.body).length).toBeLessThan(4_000);
      expect(JSON.stringify(reply.body)).not.toMatch(/\\ud[89a-f]/);
    }
  });
});

describe('A signed webhook', () => {
  test('of more than 64 levels is refused with 400, like an unsigned one', async () => {
    await using rehearsal = await newRehearsal();
    const body = `{"data":${arrays(3_000)}}`;
    const seconds = String(Math.floor((await rehearsal.now()) / 1_000));
    const key = Buffer.from(rehearsal.credentials.webhookSecret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`deep.${seconds}.${body}`).digest('base64');
    const headers = { 'webhook-id': 'deep', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
    expect(await rehearsal.call('POST', rehearsal.credentials.webhookUrl, body, { as: 'none', headers })).toMatchObject(TOO_DEEP);
    expect(await rehearsal.call('POST', rehearsal.credentials.webhookUrl, body, { as: 'none' })).toMatchObject(TOO_DEEP);
  });
});

describe('A body in a content coding', () => {
  const post = (path: string, token: string, headers: Record<string, string>, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${estate.gateway}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body,
    });
  const compressed = async (text: string, format: 'gzip' | 'deflate'): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer());

  test.each(['gzip', 'deflate'] as const)('%s is decoded, and the limits apply to the decoded body', async (coding) => {
    await using rehearsal = await newRehearsal();
    const headers = { 'content-encoding': coding };
    const { bearer } = rehearsal.credentials;
    const made = await post('/baskets', bearer, headers, await compressed('{"channel":"web"}', coding));
    expect(made.status).toBe(201);
    const advanced = await post('/_control/settle', ADMIN, { ...headers, 'x-rehearsal': rehearsal.name }, await compressed('{}', coding));
    expect(advanced.status).toBe(200);
    for (const [path, token] of [
      ['/baskets', bearer],
      ['/_control/settle', ADMIN],
    ] as const) {
      const bomb = await post(path, token, headers, await compressed(`{"a":"${'x'.repeat(20_000_000)}"}`, coding));
      expect([bomb.status, await bomb.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
      const deep = await post(path, token, headers, await compressed(arrays(100_000), coding));
      expect([deep.status, await deep.json()]).toMatchObject([400, { code: 'malformed_request' }]);
      const broken = await post(path, token, headers, new Uint8Array([1, 2, 3]));
      expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'malformed_request' }]);
    }
  });

  test.each([
    ['an unknown coding', { 'content-encoding': 'x-none' }],
    ['two codings', { 'content-encoding': 'gzip, gzip' }],
    ['another charset than UTF-8', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['an unknown charset', { 'content-type': 'application/json; charset=x-none' }],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
  ])('%s is refused with 415 by the APIs and the control plane', async (_what, headers) => {
    await using rehearsal = await newRehearsal();
    for (const [path, as] of [
      ['/baskets', 'bearer'],
      ['/_control/settle', 'admin'],
    ] as const) {
      const reply = await rehearsal.call('POST', path, '{}', { as, headers });
      expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
  });
});
