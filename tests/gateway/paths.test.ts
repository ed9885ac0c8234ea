import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { AUTHORIZED, aRig, asIntegration, head, sharedRig } from './running-gateway.ts';

const rig = sharedRig();
const receivedPaths = () => rig.upstream.received.map(({ url }) => url);

test.each([
  ...['//orders/ord_1', '/orders//ord_1', '/orders/ord_1//', '/orders\\ord_1', '/orders/./ord_1', '/orders/../orders/ord_1', '/orders/..'],
  ...['/orders/.', '/%2e%2e/internal/baskets/bsk_1', '/orders/%2E%2E/ord_1', '/orders/.%2e/ord_1', '/orders%2ford_1', '/orders%2Ford_1'],
  ...['/orders%5cord_1', '/orders%5Cord_1', '/orders/ord_1%00', '/orders/%zz', '/orders/%ff', '/orders/ord_1%', '/orders/ord_1#fragment'],
  ...[
    '/orders/käse',
    'http://[',
    'http://a:b',
    'http:///orders/ord_1',
    'http://user@localhost/orders/ord_1',
    'orders',
    '//',
    '*',
    '/%',
    '/?%',
    '/orders/x?a=%ff',
  ],
  ...['/_control/%ff', 'http://localhost/orders/../ord_1', 'http://localhost//orders', 'ftp://localhost/orders/ord_1'],
])('The path %s is refused with a problem before authentication', async (path) => {
  const reply = await rig.raw(head(`GET ${path}`, AUTHORIZED, 'Connection: close'));
  expect(reply).toMatch(/^HTTP\/1.1 400 .*"code":"malformed_request"/s);
  expect(reply).toMatch(/^content-type: application\/problem\+json/im);
  expect(reply).toMatch(/^x-correlation-id: req_/im);
  expect(rig.upstream.received).toEqual([]);
});

const UNAMBIGUOUS = ['/orders/ord_1?from=http://x/../y%2f%00', '/orders/a..b', '/orders/.a', '/orders/a%20b', '/orders/...'];
test.each(UNAMBIGUOUS)('The path %s is not ambiguous', async (path) => {
  expect((await rig.call({ path, headers: asIntegration })).status).toBe(200);
  expect(receivedPaths()).toEqual([path]);
});

test.each([
  'http://localhost/orders/ord_1?a=http://b/',
  'HTTP://gateway:8080/orders/ord_1?a=http://b/',
  'https://[::1]/orders/ord_1?a=http://b/',
])('A request for the whole address %s, as clients of a proxy send it, is answered like one for its path', async (address) => {
  const reply = await rig.raw(head(`GET ${address}`, AUTHORIZED, 'Connection: close'));
  expect(reply).toMatch(/^HTTP\/1.1 200 /);
  expect(receivedPaths()).toEqual(['/orders/ord_1?a=http://b/']);
  expect(rig.upstream.received[0]?.headers['x-forwarded-host']).toBe(new URL(address).host);
});

test('A request for a whole address without a path is answered like one for /, with and without a query', async () => {
  for (const address of ['http://localhost', 'http://localhost?a=b']) {
    const reply = await rig.raw(head(`GET ${address}`, 'Connection: close'));
    expect(reply).toMatch(/"instance":"\/"/);
  }
});

test('A request for a whole address needs one Host header like any other', async () => {
  const reply = await rig.raw(`GET http://localhost/orders/ord_1 HTTP/1.1\r\n${AUTHORIZED}\r\nConnection: close\r\n\r\n`);
  expect(reply).toMatch(/^HTTP\/1.1 400 .*no Host header/s);
});

const filled = (path: string) => path.replaceAll('{rehearsal}', 'default').replaceAll(/\{\w+\}/g, 'some-id');

test('The gateway has no route for a call between applications or for due work', async () => {
  for (const path of [...Object.values(internalCalls).map((call) => filled(call.path)), '/_work/due', '/_work']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const reply = await rig.call({ method, path, headers: asIntegration });
      expect([path, reply.status, reply.json['code']]).toEqual([path, 404, 'not_found']);
    }
  }
  expect(rig.upstream.received).toEqual([]);
});

test.each(['/nothing', '/orders/', '/ORDERS/ord_1', '/orders/ord_1/', '/orders/ord_1/unknown', '/orders/ord_1/cancel/more', '/_CONTROL'])(
  'The gateway has no route for %s, and answers 404 with a correlation id',
  async (path) => {
    const headers = { 'x-correlation-id': 'lost' };
    const reply = await rig.call({ path, headers: { ...asIntegration, ...headers } });
    expect(reply).toMatchObject({ status: 404, json: { code: 'not_found', instance: path, type: '/problems/not_found' }, headers });
  },
);

test.each([
  ['GET', '/inventory/items/sku-1', 'get-inventory-api'],
  ['GET', '/inventory/items/availability', 'get-inventory-api'],
  ['GET', '/inventory/reservations/availability', 'check-availability-api'],
  ['DELETE', '/inventory/reservations/availability', 'release-reservation-api'],
] as const)('%s %s is routed to %s: a literal segment wins unless it has no match or lacks the method', async (method, path, api) => {
  const applications: string[] = [];
  await using recording = await aRig({
    addressOf: (application) => {
      applications.push(application);
      return rig.upstream.url;
    },
  });
  expect((await recording.call({ method, path, headers: asIntegration })).status).toBe(200);
  expect(applications).toEqual([apis[api].application]);
});

test('An anonymous caller may read the liveness and readiness of the gateway', async () => {
  expect(await rig.call({ path: '/healthz' })).toMatchObject({ status: 200, json: { status: 'ok' } });
  expect(await rig.call({ path: '/readyz' })).toMatchObject({ status: 200, json: { status: 'ready' } });
  await using starting = await aRig({ states: () => [{ ready: false, waitingFor: 'redis: no connection' }] });
  const json = { status: 'not ready', waitingFor: ['redis: no connection'] };
  expect(await starting.call({ path: '/readyz' })).toMatchObject({ status: 503, json });
  expect(await starting.call({ path: '/healthz' })).toMatchObject({ status: 200 });
});

test('The readiness of the gateway names absent applications only if it is asked for all', async () => {
  const applicationStates = async () => [
    { name: 'pos', ready: true },
    { name: 'oms', ready: false, waitingFor: 'it cannot be reached' },
  ];
  await using without = await aRig({ applicationStates });
  const named = { status: 'ready', applications: { pos: 'ready', oms: 'it cannot be reached' } };
  expect(await without.call({ path: '/readyz' })).toMatchObject({ status: 200, json: named });
  const json = { status: 'not ready', waitingFor: ['oms: it cannot be reached'] };
  expect(await without.call({ path: '/readyz?all=true' })).toMatchObject({ status: 503, json });
  expect(await rig.call({ path: '/readyz?all=true' })).toMatchObject({ status: 200, json: { status: 'ready' } });
  const refused = await rig.call({ path: '/readyz?all=yes' });
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ pointer: '?all' }] } });
});

test.each(['/healthz', '/readyz'])('%s answers only GET and HEAD', async (path) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const refused = await rig.call({ method, path });
    expect([method, refused.status, refused.headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
  }
  expect((await rig.call({ method: 'HEAD', path })).status).toBe(200);
});

const upgrade = (to: string) => {
  const socket = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  return rig.raw(head('GET /orders/ord_1', AUTHORIZED, 'Connection: Upgrade', `Upgrade: ${to}`, ...socket), '}');
};

test('An upgrade to a WebSocket is refused', async () => {
  expect(await upgrade('websocket')).toMatch(/^HTTP\/1.1 400 /);
  expect(rig.upstream.received).toEqual([]);
});

test('An upgrade to HTTP/2, which some clients offer with every request, is ignored', async () => {
  expect(await upgrade('h2c')).toMatch(/^HTTP\/1.1 200 /);
  expect(rig.upstream.received[0]?.headers).not.toHaveProperty('upgrade');
});
