import { expect, test } from '@jest/globals';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { newRehearsal } from '../support/estate.ts';
import { type Rule, startLoyaltyCopy } from '../support/loyalty-copy.ts';
import { notedReport } from '../support/noted-report.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card } from '../support/steps/tender.ts';

const balance =
  (change: object): Rule =>
  ({ path }, answered) =>
    path.includes('/balance') ? { ...answered, body: { ...answered.body, ...change } } : answered;
/** A member of ours who is bronze is silver there. */
const earlierSilver = balance({ tier: 'silver' });
const otherThreshold = balance({ nextTierThreshold: 800 });
/** A point is worth two minor units. */
const doubleValue: Rule = ({ path }, answered) => {
  const { redemption } = answered.body ?? {};
  if (!path.endsWith('/redeem') || !redemption) return answered;
  const value = { ...redemption.value, amount: redemption.value.amount * 2 };
  return { ...answered, body: { ...answered.body, redemption: { ...redemption, value } } };
};

test.each<[string, readonly Rule[], readonly string[]]>([
  ['without a change', [], []],
  [
    'with three changed rules',
    [earlierSilver, otherThreshold, doubleValue],
    [
      'get-member-balance-api /nextTierThreshold: 1000, 800',
      'get-member-balance-api /tier: "bronze", "silver"',
      'redeem-points-api /redemption/value/amount: 100, 200',
    ],
  ],
])('Over all scenarios, a copy of our Loyalty Platform %s has these differences and no others', async (_copy, rules, expected) => {
  await using copy = await startLoyaltyCopy(...rules);
  await using beside = await anObservedEstate({ SWAP_LOYALTY_PLATFORM_URL: copy.url, SWAP_LOYALTY_PLATFORM_MODE: 'shadow' });
  const found = new Set<string>();
  let compared = 0;
  const examine = async ({ client }: { readonly client: EstateClient }): Promise<void> => {
    const { items } = await client.control('read-fidelity', { query: { timeoutMs: '20000' } });
    for (const one of items) {
      expect([one.waiting, one.skipped]).toEqual([0, 0]);
      compared += one.compared;
      for (const { api, pointer, ours, theirs } of one.differences) found.add(`${api} ${pointer}: ${ours}, ${theirs}`);
    }
  };
  for (const scenario of scenarios) {
    const { noted, report } = notedReport();
    await runScenario(scenario, { gateway: beside.running.gateway, ...DEMO_CREDENTIALS, report, examine });
    expect([scenario.name, noted.at(-1)]).toEqual([scenario.name, 'passed']);
  }
  expect(compared).toBeGreaterThan(50);
  expect([...found].toSorted()).toEqual(expected);
});

test('A real Payment Hub in the shadow gets the calls with its own ids, and changes nothing', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode: 'shadow' } });
  const order = await rehearsal.draft();
  const { id } = await rehearsal.api('authorize-payment-api', { body: { orderId: order.id, tender: card(), amount: order.totals.total } });
  expect(id).toMatch(/^pay_[0-9A-Z]{26}$/);
  await rehearsal.api('capture-payment-api', { params: { id }, body: {} });
  await rehearsal.api('refund-payment-api', { params: { id }, body: { amount: { amount: 100, currency: 'EUR' } } });
  const { items } = await rehearsal.control('read-fidelity');
  expect(items).toMatchObject([{ application: 'payment-hub', waiting: 0, skipped: 0 }]);
  const lacking = items[0]?.differences.map(({ pointer, theirs }) => `${pointer} is ${theirs}`);
  expect(new Set(lacking)).toEqual(new Set(['/refunds/*/id is absent', '/tender/token is absent']));
  expect(hub.received.map(({ method, path }) => `${method} ${path}`)).toContain('POST /payments/authorizations/pay_real1/capture');
  expect(await rehearsal.control('verify')).toMatchObject({ holds: true, complete: true });
});

test.each<[string, Parameters<typeof startPaymentHub>[0], RegExp]>([
  [
    'breaks off',
    (_request, _honest, response) => {
      response.destroy();
      return 'handled';
    },
    /^no answer: /,
  ],
  ['stalls', () => 'handled', /^no answer: /],
  ['answers nonsense', () => ({ status: 200, body: 'nonsense' }), /^200 not_json$/],
  ['answers another shape', () => ({ status: 201, body: { id: 7 } }), /^201 wrong_shape$/],
  ['fails', () => ({ status: 500, body: {} }), /^500 server_error$/],
])('A real Payment Hub in the shadow that %s changes nothing, and the ledger names it', async (_what, misbehave, theirs) => {
  await using hub = await startPaymentHub(misbehave);
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode: 'shadow', timeoutMs: 1_000 } });
  const order = await rehearsal.confirmed();
  await rehearsal.advance('P5D');
  expect((await rehearsal.order(order.id)).state).toBe('completed');
  expect(await rehearsal.control('verify')).toMatchObject({ holds: true, complete: true });
  const { items } = await rehearsal.control('read-fidelity');
  expect(items).toMatchObject([{ equal: 0, waiting: 0, skipped: 0 }]);
  const found = items[0]?.differences.filter(({ api }) => api === 'authorize-payment-api');
  expect(found).toMatchObject([{ pointer: '', ours: '201', theirs: expect.stringMatching(theirs) }]);
});
