import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aRig, asIntegration, BEARER, type Rig, raw, SEEDED_AT, TOKEN } from './running-gateway.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await aRig();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
  rig.upstream.abandoned.length = 0;
});

const answerWith = (answer: (request: IncomingMessage, response: ServerResponse) => void): void => {
  rig.upstream.answer = answer;
};

describe('A request that the gateway lets through', () => {
  beforeEach(() => answerWith((_request, response) => void response.end('{"answered":true}')));

  test('reaches the application with the path, query, method and body that the client sent', async () => {
    const body = JSON.stringify({ channel: 'web', note: 'käse' });
    const reply = await rig.call({
      method: 'POST',
      path: '/baskets?expand=lines&x=%2F%2e%2e//',
      headers: { ...asIntegration, 'content-type': 'application/json', 'idempotency-key': 'k-1', 'if-match': '"3"' },
      body,
    });
    expect(reply).toMatchObject({ status: 200, text: '{"answered":true}' });
    const [received] = rig.upstream.received;
    expect(received).toMatchObject({ method: 'POST', url: '/baskets?expand=lines&x=%2F%2e%2e//', body });
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'k-1',
      'if-match': '"3"',
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  test("carries the context that the gateway made, and its token instead of the client's", async () => {
    const before = Date.now();
    const reply = await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    const [received] = rig.upstream.received;
    const view = await rig.adapter.worlds.resolve('default');
    expect(received?.headers['x-estate-token']).toBe(TOKEN);
    expect(JSON.stringify(received)).not.toContain(BEARER);
    expect(received?.context).toMatchObject({ world: view?.world, principal: 'integration', faults: 0, chain: [] });
    expect(received?.context?.requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(received?.context?.now).toBeGreaterThanOrEqual(SEEDED_AT);
    expect(received?.context?.deadline).toBeGreaterThanOrEqual(before + 15_000);
    expect(received?.context?.deadline).toBeLessThanOrEqual(Date.now() + 15_000);
    expect(received?.context?.correlationId).toBe(received?.context?.requestId);
    expect(reply.headers['x-correlation-id']).toBe(received?.context?.requestId);
  });

  test("takes its time from the rehearsal's clock", async () => {
    await rig.rehearsal('frozen');
    const world = (await rig.adapter.worlds.resolve('frozen'))?.world ?? 'none~none';
    await rig.adapter.worlds.setClock(world, { now: Date.UTC(2030, 0, 1), flowing: false });
    await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, 'x-rehearsal': 'frozen' } });
    expect(rig.upstream.received[0]?.context).toMatchObject({ world, now: Date.UTC(2030, 0, 1) });
  });

  test('tells the application the revision of the fault rules', async () => {
    await rig.rehearsal('faulty');
    const world = (await rig.adapter.worlds.resolve('faulty'))?.world ?? 'none~none';
    await rig.adapter.worlds.setFault(world, 'slow', '{}');
    await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, 'x-rehearsal': 'faulty' } });
    expect(rig.upstream.received[0]?.context?.faults).toBe(1);
  });

  test('keeps a valid correlation id and traceparent', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const reply = await rig.call({
      path: '/orders/ord_1',
      headers: { ...asIntegration, 'x-correlation-id': 'case:4711.a_B-c', traceparent, tracestate: 'a=b' },
    });
    const [received] = rig.upstream.received;
    expect(received?.context).toMatchObject({ correlationId: 'case:4711.a_B-c', traceparent });
    expect(received?.headers).toMatchObject({ 'x-correlation-id': 'case:4711.a_B-c', traceparent, tracestate: 'a=b' });
    expect(reply.headers['x-correlation-id']).toBe('case:4711.a_B-c');
  });

  test.each([
    ['a correlation id with a space', { 'x-correlation-id': 'a b' }],
    ['a correlation id with markup', { 'x-correlation-id': '<b>' }],
    ['a correlation id of 129 characters', { 'x-correlation-id': 'a'.repeat(129) }],
  ])('replaces %s', async (_what, headers) => {
    const reply = await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, ...headers } });
    expect(rig.upstream.received[0]?.context?.correlationId).toMatch(/^req_/);
    expect(rig.upstream.received[0]?.headers['x-correlation-id']).toMatch(/^req_/);
    expect(reply.headers['x-correlation-id']).toMatch(/^req_/);
  });

  test.each(['00-0af7-b7ad-01', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'])(
    'drops the invalid traceparent %s',
    async (traceparent) => {
      await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, traceparent, tracestate: 'a=b' } });
      const [received] = rig.upstream.received;
      expect(received?.context).not.toHaveProperty('traceparent');
      expect(received?.headers).not.toHaveProperty('traceparent');
      expect(received?.headers).not.toHaveProperty('tracestate');
    },
  );

  test('reaches the application as HEAD when the API has GET, and is answered without a body', async () => {
    const reply = await rig.call({ method: 'HEAD', path: '/orders/ord_1', headers: asIntegration });
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(rig.upstream.received[0]).toMatchObject({ method: 'HEAD', url: '/orders/ord_1' });
  });

  test('may have a chunked body, which is forwarded with a length', async () => {
    const reply = await raw(
      rig.gateway.port,
      `POST /baskets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`,
      '{"answered":true}',
    );
    expect(reply).toMatch(/^HTTP\/1.1 200/);
    expect(rig.upstream.received[0]).toMatchObject({ body: '{"a":1}' });
    expect(rig.upstream.received[0]?.headers).toMatchObject({ 'content-length': '7' });
    expect(rig.upstream.received[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('is not split in two when a GET carries a chunked body that looks like a request', async () => {
    const inner = 'GET /orders/forged HTTP/1.1\r\nHost: x\r\n\r\n';
    await raw(
      rig.gateway.port,
      `GET /orders/ord_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nTransfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      '{"answered":true}',
    );
    expect(rig.upstream.received.map(({ url }) => url)).toEqual(['/orders/ord_1']);
  });

  test('gets "100 Continue" when it expects it', async () => {
    const reply = await raw(
      rig.gateway.port,
      `POST /baskets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
      '{"answered":true}',
    );
    expect(reply).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    expect(rig.upstream.received[0]).toMatchObject({ body: '{}' });
  });

  test('shares a connection to the application with the requests before it', async () => {
    const ports = new Set<number | undefined>();
    answerWith((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    for (let turn = 0; turn < 3; turn++) await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(ports.size).toBe(1);
  });
});

describe("The application's answer", () => {
  test('passes through with its status, body and headers', async () => {
    answerWith((_request, response) => {
      response.writeHead(409, {
        'Content-Type': 'application/problem+json; charset=utf-8',
        ETag: '"7"',
        'Retry-After': '3',
        'Idempotent-Replayed': 'true',
        'X-Correlation-Id': 'from-the-application',
        'X-Request-Id': 'req_1',
        'Cache-Control': 'no-store',
      });
      response.end('{"code":"basket_empty"}');
    });
    const reply = await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(reply).toMatchObject({ status: 409, json: { code: 'basket_empty' } });
    expect(reply.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      etag: '"7"',
      'retry-after': '3',
      'idempotent-replayed': 'true',
      'x-correlation-id': 'from-the-application',
      'x-request-id': 'req_1',
      'cache-control': 'no-store',
    });
  });

  test('gets security headers, and loses internal headers', async () => {
    answerWith((_request, response) => {
      response.setHeader('X-Powered-By', 'Express');
      response.setHeader('Server', 'somebody/1.2');
      response.setHeader('X-Estate-Token', TOKEN);
      response.setHeader('Connection', 'keep-alive, X-Hop');
      response.setHeader('X-Hop', 'one hop only');
      response.end('{}');
    });
    const { headers } = await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    });
    for (const name of ['x-powered-by', 'server', 'x-estate-token', 'x-hop']) expect(headers).not.toHaveProperty(name);
  });

  test('may replace a security header, but not take it away', async () => {
    answerWith((_request, response) => {
      response.setHeader('Referrer-Policy', 'origin');
      response.setHeader('X-Frame-Options', 'ALLOWALL');
      response.setHeader('Connection', 'keep-alive, connection, x-frame-options');
      response.end('{}');
    });
    const { headers } = await rig.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(headers).toMatchObject({ 'referrer-policy': 'origin', 'x-frame-options': 'SAMEORIGIN', connection: 'close' });
  });

  test('ends the connection when the client asked for that', async () => {
    answerWith((_request, response) => void response.end('{}'));
    const reply = await raw(
      rig.gateway.port,
      `GET /orders/ord_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).toMatch(/^connection: close\r$/im);
  });

  test('is broken off at the client when the application breaks it off', async () => {
    answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"half":', () => response.destroy());
    });
    await expect(rig.call({ path: '/orders/ord_1', headers: asIntegration })).rejects.toThrow(/aborted|hang up/);
  });
});

describe('When the application fails', () => {
  const failing = async (answer: Rig['upstream']['answer']) => {
    answerWith(answer);
    return rig.call({ path: '/orders/ord_1?x=1', headers: { ...asIntegration, 'x-correlation-id': 'failing' } });
  };

  test('a reset connection is 502 dependency_error', async () => {
    const reply = await failing((request) => void request.socket.destroy());
    expect(reply).toMatchObject({
      status: 502,
      json: { code: 'dependency_error', status: 502, dependency: 'oms', instance: '/orders/ord_1', retryable: true },
    });
    expect(reply.headers).toMatchObject({ 'content-type': 'application/problem+json; charset=utf-8', 'x-correlation-id': 'failing' });
  });

  test('an answer that is not HTTP is 502 dependency_error', async () => {
    const reply = await failing((request) => void request.socket.end('this is no HTTP\r\n\r\n'));
    expect(reply).toMatchObject({ status: 502, json: { code: 'dependency_error', dependency: 'oms' } });
  });

  test('silence is 504 dependency_timeout, and the call to the application is aborted', async () => {
    await using impatient = await aRig({ times: { applicationMs: 150 } });
    impatient.upstream.answer = () => {};
    const reply = await impatient.call({ path: '/orders/ord_1', headers: asIntegration });
    expect(reply).toMatchObject({ status: 504, json: { code: 'dependency_timeout', dependency: 'oms', retryable: true } });
    await eventually('the call ended', async () => impatient.upstream.abandoned.includes('/orders/ord_1'));
  });

  test('an answer that begins in time and then stalls is broken off', async () => {
    await using impatient = await aRig({ times: { applicationMs: 150 } });
    impatient.upstream.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{');
    };
    await expect(impatient.call({ path: '/orders/ord_1', headers: asIntegration })).rejects.toThrow(/aborted|hang up/);
  });

  test('a refused connection is 503 dependency_unavailable with Retry-After', async () => {
    const placeholder = createServer();
    await new Promise<void>((resolve) => placeholder.listen(0, '127.0.0.1', resolve));
    const { port } = placeholder.address() as AddressInfo;
    await new Promise((resolve) => placeholder.close(resolve));
    await using alone = await aRig({ addressOf: () => `http://127.0.0.1:${port}` });
    const reply = await alone.call({ method: 'POST', path: '/orders', headers: asIntegration, body: '{}' });
    expect(reply).toMatchObject({ status: 503, json: { code: 'dependency_unavailable', dependency: 'oms', retryable: true } });
    expect(reply.headers['retry-after']).toBe('1');
  });

  test('the journal of the rehearsal has the refusal, and the log has neither token nor key', async () => {
    await rig.rehearsal('journaled');
    answerWith((request) => void request.socket.destroy());
    const headers = { ...asIntegration, 'x-rehearsal': 'journaled', 'x-correlation-id': 'to-be-found' };
    await rig.call({ path: '/orders/ord_1', headers });
    expect(await rig.journal('journaled')).toEqual([
      expect.objectContaining({
        application: 'gateway',
        api: 'get-order-api',
        method: 'GET',
        path: '/orders/ord_1',
        status: 502,
        correlationId: 'to-be-found',
        calls: [],
        faults: [],
        response: expect.objectContaining({ code: 'dependency_error' }),
      }),
    ]);
    expect(rig.logged()).toContain('to-be-found');
    expect(rig.logged()).not.toContain(BEARER);
    expect(rig.logged()).not.toContain(TOKEN);
  });

  test('an application without an address is an error of the estate, reported without details', async () => {
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

describe('When the client goes away', () => {
  test('the call to the application is cancelled', async () => {
    let arrived = (): void => {};
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    answerWith(() => arrived());
    const leaving = new AbortController();
    const call = rig.call({ path: '/orders/left', headers: asIntegration, signal: leaving.signal });
    await there;
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/);
    await eventually('the call was cancelled', async () => rig.upstream.abandoned.includes('/orders/left'));
  });

  test('before its body is complete, the application is not called and nothing is journaled', async () => {
    await rig.rehearsal('half-sent');
    const head = `POST /baskets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nX-Rehearsal: half-sent\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n`;
    await raw(rig.gateway.port, `${head}{"a"`, '100 Continue');
    await rig.call({ path: '/orders/next', headers: asIntegration, signal: AbortSignal.timeout(200) }).catch(() => {});
    expect(rig.upstream.received.map(({ url }) => url)).not.toContain('/baskets');
    expect(await rig.journal('half-sent')).toEqual([]);
  });
});
