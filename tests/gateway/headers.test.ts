import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { encodeContext } from '../../shared/transport/estate-headers.ts';
import { aRig, asIntegration, BEARER, type Rig, raw, TOKEN } from './running-gateway.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await aRig();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
});

const forged = encodeContext({
  world: 'default~forged',
  now: 0,
  principal: 'somebody-else',
  requestId: 'req_forged',
  correlationId: 'forged',
  deadline: 9e15,
  faults: 0,
  chain: ['oms'],
});

const post = (headers: string): Promise<string> =>
  raw(
    rig.gateway.port,
    `POST /baskets HTTP/1.1\r\nHost: estate.example:8080\r\nAuthorization: Bearer ${BEARER}\r\n${headers}Content-Length: 2\r\n\r\n{}`,
    '{"answered":true}',
  );

async function receivedWith(headers: string) {
  await post(headers);
  const [received] = rig.upstream.received;
  if (!received) throw new Error('The application was not called.');
  return received;
}

describe('A forged identity is replaced', () => {
  test.each([
    ['alone', ''],
    ['with Expect: 100-continue', 'Expect: 100-continue\r\n'],
    ['with another expectation', 'Expect: the-unexpected\r\n'],
    ['named by Connection', 'Connection: x-estate-context, x-estate-token, keep-alive\r\n'],
    ['with an upgrade', 'Connection: upgrade\r\nUpgrade: h2c\r\n'],
  ])('%s', async (_how, extra) => {
    const { headers, context } = await receivedWith(
      `X-Estate-Context: ${forged}\r\nx-estate-token: forged\r\nX-ESTATE-ANYTHING: forged\r\n${extra}`,
    );
    expect(context).toMatchObject({ principal: 'integration', chain: [] });
    expect(headers['x-estate-token']).toBe(TOKEN);
    expect(JSON.stringify(headers)).not.toContain('forged');
    expect(headers).not.toHaveProperty('expect');
  });

  test('sent twice', async () => {
    const { context } = await receivedWith(`X-Estate-Context: ${forged}\r\nX-Estate-Context: ${forged}\r\n`);
    expect(context?.principal).toBe('integration');
  });
});

describe('Headers that end at the gateway', () => {
  test.each([
    'Authorization',
    'Cookie',
    'Forwarded',
    'HTTP2-Settings',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Via',
    'X-API-Key',
    'X-Estate-Chain',
    'X-HTTP-Method-Override',
    'X-Original-URL',
    'X-Real-IP',
    'X-Rehearsal',
    'X-Request-Id',
    'X-Rewrite-URL',
    'X-Forwarded-Prefix',
  ])('%s is not passed on', async (name) => {
    const { headers } = await receivedWith(name === 'Authorization' ? '' : `${name}: default\r\n`);
    expect(headers).not.toHaveProperty(name.toLowerCase());
  });

  test('headers named by Connection are not passed on', async () => {
    const { headers } = await receivedWith('Connection: keep-alive, X-One-Hop\r\nX-One-Hop: 1\r\nX-End-To-End: 1\r\n');
    expect(headers).not.toHaveProperty('x-one-hop');
    expect(headers['x-end-to-end']).toBe('1');
  });

  test('Content-Length of a body is kept, although Connection names it', async () => {
    const { headers, body } = await receivedWith('Connection: content-length, host\r\n');
    expect(headers['content-length']).toBe('2');
    expect(body).toBe('{}');
  });

  test('the address of the client is taken from its connection, not from its headers', async () => {
    const { headers } = await receivedWith(
      'X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 1\r\n',
    );
    expect(headers).toMatchObject({
      'x-forwarded-for': expect.stringMatching(/^(?:::ffff:)?127\.0\.0\.1$/),
      'x-forwarded-host': 'estate.example:8080',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '8080',
    });
  });

  test('the Host header of the client does not change the target of its request', async () => {
    const reply = await rig.call({ path: '/orders/ord_1', headers: { ...asIntegration, host: '127.0.0.1:1' } });
    expect(reply.status).toBe(200);
    expect(rig.upstream.received).toHaveLength(1);
  });
});
