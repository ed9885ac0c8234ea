import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import express from 'express';
import { Agent } from 'undici';
import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import { customers } from '../../services/crm/collections.ts';
import * as crm from '../../services/crm/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { Order, order } from '../../shared/catalog/order/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { type Observer, UNOBSERVED } from '../../shared/observability/observer.ts';
import { createLogger, type Logger } from '../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { ADMIN, aRig, asIntegration, head, raw } from '../gateway/running-gateway.ts';
import { startInside } from '../support/inside.ts';
import { plain } from '../support/plain-client.ts';
import { clientOf, placeAnOrder } from './observed-estate.ts';

const fail = (): never => {
  throw new Error('it is broken');
};
/** A value that cannot be serialised as JSON. */
const UNWRITABLE = { toJSON: fail };
/** Objects of the OMS, which does not run in this test. */
const orders = defineCollection({ name: 'orders', object: order, schema: Order });
const zero = { amount: 0, currency: 'EUR' };
const DAY = 24 * 60 * 60 * 1_000;

const inside = await startInside(crm, loyaltyPlatform);
inside.breakJournal();
afterAll(() => inside[Symbol.asyncDispose]());

test('An application consumes an event once and does not park it while its journal throws', async () => {
  const before = await inside.stored('crm', customers, 'cus_ben');
  const totals = { subtotal: zero, discount: zero, shipping: zero, tax: zero, total: zero };
  const ids = { id: 'ord_1', orderNumber: 'ord_1', basketId: 'bsk_1', customerId: 'cus_ben' };
  await inside.commitAs('oms', async (work) => {
    const fields = { ...ids, channel: 'web' as const, lines: [], validatedAt: instant(work.now), totals };
    work.transition(orders, work.create(orders, 'create', fields), 'confirm');
  });
  expect(await inside.parked()).toEqual([]);
  expect((await inside.stored('crm', customers, 'cus_ben')).version).toBe(before.version + 1);
});

test('An application runs due work while its journal throws', async () => {
  const { ran } = await inside.advance(400 * DAY);
  expect(ran.length).toBeGreaterThan(0);
  expect(await inside.parked()).toEqual([]);
});

test('The gateway refuses with problems while its journal throws', async () => {
  const { control } = createMemoryStore();
  await using rig = await aRig({ control: { ...control, journal: fail } });
  const headers = { ...asIntegration, 'content-type': 'application/json' };
  const tooLarge = await rig.call({ method: 'POST', path: '/baskets', headers, body: 'a'.repeat(1_048_577) });
  expect(tooLarge).toMatchObject({ status: 413, json: { code: 'payload_too_large' } });
  expect(rig.logged()).toContain('keeping a journal record failed');
});

test('An estate answers, refuses and moves its clock while logging fails', async () => {
  const log = createLogger('trace', { write: fail });
  const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
  const estate = await startEstate(readConfiguration({ NODE_ENV: 'test', ...ports }), log);
  const client = plain(clientOf(estate.gateway));
  try {
    await estate.ready;
    expect(await placeAnOrder(estate.gateway)).toMatch(/^ord_/);
    expect(await client.call('GET', '/orders/nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await client.control('advance-clock', { body: { by: 'PT1H' } })).toMatchObject({ settled: true });
  } finally {
    await client.close();
    await estate.close();
  }
});

test('A log line that cannot be written is lost without an effect on the application', () => {
  const lines: string[] = [];
  const log = createLogger('trace', { write: (line) => void lines.push(line) });
  const error = Object.defineProperty(new Error('odd'), 'detail', { enumerable: true, get: fail });
  for (const logger of [log, log.child({ application: 'crm' })]) {
    logger.error({ err: error }, 'first');
    logger.warn({ about: UNWRITABLE }, 'second');
    logger.info(Object.defineProperty({}, 'world', { enumerable: true, get: fail }), 'third');
    logger.info({ amount: 1n }, 'fourth');
    logger.info('last');
  }
  expect(lines.filter((line) => line.includes('"last"'))).toHaveLength(2);
  for (const line of lines) JSON.parse(line);
});

const CYCLE: Record<string, unknown> = {};
CYCLE['self'] = CYCLE;
test.each([
  ['throws', UNWRITABLE],
  ['is a cycle', CYCLE],
  ['has no JSON', 1n],
])('A refusal whose context %s has the members that can be serialised', (_why, id) => {
  const problem = new Problem('not_found', 'There is none.', { objectType: 'order', id: id as unknown as string });
  const problemType = { type: '/problems/not_found', code: 'not_found', title: 'Not found', status: 404, retryable: false };
  expect(JSON.parse(problem.json('/orders/x'))).toEqual({ ...problemType, detail: 'There is none.', instance: '/orders/x' });
});

/** The parts around an application that throw. */
interface Broken {
  readonly adapter?: (adapter: StoreAdapter) => StoreAdapter;
  readonly log?: Logger;
  readonly observer?: Observer;
  readonly metrics?: (request: IncomingMessage, response: ServerResponse) => void;
}

async function anApplication(broken: Broken = {}) {
  const memory = createMemoryStore();
  const adapter = broken.adapter?.(memory) ?? memory;
  const now = Date.now();
  const world = await memory.worlds.open('default', { now, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const agent = new Agent();
  const bus = createMemoryBus();
  const running: RunningApplication = await startApplication({
    service: crm.service,
    adapter,
    bus,
    transport: createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: 'token', agent }),
    token: 'token',
    agent,
    log: broken.log ?? createLogger('silent'),
    host: '127.0.0.1',
    port: 0,
    strictResponses: true,
    observability: {
      observer: () => broken.observer ?? UNOBSERVED,
      watchOutbox: () => {},
      watchWorlds: () => {},
      answerMetrics: async (request, response) => broken.metrics?.(request, response),
      stop: async () => {},
    },
  });
  const ids = { requestId: 'req_1', correlationId: 'req_1' };
  const context = encodeContext({ world, now, principal: 'test', ...ids, deadline: now + 15_000, faults: 0, chain: [] });
  return {
    port: Number(new URL(running.url).port),
    get: (path: string) => fetch(`${running.url}${path}`, { headers: { [CONTEXT_HEADER]: context, [TOKEN_HEADER]: 'token' } }),
    async [Symbol.asyncDispose]() {
      await running.close();
      await agent.close();
      await bus.close();
      await memory.close();
    },
  };
}

async function expectProblem(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect([answer.status, await answer.json()]).toMatchObject([status, { status, code }]);
}
/** A log that returns itself as its child, with the given methods replaced. */
const brokenLog = (methods: object): Logger => {
  const log = { ...createLogger('silent'), child: () => log, ...methods } as unknown as Logger;
  return log;
};

test('An application answers while its metrics, its traces and its journal throw', async () => {
  const observer: Observer = { ...UNOBSERVED, answered: fail, tracer: { start: () => ({ traceparent: 'none', end: fail }) } };
  const adapter = (memory: StoreAdapter): StoreAdapter => ({ ...memory, control: { ...memory.control, journal: fail } });
  await using application = await anApplication({ observer, adapter });
  const listed = await application.get('/customers');
  expect([listed.status, await listed.json()]).toEqual([200, { items: [] }]);
  await expectProblem(await application.get('/customers/nobody'), 404, 'not_found');
});

test('An application answers a problem when a handler throws a value that is not an Error', async () => {
  for (const thrown of [undefined, null, 'a text', 5, { status: 'odd' }, UNWRITABLE]) {
    const metrics = (): never => {
      throw thrown;
    };
    await using application = await anApplication({ metrics });
    await expectProblem(await application.get('/metrics'), 500, 'internal_error');
  }
});

test('An application answers a problem when its error handling fails', async () => {
  await using application = await anApplication({ log: brokenLog({ error: fail }), metrics: fail });
  await expectProblem(await application.get('/metrics'), 500, 'internal_error');
});

test('An application breaks off the answer when a handler throws while sending it', async () => {
  await using application = await anApplication({ metrics: (_request, response) => failAt('/half', response) });
  await expect((await application.get('/metrics')).text()).rejects.toThrow();
});

test.each(['http://[', 'http://a:b/', '//', '/customers/%zz', '/customers/%ff', '*', '/%'])(
  'An application answers a problem, not a page, to the address %s',
  async (target) => {
    await using application = await anApplication();
    const answer = await raw(application.port, head(`GET ${target}`, 'Connection: close'));
    expect(answer).toMatch(/^HTTP\/1.1 4\d\d .*^content-type: application\/problem\+json/ims);
  },
);

function failAt(path: string, response: ServerResponse): void {
  if (path === '/unwritable') throw new Problem('not_found', 'There is none.', { id: UNWRITABLE as unknown as string });
  if (path === '/half') response.writeHead(200, { 'content-type': 'text/plain' }).write('the first half');
  fail();
}

const documents = express.Router();
documents.get(['/unwritable', '/half', '/broken'], ({ path }, response) => failAt(path, response));

test.each(['', '/_control'])('The gateway answers a problem when a handler under "%s" throws any value', async (above) => {
  await using rig = await aRig({
    documents,
    controlPlane: async ({ path }, response) => failAt(path.slice('/_control'.length), response),
  });
  const get = (path: string) => rig.call({ path: `${above}${path}`, headers: { authorization: `Bearer ${ADMIN}` } });
  const headers = { 'content-type': expect.stringMatching(/^application\/problem\+json/) };
  expect(await get('/unwritable')).toMatchObject({ status: 404, json: { status: 404, code: 'not_found' }, headers });
  expect(await get('/broken')).toMatchObject({ status: 500, json: { status: 500, code: 'internal_error' }, headers });
  await expect(get('/half')).rejects.toThrow();
});

test('The gateway answers when its log and its observer throw', async () => {
  const observer = (): Observer => ({ ...UNOBSERVED, answered: fail, refused: fail });
  const observability = { observer, watchOutbox: fail, watchWorlds: fail, answerMetrics: fail, stop: async () => {} };
  await using rig = await aRig({ documents, log: brokenLog({ error: fail, warn: fail, debug: fail }), observability });
  expect(await rig.call({ path: '/nowhere' })).toMatchObject({ status: 404, json: { code: 'not_found' } });
  expect(await rig.call({ path: '/broken' })).toMatchObject({ status: 500, json: { code: 'internal_error' } });
  expect(await rig.call({ path: '/orders/o', headers: asIntegration })).toMatchObject({ status: 200 });
});
