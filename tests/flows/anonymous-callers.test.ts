import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** More hops than the journal keeps of callers without a credential. */
const MANY = 300;
const AT_ONCE = 20;

const anonymously = { as: 'none' } as const;

async function manyTimes(ask: () => Promise<{ status: number }>): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let asked = 0; asked < MANY; asked += AT_ONCE) {
    for (const { status } of await Promise.all(Array.from({ length: AT_ONCE }, ask))) seen.add(status);
  }
  return seen;
}

/** The APIs of all hops kept in the journal. */
async function journaled(rehearsal: TestRehearsal): Promise<readonly string[]> {
  const { items } = await rehearsal.client.control('read-journal', { query: { limit: 1_000 } });
  return items.map(({ api }) => String(api));
}

describe('Callers without a credential do not displace the hops of other callers in the journal of a rehearsal', () => {
  test.each([
    [
      'requests for a product',
      200,
      'get-product-api',
      (rehearsal: TestRehearsal) => () =>
        rehearsal.call('GET', '/products/mug-blue', undefined, { ...anonymously, headers: { 'x-rehearsal': rehearsal.name } }),
    ],
    [
      'unsigned webhooks',
      401,
      'carrier-webhook',
      (rehearsal: TestRehearsal) => () => rehearsal.call('POST', `/webhooks/carrier?rehearsal=${rehearsal.name}`, {}, anonymously),
    ],
    [
      'bodies that the gateway refuses',
      413,
      'carrier-webhook',
      (rehearsal: TestRehearsal) => () =>
        rehearsal.call('POST', `/webhooks/carrier?rehearsal=${rehearsal.name}`, 'a'.repeat(1_048_577), anonymously),
    ],
  ])('with %s', async (_what, status, api, asking) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
    expect([...(await manyTimes(asking(rehearsal)))]).toEqual([status]);
    await rehearsal.api('get-customer-api', { params: { id: 'cus_ben' } });
    const apis = await journaled(rehearsal);
    expect(apis.filter((one) => one === 'get-customer-api')).toHaveLength(2);
    const anonymous = apis.filter((one) => one === api).length;
    expect(anonymous).toBeGreaterThan(0);
    expect(anonymous).toBeLessThan(MANY);
  });

  test('while hops of a caller with an optional credential are kept in full', async () => {
    await using rehearsal = await newRehearsal();
    const asked = await manyTimes(() => rehearsal.call('get-product-api', { params: { id: 'mug-blue' }, as: 'bearer' }));
    expect([...asked]).toEqual([200]);
    expect((await journaled(rehearsal)).filter((api) => api === 'get-product-api')).toHaveLength(MANY);
  });
});
