import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ADMIN, aRig, asIntegration, BEARER, type Rig, raw } from './running-gateway.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await aRig({ times: { headersMs: 200, requestMs: 400, checkMs: 50 } });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
});

const MIB = 1_048_576;
const head = (more: string): string => `POST /baskets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\n${more}\r\n`;

describe('A body', () => {
  test('may have exactly 1 MiB', async () => {
    const reply = await rig.call({ method: 'POST', path: '/baskets', headers: asIntegration, body: 'a'.repeat(MIB) });
    expect(reply.status).toBe(200);
    expect(rig.upstream.received[0]?.body).toHaveLength(MIB);
  });

  test('with one byte more is 413, answered while the client is still sending, and journaled', async () => {
    await rig.rehearsal('too-much');
    const headers = { ...asIntegration, 'x-rehearsal': 'too-much', 'x-correlation-id': 'too-much' };
    const reply = await rig.call({ method: 'POST', path: '/baskets', headers, body: 'a'.repeat(MIB + 1) });
    expect(reply).toMatchObject({ status: 413, json: { code: 'payload_too_large', instance: '/baskets' } });
    expect(reply.headers).toMatchObject({ connection: 'close', 'x-correlation-id': 'too-much' });
    expect(rig.upstream.received).toEqual([]);
    expect(await rig.journal('too-much')).toMatchObject([{ application: 'gateway', api: 'create-basket-api', status: 413 }]);
  });

  test('announced with 1 GB is 413 before any of it is sent, and the connection ends', async () => {
    const reply = await raw(rig.gateway.port, head('Content-Length: 1000000000\r\n'));
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(reply).toMatch(/^connection: close\r$/im);
    expect(rig.upstream.received).toEqual([]);
  });

  test('announced with 1 GB and "Expect: 100-continue" gets no 100 Continue', async () => {
    const reply = await raw(rig.gateway.port, head('Expect: 100-continue\r\nContent-Length: 1000000000\r\n'));
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(reply).not.toContain('100 Continue');
  });

  test('in chunks is counted, and 413 as soon as it is too large', async () => {
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    const reply = await raw(rig.gateway.port, head('Transfer-Encoding: chunked\r\n') + chunk.repeat(17));
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(reply).toContain('"code":"payload_too_large"');
    expect(rig.upstream.received).toEqual([]);
  });

  test('in chunks may have exactly 1 MiB', async () => {
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    const reply = await raw(rig.gateway.port, `${head('Transfer-Encoding: chunked\r\n')}${chunk.repeat(16)}0\r\n\r\n`, '"answered"');
    expect(reply).toMatch(/^HTTP\/1.1 200 /);
    expect(rig.upstream.received[0]?.body).toHaveLength(MIB);
  });

  test('of a request without a credential is not read: the refusal comes at once, and ends the connection', async () => {
    const reply = await raw(rig.gateway.port, 'POST /baskets HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1.1 401 /);
    expect(reply).toMatch(/^connection: close\r$/im);
  });

  test('that was refused before "100 Continue" is not parsed as the next request', async () => {
    const expecting = 'POST /baskets HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 50\r\n\r\n';
    const next = `GET /orders/smuggled HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\n\r\n`;
    const reply = await raw(rig.gateway.port, expecting + next);
    expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(rig.upstream.received).toEqual([]);
  });
});

describe('An unreadable request is answered with a problem and a correlation id', () => {
  test.each([
    ['no HTTP at all', 'this is no HTTP\r\n\r\n', 400, 'malformed_request'],
    ['no Host header', 'GET /orders/o HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    ['a line break in a header', 'GET /orders/o HTTP/1.1\r\nHost: x\r\nX: a\nb\r\n\r\n', 400, 'malformed_request'],
    ['two ways to tell the length', head('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'), 400, 'malformed_request'],
    ['two lengths', head('Content-Length: 3\r\nContent-Length: 4\r\n'), 400, 'malformed_request'],
    ['a wrong chunk', `${head('Transfer-Encoding: chunked\r\n')}zz\r\n`, 400, 'malformed_request'],
    ['headers beyond 16 KiB', `GET /orders/o HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a path beyond 16 KiB', `GET /orders/${'o'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s', async (_what, bytes, status, code) => {
    const reply = await raw(rig.gateway.port, bytes);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reply).toMatch(/^content-type: application\/problem\+json/im);
    expect(reply).toMatch(/^x-correlation-id: req_/im);
    expect(reply).toContain(`"code":"${code}"`);
    expect(rig.upstream.received).toEqual([]);
  });

  test('headers of 15 KiB are read', async () => {
    const reply = await rig.call({ path: '/orders/o', headers: { ...asIntegration, 'x-long': 'a'.repeat(15_000) } });
    expect(reply.status).toBe(200);
  });
});

describe('A connection that a browser opens ahead of its requests', () => {
  test('may wait longer than headers may take, and its first request is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let received = '';
    const socket = connect(rig.gateway.port, '127.0.0.1');
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.includes('"answered"')) resolve(received);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received));
    // Several times as long as headers may take.
    await new Promise((done) => setTimeout(done, 1_000));
    socket.write(`GET /orders/o HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\n\r\n`);
    expect(await promise).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  test('must then send all headers in time', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let received = '';
    const socket = connect(rig.gateway.port, '127.0.0.1');
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received));
    await new Promise((done) => setTimeout(done, 1_000));
    socket.write('GET /orders/o HTTP/1.1\r\nHost');
    expect(await promise).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe('Slow clients', () => {
  test('that do not finish their headers get 408 and are disconnected', async () => {
    const reply = await raw(rig.gateway.port, 'POST /baskets HTTP/1.1\r\nHost: x\r\n');
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(reply).toContain('"code":"request_timeout"');
  });

  test('that do not finish their body get 408 and are disconnected, and no application is called', async () => {
    const reply = await raw(rig.gateway.port, `${head('Content-Length: 10\r\n')}{"a"`);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(rig.upstream.received).toEqual([]);
  });

  test('do not block other clients, even 200 of them', async () => {
    const slow = Array.from({ length: 200 }, () => {
      const socket = connect(rig.gateway.port, '127.0.0.1', () => socket.write('POST /baskets HTTP/1.1\r\nHost'));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => socket.destroy());
      return new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
    });
    for (let turn = 0; turn < 20; turn++) {
      expect(await rig.call({ path: '/orders/o', headers: asIntegration })).toMatchObject({ status: 200 });
    }
    for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe('Requests per minute', () => {
  test('are limited per address for known and unknown callers, except for health probes', async () => {
    await using limited = await aRig({ limits: { perAddressPerMinute: 3, perKeyPerMinute: 100 } });
    await limited.call({ path: '/products/mug' });
    await limited.call({ path: '/orders/o' });
    await limited.call({ path: '/orders/o', headers: asIntegration });
    const reply = await limited.call({ path: '/orders/o', headers: asIntegration });
    expect(reply).toMatchObject({ status: 429, json: { code: 'rate_limited', retryable: true } });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(reply.headers['x-correlation-id']).toMatch(/^req_/);
    expect(limited.upstream.received).toHaveLength(2);
    expect(await limited.call({ path: '/healthz' })).toMatchObject({ status: 200 });
    const forged = await limited.call({ path: '/orders/o', headers: { ...asIntegration, 'x-forwarded-for': '203.0.113.9' } });
    expect(forged.status).toBe(429);
  });

  test('are limited per key, each key by itself', async () => {
    await using limited = await aRig({ limits: { perAddressPerMinute: 100, perKeyPerMinute: 2 } });
    const { bearer } = await limited.rehearsal('other-key');
    for (const status of [200, 200, 429]) {
      expect(await limited.call({ path: '/orders/o', headers: asIntegration })).toMatchObject({ status });
    }
    expect(await limited.call({ path: '/orders/o', headers: { authorization: `Bearer ${bearer}` } })).toMatchObject({ status: 200 });
    expect(await limited.call({ path: '/_control/x', headers: { authorization: `Bearer ${ADMIN}` } })).toMatchObject({ status: 404 });
    expect(await limited.call({ path: '/products/mug' })).toMatchObject({ status: 200 });
    const wrong = { authorization: 'Bearer a-guess' };
    for (const status of [401, 401, 429]) expect(await limited.call({ path: '/orders/o', headers: wrong })).toMatchObject({ status });
  });
});
