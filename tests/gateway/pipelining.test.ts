import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { eventually } from '../support/eventually.ts';
import { AUTHORIZED, aRig, head } from './running-gateway.ts';

// Built once, because building the bytes takes most of the time.
const documents = createDocuments('memory');

/** Sends bytes, and does not read before `read` is called. */
function unread(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => {});
  let received = '';
  return {
    read: () => void socket.on('data', (chunk) => (received += chunk.toString('latin1'))),
    received: () => received,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

test('Pipelined requests reach an application one after the other, in their order', async () => {
  await using rig = await aRig();
  const finish: (() => void)[] = [];
  rig.upstream.answer = ({ url }, response) => void finish.push(() => response.end(`<${url}>`));
  const paths = Array.from({ length: 200 }, (_, index) => `/orders/o${index}`);
  using client = unread(rig.gateway.port, paths.map((path) => head(`GET ${path}`, AUTHORIZED)).join(''));
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
  ['a document', 'GET /openapi.json', 200],
  ['health', 'GET /healthz', 200],
  ['readiness', 'GET /readyz', 200],
  ['an API with a credential', 'GET /orders/o', 401],
  ['an unknown path', 'GET /nothing', 404],
  ['an unknown method', 'DELETE /openapi.json', 405],
  ['an ambiguous path', 'GET //', 400],
])('Pipelined requests for %s do not delay other clients, and are answered when their client reads', async (_what, line, status) => {
  await using rig = await aRig({ documents });
  using greedy = unread(rig.gateway.port, head(line).repeat(1_600));
  for (let other = 0; other < 5; other++) expect(await rig.raw(head(line), '\r\n\r\n')).toMatch(`HTTP/1.1 ${status} `);
  greedy.read();
  const answered = new RegExp(`HTTP/1\\.1 ${status} `, 'g');
  await eventually('some answers', async () => (greedy.received().match(answered)?.length ?? 0) >= 20);
});

test.each([
  ...['GET /openapi.json', 'GET /openapi.yaml', 'GET /asyncapi.json', 'GET /', 'GET /nothing', 'DELETE /openapi.json', 'GET /baskets'],
])('An anonymous request counts against the limit of its address: %s', async (line) => {
  await using rig = await aRig({ documents, limits: { perAddressPerMinute: 3, perKeyPerMinute: 100 } });
  const statusOf = async (sent: string) => Number((await rig.raw(head(sent), '\r\n\r\n')).split(' ')[1]);
  for (let taken = 0; taken < 3; taken++) expect(await statusOf(line)).not.toBe(429);
  expect([await statusOf(line), await statusOf('GET /healthz')]).toEqual([429, 200]);
});
