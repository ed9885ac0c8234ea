import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { request } from 'undici';
import { staticImports } from '../../console/import-graph.ts';
import { createConsole } from '../../console/serve.ts';
import { readConfiguration } from '../../estate/configuration.ts';
import { consoleConfig } from '../../estate/console.ts';
import { startEstate } from '../../estate/estate.ts';
import { faultKinds } from '../../shared/catalog/control/faults.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { TrackingStatus } from '../../shared/catalog/fulfillment/shipments.ts';
import { estate } from '../support/estate.ts';
import { aRig } from './running-gateway.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const { statusCode: status, headers: answered, body } = await request(`${estate.gateway}${path}`, { method, headers });
  return { status, headers: answered, body: Buffer.from(await body.arrayBuffer()) };
}
const GZIP = { 'accept-encoding': 'gzip' };
const page = async (path = '/console/') => (await ask(path)).body.toString();
const preloadsOf = (html: string): string[] => [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, address = '']) => address);

describe('The root of the gateway', () => {
  test.each(['GET', 'HEAD'])('The root sends a browser to the console at %s', async (method) => {
    const headers = { location: '/console/', vary: 'Accept', 'cache-control': 'no-store' };
    expect(await ask('/', { accept: BROWSER }, method)).toMatchObject({ status: 303, headers });
  });

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/*;q=0.2, */*;q=0.1'])(
    'The root shows its index to a program that accepts %s',
    async (accept) => {
      const answer = await ask('/', accept === undefined ? {} : { accept });
      expect(answer).toMatchObject({ status: 200, headers: { vary: 'Accept-Encoding' } });
      expect(answer.body.toString()).toContain('A simulated retailer');
    },
  );
});

describe('The page of the console', () => {
  test.each([
    ...['/console', '/console/', '/console/r/default', '/console/r/galway/activity/web.confirm.1?hop=x', '/console/r/%E2%80%AE/objects'],
  ])('The console answers its one HTML page at %s', async (path) => {
    const answer = await ask(path);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(answer.body.toString()).toBe(await page());
  });

  test('The console allows its own scripts and styles only, and one import map by its hash', async () => {
    const { headers, body } = await ask('/console/');
    const [, map = ''] = /<script type="importmap">(.*?)<\/script>/.exec(body.toString()) ?? [];
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(map))).toString('base64');
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      ...["default-src 'none'", `script-src 'self' 'sha256-${hash}'`, "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
    ]);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test.each(['/console/', '/console/reference/api', '/'])(
    '%s shares no browsing context group with pages of other origins',
    async (path) => {
      expect((await ask(path, { accept: 'text/html' })).headers['cross-origin-opener-policy']).toBe('same-origin');
    },
  );

  test('The console links to the documents without a script', async () => {
    const [, noscript = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await page()) ?? [];
    const links = [...noscript.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toContain('/openapi.json');
    for (const link of links) expect([link, (await ask(link)).status]).toEqual([link, 200]);
  });
});

describe('The files of the console', () => {
  test('The modules of the console are served without types, compressed and with a tag', async () => {
    const addresses = preloadsOf(await page());
    expect(addresses).toContain('/console/page/main.ts');
    for (const address of addresses) {
      const { body, ...answer } = await ask(address, GZIP);
      const headers = { 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' };
      expect({ address, ...answer }).toMatchObject({ address, status: 200, headers });
      expect(gunzipSync(body).toString()).not.toMatch(/^(?:import|export) type |^interface /m);
      expect((await ask(address, { ...GZIP, 'if-none-match': String(answer.headers['etag']) })).status).toBe(304);
    }
  });

  test.each(['overview', 'activity'])('The page %s of the console loads at most 70 KB and 30 files', async (name) => {
    const files = ['styles.css', 'page/icon.svg', 'config.json', 'catalog.json', `page/${name}.ts`].map((file) => `/console/${file}`);
    const loaded = new Map<string, Buffer>();
    const load = async (address: string): Promise<void> => {
      if (loaded.has(address)) return;
      loaded.set(address, Buffer.of());
      const { status, body } = await ask(address, GZIP);
      expect([address, status]).toEqual([address, 200]);
      loaded.set(address, body);
      if (!/^\/console\/page\/.*\.ts$/.test(address)) return;
      const siblings = staticImports(gunzipSync(body).toString()).filter((module) => module.startsWith('./'));
      for (const module of siblings) await load(address.replace(/[^/]+$/, module.slice(2)));
    };
    for (const address of ['/console/', ...files, ...preloadsOf(await page())]) await load(address);
    expect([...loaded.keys()]).toContain('/console/page/first-page.ts');
    expect(loaded.size).toBeLessThanOrEqual(30);
    expect([...loaded.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(70_000);
  });

  test('The styles of the console are one sheet that begins with the tokens of the portal', async () => {
    const { headers, body } = await ask('/console/styles.css');
    expect(headers['content-type']).toContain('text/css');
    expect(body.toString()).toMatch(/^\/\* Design tokens of the portal and the console/);
    expect(body.toString()).not.toMatch(/url\(|@import/);
  });

  test('The configuration of the console has the public credentials', async () => {
    const { headers, body } = await ask('/console/config.json');
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body.toString())).toEqual({
      version: expect.any(String),
      production: false,
      adapters: { state: 'memory', events: 'memory' },
      portal: estate.portal,
      demo: { control: 'demo-control-token', integration: 'demo-integration-token', apiKey: 'demo-carrier-key' },
    });
  });

  test('The catalog of the console has every operation, application, API and target of faults', async () => {
    const { operations, applications, apis, faults, publishers } = JSON.parse(await page('/console/catalog.json'));
    expect(Object.keys(operations)).toEqual(Object.keys(controlOperations));
    expect(operations['put-fault']).toEqual({ method: 'PUT', path: '/_control/faults/{name}' });
    expect(applications.oms).toBe('OMS');
    const call = { audience: 'public', auth: 'bearer', method: 'POST', path: '/orders/{id}/confirm' };
    expect(apis['confirm-order-api']).toEqual({ name: 'Confirm Order', application: 'oms', ...call });
    const events = allEvents.map(({ name }) => name);
    expect(faults).toMatchObject({ kinds: faultKinds, events, scans: TrackingStatus.options });
    expect(Object.keys(publishers)).toEqual(events);
    expect(publishers['payment-authorized']).toBe('payment-hub');
  });

  test.each([
    ...[
      '/console/page/nothing.ts',
      '/console/page/../serve.ts',
      '/console/lib/express/index.js',
      '/console/page/node.d.ts',
      '/console/x.js',
    ],
  ])('The console has no file %s', async (path) => {
    const answer = await ask(path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  const ADDRESSES = ['/', '/problems', '/console/', '/console/config.json', '/console/page/main.ts', '/console/r/default'];
  test.each(ADDRESSES)('%s accepts only GET and HEAD', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await ask(path, {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test.each(['/console/', '/console/config.json', '/console/page/main.ts'])(
    '%s is answered only under names of this machine',
    async (path) => {
      expect((await ask(path, { host: 'foreign.example.com' })).status).toBe(421);
    },
  );
});

describe('Configurations of the console', () => {
  const configOf = (NODE_ENV: string, secret: string) =>
    consoleConfig(readConfiguration({ NODE_ENV }), [{ name: 'demo-control', kind: 'bearer', secret, scopes: ['control'] }])();

  test.each([
    ['production', 'demo-control-token', undefined],
    ['development', 'demo-control-token', { control: 'demo-control-token' }],
    ['development', 'a-secret-of-ours', undefined],
  ])('A console in %s with the credential %s offers the credential %j', async (environment, secret, demo) => {
    const config = configOf(environment, secret);
    expect(config).toMatchObject({ production: environment === 'production' });
    expect(config.demo?.control).toBe(demo?.control);
    if (!demo) expect(JSON.stringify(config)).not.toContain(secret);
  });

  test('A gateway without the console has nothing under /console and shows its index to everybody', async () => {
    const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
    const off = await startEstate(readConfiguration({ ...ports, CONSOLE: 'off' }), pino({ level: 'silent' }));
    try {
      await off.ready;
      const open = (path: string) => fetch(off.gateway + path, { headers: { accept: BROWSER } });
      for (const path of ['/console/', '/console', '/console/config.json', '/console/page/main.ts', '/console/lib/preact/dist/preact.mjs'])
        expect([path, (await open(path)).status]).toEqual([path, 404]);
      expect(await (await open('')).text()).toContain('A simulated retailer');
    } finally {
      await off.close();
    }
  });

  test('The console reads its configuration only when it is requested', async () => {
    let reads = 0;
    const documents = express.Router().use(
      createConsole(() => {
        reads += 1;
        return { version: '0', production: true, adapters: { state: 'Redis', events: 'Kafka' } };
      }),
    );
    await using on = await aRig({ documents });
    expect((await on.call({ path: '/console/r/default' })).status).toBe(200);
    expect(reads).toBe(0);
    expect((await on.call({ path: '/console/config.json' })).json).toMatchObject({ production: true });
    expect(reads).toBe(1);
  });
});
