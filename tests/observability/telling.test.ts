import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { Agent } from 'undici';
import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import type { ControlPlane } from '../../gateway/gateway-parts.ts';
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
import { aRig, asIntegration, type Rig, raw } from '../gateway/running-gateway.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { placeAnOrder } from './observed-estate.ts';

const fail = (): never => {
  throw new Error('it is broken');
};
/** A value that cannot be serialised as JSON. */
const UNWRITABLE = { toJSON: fail };
/** Objects of the OMS, which does not run in this test. */
const orders = defineCollection({ name: 'orders', object: order, schema: Order });
const zero = { amount: 0, currency: 'EUR' };
const DAY = 24 * 60 * 60 * 1_000;

describe('While the journal throws, an application', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(crm, loyaltyPlatform);
    inside.breakJournal();
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  test('still answers successes and refusals', async () => {
    expect(await inside.call('GET', '/customers/cus_ada')).toMatchObject({ status: 200, body: { id: 'cus_ada' } });
    expect(await inside.call('GET', '/customers/nobody')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await inside.call('POST', '/customers', {})).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  test('consumes an event once and does not park it', async () => {
    const before = await inside.stored('crm', customers, 'cus_ben');
    await inside.commitAs('oms', async (work) => {
      const draft = work.create(orders, 'create', {
        ...{ id: 'ord_told', orderNumber: 'ord_told', channel: 'web', basketId: 'bsk_told', customerId: 'cus_ben', lines: [] },
        ...{ validatedAt: instant(work.now), totals: { subtotal: zero, discount: zero, shipping: zero, tax: zero, total: zero } },
      });
      work.transition(orders, draft, 'confirm');
    });
    expect(await inside.parked()).toEqual([]);
    expect((await inside.stored('crm', customers, 'cus_ben')).version).toBe(before.version + 1);
  });

  test('runs due work', async () => {
    const { ran } = await inside.advance(400 * DAY);
    expect(ran.length).toBeGreaterThan(0);
    expect(await inside.parked()).toEqual([]);
  });
});

describe('While the journal throws, the gateway', () => {
  test('still refuses with problems', async () => {
    const { control } = createMemoryStore();
    await using rig = await aRig({ control: { ...control, journal: fail } });
    const headers = { ...asIntegration, 'content-type': 'application/json' };
    const tooLarge = await rig.call({ method: 'POST', path: '/baskets', headers, body: 'a'.repeat(1_048_577) });
    expect(tooLarge).toMatchObject({ status: 413, json: { code: 'payload_too_large' } });
    expect(rig.logged()).toContain('keeping a journal record failed');
  });
});

describe('While logging fails', () => {
  test('an estate answers, refuses and moves its clock', async () => {
    const log = createLogger('trace', { write: fail });
    const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
    const estate = await startEstate(readConfiguration({ NODE_ENV: 'test', ...ports }), log);
    try {
      await estate.ready;
      expect(await placeAnOrder(estate.gateway)).toMatch(/^ord_/);
      const refused = await fetch(`${estate.gateway}/orders/nothing`, { headers: asDemo });
      expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'not_found' }]);
      const advanced = await fetch(`${estate.gateway}/_control/clock/advance`, {
        method: 'POST',
        headers: { authorization: 'Bearer demo-control-token', 'content-type': 'application/json' },
        body: '{"by":"PT1H"}',
      });
      expect([advanced.status, await advanced.json()]).toMatchObject([200, { settled: true }]);
    } finally {
      await estate.close();
    }
  });
});

const asDemo = { authorization: 'Bearer demo-integration-token' };

describe('A log line', () => {
  test('that cannot be written is lost without an effect on the application', () => {
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
});

describe('A refusal whose context cannot be serialised', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  test.each([
    ['throws', UNWRITABLE],
    ['is a cycle', cyclic],
    ['is no JSON', 1n],
  ])('because it %s contains the serialisable members', (_why, id) => {
    const problem = new Problem('not_found', 'There is none.', { objectType: 'order', id: id as unknown as string });
    expect(JSON.parse(problem.json('/orders/x'))).toEqual({
      ...{ type: '/problems/not_found', title: 'Not found', status: 404, detail: 'There is none.', instance: '/orders/x' },
      ...{ code: 'not_found', retryable: false },
    });
  });
});

/** An application of whose surroundings everything may be broken. */
async function anApplication(
  broken: {
    readonly adapter?: (adapter: StoreAdapter) => StoreAdapter;
    readonly log?: Logger;
    readonly observer?: Observer;
    readonly metrics?: (request: IncomingMessage, response: ServerResponse) => void;
  } = {},
) {
  const memory = createMemoryStore();
  const adapter = broken.adapter?.(memory) ?? memory;
  const now = Date.now();
  const world = await memory.worlds.open('default', { now, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const agent = new Agent();
  const bus = createMemoryBus();
  const running: RunningApplication = await startApplication({
    ...{
      service: crm.service,
      adapter,
      bus,
      transport: createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: 'token', agent }),
      token: 'token',
      agent,
    },
    ...{ log: broken.log ?? createLogger('silent'), host: '127.0.0.1', port: 0, strictResponses: true },
    observability: {
      observer: () => broken.observer ?? UNOBSERVED,
      watchOutbox: () => {},
      watchWorlds: () => {},
      answerMetrics: async (request, response) => broken.metrics?.(request, response),
      stop: async () => {},
    },
  });
  const context = encodeContext({
    ...{ world, now, principal: 'test', requestId: 'req_1', correlationId: 'req_1', deadline: now + 15_000, faults: 0, chain: [] },
  });
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

describe('An application', () => {
  test('answers while its metrics, its traces and its journal throw', async () => {
    const observer: Observer = { ...UNOBSERVED, answered: fail, tracer: { start: () => ({ traceparent: 'none', end: fail }) } };
    const adapter = (memory: StoreAdapter): StoreAdapter => ({ ...memory, control: { ...memory.control, journal: fail } });
    await using application = await anApplication({ observer, adapter });
    const listed = await application.get('/customers');
    expect([listed.status, await listed.json()]).toEqual([200, { items: [] }]);
    await expectProblem(await application.get('/customers/nobody'), 404, 'not_found');
  });

  test('answers a problem when a handler throws a value that is not an Error', async () => {
    for (const thrown of [undefined, null, 'a text', 5, { status: 'odd' }, UNWRITABLE]) {
      const metrics = (): never => {
        throw thrown;
      };
      await using application = await anApplication({ metrics });
      await expectProblem(await application.get('/metrics'), 500, 'internal_error');
    }
  });

  test('answers a problem when the error handling fails, too', async () => {
    const log = { ...createLogger('silent'), child: () => log, error: fail } as unknown as Logger;
    await using application = await anApplication({ log, metrics: fail });
    await expectProblem(await application.get('/metrics'), 500, 'internal_error');
  });

  test('breaks off the answer when a handler throws while sending it', async () => {
    const metrics = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('the first half');
      fail();
    };
    await using application = await anApplication({ metrics });
    const answer = await application.get('/metrics');
    await expect(answer.text()).rejects.toThrow();
  });

  test.each(['http://[', 'http://a:b/', '//', '/customers/%zz', '/customers/%ff', '*', '/%'])(
    'answers a problem, not a page, to the address %s',
    async (target) => {
      await using application = await anApplication();
      const answer = await raw(application.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 4\d\d /);
      expect(answer).toMatch(/^content-type: application\/problem\+json/im);
    },
  );
});

function failAt(path: string, response: ServerResponse): void {
  if (path === '/unwritable') throw new Problem('not_found', 'There is none.', { id: UNWRITABLE as unknown as string });
  if (path === '/half') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('the first half');
  }
  fail();
}

describe('The gateway', () => {
  const odd = express.Router();
  odd.get(['/unwritable', '/half', '/broken'], ({ path }, response) => failAt(path, response));
  const controlPlane: ControlPlane = async ({ path }, response) => failAt(path.slice('/_control'.length), response);
  let rig: Rig;
  beforeAll(async () => {
    rig = await aRig({ documents: odd, controlPlane });
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });
  const asAdmin = { authorization: 'Bearer admin-token' };

  test.each(['', '/_control'])('answers a problem when a handler under "%s" throws any value', async (above) => {
    for (const [path, status, code] of [
      ['/unwritable', 404, 'not_found'],
      ['/broken', 500, 'internal_error'],
    ] as const) {
      const answer = await rig.call({ path: `${above}${path}`, headers: asAdmin });
      expect(answer).toMatchObject({ status, json: { status, code } });
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    }
    await expect(rig.call({ path: `${above}/half`, headers: asAdmin })).rejects.toThrow();
  });

  test.each(['http://[', 'http://a:b/', '//', '/orders/%zz', '/orders/%ff', '/orders/x?a=%ff', '/_control/%ff', '*', '/%', '/?%'])(
    'answers a problem, not a page, to the address %s',
    async (target) => {
      const answer = await raw(rig.gateway.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toMatch(/^content-type: application\/problem\+json/im);
      expect(answer).toMatch(/^x-correlation-id: req_/im);
    },
  );

  test('answers a problem when its log and its observer throw', async () => {
    const log = { ...createLogger('silent'), child: () => log, error: fail, warn: fail, debug: fail } as unknown as Logger;
    const observability = {
      observer: (): Observer => ({ ...UNOBSERVED, answered: fail, refused: fail }),
      watchOutbox: fail,
      watchWorlds: fail,
      answerMetrics: fail,
      stop: async () => {},
    };
    await using broken = await aRig({ documents: odd, log, observability });
    expect(await broken.call({ path: '/nowhere' })).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await broken.call({ path: '/broken' })).toMatchObject({ status: 500, json: { code: 'internal_error' } });
    expect(await broken.call({ path: '/orders/o', headers: asIntegration })).toMatchObject({ status: 200 });
  });
});
