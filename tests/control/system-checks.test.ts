import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card, eur } from '../support/steps/tender.ts';

const SECRET = 'Bearer secret-of-our-hub-4711';
const WITHIN_MS = 100_000;
const headers = { Authorization: SECRET };

async function checked(rehearsal: TestRehearsal, body: Record<string, unknown>) {
  const { id } = await rehearsal.control('check-system', { body: body as { application: 'payment-hub' } });
  const read = () => rehearsal.control('read-run', { params: { id } });
  return eventually('the checks end', async () => [await read()].find(({ endedAt }) => endedAt !== undefined), WITHIN_MS);
}

const checksOf = ({ steps }: Awaited<ReturnType<typeof checked>>) => steps.filter(({ kind }) => kind === 'check');

test('The checks of a sound Payment Hub are a run whose steps pass, with the headers of the request, which no record shows', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal();
  const run = await checked(rehearsal, { application: 'payment-hub', url: hub.url, headers, timeoutMs: 10_000 });
  expect(run).toMatchObject({ state: 'passed', scenario: 'conform-payment-hub', system: { application: 'payment-hub', url: hub.url } });
  const checks = checksOf(run);
  expect(checks.length).toBeGreaterThan(50);
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(checks).toContainEqual(expect.objectContaining({ title: 'answers within 10000 ms', outcome: 'passed', obligation: 'must' }));
  expect(hub.received.every((request) => request.headers['authorization'] === SECRET)).toBe(true);
  expect(JSON.stringify(run)).not.toContain('secret-of-our-hub');
});

test('The checks of a system name what it lacks and what it does wrong', async () => {
  await using hub = await startPaymentHub(({ method, path }) =>
    method === 'GET' && path.startsWith('/internal/payments') ? { status: 404, body: {} } : undefined,
  );
  await using rehearsal = await newRehearsal();
  const run = await checked(rehearsal, { application: 'payment-hub', url: hub.url });
  expect([run.state, run.failure]).toEqual(['failed', expect.stringMatching(/^It does not fit\. Missing: List Payments\./)]);
  expect(checksOf(run)).toContainEqual(expect.objectContaining({ title: 'is offered', outcome: 'failed' }));
});

test('The checks of an address that nothing answers end with its reason', async () => {
  const server = await serving(() => undefined);
  const { url } = server;
  await server[Symbol.asyncDispose]();
  await using rehearsal = await newRehearsal();
  const run = await checked(rehearsal, { application: 'payment-hub', url });
  expect(run).toMatchObject({ state: 'failed', steps: [], failure: expect.stringContaining(`No system answers at ${url}.`) });
});

test('The checks of a server of something else report that every call was answered alike', async () => {
  await using server = await serving((_request, response) => response.writeHead(404).end('<h1>nothing</h1>'));
  await using rehearsal = await newRehearsal();
  const run = await checked(rehearsal, { application: 'promotion-engine', url: server.url });
  expect(run.failure).toBe('Every call was answered with 404: the address may be wrong.');
});

test('A system is checked only at an address that the estate may call, and only if there are checks', async () => {
  await using rehearsal = await newRehearsal();
  const check = (body: object) => rehearsal.call('check-system', { body: body as { application: 'payment-hub' } });
  expect(await check({ application: 'payment-hub', url: 'http://169.254.169.254/latest' })).toMatchObject({
    status: 403,
    body: { code: 'outbound_refused', errors: [{ pointer: '/url' }] },
  });
  expect(await check({ application: 'crm', url: 'http://127.0.0.1:1' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/application', code: 'no_checks' }] },
  });
  expect(await check({ application: 'payment-hub' })).toMatchObject({ status: 409, body: { code: 'not_swapped' } });
  expect(await check({ application: 'payment-hub', url: 'http://127.0.0.1:1', ids: { cart: 'x' } })).toMatchObject({ status: 422 });
});

test('A reset puts a real system in the shadow, then in place of ours with the same headers, then ours back', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal();
  const swap = (change: object | null) => rehearsal.control('reset-rehearsal', { body: { swap: { 'payment-hub': change } } });
  const modes = async () => (await rehearsal.control('list-swaps')).items.map(({ application, mode }) => [application, mode]);
  const pay = () => rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: card(), amount: eur(500) } });
  const begun = await swap({ url: hub.url, mode: 'shadow', headers, compare: ['authorizationCode'] });
  expect(begun.estateCalls).toBeUndefined();
  expect(await modes()).toEqual([['payment-hub', 'shadow']]);
  const { estateCalls } = await swap({ mode: 'real' });
  expect(Object.keys(estateCalls ?? {})).toEqual(['payment-hub']);
  expect(await modes()).toEqual([['payment-hub', 'real']]);
  await pay();
  expect(hub.received.at(-1)?.headers['authorization']).toBe(SECRET);
  const run = await checked(rehearsal, { application: 'payment-hub' });
  expect([run.state, run.system?.url]).toEqual(['passed', hub.url]);
  await rehearsal.control('reset-rehearsal');
  expect(await modes()).toEqual([['payment-hub', 'real']]);
  await swap(null);
  expect(await modes()).toEqual([]);
});

test('A reset with another address does not keep the headers, and one that names no address is refused at its place', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal();
  const swap = (change: object) => rehearsal.call('reset-rehearsal', { body: { swap: { 'payment-hub': change } } });
  await swap({ url: hub.url, headers });
  await swap({ url: `${hub.url}/v2` });
  const { items } = await rehearsal.control('list-swaps');
  expect(items).toMatchObject([{ url: `${hub.url}/v2`, headers: [] }]);
  await swap({ url: hub.url });
  expect(await rehearsal.call('reset-rehearsal', { body: { swap: { crm: { mode: 'shadow' } } } })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/swap/crm/url', code: 'required' }] },
  });
  expect(await swap({ url: 'http://169.254.169.254' })).toMatchObject({ status: 403, body: { code: 'outbound_refused' } });
  expect(await rehearsal.call('reset-rehearsal', { body: { swap: { oms: { url: hub.url } } as object } })).toMatchObject({
    body: { errors: [{ code: 'not_swappable' }] },
  });
});
