import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { withJsonErrors } from '../../services/touchpoint-mock/json-errors.ts';
import { aMock, aPortal, authorized, CALCULATE, raw } from './running-touchpoint.ts';

let mock: Listening;
let portal: Listening;
beforeAll(async () => {
  mock = await aMock();
  portal = await aPortal({ mockUrl: mock.url });
});

const nested = (levels: number): string =>
  `{"touchpointId":"SCO-01","basketId":"b","lines":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('JSON of the touchpoint mock', () => {
  test('may have 64 levels', async () => {
    for (const path of ['/caso02', CALCULATE]) {
      expect((await authorized(mock.url, { path, body: nested(64), headers: { 'X-Mock-Case': '02' } })).status).toBe(200);
    }
  });

  test('of more than 64 levels is refused with 400, on the portal too', async () => {
    for (const url of [mock.url, `${portal.url}/mock`]) {
      for (const body of [nested(65), nested(5_000), '['.repeat(1_000_000), '{"a":'.repeat(150_000)]) {
        for (const path of ['/caso02', CALCULATE]) {
          const reply = await authorized(url, { path, body, headers: { 'X-Mock-Case': '02' } });
          expect([reply.status, JSON.parse(reply.text)]).toEqual([400, { error: 'The body nests deeper than 64 levels' }]);
        }
      }
    }
  });

  test('of more than 64 levels is not parsed without the key', async () => {
    const reply = await authorized(mock.url, { path: '/caso02', body: nested(65), headers: { Authorization: 'Bearer wrong' } });
    expect(reply.status).toBe(403);
  });
});

describe.each(['mock', 'portal'] as const)('The %s', (which) => {
  const port = (): number => (which === 'mock' ? mock.port : portal.port);

  test.each([
    'http://[',
    'http://a:b/',
    '//',
    '/%zz',
    '/%',
    '/%ff',
    '/%00',
    '/%ed%a0%80',
    '*',
    '/portal.css%00',
    '/..%2f..%2fpackage.json',
    '/openapi.json/%ff',
    '/healthz?%ff',
    '/mock/%ff',
    '/mock/%zz',
    '/mock/%00',
    '/mock',
    '/mockery/%ff',
  ])('answers JSON, never a page of Express, to the address %s', async (target) => {
    for (const method of ['GET', 'POST']) {
      const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      const answer = await raw({ port: port(), send: [head] });
      // The portal's own page.
      if (statusOf(answer) === 200) continue;
      expect([400, 404, 405]).toContain(statusOf(answer));
      expect(answer).toMatch(/^content-type: application\/json/im);
      expect(bodyOf(answer)).toEqual({ error: expect.any(String) });
    }
  });
});

describe.each(['mock', 'portal'] as const)('Bytes that are no request to the %s', (which) => {
  const port = (): number => (which === 'mock' ? mock.port : portal.port);
  const unreadable = { error: 'This is not a readable HTTP request' };

  test.each([
    ['that are not HTTP', 'hello\r\n\r\n', 400, unreadable],
    ['with an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, unreadable],
    ['with a blank in the name of a header', 'GET / HTTP/1.1\r\nHost: x\r\nX Y: 1\r\n\r\n', 400, unreadable],
    ['with two lengths', 'POST /caso02 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, unreadable],
    [
      'with headers over the limit',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      { error: 'The headers are larger than 16 KiB' },
    ],
  ])('%s get JSON, and the connection is closed', async (_what, bytes, status, body) => {
    const answer = await raw({ port: port(), send: [bytes] });
    expect([statusOf(answer), bodyOf(answer)]).toEqual([status, body]);
    expect(answer).toMatch(/^content-type: application\/json/im);
    expect(answer).toMatch(/^connection: close/im);
  });

  test('come after an answer that the client still gets', async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`;
    const answer = await raw({ port: port(), send: [request, 'x'], until: 'ok' });
    expect(statusOf(answer)).toBe(200);
  });
});

test.each([
  ['throws', 500, 'Something went wrong in the server itself'],
  ['refuses as Express does', 400, 'The address cannot be read'],
  ['has nothing', 400, 'The address cannot be read'],
])('A handler that %s is answered by JSON', async (what, status, error) => {
  const app = express();
  if (what !== 'has nothing') {
    app.use(() => {
      throw Object.assign(new Error(what), status === 400 && { status });
    });
  }
  const server = createServer(withJsonErrors(app)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await raw({ port, send: ['GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'] });
  expect([statusOf(answer), bodyOf(answer)]).toEqual([status, { error }]);
  server.close();
});

test('A body with an unsupported charset or content coding counts as one without a lane', async () => {
  const body = '{"touchpointId":"SCO-01","basketId":"b"}';
  expect(
    (await authorized(mock.url, { path: '/caso02', body, headers: { 'Content-Type': 'application/json; charset=x-none' } })).status,
  ).toBe(200);
  const compressed = await authorized(mock.url, { path: '/caso02', body: '\u001f\u008b\u0008', headers: { 'Content-Encoding': 'gzip' } });
  expect([compressed.status, JSON.parse(compressed.text)]).toEqual([403, { error: 'Touchpoint authorization denied' }]);
});
