import { expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** More hops than the journal keeps of callers without a credential. */
const MANY = 300;
const CONCURRENT = 20;
const ANONYMOUS = { as: 'none' } as const;

async function manyTimes(ask: () => Promise<{ status: number }>): Promise<number[]> {
  const seen = new Set<number>();
  for (let asked = 0; asked < MANY; asked += CONCURRENT)
    for (const { status } of await Promise.all(Array.from({ length: CONCURRENT }, ask))) seen.add(status);
  return [...seen];
}

const countOf = async (rehearsal: TestRehearsal, api: string): Promise<number> => {
  const { items } = await rehearsal.control('read-journal', { query: { limit: 1_000 } });
  return items.filter((hop) => hop.api === api).length;
};

const webhook = (rehearsal: TestRehearsal, body: unknown) =>
  rehearsal.call('carrier-webhook', { query: { rehearsal: rehearsal.name }, body });

test.each<[string, number, string, (rehearsal: TestRehearsal) => Promise<{ status: number }>]>([
  [
    'requests for a product',
    200,
    'get-product-api',
    ({ call, name }) => call('get-product-api', { params: { id: 'mug-blue' }, headers: { 'x-rehearsal': name }, ...ANONYMOUS }),
  ],
  ['unsigned webhooks', 401, 'carrier-webhook', (rehearsal) => webhook(rehearsal, {})],
  ['bodies that are too large', 413, 'carrier-webhook', (rehearsal) => webhook(rehearsal, 'a'.repeat(1_048_577))],
])('The hops of anonymous %s do not displace other hops in the journal', async (_what, status, api, ask) => {
  await using rehearsal = await newRehearsal();
  await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
  expect(await manyTimes(() => ask(rehearsal))).toEqual([status]);
  await rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
  expect(await countOf(rehearsal, 'get-customer-api')).toBe(2);
  const anonymous = await countOf(rehearsal, api);
  expect(anonymous > 0 && anonymous < MANY).toBe(true);
});

test('The journal keeps all hops of a caller with an optional credential', async () => {
  await using rehearsal = await newRehearsal();
  expect(await manyTimes(() => rehearsal.call('get-product-api', { params: { id: 'mug-blue' }, as: 'bearer' }))).toEqual([200]);
  expect(await countOf(rehearsal, 'get-product-api')).toBe(MANY);
});
