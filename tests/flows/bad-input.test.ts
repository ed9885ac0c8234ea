import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { problems } from '../../shared/catalog/problems.ts';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import type { PlainReply } from '../support/plain-client.ts';

/** Existing ids, so that requests pass the lookup and their bodies are validated. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  id: ['cus_ada', 'loy_ada', 'mug-blue', 'nothing', '%F0%9F%90%B3', '__proto__', 'constructor'],
  sku: ['mug-blue', 'lamp-last-one', 'nothing', 'toString'],
  code: ['WELCOME10', 'nothing', 'a'.repeat(80)],
};
const AWKWARD = [
  ...[null, true, -1, 0, 1.5, 1e308, 9_007_199_254_740_992, '', ' ', 'cus_ada', 'mug-blue', '\u0000', '😀', '__proto__', 'EUR'],
  ...[[], {}, [[]], { amount: -1, currency: 'eur' }, { amount: 1, currency: 'USD' }],
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

const send = ({ call }: TestRehearsal, api: ApiDefinition, path: string, raw: string) =>
  call(api.method, path, api.method === 'GET' ? undefined : raw, api.auth === 'api-key' ? { as: 'api-key' } : {});

test.each(Object.values(apis) as unknown as ApiDefinition[])('$name answers random input without an internal error', async (api) => {
  await using rehearsal = await newRehearsal();
  await fc.assert(
    fc.asyncProperty(bodies(api), fc.nat(20), async (body, pick) => {
      const raw = JSON.stringify(body);
      expectOrdinary(await send(rehearsal, api, fill(api.path, pick), raw), api, raw);
    }),
    { numRuns: api.method === 'GET' ? 20 : runsOf({ usually: 25, thoroughly: 120 }), endOnFailure: true },
  );
  for (const raw of api.method === 'GET' ? [] : ['{"a":', '[1,2', '']) {
    const reply = await send(rehearsal, api, fill(api.path, 0), raw);
    expectOrdinary(reply, api, raw);
    if (raw !== '') expect(reply.status).toBe(400);
  }
  await rehearsal.verify();
});

/** A refusal has a code of the table and an explanation of the estate, not of its library. */
function expectOrdinary({ status, body }: PlainReply, api: ApiDefinition, sent: string): void {
  if (status === 500 || status === 502) throw new Error(`${api.name} answered ${status} to ${sent}: ${JSON.stringify(body)}`);
  if (status < 400) return;
  expect(Object.keys(problems)).toContain(body.code);
  if (body.code !== 'validation_failed') return;
  expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer: expect.any(String) })]));
  for (const { detail } of body.errors) expect(detail).not.toMatch(/^(Invalid|Too|Unrecognized|Expected)\b/);
}
