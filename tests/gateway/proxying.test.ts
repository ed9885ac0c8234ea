import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { AUTHORIZED, aRig, asIntegration, BEARER, head, SEEDED_AT, sharedRig, TOKEN, type Upstream } from './running-gateway.ts';

const rig = sharedRig();

const answerWith = (answer: Upstream['answer']): void => {
  rig.upstream.answer = answer;
};
const ANSWERED = '{"answered":true}';
const call = (headers: Record<string, string> = {}) => rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, ...headers } });
const lastReceived = () => rig.upstream.received[0];

describe('Requests', () => {
  beforeEach(() => answerWith((_request, response) => void response.end(ANSWERED)));

  test('A request reaches the application with the path, query, method, body and own headers of its client', async () => {
    const body = JSON.stringify({ channel: 'web', note: 'käse' });
    const own = { 'content-type': 'application/json', 'idempotency-key': 'k-1', 'if-match': '"3"' };
    const path = '/baskets?expand=lines&x=%2F%2e%2e//';
    const reply = await rig.call({ method: 'POST', path, headers: { ...asIntegration, ...own }, body });
    expect(reply).toMatchObject({ status: 200, text: ANSWERED });
    const headers = { ...own, 'content-length': String(Buffer.byteLength(body)) };
    expect(lastReceived()).toMatchObject({ method: 'POST', url: path, body, headers });
  });

  test("A request carries the gateway's context and its token instead of the client's", async () => {
    const before = Date.now();
    const reply = await call();
    const { context, headers } = lastReceived() ?? {};
    expect(headers?.['x-estate-token']).toBe(TOKEN);
    expect(JSON.stringify(lastReceived())).not.toContain(BEARER);
    expect(context).toMatchObject({ world: await rig.world('default'), principal: 'integration', faults: 0, chain: [] });
    expect(context?.requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(context?.now).toBeGreaterThanOrEqual(SEEDED_AT);
    expect(context?.deadline).toBeGreaterThanOrEqual(before + 15_000);
    expect(context?.deadline).toBeLessThanOrEqual(Date.now() + 15_000);
    expect([context?.correlationId, reply.headers['x-correlation-id']]).toEqual([context?.requestId, context?.requestId]);
  });

  test("A request carries the time of the rehearsal's clock and the revision of its faults", async () => {
    await rig.rehearsal('frozen');
    const world = await rig.world('frozen');
    const now = Date.UTC(2030, 0, 1);
    await rig.adapter.worlds.setClock(world, { now, flowing: false });
    await rig.adapter.worlds.setFault(world, 'slow', '{}');
    await call({ 'x-rehearsal': 'frozen' });
    expect(lastReceived()?.context).toMatchObject({ world, now, faults: 1 });
  });

  test('A valid correlation id and traceparent are kept', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const sent = { 'x-correlation-id': 'case:4711.a_B-c', traceparent, tracestate: 'a=b' };
    const reply = await call(sent);
    expect(lastReceived()).toMatchObject({ context: { correlationId: 'case:4711.a_B-c', traceparent }, headers: sent });
    expect(reply.headers['x-correlation-id']).toBe('case:4711.a_B-c');
  });

  test.each(['a b', '<b>', 'ü', 'a'.repeat(129)])('The correlation id %s is replaced', async (id) => {
    const reply = await call({ 'x-correlation-id': Buffer.from(id).toString('latin1') });
    const { context, headers } = lastReceived() ?? {};
    for (const one of [context?.correlationId, headers?.['x-correlation-id'], reply.headers['x-correlation-id']])
      expect(one).toMatch(/^req_/);
  });

  test.each(['00-0af7-b7ad-01', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'])(
    'The invalid traceparent %s is dropped',
    async (traceparent) => {
      await call({ traceparent, tracestate: 'a=b' });
      expect(lastReceived()?.context).not.toHaveProperty('traceparent');
      for (const name of ['traceparent', 'tracestate']) expect(lastReceived()?.headers).not.toHaveProperty(name);
    },
  );

  test('A chunked body is forwarded with a length', async () => {
    const chunks = '5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n';
    expect(await rig.raw(`${head('POST /baskets', AUTHORIZED, 'Transfer-Encoding: chunked')}${chunks}`, ANSWERED)).toMatch(
      /^HTTP\/1.1 200/,
    );
    expect(lastReceived()).toMatchObject({ body: '{"a":1}', headers: { 'content-length': '7' } });
    expect(lastReceived()?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('A GET whose chunked body looks like a request is forwarded once', async () => {
    const inner = head('GET /orders/forged');
    const chunks = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    await rig.raw(`${head('GET /orders/ord_1', AUTHORIZED, 'Transfer-Encoding: chunked')}${chunks}`, ANSWERED);
    expect(rig.upstream.received.map(({ url }) => url)).toEqual(['/orders/ord_1']);
  });

  test('Pipelined requests reach an application one after the other, in their order', async () => {
    const finish: (() => void)[] = [];
    answerWith(({ url }, response) => void finish.push(() => response.end(`<${url}>`)));
    const paths = Array.from({ length: 200 }, (_, index) => `/orders/o${index}`);
    const answers = rig.raw(paths.map((path) => head(`GET ${path}`, AUTHORIZED)).join(''), `<${paths.at(-1)}>`);
    for (let turn = 1; turn <= 5; turn++) {
      await eventually('the next arrived', async () => finish.length === turn);
      expect(rig.upstream.received.map(({ url }) => url)).toEqual(paths.slice(0, turn));
      if (turn === 5) answerWith(({ url }, response) => void response.end(`<${url}>`));
      finish[turn - 1]?.();
    }
    expect([...(await answers).matchAll(/<([^>]+)>/g)].map(([, path]) => path)).toEqual(paths);
  });

  test('Requests share a connection to the application', async () => {
    const ports = new Set<number | undefined>();
    answerWith((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    for (let turn = 0; turn < 3; turn++) await call();
    expect(ports.size).toBe(1);
  });
});

describe('Answers', () => {
  const answerWithHeaders = (headers: Record<string, string>, status = 200, body = '{}') =>
    answerWith((_request, response: ServerResponse) => void response.writeHead(status, headers).end(body));

  test('The answer of an application passes through with its status, body and headers', async () => {
    const headers = {
      'content-type': 'application/problem+json; charset=utf-8',
      etag: '"7"',
      'retry-after': '3',
      'idempotent-replayed': 'true',
      'x-correlation-id': 'from-the-application',
      'x-request-id': 'req_1',
      'cache-control': 'no-store',
    };
    answerWithHeaders(headers, 409, '{"code":"basket_empty"}');
    expect(await call()).toMatchObject({ status: 409, json: { code: 'basket_empty' }, headers });
  });

  test('The answer of an application gets security headers and loses internal headers', async () => {
    const internal = { 'x-powered-by': 'Express', server: 'somebody/1.2', 'x-estate-token': TOKEN, 'x-hop': 'one hop only' };
    answerWithHeaders({ ...internal, connection: 'keep-alive, X-Hop' });
    const { headers } = await call();
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    });
    for (const name of Object.keys(internal)) expect(headers).not.toHaveProperty(name);
  });

  test('An application may replace a security header, but not remove it', async () => {
    const connection = 'keep-alive, connection, x-frame-options';
    answerWithHeaders({ 'Referrer-Policy': 'origin', 'X-Frame-Options': 'ALLOWALL', connection });
    expect((await call()).headers).toMatchObject({ 'referrer-policy': 'origin', 'x-frame-options': 'SAMEORIGIN', connection: 'close' });
  });

  test('An answer that the application breaks off is broken off at the client', async () => {
    answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"half":', () => response.destroy());
    });
    await expect(call()).rejects.toThrow(/aborted|hang up/);
  });
});

describe('Failures of applications', () => {
  test.each<[string, Upstream['answer']]>([
    ['a reset connection', (request) => void request.socket.destroy()],
    ['an answer that is not HTTP', (request) => void request.socket.end('something else\r\n\r\n')],
  ])('The gateway answers 502 to %s, and the journal has the refusal without a credential', async (_what, answer) => {
    const name = `failing-${rig.logged().length}`;
    await rig.rehearsal(name);
    answerWith(answer);
    const sent = { 'x-rehearsal': name, 'x-correlation-id': 'failing' };
    const reply = await rig.call({ path: '/orders/ord_1?x=1', headers: { ...asIntegration, ...sent } });
    const problem = { code: 'dependency_error', status: 502, dependency: 'oms', instance: '/orders/ord_1', retryable: true };
    const headers = { 'content-type': 'application/problem+json; charset=utf-8', 'x-correlation-id': 'failing' };
    expect(reply).toMatchObject({ status: 502, json: problem, headers });
    const hop = {
      application: 'gateway',
      api: 'get-order-api',
      method: 'GET',
      path: '/orders/ord_1?x=1',
      status: 502,
      calls: [],
      faults: [],
    };
    const response = { code: 'dependency_error' };
    expect(await rig.journal(name)).toMatchObject([{ ...hop, correlationId: 'failing', response }]);
    expect(rig.logged()).toContain('failing');
    expect(rig.logged()).not.toMatch(new RegExp(`${BEARER}|${TOKEN}`));
  });

  test('The gateway breaks off an answer that begins in time and then stalls', async () => {
    await using impatient = await aRig({ times: { applicationMs: 150 } });
    impatient.upstream.answer = (_request, response) => void response.writeHead(200, { 'Content-Length': '100' }).write('{');
    await expect(impatient.call({ path: '/orders/ord_1', headers: asIntegration })).rejects.toThrow(/aborted|hang up/);
  });

  test('The gateway answers 500 without details when it has no address of the application', async () => {
    await using early = await aRig({
      addressOf: () => {
        throw new Error('secret details');
      },
    });
    const reply = await early.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(reply).toMatchObject({ status: 500, json: { code: 'internal_error' } });
    expect(reply.text).not.toContain('secret details');
    expect(early.logged()).toContain('secret details');
  });
});

test('A request whose client leaves before its body is complete reaches no application and no journal', async () => {
  await rig.rehearsal('half-sent');
  const bytes = head('POST /baskets', AUTHORIZED, 'X-Rehearsal: half-sent', 'Expect: 100-continue', 'Content-Length: 10');
  await rig.raw(`${bytes}{"a"`, '100 Continue');
  await rig.call({ path: '/orders/next', headers: asIntegration, signal: AbortSignal.timeout(200) }).catch(() => {});
  expect(rig.upstream.received.map(({ url }) => url)).not.toContain('/baskets');
  expect(await rig.journal('half-sent')).toEqual([]);
});
