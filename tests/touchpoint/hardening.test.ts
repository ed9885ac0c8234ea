import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { SERVER_LIMITS } from '../../services/touchpoint-mock/http-listening.ts';
import { raw } from '../gateway/running-gateway.ts';
import { AUTHORIZED, aMock, aPortal, authorized, CALCULATE, call, fixtureOf, STORE_KEY, statusOf } from './running-touchpoint.ts';

const MIB = 1024 * 1024;
const BEARER = `Authorization: Bearer ${STORE_KEY}`;
const CHUNKED = 'Transfer-Encoding: chunked';

const mock = await aMock();

/** A body of exactly this number of bytes, with the lane at the beginning. */
function bodyOf(bytes: number): string {
  const head = '{"touchpointId":"SCO-01","basketId":"b","padding":"';
  return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
}

const head = (...lines: readonly string[]) => `${['POST /caso02 HTTP/1.1', 'Host: mock', ...lines].join('\r\n')}\r\n\r\n`;
const received = (bytes: string, until?: string) => raw(mock.port, bytes, until);

/** An open connection that has sent these bytes. */
async function connected(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}
const expectAnswering = async () => expect((await authorized(mock.url, { path: '/caso02' })).status).toBe(200);

test('A body of exactly 1 MiB is accepted, and one byte more is refused, declared or chunked', async () => {
  expect(Buffer.byteLength(bodyOf(MIB))).toBe(MIB);
  for (const coding of [{}, { 'Transfer-Encoding': 'chunked' }]) {
    const headers = { ...coding, 'X-Mock-Case': '02' };
    for (const path of ['/caso02', CALCULATE]) {
      expect((await authorized(mock.url, { path, body: bodyOf(MIB), headers })).status).toBe(200);
      const { status, text } = await authorized(mock.url, { path, body: bodyOf(MIB + 1), headers });
      expect([status, JSON.parse(text)]).toEqual([413, { error: expect.any(String) }]);
    }
  }
});

test('A body that is declared too large is refused before it is sent', async () =>
  expect(statusOf(await received(head(BEARER, 'Content-Length: 1073741824'), '"}'))).toBe(413));

test('A body without an end is refused when it is too large, and the connection is closed', async () => {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const answer = await received(head(BEARER, CHUNKED) + chunk.repeat(17));
  expect(statusOf(answer)).toBe(413);
  expect(answer).toContain('Connection: close');
});

test('A body in many pieces is parsed, including characters split between pieces', async () => {
  // Sockets are read in pieces of 64 KiB, and this character has three bytes.
  const basketId = '☕'.repeat(200_000);
  const { status, text } = await authorized(mock.url, { path: '/caso10c', body: { touchpointId: 'SCO-01', basketId } });
  expect([status, JSON.parse(text).basketId === basketId]).toEqual([409, true]);
});

test('A body of a denied client is not awaited, and one without an end closes the connection', async () => {
  expect(statusOf(await received(head('Authorization: Bearer wrong', 'Content-Length: 500'), 'denied"}'))).toBe(403);
  const started = Date.now();
  expect(statusOf(await received(`${head(CHUNKED)}1\r\nx\r\n`))).toBe(403);
  expect(Date.now() - started).toBeLessThan(5000);
});

test('A denied body leaves the connection usable for the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { Authorization: 'Bearer wrong' };
  expect((await call(mock.url, { path: '/caso02', headers, body: bodyOf(200_000), agent })).status).toBe(403);
  const reply = await authorized(mock.url, { path: '/caso02', agent });
  expect([reply.status, JSON.parse(reply.text)]).toEqual([200, fixtureOf('02').response]);
  agent.destroy();
});

const body = '{"touchpointId":"SCO-01"}';
const expecting = (...lines: readonly string[]) => head(...lines, 'Expect: 100-continue', `Content-Length: ${body.length}`);

test('Expect: 100-continue with a valid key gets 100 Continue and an answer', async () => {
  const headers = { ...AUTHORIZED, Expect: '100-continue', 'Content-Length': body.length };
  const outgoing = request(`${mock.url}/caso02`, { method: 'POST', headers });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  expect(response.statusCode).toBe(200);
  response.resume();
});

test.each([
  ['an invalid key', expecting('Authorization: Bearer wrong'), 403],
  ['another method', expecting(BEARER).replace('POST', 'PUT'), 405],
  ['a huge body', expecting(BEARER).replace(/Content-Length: \d+/, 'Content-Length: 99999999'), 413],
  ['an unknown path', expecting(BEARER).replace('/caso02', '/nowhere'), 404],
])('Expect: 100-continue with %s is refused, and the connection is closed', async (_what, send, status) => {
  const answer = await received(send);
  expect(statusOf(answer)).toBe(status);
  expect(answer).toMatch(/connection: close/i);
  expect(answer).not.toContain('100 Continue');
});

test('The server answers other clients while slow clients hold connections, and limits their time', async () => {
  const partial = ['POST /caso02 HTTP/1.1\r\nHost:', head(BEARER, 'Content-Length: 9')];
  const slow = await Promise.all(Array.from({ length: 100 }, (_, n) => connected(mock.port, partial[n % 2] ?? '')));
  await expectAnswering();
  for (const socket of slow) socket.destroy();
  expect(SERVER_LIMITS).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
});

test('The server survives aborted and malformed requests', async () => {
  for (const send of [head(BEARER, 'Content-Length: 50'), 'nonsense\r\n\r\n', `${head(BEARER, CHUNKED)}zz\r\n`]) {
    const socket = await connected(mock.port, send);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  await expectAnswering();
});

test('The server of the mock or the portal does not start on a port in use', async () => {
  const { port } = mock;
  await expect(aMock({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  await expect(aPortal({ mockUrl: mock.url, port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});

test('The server never logs a key', async () => {
  let log = '';
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    log += chunk;
    done();
  };
  const logger = pino({ level: 'trace' }, new Writable({ write }));
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

test('A stopping server does not wait for kept, idle and half-sent connections, and its port is free afterwards', async () => {
  const stopping = await aMock();
  const portal = await aPortal({ mockUrl: stopping.url });
  const agent = new Agent({ keepAlive: true });
  const sockets: Socket[] = [];
  for (const { port } of [stopping, portal]) {
    await call(`http://127.0.0.1:${port}`, { method: 'GET', path: '/healthz', agent });
    for (const send of ['', 'GET /heal', head(BEARER, 'Content-Length: 50')]) sockets.push(await connected(port, send));
  }
  const started = Date.now();
  await Promise.all([portal.close(), stopping.close()]);
  // Without the stop, the first of them would end after ten seconds.
  expect(Date.now() - started).toBeLessThan(8_000);
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  const again = await aMock({ port: stopping.port });
  for (let n = 0; n < 2; n++) await again.close();
});

test('A stopping server completes every requested answer', async () => {
  const stopping = await aMock();
  const agent = new Agent({ keepAlive: true });
  const running = Array.from({ length: 20 }, () => authorized(stopping.url, { path: '/caso14', agent }));
  await running[0];
  const closed = stopping.close();
  const outcomes = await Promise.allSettled(running);
  const statuses = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.status : String(outcome.reason)));
  await closed;
  expect(new Set(statuses)).toEqual(new Set([200]));
  agent.destroy();
});

test('A draining server is not ready, while it still answers requests and is alive', async () => {
  const draining = await aMock();
  draining.drain();
  const statuses = ['/readyz', '/healthz'].map(async (path) => (await call(draining.url, { method: 'GET', path })).status);
  expect(await Promise.all(statuses)).toEqual([503, 200]);
  expect((await authorized(draining.url, { path: '/caso02' })).status).toBe(200);
});
