import { expect, test } from '@jest/globals';
import { encodeContext } from '../../shared/transport/estate-headers.ts';
import { AUTHORIZED, asIntegration, sharedRig, TOKEN } from './running-gateway.ts';

const rig = sharedRig();

const FORGED = encodeContext({
  world: 'default~forged',
  now: 0,
  principal: 'somebody-else',
  requestId: 'req_forged',
  correlationId: 'forged',
  deadline: 9e15,
  faults: 0,
  chain: ['oms'],
});

async function receivedWith(...headers: readonly string[]) {
  const lines = ['POST /baskets HTTP/1.1', 'Host: estate.example:8080', AUTHORIZED, ...headers, 'Content-Length: 2'];
  await rig.raw(`${lines.join('\r\n')}\r\n\r\n{}`, '{"answered":true}');
  const [received] = rig.upstream.received;
  if (!received) throw new Error('The application was not called.');
  return received;
}

test.each([
  ['alone', []],
  ['twice', [`X-Estate-Context: ${FORGED}`]],
  ['with Expect: 100-continue', ['Expect: 100-continue']],
  ['with another expectation', ['Expect: the-unexpected']],
  ['named by Connection', ['Connection: x-estate-context, x-estate-token, keep-alive']],
  ['with an upgrade', ['Connection: upgrade', 'Upgrade: h2c']],
])('A forged identity is replaced when it is sent %s', async (_how, extra) => {
  const identity = [`X-Estate-Context: ${FORGED}`, 'x-estate-token: forged', 'X-ESTATE-ANYTHING: forged'];
  const { headers, context } = await receivedWith(...identity, ...extra);
  expect(context).toMatchObject({ principal: 'integration', chain: [] });
  expect(headers['x-estate-token']).toBe(TOKEN);
  expect(JSON.stringify(headers)).not.toContain('forged');
  expect(headers).not.toHaveProperty('expect');
});

test.each([
  ...['Authorization', 'Cookie', 'Forwarded', 'HTTP2-Settings', 'Keep-Alive', 'Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer'],
  ...['Via', 'X-API-Key', 'X-Estate-Chain', 'X-HTTP-Method-Override', 'X-Original-URL', 'X-Real-IP', 'X-Rehearsal', 'X-Request-Id'],
  ...['X-Rewrite-URL', 'X-Forwarded-Prefix'],
])('The header %s does not reach an application', async (name) => {
  const { headers } = await receivedWith(...(name === 'Authorization' ? [] : [`${name}: default`]));
  expect(headers).not.toHaveProperty(name.toLowerCase());
});

test('Headers named by Connection do not reach an application', async () => {
  const { headers } = await receivedWith('Connection: keep-alive, X-One-Hop', 'X-One-Hop: 1', 'X-End-To-End: 1');
  expect(headers).not.toHaveProperty('x-one-hop');
  expect(headers['x-end-to-end']).toBe('1');
});

test('The Content-Length of a body is kept, although Connection names it', async () => {
  const { headers, body } = await receivedWith('Connection: content-length, host');
  expect([headers['content-length'], body]).toEqual(['2', '{}']);
});

test('The address of the client is taken from its connection, not from its headers', async () => {
  const forwarded = ['For: 203.0.113.9', 'Host: evil.example', 'Proto: https', 'Port: 1'].map((line) => `X-Forwarded-${line}`);
  expect((await receivedWith(...forwarded)).headers).toMatchObject({
    'x-forwarded-for': expect.stringMatching(/^(?:::ffff:)?127\.0\.0\.1$/),
    'x-forwarded-host': 'estate.example:8080',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '8080',
  });
});

test('The Host header of the client does not change the target of its request', async () => {
  const reply = await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, host: '127.0.0.1:1' } });
  expect([reply.status, rig.upstream.received.length]).toEqual([200, 1]);
});
