import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { z } from 'zod';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { defineApi } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import type { Observability } from '../../shared/observability/observability.ts';
import { UNOBSERVED } from '../../shared/observability/observer.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { pause } from '../../shared/process/waiting.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { eventually } from '../support/eventually.ts';
import { aRig, asIntegration, BEARER, type Rig, raw, TOKEN } from './running-gateway.ts';

const parts = { domain: 'customer', application: 'clienteling-app', auth: 'bearer', summary: 'For this test' } as const;
const Any = z.record(z.string(), z.unknown());
const addNote = defineApi({
  ...parts,
  id: 'add-note-api',
  name: 'Add Note',
  type: 'command',
  method: 'POST',
  path: '/parties/{id}/notes',
  query: z.strictObject({ lang: z.union([z.string(), z.array(z.string())]).optional() }),
  request: z.strictObject({ note: z.string() }),
  response: Any,
  status: 201,
});
const readParty = defineApi({
  ...parts,
  id: 'read-party-api',
  name: 'Read',
  type: 'query',
  method: 'GET',
  path: '/parties/{id}',
  response: Any,
});
const forgetParty = defineApi({
  ...parts,
  id: 'forget-party-api',
  name: 'Forget',
  type: 'command',
  method: 'DELETE',
  path: '/parties/{id}',
  response: z.null(),
  status: 204,
});
const readCard = defineApi({
  ...parts,
  id: 'read-card-api',
  name: 'Card',
  type: 'query',
  method: 'GET',
  path: '/parties/{id}/card',
  response: z.string(),
  produces: 'application/pdf',
});
const hearCarrier = defineApi({
  ...parts,
  id: 'hear-carrier-api',
  name: 'Hear',
  type: 'action',
  method: 'POST',
  path: '/parties/webhook',
  auth: 'signature',
  response: z.null(),
});

type Answering = (input: unknown, scope: Scope) => Promise<unknown>;

/** A gateway in front of a real application, with what both report to their observers. */
interface Way {
  readonly name: string;
  readonly rig: Rig;
  readonly reported: unknown[];
  running: RunningApplication;
  answering: Answering;
  start(): Promise<RunningApplication>;
  stop(): Promise<void>;
}

const APPLICATION_MS = 1_500;
const echo: Answering = async (input) => ({ version: 3, input });

async function openWay(name: string, isInProcess: boolean): Promise<Way> {
  const reported: unknown[] = [];
  const observability: Observability = {
    observer: (application) => ({
      ...UNOBSERVED,
      answered: ({ api, method, route, status }) => void reported.push({ application, api, method, route, status }),
      refused: (code) => void reported.push({ application, code }),
      tracer: {
        start: ({ kind, name: span, attributes }) => ({
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          end: (error, more) => void reported.push({ application, kind, span, attributes, error, more }),
        }),
      },
    }),
    watchOutbox: () => {},
    watchWorlds: () => {},
    answerMetrics: async () => {},
    stop: async () => {},
  };
  const agent = new Agent();
  const rig = await aRig({
    apis: [addNote, readParty, forgetParty, readCard, hearCarrier],
    addressOf: () => way.running.url,
    endpointOf: isInProcess ? () => way.running.endpoint : undefined,
    observability,
    times: { applicationMs: APPLICATION_MS },
  });
  const answer = (input: unknown, scope: Scope) => way.answering(input, scope) as Promise<never>;
  const apis = [
    handle(addNote)(answer),
    handle(readParty)(answer),
    handle(forgetParty)(answer),
    handle(readCard)(answer),
    handle(hearCarrier)(answer),
  ];
  const start = (): Promise<RunningApplication> =>
    startApplication({
      service: {
        application: 'clienteling-app',
        collections: [],
        counters: [],
        apis: Object.fromEntries(apis.map((one) => [one.id, one])),
        internal: {},
        due: {},
        events: {},
      },
      adapter: rig.adapter,
      bus: createMemoryBus(),
      transport: createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: TOKEN, agent }),
      token: TOKEN,
      agent,
      log: createLogger('silent'),
      observability,
      host: '127.0.0.1',
      port: 0,
      strictResponses: true,
    });
  const stop = async (): Promise<void> => {
    await rig[Symbol.asyncDispose]();
    await way.running.close();
    await agent.close();
  };
  const way: Way = { name, rig, reported, running: await start(), answering: echo, start, stop };
  return way;
}

const ways: Way[] = [];
beforeAll(async () => {
  ways.push(await openWay('over HTTP', false), await openWay('within the process', true));
});
afterAll(async () => {
  for (const { stop } of ways) await stop();
});

/** Ids and times differ between two requests. An old connection to an application moves the header `Connection` to the front. */
const comparable = (text: string): string =>
  text
    .replace(/^(HTTP.*\r\n)((?:.+\r\n)*?)(connection: .*\r\n)/im, '$1$3$2')
    .replaceAll(/req_[0-9A-HJKMNP-TV-Z]{26}/g, 'req_*')
    .replaceAll(/^date: .*GMT\r$/gim, 'date: *\r')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:*');

const head = (line: string, ...headers: readonly string[]): string =>
  `${[line, 'Host: x', `Authorization: Bearer ${BEARER}`, ...headers].join('\r\n')}\r\n\r\n`;

const post = (body: string | Buffer, ...headers: readonly string[]): string =>
  head(
    'POST /parties/cus%201%C3%A9/notes?lang=en&lang=de HTTP/1.1',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(headers.length > 0 ? headers : ['Content-Type: application/json']),
  ) + body.toString('latin1');

const get = (...headers: readonly string[]): string => head('GET /parties/1 HTTP/1.1', 'Connection: close', ...headers);

/** Sends the same bytes on both ways. @returns the answer, which is the same on both */
async function sendBoth(bytes: string, { answering = echo, until }: { answering?: Answering; until?: string } = {}): Promise<string> {
  const answers: string[] = [];
  for (const way of ways) {
    way.answering = answering;
    answers.push(comparable(await raw(way.rig.gateway.port, bytes, until)));
  }
  expect(answers[1]).toBe(answers[0]);
  return answers[0] ?? '';
}

async function setFault(fault: FaultInput['fault']): Promise<void> {
  for (const { rig } of ways) {
    const view = await rig.adapter.worlds.resolve('default');
    await rig.adapter.worlds.setFault(
      view?.world ?? 'none~none',
      'f',
      JSON.stringify({ match: { application: 'clienteling-app' }, fault }),
    );
  }
}

const refuseWith =
  (problem: Problem): Answering =>
  async () => {
    throw problem;
  };

describe('An answer is the same over HTTP and within the process', () => {
  const unavailable = new Problem('dependency_unavailable', 'wms cannot be reached.', { dependency: 'wms', retryAfter: 7 });
  const note = JSON.stringify({ note: 'ok' });
  test.each<[string, string, RegExp, Answering?]>([
    ['of a command', post(note), /^HTTP\/1\.1 201 Created\r\n(?:.+\r\n)*etag: "3"\r\n(?:.+\r\n)*\r\n.*"params":\{"id":"cus 1Ã©"\}/],
    ['of a first request with a key', post(note, 'Content-Type: application/json', 'Idempotency-Key: k'), /^HTTP\/1\.1 201 /],
    ['of a repeat', post(note, 'Content-Type: application/json', 'Idempotency-Key: k'), /^idempotent-replayed: true\r$/m],
    ['of a compressed body', post(gzipSync(note), 'Content-Type: application/json', 'Content-Encoding: gzip'), /"note":"ok"/],
    [
      'of a chunked body',
      `${head('POST /parties/1/notes HTTP/1.1', 'Connection: close', 'Transfer-Encoding: chunked', 'Content-Type: application/json')}d\r\n{"note":"ok"}\r\n0\r\n\r\n`,
      /"note":"ok"/,
    ],
    [
      'that expects 100 Continue',
      post(note, 'Content-Type: application/json', 'Expect: 100-continue'),
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/,
    ],
    ['of a query', get(), /^HTTP\/1\.1 200 OK\r\n/],
    ['of HEAD', head('HEAD /parties/1 HTTP/1.1', 'Connection: close'), /^content-length: \d\d.*\r\n\r\n$/ms],
    ['of HTTP/1.0', head('GET /parties/1 HTTP/1.0'), /^connection: close\r$/im],
    [
      'of a command without an output',
      head('DELETE /parties/1 HTTP/1.1', 'Connection: close'),
      /^HTTP\/1\.1 204 No Content/,
      async () => null,
    ],
    [
      'with a document',
      head('GET /parties/1/card HTTP/1.1', 'Connection: close'),
      /^content-type: application\/pdf\r$/m,
      async () => Buffer.from('%PDF-1.7 ÿ').toString('base64'),
    ],
    ['of a body that is not JSON', post('{'), /"code":"malformed_request"/],
    ['of a body of another type', post('a', 'Content-Type: text/plain'), /"code":"unsupported_media_type"/],
    ['of a body with a wrong member', post('{"x":1}'), /"code":"validation_failed"/],
    ['of a query that is not declared', head('GET /parties/1?x=1 HTTP/1.1', 'Connection: close'), /"code":"validation_failed"/],
    [
      'of a webhook without a signature',
      head('POST /parties/webhook HTTP/1.1', 'Connection: close'),
      /^www-authenticate: StandardWebhooks/m,
    ],
    ['of a refusal', get(), /^HTTP\/1\.1 409 .*"code":"basket_empty"/s, refuseWith(new Problem('basket_empty', 'No lines.'))],
    ['of a refusal with a time to wait', get(), /^retry-after: 7\r$/m, refuseWith(unavailable)],
    ['of an error', get(), /"code":"internal_error"/, () => Promise.reject(new TypeError('unexpected'))],
    ['to a client with a correlation id', get('X-Correlation-Id: mine'), /^x-correlation-id: mine\r$/m],
    [
      'to a request that names headers in Connection',
      head('GET /parties/1 HTTP/1.1', 'Connection: close, X-Estate-Token'),
      /^HTTP\/1\.1 200 /,
    ],
  ])('%s', async (_what, bytes, expected, answering = echo) => {
    expect(await sendBoth(bytes, { answering })).toMatch(expected);
  });

  test('on a connection that is kept', async () => {
    expect(await sendBoth(head('GET /parties/1 HTTP/1.1'), { until: '"body":{}}}' })).toMatch(/^connection: keep-alive\r$/im);
  });

  test.each<[string, FaultInput['fault'], RegExp]>([
    ['drops the request', { kind: 'drop' }, /^HTTP\/1\.1 502 .*"code":"dependency_error"/s],
    ['loses the answer', { kind: 'lost-response', as: 'reset' }, /^HTTP\/1\.1 502 .*"code":"dependency_error"/s],
    ['sets another status', { kind: 'status', status: 599 }, /^HTTP\/1\.1 599 unknown\r\n/],
    ['makes the application unavailable', { kind: 'outage' }, /^HTTP\/1\.1 503 .*^retry-after: 1\r$/ms],
  ])('when a fault %s', async (_what, fault, expected) => {
    await setFault(fault);
    expect(await sendBoth(get())).toMatch(expected);
    for (const { rig } of ways) await rig.adapter.worlds.removeFault((await rig.adapter.worlds.resolve('default'))?.world ?? 'none~none');
  });

  test('when the application does not answer in time', async () => {
    expect(await sendBoth(get(), { answering: () => pause(2 * APPLICATION_MS) })).toMatch(/^HTTP\/1\.1 504 .*"code":"dependency_timeout"/s);
  });

  test('in the journal, the metrics, the access log and the spans', async () => {
    for (const { reported } of ways) reported.length = 0;
    await sendBoth(post('{"note":"ok"}', 'Content-Type: application/json', 'X-Correlation-Id: journaled'));
    await setFault({ kind: 'drop' });
    await sendBoth(get('X-Correlation-Id: journaled'));
    for (const { rig } of ways) await rig.adapter.worlds.removeFault((await rig.adapter.worlds.resolve('default'))?.world ?? 'none~none');
    const records = await Promise.all(
      ways.map(async ({ rig, reported }) => {
        const hops = (await rig.journal('default')).filter(({ correlationId }) => correlationId === 'journaled');
        const timeless = hops.map((hop) => ({ ...hop, at: 0, startedAt: 0, durationMs: 0, sequence: 0 }));
        // The client may read its answer before either side reports.
        await eventually('both requests are reported', async () => reported.length >= 10);
        const sorted = reported.map((one) => JSON.stringify(one)).toSorted();
        return comparable(JSON.stringify({ timeless, sorted }, null, 2));
      }),
    );
    expect(records[1]).toBe(records[0]);
    expect(records[0]).toContain('req_*.gateway');
  });
});

describe.each([0, 1])('Way %i to the application', (index) => {
  const way = (): Way => ways[index] as Way;
  const call = (signal?: AbortSignal) => way().rig.call({ path: '/parties/1', headers: asIntegration, signal });

  /** A handler that waits until its calls are refused, because nobody waits for its answer. */
  function noticing() {
    const state = { hasArrived: false, hasNoticed: false };
    way().answering = async (_input, scope) => {
      state.hasArrived = true;
      const refusal = () => scope.call(getCustomer, { params: { id: 'cus_1' } }).then(String, ({ name }: Error) => name);
      await eventually('a call of the handler is refused', async () => (await refusal()) === 'CallerLeft');
      state.hasNoticed = true;
      return {};
    };
    return state;
  }

  test('lets the application notice that the client has left, and journals no refusal', async () => {
    const state = noticing();
    const leaving = new AbortController();
    const left = call(leaving.signal).catch(({ name }: Error) => name);
    await eventually('the request has arrived', async () => state.hasArrived);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await eventually('the application noticed', async () => state.hasNoticed);
  });

  test('lets the application notice that the time limit has passed', async () => {
    const state = noticing();
    expect(await call()).toMatchObject({ status: 504, json: { dependency: 'clienteling-app' } });
    await eventually('the application noticed', async () => state.hasNoticed);
  });

  test('answers a running request while the application stops, and refuses later ones as unavailable', async () => {
    let release = (): void => {};
    let hasArrived = false;
    way().answering = async () => {
      hasArrived = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { late: true };
    };
    const running = call();
    await eventually('the request has arrived', async () => hasArrived);
    const closing = way().running.close();
    release();
    expect(await running).toMatchObject({ status: 200, json: { late: true } });
    await closing;
    expect(await call()).toMatchObject({ status: 503, json: { code: 'dependency_unavailable' }, headers: { 'retry-after': '1' } });
    way().running = await way().start();
    way().answering = echo;
    expect(await call()).toMatchObject({ status: 200 });
  });

  test('breaks off when the application dies', async () => {
    let hasArrived = false;
    way().answering = () => {
      hasArrived = true;
      return new Promise(() => {});
    };
    const broken = call();
    await eventually('the request has arrived', async () => hasArrived);
    way().running.kill();
    expect(await broken).toMatchObject({ status: 502, json: { code: 'dependency_error', dependency: 'clienteling-app', undecided: true } });
    expect(await call()).toMatchObject({ status: 503, json: { code: 'dependency_unavailable' } });
    way().running = await way().start();
    way().answering = echo;
  });

  test('finishes a running request while the gateway stops, and closes its connection', async () => {
    let release = (): void => {};
    let hasArrived = false;
    way().answering = async () => {
      hasArrived = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { late: true };
    };
    const running = raw(way().rig.gateway.port, head('GET /parties/1 HTTP/1.1'));
    await eventually('the request has arrived', async () => hasArrived);
    const closing = way().rig.gateway.close();
    release();
    expect(await running).toMatch(/^HTTP\/1\.1 200 .*^connection: close\r$.*"late":true/ims);
    await closing;
  });
});
