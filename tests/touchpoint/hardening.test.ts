import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { type Listening, SERVER_LIMITS } from '../../services/touchpoint-mock/http-listening.ts';
import { AUTHORIZED, aMock, aPortal, authorized, CALCULATE, call, fixtureOf, raw, STORE_KEY } from './running-touchpoint.ts';

const MIB = 1024 * 1024;
const BEARER = `Authorization: Bearer ${STORE_KEY}`;

let mock: Listening;
beforeAll(async () => {
  mock = await aMock();
});

/** A body of exactly so many bytes, with the lane at the front. */
function bodyOf(bytes: number): string {
  const head = '{"touchpointId":"SCO-01","basketId":"b","padding":"';
  return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
}

const head = (...lines: readonly string[]) => `${['POST /caso02 HTTP/1.1', 'Host: mock', ...lines].join('\r\n')}\r\n\r\n`;
const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);

describe('a body', () => {
  test('of exactly 1 MiB is accepted, declared or chunked', async () => {
    const body = bodyOf(MIB);
    expect(Buffer.byteLength(body)).toBe(MIB);
    expect((await authorized(mock.url, { path: '/caso02', body })).status).toBe(200);
    expect((await authorized(mock.url, { path: '/caso02', body, headers: { 'Transfer-Encoding': 'chunked' } })).status).toBe(200);
  });

  test('of one byte more is refused with 413, declared or chunked, on the alias too', async () => {
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      for (const path of ['/caso02', CALCULATE]) {
        const reply = await authorized(mock.url, { path, body: bodyOf(MIB + 1), headers: { ...headers, 'X-Mock-Case': '02' } });
        expect([reply.status, JSON.parse(reply.text)]).toEqual([413, { error: expect.any(String) }]);
      }
    }
  });

  test('that is declared too large is refused before it is sent', async () => {
    const received = await raw({ port: mock.port, send: [head(BEARER, 'Content-Length: 1073741824')], until: '"}' });
    expect(statusOf(received)).toBe(413);
  });

  test('without an end is refused as soon as it is too large, and the connection is closed', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const received = await raw({ port: mock.port, send: [head(BEARER, 'Transfer-Encoding: chunked'), ...Array<string>(17).fill(chunk)] });
    expect(statusOf(received)).toBe(413);
    expect(received).toContain('Connection: close');
  });

  test('in many pieces is parsed, including characters split between pieces', async () => {
    // Sockets are read in pieces of 64 KiB, which is no multiple of the three bytes of this character.
    const basketId = '☕'.repeat(200_000);
    const reply = await authorized(mock.url, { path: '/caso10c', body: { touchpointId: 'SCO-01', basketId } });
    expect(reply.status).toBe(409);
    expect(JSON.parse(reply.text).basketId === basketId).toBe(true);
  });

  test('of a request without a valid key is not awaited', async () => {
    const received = await raw({ port: mock.port, send: [head('Authorization: Bearer wrong', 'Content-Length: 500')], until: 'denied"}' });
    expect(statusOf(received)).toBe(403);
  });

  test('without an end closes the connection of a denied client', async () => {
    const started = Date.now();
    const received = await raw({ port: mock.port, send: [head('Transfer-Encoding: chunked'), '1\r\nx\r\n'] });
    expect(statusOf(received)).toBe(403);
    expect(Date.now() - started).toBeLessThan(5000);
  });

  test('that is denied leaves the connection usable for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(
      (await call(mock.url, { path: '/caso02', headers: { Authorization: 'Bearer wrong' }, body: bodyOf(200_000), agent })).status,
    ).toBe(403);
    const reply = await authorized(mock.url, { path: '/caso02', agent });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, fixtureOf('02').response]);
    agent.destroy();
  });
});

describe('Expect: 100-continue', () => {
  const body = '{"touchpointId":"SCO-01"}';
  const expecting = (...lines: readonly string[]) => head(...lines, 'Expect: 100-continue', `Content-Length: ${body.length}`);

  test('gets 100 Continue and an answer with a valid key', async () => {
    const outgoing = request(`${mock.url}/caso02`, {
      method: 'POST',
      headers: { ...AUTHORIZED, Expect: '100-continue', 'Content-Length': body.length },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end(body);
    const [response] = await once(outgoing, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test('is refused with an invalid key, another method or a huge body, and the connection is closed', async () => {
    for (const [send, status] of [
      [expecting('Authorization: Bearer wrong'), 403],
      [expecting(BEARER).replace('POST', 'PUT'), 405],
      [expecting(BEARER).replace(/Content-Length: \d+/, 'Content-Length: 99999999'), 413],
      [expecting(BEARER).replace('/caso02', '/nowhere'), 404],
    ] as const) {
      const received = await raw({ port: mock.port, send: [send] });
      expect(statusOf(received)).toBe(status);
      expect(received).toMatch(/connection: close/i);
      expect(received).not.toContain('100 Continue');
    }
  });
});

describe('the server', () => {
  test('answers other clients while slow clients hold connections', async () => {
    const slow: Socket[] = [];
    for (let count = 0; count < 100; count += 1) {
      const socket = connect(mock.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(count % 2 === 0 ? 'POST /caso02 HTTP/1.1\r\nHost:' : head(BEARER, 'Content-Length: 9'));
      slow.push(socket.on('error', () => undefined));
    }
    expect((await authorized(mock.url, { path: '/caso02' })).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  test('limits the time of slow clients and the size of headers', async () => {
    expect(SERVER_LIMITS).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    expect(statusOf(await raw({ port: mock.port, send: [head(BEARER, `X-Long: ${'x'.repeat(20_000)}`)] }))).toBe(431);
  });

  test('survives aborted and malformed requests', async () => {
    for (const send of [head(BEARER, 'Content-Length: 50'), 'nonsense\r\n\r\n', `${head(BEARER, 'Transfer-Encoding: chunked')}zz\r\n`]) {
      const socket = connect(mock.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined).write(send);
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
    }
    expect((await authorized(mock.url, { path: '/caso02' })).status).toBe(200);
  });

  test('answers pipelined requests in order', async () => {
    const body = (basketId: string) => JSON.stringify({ touchpointId: 'SCO-01', basketId });
    const send = ['first', 'second', 'third'].map((name) => head(BEARER, `Content-Length: ${body(name).length}`) + body(name)).join('');
    const received = await raw({ port: mock.port, send: [send], until: '"third"' });
    expect([...received.matchAll(/"basketId":"(\w+)"/g)].map(([, name]) => name)).toEqual(['first', 'second', 'third']);
  });

  test('rejects with the code and the port when the port is in use', async () => {
    await expect(aMock({ port: mock.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: mock.port });
  });

  test('never logs a key', async () => {
    let log = '';
    const logger = pino(
      { level: 'trace' },
      new Writable({
        write(chunk, _encoding, done) {
          log += chunk;
          done();
        },
      }),
    );
    const logged = await aMock({ logger });
    const portal = await aPortal({ mockUrl: logged.url, logger });
    await authorized(portal.url, { path: '/mock/caso02' });
    await authorized(logged.url, { path: '/caso02', headers: { Authorization: 'Bearer some-other-key' } });
    await logged.close();
    await authorized(portal.url, { path: '/mock/caso02' });
    await portal.close();
    expect(log).toContain('touchpoint mock listening');
    expect(log).not.toMatch(/demo-store-key|some-other-key/);
  });
});

describe('stopping', () => {
  test('does not wait for kept, idle and half-sent connections, and the port is free again', async () => {
    const stopping = await aMock();
    const portal = await aPortal({ mockUrl: stopping.url });
    const agent = new Agent({ keepAlive: true });
    const sockets: Socket[] = [];
    for (const { port } of [stopping, portal]) {
      await call(`http://127.0.0.1:${port}`, { method: 'GET', path: '/healthz', agent });
      for (const send of ['', 'GET /heal', head(BEARER, 'Content-Length: 50')]) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(send);
        sockets.push(socket);
      }
    }
    const started = Date.now();
    await Promise.all([portal.close(), stopping.close()]);
    // The first of them would end by itself after ten seconds.
    expect(Date.now() - started).toBeLessThan(8_000);
    for (const socket of sockets) socket.destroy();
    agent.destroy();
    const again = await aMock({ port: stopping.port });
    await again.close();
    await again.close();
  });

  test('completes every requested answer', async () => {
    const stopping = await aMock();
    const agent = new Agent({ keepAlive: true });
    const running = Array.from({ length: 20 }, () => authorized(stopping.url, { path: '/caso14', agent }));
    await running[0];
    const closed = stopping.close();
    const statuses = (await Promise.allSettled(running)).map((result) =>
      result.status === 'fulfilled' ? result.value.status : String(result.reason),
    );
    await closed;
    expect(new Set(statuses)).toEqual(new Set([200]));
    agent.destroy();
  });

  test('first makes the server not ready, while it still answers requests and is alive', async () => {
    const draining = await aMock();
    draining.drain();
    expect((await call(draining.url, { method: 'GET', path: '/readyz' })).status).toBe(503);
    expect((await call(draining.url, { method: 'GET', path: '/healthz' })).status).toBe(200);
    expect((await authorized(draining.url, { path: '/caso02' })).status).toBe(200);
    await draining.close();
  });
});
