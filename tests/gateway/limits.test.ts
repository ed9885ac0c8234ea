import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { bodyLimit } from '../../shared/contract/body-limit.ts';
import { eventually } from '../support/eventually.ts';
import { ADMIN, AUTHORIZED, aRig, asIntegration, head, raw, sharedRig } from './running-gateway.ts';

const HEADERS_MS = 200;
const documents = createDocuments('memory');
const rig = sharedRig({ times: { headersMs: HEADERS_MS, requestMs: 400, checkMs: 50 } });

const MIB = 1_048_576;
/** The longest body of Create Return. */
const LIMIT = bodyLimit(apis['create-return-api']);
const CHUNK = `10000\r\n${'a'.repeat(65_536)}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked';
const HUGE = 'Content-Length: 1000000000';
const post = (...headers: readonly string[]): string => head('POST /baskets', AUTHORIZED, ...headers);
const get = head('GET /orders/o', AUTHORIZED);

test('A body may have exactly as many bytes as its API takes, with a length or in chunks', async () => {
  const body = 'a'.repeat(LIMIT);
  const reply = await rig.call({ method: 'POST', path: '/returns', headers: asIntegration, body });
  expect(reply.status).toBe(200);
  const chunks = `${LIMIT.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await rig.raw(`${head('POST /returns', AUTHORIZED, CHUNKED)}${chunks}`, '"answered"')).toMatch(/^HTTP\/1.1 200 /);
  expect(rig.upstream.received.map(({ body: { length } }) => length)).toEqual([LIMIT, LIMIT]);
});

test('A body with one byte more than its API takes is refused while the client is sending, and journaled', async () => {
  await rig.rehearsal('too-much');
  const headers = { ...asIntegration, 'x-rehearsal': 'too-much', 'x-correlation-id': 'too-much' };
  const reply = await rig.call({ method: 'POST', path: '/returns', headers, body: 'a'.repeat(LIMIT + 1) });
  expect(reply).toMatchObject({ status: 413, json: { code: 'payload_too_large', instance: '/returns' } });
  expect(reply.headers).toMatchObject({ connection: 'close', 'x-correlation-id': 'too-much' });
  expect(await rig.journal('too-much')).toMatchObject([{ application: 'gateway', api: 'create-return-api', status: 413 }]);
  expect(rig.upstream.received).toEqual([]);
});

test.each(['gzip, chunked', 'GZIP,Chunked'])(
  'A body with Transfer-Encoding: %s is refused, and not read as a plain one',
  async (coding) => {
    const reply = await rig.raw(post('Connection: close', `Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`));
    expect(reply).toMatch(/^HTTP\/1.1 400 .*Transfer-Encoding: chunked alone.*"code":"malformed_request"/is);
    expect(rig.upstream.received).toEqual([]);
  },
);

test('A megabyte to Cancel Order is refused before any of it is read', async () => {
  const reply = await rig.raw(head('POST /orders/o/cancel', AUTHORIZED, 'Content-Length: 1000000'), '"payload_too_large"');
  expect(reply).toMatch(/^HTTP\/1.1 413 .*at most 65,536 bytes: send fewer/s);
  const chunked = `${head('POST /orders/o/cancel', AUTHORIZED, CHUNKED)}${CHUNK}${CHUNK}`;
  expect(await rig.raw(chunked, '"payload_too_large"')).toMatch(/^HTTP\/1.1 413 .*^connection: close\r$/ims);
  expect(rig.upstream.received).toEqual([]);
});

test('A body of many one-byte chunks is refused before it ends, and a body of some such chunks is read', async () => {
  const one = '1\r\n \r\n';
  for (const begun of [
    head('POST /returns', AUTHORIZED, CHUNKED),
    head('POST /webhooks/carrier', 'Content-Type: application/json', CHUNKED),
  ]) {
    const reply = await rig.raw(`${begun}${one.repeat(60_000)}`, '"malformed_request"');
    expect(reply).toMatch(/^HTTP\/1.1 400 .*^connection: close\r$.*fewer than 16 bytes on average: send larger ones/ims);
  }
  expect(rig.upstream.received).toEqual([]);
  const few = `${head('POST /returns', AUTHORIZED, CHUNKED)}${one.repeat(900)}2\r\n{}\r\n0\r\n\r\n`;
  expect(await rig.raw(few, '"answered"')).toMatch(/^HTTP\/1.1 200 /);
});

const control = (...headers: readonly string[]): string => head('POST /_control/settle', `Authorization: Bearer ${ADMIN}`, ...headers);
const tooLarge: readonly (readonly [string, string])[] = [
  ['announced with 1 GB', HUGE],
  ['announced with 1 GB and "Expect: 100-continue"', `Expect: 100-continue\r\n${HUGE}`],
  ['sent in chunks', `${CHUNKED}\r\n\r\n${CHUNK.repeat(17)}`],
];
test.each(tooLarge)('A body that is too large is refused before it is complete when it is %s', async (_how, lines) => {
  for (const bytes of [post(lines), control(lines)]) {
    const reply = await rig.raw(bytes);
    expect(reply).toMatch(/^HTTP\/1.1 413 .*^connection: close\r$.*"code":"payload_too_large"/ims);
    expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
  }
  expect(rig.upstream.received).toEqual([]);
});

test('A third large file is refused while two are in memory, and accepted when one has left', async () => {
  await using large = await aRig({ snapshotBytes: 5 * MIB });
  const upload = head('POST /_control/snapshots', `Authorization: Bearer ${ADMIN}`, 'Expect: 100-continue', 'Content-Length: 2000000');
  /** Sends the head of an upload. @returns the first bytes of the answer, and the connection */
  const begun = async () => {
    const socket = connect(large.gateway.port, '127.0.0.1').on('error', () => {});
    socket.write(upload);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return { socket, answer: bytes.toString() };
  };
  const [first, second] = [await begun(), await begun()];
  expect([first.answer, second.answer]).toEqual(Array(2).fill(expect.stringContaining('100 Continue')));
  const third = await begun();
  expect(third.answer).toMatch(/^HTTP\/1.1 429 .*^retry-after: \d/ims);
  first.socket.destroy();
  await eventually('a place is free', async () => {
    const { socket, answer } = await begun();
    socket.destroy();
    return answer.includes('100 Continue');
  });
  second.socket.destroy();
});

test('The body of a request without a credential is not read, and the refusal ends the connection', async () => {
  expect(await rig.raw(head('POST /baskets', HUGE))).toMatch(/^HTTP\/1.1 401 .*^connection: close\r$/ims);
});

test('A body that was refused before "100 Continue" is not parsed as the next request', async () => {
  const reply = await rig.raw(head('POST /baskets', 'Expect: 100-continue', 'Content-Length: 50') + get);
  expect(reply.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(rig.upstream.received).toEqual([]);
});

test.each([
  ['text that is not HTTP', 'some text\r\n\r\n', 400, 'malformed_request'],
  ['no Host header', 'GET /orders/o HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  ['a line break in a header', head('GET /orders/o', 'X: a\nb'), 400, 'malformed_request'],
  ['a length and chunks', post('Content-Length: 3', CHUNKED), 400, 'malformed_request'],
  ['two lengths', post('Content-Length: 3', 'Content-Length: 4'), 400, 'malformed_request'],
  ['a wrong chunk', `${post(CHUNKED)}zz\r\n`, 400, 'malformed_request'],
  ['headers beyond 16 KiB', head('GET /orders/o', `X: ${'a'.repeat(17_000)}`), 431, 'headers_too_large'],
  ['a path beyond 16 KiB', head(`GET /orders/${'o'.repeat(17_000)}`), 431, 'headers_too_large'],
])('A request with %s is answered with a problem and a correlation id', async (_what, bytes, status, code) => {
  const reply = await rig.raw(bytes);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} .*"code":"${code}"`, 's'));
  expect(reply).toMatch(/^content-type: application\/problem\+json/im);
  expect(reply).toMatch(/^x-correlation-id: req_/im);
  expect(rig.upstream.received).toEqual([]);
});

test.each([
  ['is answered when it then sends its headers', get, 200],
  ['is closed when it then sends a part of its headers', 'GET /orders/o HTTP/1.1\r\nHost', 408],
])('A connection that is silent for longer than headers may take %s', async (_what, bytes, status) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect(rig.gateway.port, '127.0.0.1');
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    if (received.includes('"answered"')) resolve(received);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve(received));
  await new Promise((done) => setTimeout(done, 5 * HEADERS_MS));
  socket.write(bytes);
  expect(await promise).toMatch(`HTTP/1.1 ${status} `);
  socket.destroy();
});

test.each([
  ['headers', 'POST /baskets HTTP/1.1\r\nHost: x\r\n'],
  ['body', `${post('Content-Length: 10')}{"a"`],
])('A client that does not finish its %s is answered 408 and disconnected', async (_what, bytes) => {
  expect(await rig.raw(bytes)).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
  expect(rig.upstream.received).toEqual([]);
});

test('Two hundred slow clients do not block other clients', async () => {
  const slow = Array.from({ length: 200 }, () => raw(rig.gateway.port, 'POST /baskets HTTP/1.1\r\nHost'));
  for (let turn = 0; turn < 20; turn++) expect((await rig.call({ path: '/orders/o', headers: asIntegration })).status).toBe(200);
  for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^HTTP\/1.1 408 /);
});

test('Requests are limited per address for known and unknown callers, except for health probes', async () => {
  await using limited = await aRig({ limits: { perAddressPerMinute: 3, perKeyPerMinute: 100 } });
  await limited.call({ path: '/products/mug' });
  await limited.call({ path: '/orders/o' });
  await limited.call({ path: '/orders/o', headers: asIntegration });
  const reply = await limited.call({ path: '/orders/o', headers: { ...asIntegration, 'x-forwarded-for': '203.0.113.9' } });
  expect(reply).toMatchObject({ status: 429, json: { code: 'rate_limited', retryable: true } });
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(reply.headers['x-correlation-id']).toMatch(/^req_/);
  expect(limited.upstream.received).toHaveLength(2);
  expect(await limited.call({ path: '/healthz' })).toMatchObject({ status: 200 });
});

test.each(['GET /openapi.json', 'GET /', 'GET /nothing', 'DELETE /openapi.json', 'GET /baskets'])(
  'An anonymous request counts against the limit of its address: %s',
  async (line) => {
    await using limited = await aRig({ documents, limits: { perAddressPerMinute: 1, perKeyPerMinute: 100 } });
    const statusOf = async (sent: string) => Number((await limited.raw(head(sent), '\r\n\r\n')).split(' ')[1]);
    expect(await statusOf(line)).not.toBe(429);
    expect([await statusOf(line), await statusOf('GET /healthz')]).toEqual([429, 200]);
  },
);

test('Requests are limited per key, without an effect on other keys', async () => {
  await using limited = await aRig({ limits: { perAddressPerMinute: 100, perKeyPerMinute: 2 } });
  const statusOf = async (path: string, token?: string) =>
    (await limited.call({ path, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
  const { bearer } = await limited.rehearsal('other-key');
  for (const status of [200, 200, 429]) expect((await limited.call({ path: '/orders/o', headers: asIntegration })).status).toBe(status);
  expect(await statusOf('/orders/o', bearer)).toBe(200);
  expect(await statusOf('/_control/x', ADMIN)).toBe(404);
  expect(await statusOf('/products/mug')).toBe(200);
  for (const status of [401, 401, 429]) expect(await statusOf('/orders/o', 'a-guess')).toBe(status);
});
