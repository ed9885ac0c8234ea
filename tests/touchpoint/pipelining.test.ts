import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { eventually } from '../support/eventually.ts';
import { aMock, aPortal, raw, STORE_KEY } from './running-touchpoint.ts';

let mock: Listening;
let portal: Listening;
beforeAll(async () => {
  mock = await aMock();
  portal = await aPortal({ mockUrl: mock.url });
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const BODY = '{"touchpointId":"SCO-01","basketId":"b"}';
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post = (path: string, key = STORE_KEY): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

const servers = { mock: () => mock, portal: () => portal };

describe.each(Object.entries(servers))('Of the touchpoint, the %s', (name, server) => {
  const through = name === 'portal' ? '/mock' : '';

  test.each([
    ['a document', get('/openapi.json'), 200],
    ['health', get('/healthz'), 200],
    ['a fixed answer', post(`${through}/caso02`), 200],
    ['a wrong key', post(`${through}/caso02`, 'wrong'), 403],
    ['nothing', get('/nowhere'), 404],
  ])(
    'serves others while a client asks a thousand times for %s and does not read, and answers it when it reads',
    async (_what, one, status) => {
      const { port } = server();
      const greedy = connect(port, '127.0.0.1', () => greedy.write(one.repeat(1_000)));
      sockets.push(greedy);
      greedy.on('error', () => {});
      for (let other = 0; other < 5; other++) expect(await raw({ port, send: [one], until: '\r\n\r\n' })).toMatch(`HTTP/1.1 ${status} `);
      let received = '';
      greedy.on('data', (chunk) => (received += chunk.toString('latin1')));
      const answered = new RegExp(`HTTP/1\\.1 ${status} `, 'g');
      await eventually('some answers', async () => (received.match(answered)?.length ?? 0) >= 20);
    },
  );

  test('answers a few requests on one connection in order', async () => {
    const received = await raw({
      port: server().port,
      send: [get('/healthz') + post(`${through}/caso01`) + get('/nowhere') + post(`${through}/caso10c`) + get('/readyz')],
      until: '"ready"',
    });
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual([200, 200, 404, 409, 200]);
  });

  test('answers a client that has half-closed its connection', async () => {
    const socket = connect(server().port, '127.0.0.1', () => socket.end(get('/openapi.json')));
    sockets.push(socket);
    let received = '';
    let ended = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('close', () => (ended = true));
    await eventually('the end', async () => ended);
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*\}$/);
  });

  test('serves its document compressed and with an ETag, and sends it once to a caching client', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const first = await request(`${server().url}/openapi.json`, { headers });
    expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: expect.any(String) });
    expect(JSON.parse(gunzipSync(await first.body.bytes()).toString())).toHaveProperty('openapi');
    const again = await request(`${server().url}/openapi.json`, {
      headers: { ...headers, 'if-none-match': String(first.headers['etag']) },
    });
    expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
  });
});
