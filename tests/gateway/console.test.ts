import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { request } from 'undici';
import { createConsole } from '../../console/serve.ts';
import { readConfiguration } from '../../estate/configuration.ts';
import { consoleConfig } from '../../estate/console.ts';
import { startEstate } from '../../estate/estate.ts';
import { estate } from '../support/estate.ts';
import { aRig } from './running-gateway.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  request(`${estate.gateway}${path}`, { method: method as 'GET', headers }).then(async ({ statusCode, headers: answered, body }) => ({
    status: statusCode,
    headers: answered,
    body: Buffer.from(await body.arrayBuffer()),
  }));
const page = async (path = '/console/') => (await ask(path)).body.toString();
const assetsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, address = '']) => address)),
];

describe('The root of the gateway', () => {
  test.each(['GET', 'HEAD'])('sends browsers to the console when they ask with %s', async (method) => {
    const answer = await ask('/', { accept: BROWSER }, method);
    expect([answer.status, answer.headers['location'], answer.headers['vary'], answer.headers['cache-control']]).toEqual([
      303,
      '/console/',
      'Accept',
      'no-store',
    ]);
  });

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/*;q=0.2, */*;q=0.1'])(
    'shows its index to a program that accepts %s',
    async (accept) => {
      const answer = await ask('/', accept === undefined ? {} : { accept });
      expect([answer.status, answer.headers['vary']]).toEqual([200, 'Accept-Encoding']);
      expect(answer.body.toString()).toContain('A simulated retailer');
    },
  );
});

describe('The console', () => {
  test.each([
    '/console',
    '/console/',
    '/console/r/default',
    '/console/r/galway/activity/web.confirm.1?hop=x',
    '/console/r/%E2%80%AE/objects',
  ])('answers its one HTML page at %s', async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body.toString()).toBe(await page());
  });

  test('allows its own scripts and styles only, and none within the page', async () => {
    const { headers, body } = await ask('/console/');
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
    ]);
    expect(body.toString()).not.toMatch(/<script(?![^>]* src=)|<style| style=/);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test.each(['/console/', '/console/reference/api', '/'])(
    '%s is in a browsing context group without pages of other origins',
    async (path) => {
      const { headers } = await ask(path, { accept: 'text/html' });
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    },
  );

  test('links in its page to the documents without a script', async () => {
    const [, noscript = ''] = /<noscript>(.*?)<\/noscript>/s.exec(await page()) ?? [];
    const links = [...noscript.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toContain('/openapi.json');
    for (const link of links) expect([link, (await ask(link)).status]).toEqual([link, 200]);
  });

  test('serves the files of its page compressed, under names that change with their contents', async () => {
    for (const address of assetsOf(await page())) {
      const { status, headers } = await ask(address, { 'accept-encoding': 'gzip' });
      expect([address, status, headers['content-encoding'], headers['cache-control']]).toEqual([
        address,
        200,
        'gzip',
        'public, max-age=31536000, immutable',
      ]);
      expect(address).toMatch(/^\/console\/assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
    }
  });

  test('loads its first page with at most 70 KB and 15 files', async () => {
    const html = await page();
    const addresses = new Set(['/console/', '/console/config.json', ...assetsOf(html)]);
    expect([...addresses].filter((address) => address.endsWith('.css'))).toHaveLength(1);
    const sizes = await Promise.all([...addresses].map(async (address) => (await ask(address, { 'accept-encoding': 'gzip' })).body.length));
    expect(sizes.length).toBeLessThanOrEqual(15);
    expect(sizes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(70_000);
  });

  test('preloads everything that its script and the overview import', async () => {
    const addresses = assetsOf(await page());
    for (const address of addresses.filter((one) => one.endsWith('.js'))) {
      const imported = [...(await ask(address)).body.toString().matchAll(/^(?:import|\} from) ?"\.\/([^"]+)";$/gm)];
      for (const [, name = ''] of imported) expect(addresses).toContain(`/console/assets/${name}`);
    }
  });

  test('carries the catalog to the browser without its schemas', async () => {
    const scripts = assetsOf(await page()).filter((address) => address.endsWith('.js'));
    const texts = await Promise.all(scripts.map(async (address) => (await ask(address)).body.toString()));
    expect(texts.join()).toContain('/_control/faults/{name}');
    expect(texts.join()).not.toContain('ZodType');
  });

  test('gives its page the public settings and credentials before the page signs in', async () => {
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

  test.each([
    '/console/assets/nothing.js',
    '/console/assets/../serve.ts',
    '/console/assets/',
    '/console/assets/pages.json',
    '/console/x.js',
  ])('has no file %s', async (path) => {
    const answer = await ask(path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    for (const path of [
      '/',
      '/problems',
      '/problems/not_found',
      '/console/',
      '/console/config.json',
      '/console/assets/nothing.js',
      '/console/r/default',
    ]) {
      const answer = await ask(path, {}, method);
      expect([path, answer.status, answer.headers['allow']]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  test('answers only under names of this machine', async () => {
    for (const path of ['/console/', '/console/config.json', '/console/assets/nothing.js']) {
      expect((await ask(path, { host: 'foreign.example.com' })).status).toBe(421);
    }
  });

  test('computes its facts only when its settings are read', async () => {
    let computed = 0;
    const documents = express.Router().use(
      createConsole(() => {
        computed += 1;
        return { version: '0', production: true, adapters: { state: 'Redis', events: 'Kafka' } };
      }),
    );
    await using on = await aRig({ documents });
    expect((await on.call({ path: '/console/r/default' })).status).toBe(200);
    expect(computed).toBe(0);
    expect((await on.call({ path: '/console/config.json' })).json).toMatchObject({ production: true });
    expect(computed).toBe(1);
  });
});

describe('A console in production', () => {
  test('offers no public credential', async () => {
    const demo = [{ name: 'demo-control', kind: 'bearer', secret: 'demo-control-token', scopes: ['control'] }] as const;
    const configOf = (NODE_ENV: string) =>
      consoleConfig(
        readConfiguration({ NODE_ENV }),
        demo.map((one) => ({ ...one, scopes: [...one.scopes] })),
      )();
    expect(configOf('production')).toMatchObject({ production: true });
    expect(configOf('production')).not.toHaveProperty('demo');
    expect(configOf('development')).toMatchObject({ production: false, demo: { control: 'demo-control-token' } });
  });

  test('offers no credential that is not public', async () => {
    const own = { name: 'ours', kind: 'bearer', secret: 'a-secret-of-ours', scopes: ['control'] } as const;
    const config = consoleConfig(readConfiguration({}), [{ ...own, scopes: [...own.scopes] }])();
    expect(JSON.stringify(config)).not.toContain('a-secret-of-ours');
  });
});

describe('A gateway without the console', () => {
  test('has nothing under /console and shows its index to everybody', async () => {
    const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
    const off = await startEstate(readConfiguration({ ...ports, CONSOLE: 'off' }), pino({ level: 'silent' }));
    try {
      await off.ready;
      const statusOf = async (path: string): Promise<number> => (await fetch(off.gateway + path, { headers: { accept: BROWSER } })).status;
      for (const path of ['/console/', '/console', '/console/config.json', '/console/assets/nothing.js'])
        expect([path, await statusOf(path)]).toEqual([path, 404]);
      expect(await (await fetch(off.gateway, { headers: { accept: BROWSER } })).text()).toContain('A simulated retailer');
    } finally {
      await off.close();
    }
  });
});
