import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { problems } from '../../shared/catalog/problems.ts';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Existing ids, so that bodies are also checked beyond the lookup. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  id: ['cus_ada', 'loy_ada', 'mug-blue', 'nothing', '%F0%9F%90%B3', '__proto__', 'constructor'],
  sku: ['mug-blue', 'lamp-last-one', 'nothing', 'toString'],
  code: ['WELCOME10', 'nothing', 'a'.repeat(80)],
};
const AWKWARD = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  9_007_199_254_740_992,
  '',
  ' ',
  'cus_ada',
  'mug-blue',
  '\u0000',
  '😀',
  '__proto__',
  'EUR',
  [],
  {},
  [[]],
  { amount: -1, currency: 'eur' },
  { amount: 1, currency: 'USD' },
];

/** Values near a schema: its own members with right, wrong, missing and superfluous values. */
function bodies(api: ApiDefinition): fc.Arbitrary<unknown> {
  const schema = z.toJSONSchema(api.request, { io: 'input', unrepresentable: 'any' }) as { properties?: Record<string, unknown> };
  const names = [...Object.keys(schema.properties ?? {}), 'unknown', '__proto__', 'constructor'];
  const leaf = fc.oneof(fc.constantFrom<unknown>(...AWKWARD), fc.jsonValue({ maxDepth: 2 }), near);
  const members = fc.array(fc.tuple(fc.constantFrom(...names), leaf), { maxLength: 6 }).map((entries) => Object.fromEntries(entries));
  return fc.oneof({ weight: 8, arbitrary: members }, { weight: 1, arbitrary: fc.jsonValue() });
}
const near = fc.oneof(
  fc.array(
    fc.record({
      sku: fc.constantFrom<unknown>('mug-blue', 'vase-sold-out', 'chair-suspended', 5),
      qty: fc.constantFrom<unknown>(1, 0, -3, 99_999, '2'),
    }),
    { maxLength: 4 },
  ),
  fc.record({
    type: fc.constantFrom<unknown>('card', 'bnpl', 'gift-card', 'loyalty', 'cash', 7),
    token: fc.constantFrom<unknown>('tok_visa', 'gift_50', '', null),
  }),
  fc.record({ amount: fc.constantFrom<unknown>(1, 0, -1, 1e15, 1.2, '5'), currency: fc.constantFrom<unknown>('EUR', 'USD', 'x') }),
);

const fill = (path: string, pick: number): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const ids = IDS[name] ?? ['x'];
    return ids[pick % ids.length] ?? 'x';
  });

describe.each(Object.values(apis) as unknown as ApiDefinition[])('$name', (api) => {
  test('answers random input without an internal error, and every refusal has a code of the table', async () => {
    await using rehearsal = await newRehearsal();
    await fc.assert(
      fc.asyncProperty(bodies(api), fc.nat(20), async (body, pick) => {
        const reply = await send(rehearsal, api, fill(api.path, pick), JSON.stringify(body));
        expectOrdinary(reply, api, body);
      }),
      { numRuns: api.method === 'GET' ? 20 : runsOf({ usually: 25, thoroughly: 120 }), endOnFailure: true },
    );
    for (const [raw, status] of [
      ['{"a":', 400],
      ['', undefined],
      ['[1,2', 400],
    ] as const) {
      if (api.method === 'GET') continue;
      const reply = await send(rehearsal, api, fill(api.path, 0), raw);
      expectOrdinary(reply, api, raw);
      if (status !== undefined) expect(reply.status).toBe(status);
    }
    await rehearsal.verify();
  });
});

const send = (rehearsal: TestRehearsal, api: ApiDefinition, path: string, raw: string) =>
  rehearsal.call(api.method, path, api.method === 'GET' ? undefined : raw, api.auth === 'api-key' ? { as: 'api-key' } : {});

function expectOrdinary(
  reply: { status: number; body: { code?: string; errors?: { detail?: string }[] } },
  api: ApiDefinition,
  sent: unknown,
): void {
  if (reply.status === 500 || reply.status === 502)
    throw new Error(`${api.name} answered ${reply.status} to ${JSON.stringify(sent)}: ${JSON.stringify(reply.body)}`);
  if (reply.status < 400) return;
  expect(Object.keys(problems)).toContain(reply.body.code);
  if (reply.body.code !== 'validation_failed') return;
  expect(reply.body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer: expect.any(String) })]));
  const ofLibrary = (reply.body.errors ?? []).filter(({ detail }) => /^(Invalid|Too|Unrecognized|Expected)\b/.test(detail ?? ''));
  expect(ofLibrary).toEqual([]);
}

describe('A request that no API can read is refused for', () => {
  test.each([
    ['text instead of JSON', { 'content-type': 'text/plain' }, 'hello', 415, 'unsupported_media_type'],
    [
      'JSON in an unknown coding',
      { 'content-type': 'application/json', 'content-encoding': 'x-none' },
      '{}',
      415,
      'unsupported_media_type',
    ],
    ['a bad Idempotency-Key', { 'idempotency-key': 'k'.repeat(256) }, '{"channel":"web"}', 400, 'malformed_request'],
    ['a bad If-Match', { 'if-match': 'version 3' }, '{"channel":"web"}', 400, 'malformed_request'],
  ])('%s', async (_what, headers, body, status, code) => {
    await using rehearsal = await newRehearsal();
    expect(await rehearsal.call('create-basket-api', { body, headers })).toMatchObject({ status, body: { code } });
  });

  test('a body beyond the limit with 413', async () => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call('create-basket-api', { body: JSON.stringify({ channel: 'x'.repeat(1_100_000) }) });
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('an outdated version with 412, and the stored version is not changed', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } });
    const stale = await rehearsal.call('add-line-to-basket-api', {
      params: { id },
      body: { sku: 'mug-blue', qty: 1 },
      headers: { 'if-match': '"7"' },
    });
    expect(stale).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: 1 } });
    const fresh = await rehearsal.call('add-line-to-basket-api', {
      params: { id },
      body: { sku: 'mug-blue', qty: 1 },
      headers: { 'if-match': '"1"' },
    });
    expect(fresh).toMatchObject({ status: 201, headers: { etag: '"2"' } });
  });
});
