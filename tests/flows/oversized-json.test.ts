import { describe, expect } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { bodyLimit } from '../../shared/contract/body-limit.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { someOf } from '../support/effort.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';
import { targetsWithBody } from './targets.ts';

const test = testIn(newRehearsal);

/** Nested arrays or objects. */
const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const members = (count: number): string => `{${[...Array(count).keys()].map((n) => `"m${n}":0`).join(',')}}`;
const items = (count: number): string => `[${Array(count).fill('0').join(',')}]`;

const DEEP = [arrays(65), objects(65), `{"a":${arrays(64)}}`, arrays(5_000), objects(20_000), '['.repeat(500_000), '{"a":'.repeat(170_000)];
const WIDE = [members(1_001), members(30_000), `{"a":[${members(1_001)}]}`, items(1_001), `{"a":${items(50_000)}}`];
const TOO_DEEP = { status: 400, body: { code: 'malformed_request', detail: expect.stringContaining('64 levels') } };
const TOO_MANY = { status: 400, body: { code: 'malformed_request', detail: expect.stringContaining('1,000') } };
const TOO_LONG = { status: 413, body: { code: 'payload_too_large' } };

describe.each(someOf(targetsWithBody, 0.4))('$name', ({ name, method, path, as, hasLargeBody, most }) => {
  const isTooLong = (json: string): boolean => !hasLargeBody && json.length > most;

  test(`${name} refuses JSON beyond 64 levels`, async (rehearsal) => {
    for (const json of DEEP) {
      expect(await rehearsal.call(method, path, json, { as })).toMatchObject(isTooLong(json) ? TOO_LONG : TOO_DEEP);
    }
  });

  test(`${name} ${hasLargeBody ? 'takes more than' : 'refuses beyond'} 1,000 members or items at one level`, async (rehearsal) => {
    const expected = hasLargeBody ? { status: 422, body: { code: 'validation_failed' } } : TOO_MANY;
    for (const json of WIDE) {
      expect(await rehearsal.call(method, path, json, { as })).toMatchObject(isTooLong(json) ? TOO_LONG : expected);
    }
  });

  // A webhook is validated after its signature.
  if (as === 'none') return;
  // The file of a snapshot is validated after its head.
  if (!hasLargeBody)
    test(`${name} lists at most 20 validation errors and the number of further ones`, async (rehearsal) => {
      const { status, body } = await rehearsal.call(method, path, members(1_000), { as });
      expect([status, body.errors.length]).toEqual([422, 20]);
      expect(body.errorsOmitted).toBeGreaterThanOrEqual(980);
    });

  test(`${name} refuses JSON that is not an object`, async (rehearsal) => {
    for (const json of ['null', '[]', '[{}]', '""', '"{}"', '0', 'true']) {
      const reply = await rehearsal.call(method, path, json, { as });
      expect({ json, ...reply }).toMatchObject({ json, status: 422, body: { errors: [{ pointer: '' }] } });
    }
  });
});

test('A body with more than 100,000 values in all is refused before any code visits them', async (rehearsal) => {
  const row = `[${Array(999).fill('[]').join(',')}]`;
  const many = `{"channel":"web","lines":[${Array(60).fill(row).join(',')}]}`;
  const { status, body } = await rehearsal.call('create-rehearsal', { body: many as never });
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ code: 'malformed_request', detail: 'The body has more than 100,000 values in all: send fewer.' }),
  ]);
});

test('A list of more than 1,000 items is refused by name', async (rehearsal) => {
  const { status, body } = await rehearsal.call('create-rehearsal', { body: `{"data":{"products":${items(1_001)}}}` as never });
  expect([status, body.detail]).toEqual([400, 'The member /data/products of the body has more than 1,000 members or items: send fewer.']);
});

test('A list of more than 1,000 items in a long body is refused without its place, which only parsing shows', async (rehearsal) => {
  const body = `{"data":{"text":"${'x'.repeat(66_000)}","products":${items(1_001)}}}`;
  const { status, body: answer } = await rehearsal.call('create-rehearsal', { body: body as never });
  expect([status, answer.detail]).toEqual([400, 'The body has more than 1,000 members or items: send fewer.']);
});

test('A body with objects of more than 5,000 kinds is refused before it is parsed', async (rehearsal) => {
  const lines = Array.from({ length: 600 }, (_, n) => `{${Array.from({ length: 10 }, (_none, m) => `"k${n}_${m}":1`).join(',')}}`);
  const { status, body } = await rehearsal.call('create-rehearsal', { body: `{"lines":[${lines.join(',')}]}` as never });
  expect([status, body.code, body.detail]).toEqual([
    400,
    'malformed_request',
    'The body has more than 5,000 different names or sequences of members: use the same names in the same order, or send less.',
  ]);
});

test.each([
  ['objects of 64 levels', objects(64)],
  ['arrays of 64 levels', `{"a":${arrays(63)}}`],
  ['1,000 members', members(1_000)],
  ['1,000 items', `{"a":${items(1_000)}}`],
  ['brackets in a string', `{"a":"${'[{'.repeat(5_000)}"}`],
  ['escapes in a string', '{"a":"\\"[[["}'],
])('JSON with %s is validated by its schema', async (rehearsal, _what, json) => {
  expect(await rehearsal.call('create-basket-api', { body: json })).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
});

test.each([']'.repeat(100), '{"a":"', '{"a":"\\', '}{', '"', 'nul', '{"a":1}}', '{"a":1,}', '\u0000', ' '])(
  'JSON that is not well-formed is refused as such: %j',
  async (rehearsal, json) => {
    const body = { code: 'malformed_request', detail: 'The body is not valid JSON.' };
    expect(await rehearsal.call('create-basket-api', { body: json })).toMatchObject({ status: 400, body });
  },
);

test('A refusal does not repeat a member name of a million characters', async (rehearsal) => {
  for (const json of [`{"${'x'.repeat(1_000_000)}":1}`, `{"${'😀'.repeat(200_000)}":1}`, `{"${'y'.repeat(900_000)}":"\\ud800"}`]) {
    const reply = await rehearsal.call('create-rehearsal', { body: json as never });
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(JSON.stringify(reply.body).length).toBeLessThan(4_000);
    expect(JSON.stringify(reply.body)).not.toMatch(/\\ud[89a-f]/);
  }
});

test('A signed webhook of more than 64 levels is refused', async (rehearsal) => {
  const { webhookSecret, webhookUrl } = rehearsal.credentials;
  const body = `{"data":${arrays(3_000)}}`;
  const headers = { ...signWebhook(webhookSecret, { id: 'deep', at: await rehearsal.now(), body }) };
  expect(await rehearsal.call('POST', webhookUrl, body, { as: 'none', headers })).toMatchObject(TOO_DEEP);
});

const compressed = async (text: string, format: 'gzip' | 'deflate'): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer());

test.each(['gzip', 'deflate'] as const)('A body in %s is decoded, and the limits apply to the decoded body', async (rehearsal, coding) => {
  for (const [path, json, most, token, made] of [
    ['/baskets', '{"channel":"web"}', bodyLimit(apis['create-basket-api']), rehearsal.credentials.bearer, 201],
    ['/_control/settle', '{}', 65_536, ADMIN, 200],
  ] as const) {
    const post = async (body: Uint8Array<ArrayBuffer>) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': coding };
      const reply = await fetch(`${estate.gateway}${path}`, {
        method: 'POST',
        headers: { ...headers, 'x-rehearsal': rehearsal.name },
        body,
      });
      return [reply.status, ((await reply.json()) as { code?: string }).code];
    };
    expect(await post(await compressed(json, coding))).toEqual([made, undefined]);
    for (const bytes of [most + 1, 20_000_000]) {
      expect(await post(await compressed(`{"a":"${'x'.repeat(bytes - 7)}"}`, coding))).toEqual([413, 'payload_too_large']);
    }
    expect(await post(await compressed(arrays(Math.floor(most / 2)), coding))).toEqual([400, 'malformed_request']);
    expect(await post(new Uint8Array([1, 2, 3]))).toEqual([400, 'malformed_request']);
  }
});

test.each<[string, Record<string, string>]>([
  ['an unknown coding', { 'content-encoding': 'x-none' }],
  ['another charset than UTF-8', { 'content-type': 'application/json; charset=iso-8859-1' }],
  ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
  ['plain text', { 'content-type': 'text/plain' }],
])('A body in %s is refused by the APIs and the control plane', async (rehearsal, _what, headers) => {
  const unsupported = { status: 415, body: { code: 'unsupported_media_type' } };
  expect(await rehearsal.call('create-basket-api', { body: '{}', headers })).toMatchObject(unsupported);
  expect(await rehearsal.call('POST', '/_control/settle', '{}', { as: 'admin', headers })).toMatchObject(unsupported);
});
