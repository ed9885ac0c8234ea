import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { withJsonErrors } from '../../services/touchpoint-mock/contract/answers.ts';
import { serving } from '../conform/serving.ts';
import { head, raw } from '../gateway/running-gateway.ts';
import { aMock, aPortal, authorized, CALCULATE, STORE_KEY, statusOf } from './running-touchpoint.ts';

const mock = await aMock();
const portal = await aPortal({ mockUrl: mock.url });

const nested = (levels: number): string =>
  `{"touchpointId":"SCO-01","basketId":"b","lines":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

test('JSON with 64 levels is accepted, and JSON with more levels is refused before it is parsed, on the portal too', async () => {
  const headers = { 'X-Mock-Case': '02' };
  for (const path of ['/caso02', CALCULATE]) {
    expect((await authorized(mock.url, { path, body: nested(64), headers })).status).toBe(200);
    for (const url of [mock.url, `${portal.url}/mock`]) {
      for (const body of [nested(65), nested(5_000), '['.repeat(1_000_000), '{"a":'.repeat(150_000)]) {
        const { status, text } = await authorized(url, { path, body, headers });
        expect([status, JSON.parse(text)]).toEqual([400, { error: 'The body nests deeper than 64 levels' }]);
      }
    }
  }
});

const distinct = (count: number, prefix = 'k'): string => `{${Array.from({ length: count }, (_, n) => `"${prefix}${n}":1`).join(',')}}`;

test('JSON whose objects have too many members or kinds is refused before it is parsed, and a long list of lines is accepted', async () => {
  const unlike = Array.from({ length: 600 }, (_, n) => distinct(10, `k${n}_`)).join(',');
  const post = async (lines: string) => {
    const body = `{"touchpointId":"SCO-01","basketId":"b","lines":[${lines}]}`;
    const { status, text } = await authorized(mock.url, { path: '/caso02', body, headers: { 'X-Mock-Case': '02' } });
    return [status, JSON.parse(text)];
  };
  for (const lines of [distinct(1_001), unlike]) {
    expect(await post(lines)).toEqual([
      400,
      { error: 'The body has more than 1,000 members in one object, or 5,000 different names or sequences of members' },
    ]);
  }
  expect((await post(Array(5_000).fill(distinct(10)).join(',')))[0]).toBe(200);
});

test('JSON with more than 100,000 values is refused before it is parsed, and a longer text with fewer values is accepted', async () => {
  const post = async (path: string, lines: string) => {
    const body = `{"touchpointId":"SCO-01","basketId":"b","lines":[${lines}]}`;
    const { status, text } = await authorized(mock.url, { path, body, headers: { 'X-Mock-Case': '02' } });
    return [status, JSON.parse(text)];
  };
  for (const path of ['/caso02', CALCULATE]) {
    for (const lines of [
      Array(340_000).fill('{}').join(','),
      Array(340_000).fill('1').join(','),
      `${Array(51_000).fill('{}').join(',')},]`,
    ])
      expect(await post(path, lines)).toEqual([400, { error: 'The body has more than 100,000 values in all' }]);
    expect(
      (
        await post(
          path,
          Array(9_000)
            .fill(`{"ref":"${'x'.repeat(90)}"}`)
            .join(','),
        )
      )[0],
    ).toBe(200);
  }
});

test('JSON with more than 64 levels is not parsed without the key', async () => {
  const headers = { Authorization: 'Bearer wrong' };
  expect((await authorized(mock.url, { path: '/caso02', body: nested(65), headers })).status).toBe(403);
});

const RIGHT = `Authorization: Bearer ${STORE_KEY}`;
const WRONG = 'authorization: Bearer wrong';

test.each([
  ['Authorization', RIGHT, WRONG],
  ['Authorization', WRONG, RIGHT],
  ['Host', RIGHT, 'host: other'],
])('A request with two %s headers is refused by name, at the mock and through the portal', async (name, ...lines) => {
  const body = '{"touchpointId":"SCO-01"}';
  for (const { port, path } of [
    { port: mock.port, path: '/caso02' },
    { port: mock.port, path: '/openapi.json' },
    { port: portal.port, path: '/mock/caso02' },
    { port: portal.port, path: '/portal.json' },
  ]) {
    const request = head(`POST ${path}`, ...lines, `Content-Length: ${body.length}`, 'Connection: close') + body;
    const answer = await raw(port, request);
    expect([path, statusOf(answer)]).toEqual([path, 400]);
    expect(bodyOf(answer)).toEqual({ error: `The request has more than one ${name} header; send one` });
  }
});

describe.each([
  ['mock', mock.port],
  ['portal', portal.port],
] as const)('Hostile bytes to the %s', (which, port) => {
  const encodings = ['/%zz', '/%', '/%ff', '/%00', '/%ed%a0%80', '/assets/touchpoint.css%00', '/..%2f..%2fpackage.json'];
  const forwarded = ['/mock/%ff', '/mock/%zz', '/mock/%00', '/mock', '/mockery/%ff'];
  const targets = ['http://[', 'http://a:b/', '//', '*', ...encodings, '/openapi.json/%ff', '/healthz?%ff', ...forwarded];

  test.each(targets)(`The address %s is answered by the ${which} in JSON, never by a page of Express`, async (target) => {
    for (const method of ['GET', 'POST']) {
      const bytes = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      const answer = await raw(port, bytes);
      // The portal's own page.
      if (statusOf(answer) === 200) continue;
      expect([400, 404, 405]).toContain(statusOf(answer));
      expect(answer).toMatch(/^content-type: application\/json/im);
      expect(bodyOf(answer)).toEqual({ error: expect.any(String) });
    }
  });

  const unreadable = 'This is not a readable HTTP request';
  const long = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
  test.each([
    ['that are not HTTP', 'hello\r\n\r\n', 400, unreadable],
    ['with an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, unreadable],
    ['with a blank in the name of a header', 'GET / HTTP/1.1\r\nHost: x\r\nX Y: 1\r\n\r\n', 400, unreadable],
    ['with two lengths', 'POST /caso02 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, unreadable],
    ['with headers over the limit', long, 431, 'The headers are larger than 16 KiB'],
  ])(`Bytes %s get JSON from the ${which}, and the connection is closed`, async (_what, bytes, status, error) => {
    const answer = await raw(port, bytes);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([status, { error }]);
    expect(answer).toMatch(/^content-type: application\/json/im);
    expect(answer).toMatch(/^connection: close/im);
  });

  test(`Bytes that are not HTTP after a request do not discard the answer of the ${which}`, async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    expect(statusOf(await raw(port, `${request}x`, 'ok'))).toBe(200);
  });
});

test.each([
  ['throws', 500, 'Something went wrong in the server itself'],
  ['refuses as Express does', 400, 'The address cannot be read'],
  ['has no route', 400, 'The address cannot be read'],
])('A handler that %s is answered by JSON', async (what, status, error) => {
  const app = express();
  const failing = () => {
    throw Object.assign(new Error(what), status === 400 && { status });
  };
  if (what !== 'has no route') app.use(failing);
  await using server = await serving(withJsonErrors(app));
  const answer = await raw(Number(new URL(server.url).port), head('GET /', 'Connection: close'));
  expect([statusOf(answer), bodyOf(answer)]).toEqual([status, { error }]);
});

test('A body with an unknown charset is read, and one with an unsupported coding has no lane', async () => {
  const send = (body: string, headers: Record<string, string>) => authorized(mock.url, { path: '/caso02', body, headers });
  const body = '{"touchpointId":"SCO-01","basketId":"b"}';
  expect((await send(body, { 'Content-Type': 'application/json; charset=x-none' })).status).toBe(200);
  const { status, text } = await send('\u001f\u008b\u0008', { 'Content-Encoding': 'gzip' });
  expect([status, JSON.parse(text)]).toEqual([403, { error: 'Touchpoint authorization denied' }]);
});
