import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import express from 'express';
import { scriptOf } from '../../console/scalar.ts';
import { createConsole } from '../../console/serve.ts';
import { readConfiguration } from '../../estate/configuration.ts';
import { consoleConfig } from '../../estate/console.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { estate } from '../support/estate.ts';
import { ask, BROWSER } from './asking.ts';
import { aRig } from './running-gateway.ts';

const page = async (path = '/console/') => (await ask(path)).body.toString();
const assetsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, address = '']) => address)),
];

test.each(['GET', 'HEAD'])('The root of the gateway redirects browsers to the console for %s', async (method) => {
  const answer = await ask('/', { accept: BROWSER }, method);
  const headers = { location: '/console/', vary: 'Origin, Accept', 'cache-control': 'no-store' };
  expect(answer).toMatchObject({ status: 303, headers });
});

test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/*;q=0.2, */*;q=0.1'])(
  'The root of the gateway serves its index to a program that accepts %s',
  async (accept) => {
    const answer = await ask('/', accept === undefined ? {} : { accept });
    expect([answer.status, answer.headers['vary']]).toEqual([200, 'Origin, Accept-Encoding']);
    expect(answer.body.toString()).toContain('A simulated retailer');
  },
);

test.each([
  ...['/console', '/console/', '/console/r/default', '/console/r/galway/activity/web.confirm.1?hop=x', '/console/r/%E2%80%AE/objects'],
])('The console serves its one HTML page at %s', async (path) => {
  const answer = await ask(path);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.body.toString()).toBe(await page());
});

test('The console permits only its own scripts and styles, and none inline', async () => {
  const { headers, body } = await ask('/console/');
  expect(String(headers['content-security-policy']).split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "frame-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "require-trusted-types-for 'script'",
  ]);
  expect(body.toString()).not.toMatch(/<script(?![^>]* src=)|<style| style=/);
  expect(headers).not.toHaveProperty('set-cookie');
});

test.each(['/console/', '/console/scalar/api', '/'])(
  'The page %s shares no browsing context group with pages of other origins',
  async (path) => {
    const { headers } = await ask(path, { accept: 'text/html' });
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  },
);

test('The page of the console links the documents without a script', async () => {
  const [, noscript = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await page()) ?? [];
  const links = [...noscript.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
  expect(links).toContain('/openapi.json');
  for (const link of links) expect([link, (await ask(link)).status]).toEqual([link, 200]);
});

test('The console serves the files of its page compressed, with a hash of the contents in each name', async () => {
  for (const address of assetsOf(await page())) {
    const { status, headers } = await ask(address, { 'accept-encoding': 'gzip' });
    expect([address, status, headers['content-encoding']]).toEqual([address, 200, 'gzip']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(address).toMatch(/^\/console\/assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
  }
});

test('The first page of the console loads at most 76 KB in 15 files', async () => {
  const html = await page();
  const addresses = new Set(['/console/', '/console/config.json', ...assetsOf(html)]);
  expect([...addresses].filter((address) => address.endsWith('.css'))).toHaveLength(1);
  const sizes = await Promise.all([...addresses].map(async (address) => (await ask(address, { 'accept-encoding': 'gzip' })).body.length));
  expect(sizes.length).toBeLessThanOrEqual(15);
  expect(sizes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(76_000);
});

test('The page of the console preloads all imports of its script and of the overview', async () => {
  const addresses = assetsOf(await page());
  for (const address of addresses.filter((one) => one.endsWith('.js'))) {
    const imported = [...(await ask(address)).body.toString().matchAll(/^(?:import|\} from) ?"\.\/([^"]+)";$/gm)];
    for (const [, name = ''] of imported) expect(addresses).toContain(`/console/assets/${name}`);
  }
});

test('The empty page of a story is text, so that no browser runs it at the gateway', async () => {
  const { status, headers, body } = await ask('/console/story.html');
  expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, 'text/plain; charset=utf-8', 'nosniff']);
  expect(body.toString()).toContain('<script type="application/json" id="story"></script>');
});

test('The console sends the catalog to the browser without its schemas', async () => {
  const scripts = assetsOf(await page()).filter((address) => address.endsWith('.js'));
  const texts = await Promise.all(scripts.map(async (address) => (await ask(address)).body.toString()));
  expect(texts.join()).toContain('/_control/faults/{name}');
  expect(texts.join()).not.toContain('ZodType');
});

test('The page of the console has all data that it needs before sign-in, including the public credentials', async () => {
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

test.each(['/console/assets/nothing.js', '/console/assets/../serve.ts', '/console/assets/', '/console/assets/pages.json', '/console/x.js'])(
  'The console has no file %s',
  async (path) => {
    const answer = await ask(path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  },
);

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('The console refuses %s', async (method) => {
  for (const path of [
    '/',
    '/problems',
    '/problems/not_found',
    ...['', 'config.json', 'assets/nothing.js', 'r/default'].map((name) => `/console/${name}`),
  ]) {
    const answer = await ask(path, {}, method);
    expect([path, answer.status, answer.headers['allow']]).toEqual([path, 405, 'GET, HEAD']);
  }
});

test('The console answers only to host names of this machine', async () => {
  for (const path of ['/console/', '/console/config.json', '/console/assets/nothing.js']) {
    expect((await ask(path, { host: 'foreign.example.com' })).status).toBe(421);
  }
});

test('The console has the public credentials outside production, and never a private credential', () => {
  const credential = (secret: string) => [{ name: 'control', kind: 'bearer' as const, secret, scopes: ['control' as const] }];
  const configOf = (secret: string, NODE_ENV = 'development') => consoleConfig(readConfiguration({ NODE_ENV }), credential(secret))();
  expect(configOf('demo-control-token')).toMatchObject({ production: false, demo: { control: 'demo-control-token' } });
  expect(configOf('demo-control-token', 'production')).not.toHaveProperty('demo');
  expect(JSON.stringify(configOf('a-secret-of-ours'))).not.toContain('a-secret-of-ours');
});

test('A gateway without the console serves nothing under /console, and its index to all clients', async () => {
  await using estateWithout = await anObservedEstate({ CONSOLE: 'off' });
  const get = (path: string) => fetch(estateWithout.running.gateway + path, { headers: { accept: BROWSER } });
  for (const path of ['/console/', '/console', '/console/config.json', '/console/assets/nothing.js'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect(await (await get('/')).text()).toContain('A simulated retailer');
});

test('A gateway computes the data of the console only when the console reads them', async () => {
  let asked = 0;
  const documents = express.Router().use(
    createConsole(() => {
      asked += 1;
      return { version: '0', production: true, adapters: { state: 'Redis', events: 'Kafka' } };
    }),
  );
  await using on = await aRig({ documents });
  expect((await on.call({ path: '/console/r/default' })).status).toBe(200);
  expect(asked).toBe(0);
  expect((await on.call({ path: '/console/config.json' })).json).toMatchObject({ production: true });
  expect(asked).toBe(1);
});

test('The script of the references is served whole, compressed, and with an ETag', async () => {
  const [, script = ''] = /<script defer src="([^"]+)">/.exec(await page('/console/scalar/api')) ?? [];
  const packed = await ask(script, { 'accept-encoding': 'gzip' });
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' };
  expect(packed).toMatchObject({ status: 200, headers });
  expect(packed.body.length).toBeLessThan(1_600_000);
  expect(gunzipSync(packed.body).toString()).toContain('createApiReference');
  const again = await ask(script, { 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers['etag']) });
  expect(again.status).toBe(304);
});

test('The script of the references is reported as missing when its package does not export it', () =>
  expect(() => scriptOf(() => {})).toThrow('@scalar/fastify-api-reference hands out no script.'));
