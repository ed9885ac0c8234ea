import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { createReadiness } from '../../control/readiness.ts';
import { adaptersInUse, readConfiguration } from '../../estate/configuration.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { listen } from '../../shared/process/fair-server.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';

const topologyOf = (rehearsal: TestRehearsal) => rehearsal.control('read-topology');

test('The topology of an estate in one process has every ready application, the touchpoint with its portal and its link to the console, and the adapters', async () => {
  await using rehearsal = await newRehearsal();
  const { applications, touchpoint, adapters } = await topologyOf(rehearsal);
  expect(applications.map(({ id }) => id)).toEqual(applicationNames);
  expect(applications.filter(({ state }) => state !== 'ready')).toEqual([]);
  const pos = { id: 'pos', title: 'POS', owns: 'transactions at the till, and their receipts', state: 'ready' };
  expect(applications[0]).toEqual({ ...pos, hops: 0, failed: 0, faults: [] });
  expect(touchpoint).toEqual({ state: 'ready', portal: estate.portal });
  const portal = await (await fetch(`${estate.portal}/portal.json`)).json();
  expect(portal).toMatchObject({ mock: estate.touchpoint, console: `${estate.gateway}/console/` });
  expect(adapters).toEqual({ store: process.env['STORE'] ?? 'memory', events: 'memory' });
});

test('The topology of an estate in one process lists the calls that the catalog allows', async () => {
  await using rehearsal = await newRehearsal();
  const { may } = await topologyOf(rehearsal);
  const allowed = new Set(may.map(({ from, to, call }) => `${from} > ${to}: ${call}`));
  expect(allowed).toContain('client > oms: confirm-order-api');
  expect(allowed).toContain('oms > sim: confirm-reservation-api');
  expect(allowed).toContain('carrier-platform > fms: carrier-webhook');
  expect(allowed).not.toContain('client > fms: carrier-webhook');
});

const REDIS = { REDIS_URL: 'redis://127.0.0.1:1' };
const SECRETS = { ESTATE_TOKEN: 'a-token-of-the-estate-0123456789', CREDENTIAL_PEPPER: 'a-pepper-0123456789-0123456789-0123456789' };
const ALONE = { ...REDIS, ...SECRETS, SERVICE: 'gateway' };

test.each([
  ['in one process without addresses', {}, { store: 'memory', events: 'memory' }],
  ['in one process with Redis', REDIS, { store: 'redis', events: 'memory' }],
  ['in one process with Kafka', { KAFKA_BROKERS: '127.0.0.1:1' }, { store: 'memory', events: 'kafka' }],
  ['whose gateway has its own process', ALONE, { store: 'redis', events: 'kafka' }],
])('The adapters of an estate %s follow from its configuration', (_where, environment, expected) =>
  expect(adaptersInUse(readConfiguration(environment))).toEqual(expected),
);

test('The topology of a rehearsal counts the calls between clients and applications, and the hops that each application answered', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  // The progression that this rehearsal sets is reported to the WMS.
  expect((await topologyOf(rehearsal)).seen).toEqual([{ from: 'client', to: 'wms', calls: 1, failed: 0 }]);
  await rehearsal.confirmed({ customerId: 'cus_ben' });
  await rehearsal.settle();
  const hops = await rehearsal.journal();
  const { applications, seen } = await topologyOf(rehearsal);
  for (const { id, hops: answered } of applications) {
    expect([id, answered]).toEqual([id, hops.filter(({ application }) => application === id).length]);
  }
  const calls = hops.filter(({ method }) => method !== 'CONSUME' && method !== 'DUE');
  const fromOms = calls.filter(({ parentId }) => hops.some((hop) => hop.requestId === parentId && hop.application === 'oms'));
  expect(fromOms.length).toBeGreaterThan(2);
  expect(seen.filter(({ from }) => from === 'oms').reduce((sum, edge) => sum + edge.calls, 0)).toBe(fromOms.length);
  const fromClient = seen.filter(({ from }) => from === 'client');
  expect(fromClient.find(({ to }) => to === 'oms')).toMatchObject({ failed: 0 });
  expect(fromClient.reduce((sum, edge) => sum + edge.calls, 0)).toBe(calls.filter(({ parentId }) => parentId === undefined).length);
});

test('The topology of a rehearsal counts a webhook as a call of the application that sent it', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  await rehearsal.dispatchedOrder();
  await rehearsal.advance('P2D');
  const { seen } = await topologyOf(rehearsal);
  expect(seen.find(({ from, to }) => from === 'carrier-platform' && to === 'fms')?.calls).toBeGreaterThan(1);
});

test('The topology of a rehearsal shows the failed calls and the faults of an application', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.fault('crm-down', { match: { application: 'crm' }, fault: { kind: 'outage' } });
  await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } });
  await rehearsal.noFaults();
  await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
  const { applications, seen } = await topologyOf(rehearsal);
  expect(applications.find(({ id }) => id === 'crm')).toMatchObject({ state: 'ready', hops: 2, failed: 1, faults: ['crm-down'] });
  expect(seen).toEqual([{ from: 'client', to: 'crm', calls: 2, failed: 1 }]);
});

async function anApplication(answer: { status: number; body: unknown; unanswered?: number }) {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked <= (answer.unanswered ?? 0)) return;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  const url = await listen(server, 0, '127.0.0.1');
  const agent = new Agent();
  const dispose = async () => {
    await agent.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { url, agent, asked: () => asked, [Symbol.asyncDispose]: dispose };
}

test('The readiness of applications is read once for simultaneous callers, and names what an application waits for', async () => {
  const body = { status: 'not ready', waitingFor: ['redis: no connection', 'kafka'] };
  await using waiting = await anApplication({ status: 503, body });
  const addressOf = (application: string): string => {
    if (application === 'oms') return waiting.url;
    throw new Error('It has not started.');
  };
  const readiness = createReadiness({ addressOf, agent: waiting.agent });
  const answers = await Promise.all(Array.from({ length: 10 }, () => readiness()));
  expect(waiting.asked()).toBe(1);
  expect(answers[9]?.get('oms')).toEqual({ state: 'away', waitingFor: 'it waits for redis: no connection, kafka' });
  expect(answers[9]?.get('crm')).toEqual({ state: 'away', waitingFor: 'it cannot be reached' });
});

test.each([
  [200, { status: 'ready' }, { state: 'ready' }],
  [503, { status: 'draining' }, { state: 'away', waitingFor: 'it is stopping' }],
  [502, 'Bad Gateway', { state: 'away', waitingFor: expect.any(String) }],
])('The readiness of an application that answers %d %j follows from the answer', async (status, body, expected) => {
  await using application = await anApplication({ status, body });
  const readiness = createReadiness({ addressOf: () => application.url, agent: application.agent });
  expect((await readiness()).get('oms')).toEqual(expected);
});

test.each([
  [1, { state: 'ready' }],
  [2, { state: 'away', waitingFor: 'it did not answer in time' }],
])('The readiness of an application that leaves %d requests without an answer is read twice', async (unanswered, expected) => {
  await using application = await anApplication({ status: 200, body: { status: 'ready' }, unanswered });
  const readOnce = createReadiness({
    addressOf: (id) => {
      if (id === 'oms') return application.url;
      throw new Error('It has not started.');
    },
    agent: application.agent,
    limitMs: 500,
  });
  expect((await readOnce()).get('oms')).toEqual(expected);
  expect(application.asked()).toBe(2);
});
