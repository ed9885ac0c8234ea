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
import { AUTHORIZED, aRig, asIntegration, head, type Rig, TOKEN } from './running-gateway.ts';

const parts = { domain: 'customer', application: 'clienteling-app', auth: 'bearer', summary: 'For this test' } as const;
const query = { ...parts, type: 'query', method: 'GET' } as const;
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
const readParty = defineApi({ ...query, id: 'read-party-api', name: 'Read', path: '/parties/{id}', response: Any });
const forgotten = { response: z.null(), status: 204 } as const;
const forgetParty = defineApi({
  ...query,
  ...forgotten,
  type: 'command',
  method: 'DELETE',
  id: 'forget-party-api',
  name: 'Forget',
  path: '/parties/{id}',
});
const document = { response: z.string(), produces: 'application/pdf', fileName: 'card.pdf' } as const;
const readCard = defineApi({ ...query, ...document, id: 'read-card-api', name: 'Card', path: '/parties/{id}/card' });
const signed = { ...parts, auth: 'signature', type: 'action', method: 'POST' } as const;
const hearCarrier = defineApi({ ...signed, id: 'hear-carrier-api', name: 'Hear', path: '/parties/webhook', response: z.null() });

type Answering = (input: unknown, scope: Scope) => Promise<unknown>;

/** A gateway in front of a real application, with the reports of both observers. */
interface Way {
  readonly rig: Rig;
  readonly reported: unknown[];
  running: RunningApplication;
  answering: Answering;
  start(): Promise<RunningApplication>;
  stop(): Promise<void>;
}

const APPLICATION_MS = 1_500;
const echo: Answering = async (input) => ({ version: 3, input });

async function openWay(isInProcess: boolean): Promise<Way> {
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
  const handlers = [addNote, readParty, forgetParty, readCard, hearCarrier].map((api) => handle(api as typeof addNote)(answer));
  const apis = Object.fromEntries(handlers.map((one) => [one.id, one]));
  const start = (): Promise<RunningApplication> =>
    startApplication({
      service: { application: 'clienteling-app', collections: [], counters: [], apis, internal: {}, due: {}, events: {} },
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
  const way: Way = { rig, reported, running: await start(), answering: echo, start, stop };
  return way;
}

const ways: Way[] = [];
beforeAll(async () => {
  ways.push(await openWay(false), await openWay(true));
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

const JSON_TYPE = 'Content-Type: application/json';
const CLOSE = 'Connection: close';
const get = (...headers: readonly string[]): string => head('GET /parties/1', AUTHORIZED, ...(headers.length > 0 ? headers : [CLOSE]));
const post = (body: string | Buffer, ...headers: readonly string[]): string =>
  head(
    'POST /parties/cus%201%C3%A9/notes?lang=en&lang=de',
    ...[AUTHORIZED, CLOSE, `Content-Length: ${Buffer.byteLength(body)}`],
    ...(headers.length > 0 ? headers : [JSON_TYPE]),
  ) + body.toString('latin1');

/** Sends the same bytes over HTTP and within the process. @returns the answer, which must be equal */
async function sendBoth(bytes: string, { answering = echo, until }: { answering?: Answering; until?: string } = {}): Promise<string> {
  const answers: string[] = [];
  for (const way of ways) {
    way.answering = answering;
    answers.push(comparable(await way.rig.raw(bytes, until)));
  }
  expect(answers[1]).toBe(answers[0]);
  return answers[0] ?? '';
}

/** Sends a GET over HTTP and within the process while a fault strikes. */
async function sendBothUnder(fault: FaultInput['fault'], bytes = get(), answering = echo): Promise<string> {
  const rule = JSON.stringify({ match: { application: 'clienteling-app' }, fault });
  for (const { rig } of ways) await rig.adapter.worlds.setFault(await rig.world('default'), 'f', rule);
  const answer = await sendBoth(bytes, { answering });
  for (const { rig } of ways) await rig.adapter.worlds.removeFault(await rig.world('default'));
  return answer;
}

const refuseWith =
  (problem: Problem): Answering =>
  async () => {
    throw problem;
  };

describe('Answers over HTTP and within the process', () => {
  const unavailable = new Problem('dependency_unavailable', 'wms cannot be reached.', { dependency: 'wms', retryAfter: 7 });
  const note = JSON.stringify({ note: 'ok' });
  const keyed = post(note, JSON_TYPE, 'Idempotency-Key: k');
  const chunked = `${head('POST /parties/1/notes', AUTHORIZED, CLOSE, JSON_TYPE, 'Transfer-Encoding: chunked')}d\r\n${note}\r\n0\r\n\r\n`;
  const pdf: Answering = async () => Buffer.from('%PDF-1.7 ÿ').toString('base64');
  const to = (line: string) => head(line, AUTHORIZED, CLOSE);
  const known = (tags: string, ...more: string[]) => get(CLOSE, `If-None-Match: ${tags}`, ...more);
  /** Without a body, and with the tag. */
  const NOT_MODIFIED = /^HTTP\/1\.1 304 Not Modified\r\n(?!.*content-(?:type|length))(?:.+\r\n)*etag: "3"\r\n(?:.+\r\n)*\r\n$/s;
  test.each<[string, string, RegExp, Answering?]>([
    ['a command', post(note), /^HTTP\/1\.1 201 Created\r\n(?:.+\r\n)*etag: "3"\r\n(?:.+\r\n)*\r\n.*"params":\{"id":"cus 1Ã©"\}/],
    ['a first request with a key', keyed, /^HTTP\/1\.1 201 /],
    ['a repeat', keyed, /^idempotent-replayed: true\r$/m],
    ['a compressed body', post(gzipSync(note), JSON_TYPE, 'Content-Encoding: gzip'), /"note":"ok"/],
    ['a chunked body', chunked, /"note":"ok"/],
    ['a body that expects 100 Continue', post(note, JSON_TYPE, 'Expect: 100-continue'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/],
    ['a query', get(), /^HTTP\/1\.1 200 OK\r\n/],
    ['HEAD', to('HEAD /parties/1'), /^content-length: \d\d.*\r\n\r\n$/ms],
    ['HTTP/1.0', head('GET /parties/1', AUTHORIZED).replace('HTTP/1.1', 'HTTP/1.0'), /^connection: close\r$/im],
    ['a command without an output', to('DELETE /parties/1'), /^HTTP\/1\.1 204 No Content/, async () => null],
    ['a document', to('GET /parties/1/card'), /^content-type: application\/pdf\r$/m, pdf],
    ['a document with a file name', to('GET /parties/1/card'), /^content-disposition: inline; filename="card.pdf"\r$/m, pdf],
    ['a query of a known version', known('"3"'), NOT_MODIFIED],
    ['a query of any version', known('*'), NOT_MODIFIED],
    ['a query of several versions', known('"1", W/"x,y", "3"'), NOT_MODIFIED],
    ['a query of a known version with a weak tag', known('W/"3"'), NOT_MODIFIED],
    ['HEAD of a known version', head('HEAD /parties/1', AUTHORIZED, CLOSE, 'If-None-Match: "3"'), NOT_MODIFIED],
    ['a query of an older version', known('"2", 3, "33"'), /^HTTP\/1\.1 200 OK\r\n/],
    // The standard makes fetch add this header to each request with `If-None-Match`.
    ['a query of a known version by fetch', known('"3"', 'Cache-Control: no-cache'), NOT_MODIFIED],
    ['a query without a version', known('*'), /^HTTP\/1\.1 200 OK\r\n/, async () => ({})],
    ['a command of a known version', post(note, JSON_TYPE, 'If-None-Match: "3"'), /^HTTP\/1\.1 201 /],
    ['a body that is not JSON', post('{'), /"code":"malformed_request"/],
    ['a body of another type', post('a', 'Content-Type: text/plain'), /"code":"unsupported_media_type"/],
    ['a body with a wrong member', post('{"x":1}'), /"code":"validation_failed"/],
    ['a query that is not declared', to('GET /parties/1?x=1'), /"code":"validation_failed"/],
    ['a webhook without a signature', to('POST /parties/webhook'), /^www-authenticate: StandardWebhooks/m],
    ['a refusal', get(), /^HTTP\/1\.1 409 .*"code":"basket_empty"/s, refuseWith(new Problem('basket_empty', 'No lines.'))],
    ['a refusal with a time to wait', get(), /^retry-after: 7\r$/m, refuseWith(unavailable)],
    ['an error', get(), /"code":"internal_error"/, () => Promise.reject(new TypeError('unexpected'))],
    ['a correlation id', get(CLOSE, 'X-Correlation-Id: mine'), /^x-correlation-id: mine\r$/m],
    ['headers named in Connection', get('Connection: close, X-Estate-Token'), /^HTTP\/1\.1 200 /],
  ])('The answer to %s is the same over HTTP and within the process', async (_what, bytes, expected, answering = echo) => {
    expect(await sendBoth(bytes, { answering })).toMatch(expected);
  });

  test('The answer on a kept connection is the same over HTTP and within the process', async () => {
    expect(await sendBoth(head('GET /parties/1', AUTHORIZED), { until: '"body":{}}}' })).toMatch(/^connection: keep-alive\r$/im);
  });

  test.each<[string, FaultInput['fault'], RegExp]>([
    ['drops the request', { kind: 'drop' }, /^HTTP\/1\.1 502 .*"code":"dependency_error"/s],
    ['loses the answer', { kind: 'lost-response', as: 'reset' }, /^HTTP\/1\.1 502 .*"code":"dependency_error"/s],
    [
      'breaks off the answer',
      { kind: 'lost-response', as: 'half' },
      /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*content-length: 64\r\n(?:.+\r\n)*\r\n\{"version":3,"input":\{"params":\{$/,
    ],
    ['sets another status', { kind: 'status', status: 599 }, /^HTTP\/1\.1 599 unknown\r\n/],
    ['makes the application unavailable', { kind: 'outage' }, /^HTTP\/1\.1 503 .*^retry-after: 1\r$/ms],
  ])('The answer when a fault %s is the same over HTTP and within the process', async (_what, fault, expected) => {
    expect(await sendBothUnder(fault)).toMatch(expected);
  });

  test.each([
    ['without a body', head('DELETE /parties/1', AUTHORIZED, CLOSE), async () => null, /^HTTP\/1\.1 502 .*"code":"dependency_error"/s],
    ['to HEAD', head('HEAD /parties/1', AUTHORIZED, CLOSE), echo, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*\r\n$/],
  ])('An answer %s that a fault breaks off is the same over HTTP and within the process', async (_what, bytes, answering, expected) => {
    expect(await sendBothUnder({ kind: 'lost-response', as: 'half' }, bytes, answering)).toMatch(expected);
  });

  test('The refusal of a silent application is the same over HTTP and within the process', async () => {
    expect(await sendBoth(get(), { answering: () => pause(2 * APPLICATION_MS) })).toMatch(/^HTTP\/1\.1 504 .*"code":"dependency_timeout"/s);
  });

  test('Journal, metrics, access log and spans are the same over HTTP and within the process', async () => {
    for (const { reported } of ways) reported.length = 0;
    await sendBoth(post(note, JSON_TYPE, 'X-Correlation-Id: journaled'));
    await sendBothUnder({ kind: 'drop' }, get(CLOSE, 'X-Correlation-Id: journaled'));
    await sendBothUnder({ kind: 'lost-response', as: 'half' }, get(CLOSE, 'X-Correlation-Id: journaled'));
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

describe.each([
  ['over HTTP', 0],
  ['within the process', 1],
] as const)('Requests to an application %s', (where, index) => {
  const way = (): Way => ways[index] as Way;
  const call = (signal?: AbortSignal) => way().rig.call({ path: '/parties/1', headers: asIntegration, signal });
  const restart = async () => {
    way().running = await way().start();
    way().answering = echo;
  };

  /** A handler that waits until its calls are refused because its client has disconnected. */
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

  function waiting() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const state = { hasArrived: false, release: resolve };
    way().answering = async () => {
      state.hasArrived = true;
      await promise;
      return { late: true };
    };
    return state;
  }

  test(`An application reached ${where} notices that the client has left`, async () => {
    const state = noticing();
    const leaving = new AbortController();
    const left = call(leaving.signal).catch(({ name }: Error) => name);
    await eventually('the request has arrived', async () => state.hasArrived);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await eventually('the application noticed', async () => state.hasNoticed);
  });

  test(`An application reached ${where} notices that the time limit has passed`, async () => {
    const state = noticing();
    expect(await call()).toMatchObject({ status: 504, json: { dependency: 'clienteling-app' } });
    await eventually('the application noticed', async () => state.hasNoticed);
  });

  test(`An application reached ${where} that stops answers a running request, and later ones are refused as unavailable`, async () => {
    const state = waiting();
    const running = call();
    await eventually('the request has arrived', async () => state.hasArrived);
    const closing = way().running.close();
    state.release();
    expect(await running).toMatchObject({ status: 200, json: { late: true } });
    await closing;
    expect(await call()).toMatchObject({ status: 503, json: { code: 'dependency_unavailable' }, headers: { 'retry-after': '1' } });
    await restart();
    expect(await call()).toMatchObject({ status: 200 });
  });

  test(`A request to an application ${where} that dies is broken off as undecided`, async () => {
    const state = waiting();
    const broken = call();
    await eventually('the request has arrived', async () => state.hasArrived);
    way().running.kill();
    expect(await broken).toMatchObject({ status: 502, json: { code: 'dependency_error', dependency: 'clienteling-app', undecided: true } });
    state.release();
    expect(await call()).toMatchObject({ status: 503, json: { code: 'dependency_unavailable' } });
    await restart();
  });

  test(`A gateway that stops finishes a request to an application ${where} and closes its connection`, async () => {
    const state = waiting();
    const running = way().rig.raw(head('GET /parties/1', AUTHORIZED));
    await eventually('the request has arrived', async () => state.hasArrived);
    const closing = way().rig.gateway.close();
    state.release();
    expect(await running).toMatch(/^HTTP\/1\.1 200 .*^connection: close\r$.*"late":true/ims);
    await closing;
  });
});
