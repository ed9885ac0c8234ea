import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { apis } from '../../shared/catalog/apis.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { aRig, asCarrier, asIntegration, BEARER, type Rig, raw } from './running-gateway.ts';

let rig: Rig;
beforeAll(async () => {
  const documents = express.Router({ strict: true, caseSensitive: true });
  documents.get('/openapi.json', (_request, response) => void response.json({ openapi: '3.1.0' }));
  rig = await aRig({ documents });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});
beforeEach(() => {
  rig.upstream.received.length = 0;
});

describe('An ambiguous path', () => {
  test.each([
    '//orders/ord_1',
    '/orders//ord_1',
    '/orders/ord_1//',
    '/orders\\ord_1',
    '/orders/./ord_1',
    '/orders/../orders/ord_1',
    '/orders/..',
    '/orders/.',
    '/%2e%2e/internal/baskets/bsk_1',
    '/orders/%2E%2E/ord_1',
    '/orders/.%2e/ord_1',
    '/orders%2ford_1',
    '/orders%2Ford_1',
    '/orders%5cord_1',
    '/orders%5Cord_1',
    '/orders/ord_1%00',
    '/orders/%zz',
    '/orders/ord_1%',
    '/orders/ord_1#fragment',
    '/orders/käse',
    'http://elsewhere/orders/ord_1',
    'orders',
  ])('is refused before authentication: %s', async (path) => {
    const bytes = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nX-Correlation-Id: odd\r\nConnection: close\r\n\r\n`;
    const reply = await raw(rig.gateway.port, bytes);
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply).toMatch(/^content-type: application\/problem\+json/im);
    expect(reply).toContain('"code":"malformed_request"');
    expect(rig.upstream.received).toEqual([]);
  });

  test('is detected in the path alone: a query may contain dots and slashes', async () => {
    const reply = await rig.call({ path: '/orders/ord_1?from=http://x/../y%2f%00', headers: asIntegration });
    expect(reply.status).toBe(200);
  });

  test('excludes paths with dots inside a segment or with other encoded characters', async () => {
    for (const path of ['/orders/a..b', '/orders/.a', '/orders/a%20b', '/orders/...']) {
      expect(await rig.call({ path, headers: asIntegration })).toMatchObject({ status: 200 });
    }
    expect(rig.upstream.received.map(({ url }) => url)).toEqual(['/orders/a..b', '/orders/.a', '/orders/a%20b', '/orders/...']);
  });
});

describe('The gateway has routes', () => {
  test('for every public API of the catalog', async () => {
    for (const api of Object.values(apis)) {
      const path = api.path.replaceAll('{rehearsal}', 'default').replaceAll(/\{\w+\}/g, 'some-id');
      const reply = await rig.call({ method: api.method, path, headers: api.auth === 'api-key' ? asCarrier : asIntegration });
      expect({ api: api.id, status: reply.status }).toEqual({ api: api.id, status: 200 });
    }
    expect(rig.upstream.received).toHaveLength(Object.keys(apis).length);
  });

  test('for no call between applications, and none for due work', async () => {
    const paths = [...Object.values(internalCalls).map(({ path }) => path.replaceAll(/\{\w+\}/g, 'some-id')), '/_work/due', '/_work'];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const reply = await rig.call({ method, path, headers: asIntegration });
        expect({ path, status: reply.status, code: reply.json['code'] }).toEqual({ path, status: 404, code: 'not_found' });
      }
    }
    expect(rig.upstream.received).toEqual([]);
  });

  test.each(['/nothing', '/orders/', '/ORDERS/ord_1', '/orders/ord_1/', '/orders/ord_1/unknown', '/orders/ord_1/cancel/more', '/_CONTROL'])(
    'not for %s, which is 404 with a correlation id',
    async (path) => {
      const reply = await rig.call({ path, headers: { ...asIntegration, 'x-correlation-id': 'lost' } });
      expect(reply).toMatchObject({ status: 404, json: { code: 'not_found', instance: path, type: '/problems/not_found' } });
      expect(reply.headers['x-correlation-id']).toBe('lost');
    },
  );

  test('whose other methods are 405 with the allowed methods', async () => {
    const order = await rig.call({ method: 'PUT', path: '/orders/ord_1', headers: asIntegration });
    expect(order).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
    expect(order.headers['allow']).toBe('GET, HEAD');
    const customers = await rig.call({ method: 'OPTIONS', path: '/customers', headers: asIntegration });
    expect(customers.headers['allow']).toBe('GET, HEAD, POST');
    expect(rig.upstream.received).toEqual([]);
  });

  test('that prefer a literal segment, and use the parameter if the literal has no match or lacks the method', async () => {
    const applications: string[] = [];
    await using telling = await aRig({
      addressOf: (application) => {
        applications.push(application);
        return rig.upstream.url;
      },
    });
    for (const path of ['/inventory/items/sku-1', '/inventory/items/availability', '/inventory/reservations/availability']) {
      expect(await telling.call({ path, headers: asIntegration })).toMatchObject({ status: 200 });
    }
    await telling.call({ method: 'DELETE', path: '/inventory/reservations/availability', headers: asIntegration });
    const { 'get-inventory-api': items, 'check-availability-api': availability, 'release-reservation-api': reservations } = apis;
    expect(applications).toEqual([items.application, items.application, availability.application, reservations.application]);
    const reply = await telling.call({ method: 'PUT', path: '/inventory/reservations/availability', headers: asIntegration });
    expect(reply.headers['allow']).toBe('DELETE, GET, HEAD');
  });
});

test('Two routes that match the same path require the same authorisation', () => {
  const all = Object.values(apis);
  const pattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  for (const one of all) {
    const sample = one.path.replaceAll(/\{\w+\}/g, 'x');
    for (const other of all) {
      const meets = one.method === other.method && (pattern(other.path).test(sample) || overlaps(one.path, other.path));
      if (meets) expect([one.id, other.id, one.auth]).toEqual([one.id, other.id, other.auth]);
    }
  }
});

function overlaps(one: string, other: string): boolean {
  const [a, b] = [one.split('/'), other.split('/')];
  return a.length === b.length && a.every((segment, at) => segment === b[at] || segment.startsWith('{') || b[at]?.startsWith('{') === true);
}

describe('An anonymous caller', () => {
  test('may read the liveness and readiness of the gateway', async () => {
    expect(await rig.call({ path: '/healthz' })).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await rig.call({ path: '/readyz' })).toMatchObject({ status: 200, json: { status: 'ready' } });
    await using starting = await aRig({ states: () => [{ ready: false, waitingFor: 'redis: no connection' }] });
    const answer = { status: 'not ready', waitingFor: ['redis: no connection'] };
    expect(await starting.call({ path: '/readyz' })).toMatchObject({ status: 503, json: answer });
    expect(await starting.call({ path: '/healthz' })).toMatchObject({ status: 200 });
  });

  test('may read the documents', async () => {
    expect(await rig.call({ path: '/openapi.json' })).toMatchObject({ status: 200, json: { openapi: '3.1.0' } });
    expect((await rig.call({ path: '/openapi.json' })).headers).not.toHaveProperty('x-powered-by');
  });
});

describe('Upgrades', () => {
  const upgrade = (to: string): Promise<string> =>
    raw(
      rig.gateway.port,
      `GET /orders/ord_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      '}',
    );

  test('to a WebSocket are refused', async () => {
    expect(await upgrade('websocket')).toMatch(/^HTTP\/1.1 400 /);
    expect(rig.upstream.received).toEqual([]);
  });

  test('to HTTP/2, which some clients offer with every request, are ignored and not passed on', async () => {
    expect(await upgrade('h2c')).toMatch(/^HTTP\/1.1 200 /);
    expect(rig.upstream.received[0]?.headers).not.toHaveProperty('upgrade');
  });
});
