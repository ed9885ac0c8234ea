import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { eventually } from '../support/eventually.ts';
import { aRig, BEARER, raw } from './running-gateway.ts';

// Made once: writing them is most of the work.
const documents = createDocuments('memory');

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const request = (line: string, more = ''): string => `${line} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const authorized = (line: string): string => request(line, `Authorization: Bearer ${BEARER}\r\n`);

/** Sends, and reads nothing until it is told to. */
function unread(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  sockets.push(socket);
  socket.on('error', () => {});
  let received = '';
  return { read: () => void socket.on('data', (chunk) => (received += chunk.toString('latin1'))), received: () => received };
}

describe('Requests that one client sends at once', () => {
  test('reach an application one after the other, in their order', async () => {
    await using rig = await aRig();
    const finish: (() => void)[] = [];
    rig.upstream.answer = ({ url }, response) => void finish.push(() => response.end(`<${url}>`));
    const paths = Array.from({ length: 200 }, (_, index) => `/orders/o${index}`);
    const client = unread(rig.gateway.port, paths.map((path) => authorized(`GET ${path}`)).join(''));
    client.read();
    for (let turn = 1; turn <= 5; turn++) {
      await eventually('the next arrived', async () => finish.length === turn);
      expect(rig.upstream.received.map(({ url }) => url)).toEqual(paths.slice(0, turn));
      finish[turn - 1]?.();
    }
    rig.upstream.answer = ({ url }, response) => void response.end(`<${url}>`);
    await eventually('the sixth arrived', async () => rig.upstream.received.length > 5);
    finish[5]?.();
    await eventually('the last answer', async () => client.received().includes(`<${paths.at(-1)}>`));
    expect([...client.received().matchAll(/<([^>]+)>/g)].map(([, path]) => path)).toEqual(paths);
  });

  test.each([
    ['a document', request('GET /openapi.json'), 200],
    ['health', request('GET /healthz'), 200],
    ['readiness', request('GET /readyz'), 200],
    ['an API with a credential', request('GET /orders/o'), 401],
    ['an unknown path', request('GET /nothing'), 404],
    ['another method than there is', request('DELETE /openapi.json'), 405],
    ['an ambiguous path', request('GET //'), 400],
  ])('for %s without reading do not delay other clients, and are answered when the client reads', async (_what, one, status) => {
    await using rig = await aRig({ documents });
    const greedy = unread(rig.gateway.port, one.repeat(1_600));
    for (let other = 0; other < 5; other++) expect(await raw(rig.gateway.port, one, '\r\n\r\n')).toMatch(`HTTP/1.1 ${status} `);
    greedy.read();
    const answered = new RegExp(`HTTP/1\\.1 ${status} `, 'g');
    await eventually('some answers', async () => (greedy.received().match(answered)?.length ?? 0) >= 20);
  });
});

describe('A public document', () => {
  test.each([
    'GET /openapi.json',
    'GET /openapi.yaml',
    'GET /asyncapi.json',
    'GET /',
    'GET /nothing',
    'DELETE /openapi.json',
    'GET /baskets',
  ])('counts against the limit of the address: %s', async (line) => {
    await using rig = await aRig({ documents, limits: { perAddressPerMinute: 3, perKeyPerMinute: 100 } });
    for (let taken = 0; taken < 3; taken++) expect(await raw(rig.gateway.port, request(line), '\r\n\r\n')).not.toMatch('HTTP/1.1 429 ');
    expect(await raw(rig.gateway.port, request(line), '\r\n\r\n')).toMatch(/^HTTP\/1\.1 429 [\s\S]*^retry-after: \d+\r$/im);
    expect(await raw(rig.gateway.port, request('GET /healthz'), '\r\n\r\n')).toMatch('HTTP/1.1 200 ');
  });
});

describe('A client that has half-closed its connection', () => {
  test.each([
    ['an API without a credential', request('GET /products/mug-blue')],
    ['an API', authorized('GET /orders/o')],
    ['a document', request('GET /openapi.json')],
    ['health', request('GET /healthz')],
  ])('gets its answer from %s, and its connection ends', async (_what, bytes) => {
    await using rig = await aRig({ documents });
    let received = '';
    const socket = connect(rig.gateway.port, '127.0.0.1', () => socket.end(bytes));
    sockets.push(socket);
    let ended = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('close', () => (ended = true));
    await eventually('the end', async () => ended);
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]+\r\n\r\n[\s\S]*[}>]\s*$/);
  });
});
