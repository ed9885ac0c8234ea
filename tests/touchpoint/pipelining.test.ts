import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { raw } from '../gateway/running-gateway.ts';
import { eventually } from '../support/eventually.ts';
import { aMock, aPortal, STORE_KEY } from './running-touchpoint.ts';

const mock = await aMock();
const portal = await aPortal({ mockUrl: mock.url });

const BODY = '{"touchpointId":"SCO-01","basketId":"b"}';
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post = (path: string, key = STORE_KEY): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

describe.each([
  ['mock', '', mock],
  ['portal', '/mock', portal],
] as const)('Many requests on one connection to the %s', (name, through, server) => {
  test.each([
    ['a document', get('/openapi.json'), 200],
    ['a fixed answer', post(`${through}/caso02`), 200],
    ['a refusal', post(`${through}/caso02`, 'wrong'), 403],
  ])(`The ${name} serves others while a client requests %s a thousand times and does not read`, async (_what, one, status) => {
    const { port } = server;
    const greedy: Socket = connect(port, '127.0.0.1', () => greedy.write(one.repeat(1_000))).on('error', () => {});
    for (let other = 0; other < 5; other++) expect(await raw(port, one, '\r\n\r\n')).toMatch(`HTTP/1.1 ${status} `);
    let received = '';
    greedy.on('data', (chunk) => (received += chunk.toString('latin1')));
    const answered = new RegExp(`HTTP/1\\.1 ${status} `, 'g');
    await eventually('some answers', async () => (received.match(answered)?.length ?? 0) >= 20);
    greedy.destroy();
  });

  test(`The ${name} answers pipelined requests in order`, async () => {
    const requests = [get('/healthz'), post(`${through}/caso01`), get('/nowhere'), post(`${through}/caso10c`), get('/readyz')];
    const received = await raw(server.port, requests.join(''), '"ready"');
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual([200, 200, 404, 409, 200]);
  });

  test(`The ${name} serves its document compressed and with an ETag, and sends it once to a caching client`, async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const url = `${server.url}/openapi.json`;
    const first = await request(url, { headers });
    expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: expect.any(String) });
    expect(JSON.parse(gunzipSync(await first.body.bytes()).toString())).toHaveProperty('openapi');
    const again = await request(url, { headers: { ...headers, 'if-none-match': String(first.headers['etag']) } });
    expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
  });
});
