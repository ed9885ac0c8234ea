import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { answeredBy, obligationOf } from '../../shared/contract/openapi/application-contract.ts';
import { paymentHubSuite } from '../../shared/contract/suites/payment-hub.ts';
import { suites } from '../../shared/contract/suites/suites.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { textOf } from '../support/tracked-files.ts';
import { checked } from './checked.ts';
import { type Defect, startDefectiveHub } from './defects.ts';
import { startAdapter } from './example-adapter.ts';
import { serving } from './serving.ts';

/** The checks that fail for each defect. */
const FOUND_BY: Readonly<Record<Defect, readonly string[]>> = {
  'wrong-shape': ['shape'],
  'forgets-keys': ['one-effect', 'repeat'],
  'fails-on-repeat': ['repeat'],
  'answers-unknown-ids': ['unknown-id'],
  'accepts-bad-bodies': ['bad-body'],
  'captures-above-the-authorised': ['capture-limit'],
  'moves-in-any-state': ['captured-capture', 'captured-void', 'voided-capture', 'declined-at-capture'],
  'answers-in-another-currency': ['currency'],
  'leaves-out-the-code': ['authorization-code'],
  'hides-refunds': ['refund-listed', 'refunded-in-parts'],
  'refunds-above-the-captured': ['refund-limit'],
  'authorises-above-the-outstanding': ['outstanding'],
  'mixes-orders': ['own-order', 'declined', 'declined-at-capture'],
  'hides-the-change': ['cash'],
  'hides-the-rest': ['refund-limit'],
  'forgets-reasons': ['refunded-in-parts'],
  'declines-nothing': ['declined', 'part-approved', 'declined-at-capture'],
  'hides-the-digits': ['last-digits'],
  'hides-the-expiry': ['authorization-expiry'],
  slow: ['in-time'],
};

test('A sound Payment Hub passes every check', async () => {
  await using hub = await startPaymentHub();
  const { lines } = await checked(paymentHubSuite, hub.url);
  expect(lines('failed', 'not checked')).toEqual([]);
  expect(lines('passed').length).toBeGreaterThan(50);
});

test.each(Object.entries(FOUND_BY) as [Defect, readonly string[]][])(
  'A Payment Hub that is defective (%s) fails %j',
  async (defect, found) => {
    await using hub = await startDefectiveHub(defect);
    const { names } = await checked(paymentHubSuite, hub.url, { timeoutMs: defect === 'slow' ? 200 : 5_000 });
    const failed = names('failed');
    expect(failed).toEqual(expect.arrayContaining([...found]));
    const others = Object.values(FOUND_BY)
      .flat()
      .filter((check) => !found.includes(check));
    expect(others.filter((check) => failed.includes(check))).toEqual([]);
  },
);

test('A Payment Hub that keeps no declined payment fits, and names what was not checked', async () => {
  await using hub = await startDefectiveHub('forgets-declined');
  const { lines, deviating } = await checked(paymentHubSuite, hub.url);
  expect(lines('not checked')).toContain('capture-payment-api failed-capture: The system keeps no payment that is failed.');
  expect([lines('failed'), deviating]).toEqual([[], []]);
});

test.each([404, 405, 501])('A required call that is answered with %i is missing, and what it prepares is not checked', async (status) => {
  await using hub = await startPaymentHub(({ path }) =>
    path.endsWith('/capture') ? { status, body: { detail: 'No route.' } } : undefined,
  );
  const { lines, deviating, missing, shown } = await checked(paymentHubSuite, hub.url);
  expect([lines('failed'), deviating, missing.includes('capture-payment-api')]).toEqual([[], ['capture-payment-api'], true]);
  expect(lines('not checked')).toContainEqual(expect.stringContaining('refund-payment-api in-time: Capture Payment: expected 200'));
  expect(shown).toMatch(/^must +Capture Payment +MISSING/m);
  expect(shown).toMatch(/^must +Refund Payment +not checked: Capture Payment/m);
  expect(shown).not.toContain('--url');
});

test('A required call that does not find its object fails', async () => {
  const body = { code: 'not_found', detail: 'No payment.' };
  await using hub = await startPaymentHub(({ path }) => (path.endsWith('/capture') ? { status: 404, body } : undefined));
  const { lines } = await checked(paymentHubSuite, hub.url);
  expect(lines('failed')).toContain('capture-payment-api shape: Capture Payment: expected 200, got 404 (No payment).');
});

test('A server that answers every call alike gets one question about --url', async () => {
  await using server = await serving((_request, response) => response.writeHead(404).end());
  const { lines, shown } = await checked(paymentHubSuite, server.url);
  expect(lines('failed')).toEqual([]);
  expect(shown.match(/Every call was answered with 404: is --url right\?/g)).toHaveLength(1);
});

test('Scenarios that pay in cash need the capability cash', () => {
  const inCash = scenarios.filter(({ run }) => /cash/i.test(run.toString())).map(({ name }) => name);
  expect(inCash).toContain('split-tender');
  expect(inCash.filter((name) => !paymentHubSuite.scenarioNeeds[name]?.includes('cash'))).toEqual([]);
});

test('The example adapter passes every check of what its provider offers', async () => {
  await using adapter = await startAdapter();
  const { notOffered } = parse(textOf('examples/payment-hub-adapter/map.yaml'));
  const lacks = new Set<string>(notOffered);
  const { lines, missing } = await checked(paymentHubSuite, adapter.url, { lacks });
  expect(lines('failed', 'not checked')).toEqual([]);
  expect(lines('passed').length).toBeGreaterThan(50);
  expect(missing).not.toContain('void-payment-api');
});

test.each(suites.map((suite) => [suite.application, suite] as const))(
  'The checks of %s cover each call that other applications make',
  (name, suite) => {
    const required = answeredBy(name).filter((api) => obligationOf(api) === 'must');
    expect(required.filter(({ id }) => suite.calls[id] === undefined).map(({ id }) => id)).toEqual([]);
  },
);

test.each<[what: string, answer: RequestListener, found: string]>([
  ['a page', (_request, response) => response.end('<html>'), 'authorize-payment-api shape: Authorize Payment answers 200 without JSON.'],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: '/' }).end(),
    'authorize-payment-api shape: Authorize Payment: expected 201, got 302.',
  ],
  [
    'nothing, and closes the connection',
    (request) => request.destroy(),
    'authorize-payment-api in-time: No answer: the connection was closed.',
  ],
  [
    'headers without end',
    (_request, response) => response.writeHead(200, { x: 'x'.repeat(100_000) }).end(),
    'authorize-payment-api in-time: No answer: Headers Overflow Error.',
  ],
])('A server that answers %s fails, and the check names the reason', async (_what, answer, found) => {
  await using server = await serving(answer);
  const { lines } = await checked(paymentHubSuite, server.url);
  expect(lines('failed')).toContain(found);
});
