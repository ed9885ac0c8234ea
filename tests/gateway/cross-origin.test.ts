import { describe, expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { aRig, asIntegration, type Call, head, PARCEL, sharedRig } from './running-gateway.ts';

const PAGE = 'http://localhost:5173';
const preflight = (path: string, origin = PAGE, method = 'POST'): Call => ({
  method: 'OPTIONS',
  path,
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match,x-rehearsal',
  },
});

const documents = createDocuments('memory');
const read = (origin: Record<string, string> = { origin: PAGE }): Call => ({
  path: '/orders/ord_1',
  headers: { ...asIntegration, ...origin },
});

describe('Preflights', () => {
  const limits = { perAddressPerMinute: 1, perKeyPerMinute: 1 };
  const rig = sharedRig({ documents, corsOrigins: ['loopback', 'https://shop.example.com'], limits });

  test.each(['/orders', '/orders/ord_1', PARCEL, '/oauth/token', '/_control/rehearsals', '/openapi.json', '/nothing'])(
    'A preflight of an allowed origin is answered for %s before credentials and rate limits',
    async (path) => {
      for (let time = 0; time < 3; time++) {
        const { status, headers, text } = await rig.call(preflight(path));
        expect([status, text]).toEqual([204, '']);
        expect(headers).toMatchObject({
          'access-control-allow-origin': PAGE,
          'access-control-allow-headers': 'authorization,content-type,idempotency-key,if-match,x-rehearsal',
          'access-control-allow-methods': expect.stringMatching(/PUT.*POST.*DELETE/),
          'access-control-max-age': '600',
          vary: expect.stringContaining('Origin'),
        });
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
      expect(rig.upstream.received).toEqual([]);
    },
  );

  test.each(['http://localhost', 'https://localhost:8443', 'http://127.0.0.1:3000', 'http://[::1]:5173', 'https://shop.example.com'])(
    'A preflight of the origin %s is answered',
    async (origin) => expect((await rig.call(preflight('/orders', origin))).headers['access-control-allow-origin']).toBe(origin),
  );

  test.each([
    ...['null', 'http://evil.example', 'http://localhost.evil.example', 'http://evil.example/localhost', 'http://127.0.0.1.evil.example'],
    ...['http://localhost:1@evil.example', 'http://evil-localhost', 'file://localhost', 'http://shop.example.com'],
    ...['https://shop.example.com:8443'],
  ])('A preflight of the origin %s is refused with the variable that allows it', async (origin) => {
    const { status, headers, json } = await rig.call(preflight('/orders', origin));
    expect([status, json['code'], json['detail']]).toEqual([405, 'method_not_allowed', expect.stringContaining('CORS_ORIGINS')]);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('A preflight with an ambiguous path or two Host headers is refused', async () => {
    expect((await rig.call(preflight('/orders/%2e%2e/customers'))).status).toBe(400);
    const lines = ['Host: localhost', `Origin: ${PAGE}`, 'Access-Control-Request-Method: GET', 'Connection: close'];
    expect(await rig.raw(head('OPTIONS /orders', ...lines))).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test('A gateway without allowed origins refuses preflights and allows none', async () => {
  await using rig = await aRig();
  expect((await rig.call(preflight('/orders'))).status).toBe(405);
  const { status, headers } = await rig.call(read());
  expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
});

describe('Pages of an allowed origin', () => {
  const rig = sharedRig({ documents, corsOrigins: ['loopback'] });

  test.each<Record<string, string>>([{}, { origin: PAGE }, { 'access-control-request-method': 'GET' }])(
    'OPTIONS with the headers %j is not a preflight, and is refused',
    async (headers) => {
      for (const path of ['/orders/ord_1', '/openapi.json', '/'])
        expect([path, (await rig.call({ method: 'OPTIONS', path, headers })).status]).toEqual([path, 405]);
    },
  );

  test('A page reads the answer of an application with its ETag and all headers that OpenAPI declares', async () => {
    rig.upstream.answer = (_request, response) => void response.setHeader('ETag', '"3"').setHeader('Vary', 'Accept').end('{}');
    const { status, headers } = await rig.call(read());
    expect([status, headers['etag'], headers['access-control-allow-origin']]).toEqual([200, '"3"', PAGE]);
    const exposed = headers['access-control-expose-headers']?.split(',');
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Retry-After', 'Location', 'Idempotent-Replayed', ...declaredHeaders()]));
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test.each<[string, number, Call]>([
    ['an unknown credential', 401, { path: '/orders/ord_1', headers: { authorization: 'Bearer wrong' } }],
    ['a missing scope', 403, { path: '/_control/clock', headers: asIntegration }],
    ['an unknown path', 404, { path: '/nothing' }],
    ['an unknown rehearsal', 404, { path: '/products/mug-blue', headers: { 'x-rehearsal': 'nowhere' } }],
    ['a wrong method', 405, { method: 'PATCH', path: '/orders/ord_1', headers: asIntegration }],
    ['a token', 400, { method: 'POST', path: '/oauth/token' }],
    ['a body that is too large', 413, { method: 'POST', path: '/orders', headers: asIntegration, body: 'x'.repeat(1_100_000) }],
    ['an ambiguous path', 400, { path: '/orders//x', headers: asIntegration }],
  ])('A page reads the refusal of %s', async (_of, status, call) => {
    const reply = await rig.call({ ...call, headers: { ...call.headers, origin: PAGE } });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, PAGE]);
  });

  test('A page reads the refusal of headers that are too large, and a page of another origin does not', async () => {
    const refused = (origin: string) =>
      rig.raw(head('GET /orders/ord_1', 'Host: localhost', `Origin: ${origin}`, `X-Large: ${'x'.repeat(20_000)}`));
    expect(await refused(PAGE)).toMatch(new RegExp(`^HTTP/1\\.1 431 .*\r\nAccess-Control-Allow-Origin: ${PAGE}\r\n`, 's'));
    expect(await refused('http://evil.example')).toMatch(/^HTTP\/1\.1 431 (?!.*Access-Control)/s);
  });

  test('A page reads the refusals of the rate limit and of an unavailable application, with Retry-After', async () => {
    const limits = { perAddressPerMinute: 1, perKeyPerMinute: 1 };
    await using limited = await aRig({ corsOrigins: ['loopback'], limits, addressOf: () => 'http://127.0.0.1:1' });
    const replies = [await limited.call(read()), await limited.call(read())];
    expect(replies.map(({ status }) => status)).toEqual([503, 429]);
    for (const { headers } of replies) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(headers['access-control-allow-origin']).toBe(PAGE);
    }
  });

  test.each<[string, number, Call]>([
    ['a refusal', 404, { path: '/nothing' }],
    ['a health check', 200, { path: '/healthz' }],
    ['a document', 200, { path: '/openapi.json' }],
    ['a problem', 200, { path: '/problems/not_found' }],
    ['a refused preflight', 405, preflight('/orders', 'http://evil.example')],
  ])('Vary names Origin in %s, so that a cache does not give it to a page of an allowed origin', async (_of, status, call) => {
    const { headers, ...reply } = await rig.call(call);
    expect([reply.status, headers['access-control-allow-origin']]).toEqual([status, undefined]);
    expect(headers['vary']?.split(', ')).toContain('Origin');
  });

  test('A page reads a document, and its cached copy is for one origin', async () => {
    const { status, headers } = await rig.call({ path: '/openapi.json', headers: { origin: PAGE } });
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([200, PAGE, 'Origin, Accept-Encoding']);
    const again = await rig.call({ path: '/openapi.json', headers: { origin: PAGE, 'if-none-match': headers['etag'] ?? '' } });
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, PAGE]);
  });
});

/** Names of the headers in all answers of the OpenAPI document. */
function declaredHeaders(): readonly string[] {
  const names = new Set<string>();
  const visit = (part: unknown, key: string): void => {
    if (typeof part !== 'object' || part === null) return;
    if (key === 'responses') {
      for (const answer of Object.values(part) as { readonly headers?: object }[]) {
        for (const name of Object.keys(answer.headers ?? {})) names.add(name);
      }
    }
    for (const [name, value] of Object.entries(part)) visit(value, name);
  };
  visit(estateOpenApi('0.0.0')['paths'], 'paths');
  return [...names];
}
