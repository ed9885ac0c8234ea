import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { ALL_CASES, AUTHORIZED, aMock, aPortal, authorized, CALCULATE, call, fixtureOf } from './running-touchpoint.ts';

let mock: Listening;
let portal: Listening;

beforeAll(async () => {
  mock = await aMock();
  portal = await aPortal({ mockUrl: mock.url });
});

describe('the forwarding of /mock', () => {
  test.each(ALL_CASES)('returns the answer of the mock for case %s', async (name) => {
    const body = fixtureOf(name).request;
    const [direct, forwarded] = await Promise.all([
      authorized(mock.url, { path: `/caso${name}`, body }),
      authorized(portal.url, { path: `/mock/caso${name}`, body }),
    ]);
    expect([forwarded.status, forwarded.text, forwarded.headers['retry-after']]).toEqual([
      direct.status,
      direct.text,
      direct.headers['retry-after'],
    ]);
    expect(forwarded.headers['content-type']).toBe('application/json');
  });

  test('passes on key, selector and body, and the refusals of the mock', async () => {
    const path = `/mock${CALCULATE}`;
    expect((await authorized(portal.url, { path, headers: { 'X-Mock-Case': '04' }, body: fixtureOf('04').request })).text).toContain(
      '"total":11.37',
    );
    expect((await authorized(portal.url, { path, headers: { 'X-Mock-Case': '10' } })).status).toBe(400);
    expect((await call(portal.url, { path })).status).toBe(403);
    expect((await call(portal.url, { method: 'GET', path })).headers.allow).toBe('POST');
    expect((await authorized(portal.url, { path: '/mock/nowhere' })).status).toBe(404);
  });

  test('requires the prefix', async () => {
    for (const path of [CALCULATE, '/caso02', '/mockcaso02', '/MOCK/caso02']) {
      expect((await authorized(portal.url, { path })).status).toBe(404);
    }
  });

  test('answers 502 in JSON when the mock is down, and recovers when it is back', async () => {
    const gone = await aMock();
    const facing = await aPortal({ mockUrl: gone.url });
    await gone.close();
    const reply = await authorized(facing.url, { path: '/mock/caso02' });
    expect([reply.status, reply.headers['content-type']]).toEqual([502, 'application/json']);
    expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
    expect((await call(facing.url, { method: 'GET', path: '/healthz' })).status).toBe(200);
    const back = await aMock({ port: gone.port });
    expect((await authorized(facing.url, { path: '/mock/caso02' })).status).toBe(200);
    await Promise.all([facing.close(), back.close()]);
  });

  test('answers 502 when the mock closes the connection without an answer', async () => {
    const rude = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => rude.once('listening', resolve));
    const facing = await aPortal({ mockUrl: `http://127.0.0.1:${(rude.address() as AddressInfo).port}` });
    expect((await authorized(facing.url, { path: '/mock/caso02' })).status).toBe(502);
    await facing.close();
    rude.close();
  });
});

describe('the page', () => {
  const get = (path: string) => call(portal.url, { method: 'GET', path });

  test('refers only to existing files of the portal', async () => {
    const page = await get('/');
    expect(page.headers['content-type']).toContain('text/html');
    const references = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, target]) => target ?? '');
    expect(references).toEqual(expect.arrayContaining(['tokens.css', 'portal.css', 'portal.js', 'openapi.json', 'openapi.yaml']));
    for (const target of references) expect([target, (await get(`/${target}`)).status]).toEqual([target, 200]);
    const scripts = (await readdir(new URL('../../services/touchpoint-mock/portal/', import.meta.url))).filter((file) =>
      file.endsWith('.js'),
    );
    expect(scripts).toContain('portal.js');
    for (const file of [...scripts, 'portal.css', '']) expect((await get(`/${file}`)).text).not.toMatch(/https?:\/\//);
  });

  test('is served under a policy that allows the portal alone', async () => {
    for (const path of ['/', '/portal.js', '/portal.json', '/openapi.json', '/nowhere']) {
      const { headers } = await get(path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  test('receives the 21 cases, the seven authorization fixtures and the suggested sequence', async () => {
    const data = JSON.parse((await get('/portal.json')).text);
    expect(data.cases.map((fixture: { case: string }) => fixture.case)).toEqual(ALL_CASES);
    expect(data.authorization).toHaveLength(7);
    expect(data.authorization[0]).toMatchObject({ name: 'valid', authorization: 'Bearer demo-store-key', touchpointId: 'SCO-01' });
    expect(data.sequence).toEqual(['02', '03', '04', '14', '10', '10r']);
    expect(data.aliases[0]).toEqual({ name: 'calculate', path: CALCULATE, prefilled: '02' });
  });

  test('fills in the configured key and lane', async () => {
    const other = await aPortal({ mockUrl: mock.url, storeKey: 'k$&y', lanes: ['SCO-42'] });
    const { authorization } = JSON.parse((await call(other.url, { method: 'GET', path: '/portal.json' })).text);
    expect(authorization[0]).toMatchObject({ authorization: 'Bearer k$&y', touchpointId: 'SCO-42' });
    await other.close();
  });

  test.each(['/../mock-server.ts', '/..%2fmock-server.ts', '/%2e%2e/mock-server.ts', '/portal-server.ts', '/.git/config'])(
    '%s does not lead out of its folder',
    async (path) => {
      expect([403, 404]).toContain((await get(path)).status);
    },
  );

  test('has its own health and readiness', async () => {
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  });
});

describe('the address of the portal', () => {
  test('is the loopback by default', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    expect(portal.url).toBe(`http://127.0.0.1:${portal.port}`);
    if (outside === undefined) return;
    await expect(call(`http://${outside.address}:${portal.port}`, { method: 'GET', path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
    const open = await aPortal({ mockUrl: mock.url, host: '0.0.0.0' });
    expect((await call(`http://${outside.address}:${open.port}`, { method: 'GET', path: '/healthz' })).status).toBe(200);
    await open.close();
  });

  test('rejects with the code and the port when the port is in use', async () => {
    await expect(aPortal({ mockUrl: mock.url, port: portal.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: portal.port });
  });
});

describe('the modules of the page', () => {
  const module = (name: string) => import(new URL(`../../services/touchpoint-mock/portal/${name}.js`, import.meta.url).href);

  /** The arguments that a shell passes to curl when the text is pasted. */
  function pasted(command: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      execFile('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], (error, stdout) => {
        if (error) reject(error);
        else resolve(stdout.split('\0').slice(0, -1));
      });
    });
  }

  test.each(['{"a": 1}', "it's", '$(id) `id` \\ "q" !', "'; exit 1; '", '@file', 'two\nlines', ''])(
    'a body %j survives the shell',
    async (body) => {
      const { curlCommand } = await module('curl');
      const command = curlCommand({ url: `${portal.url}/mock/caso02`, headers: { ...AUTHORIZED, 'X-Mock-Case': "0'2" }, body });
      expect(await pasted(command)).toEqual([
        '-i',
        '-X',
        'POST',
        `${portal.url}/mock/caso02`,
        '-H',
        'Authorization: Bearer demo-store-key',
        '-H',
        'Content-Type: application/json',
        '-H',
        "X-Mock-Case: 0'2",
        '--data-raw',
        body,
      ]);
    },
  );

  test('JSON is formatted without changing a value or the notation of a number', async () => {
    const { layOut } = await module('json-text');
    for (const name of ALL_CASES) {
      const { text } = await authorized(mock.url, { path: `/caso${name}` });
      const laidOut = layOut(text).join('\n');
      expect(JSON.parse(laidOut)).toEqual(JSON.parse(text));
      expect(laidOut.replace(/\n */g, '').replaceAll('": ', '":')).toBe(text);
    }
    expect(layOut('{"a":[],"b":{},"c":"x,{\\"}","d":1.50}').join('\n')).toBe(
      '{\n  "a": [],\n  "b": {},\n  "c": "x,{\\"}",\n  "d": 1.50\n}',
    );
    expect(layOut('not json')).toEqual(['not json']);
  });

  test('exactly the rejected lines are marked', async () => {
    const { layOut, markRejected } = await module('json-text');
    for (const name of ALL_CASES) {
      const { text } = await authorized(mock.url, { path: `/caso${name}` });
      const blocks: { text: string; rejected: boolean }[] = markRejected(layOut(text));
      const rejected = fixtureOf(name).response.lines?.filter(({ status }) => status === 'REJECTED') ?? [];
      expect(blocks.filter((block) => block.rejected).map((block) => JSON.parse(block.text.replace(/,$/, '')))).toEqual(rejected);
      expect(blocks.map((block) => block.text).join('\n')).toBe(layOut(text).join('\n'));
    }
  });

  test('every status of the mock or the portal has an explanation', async () => {
    const { inWords } = await module('plain-words');
    for (const name of ALL_CASES) {
      const { response, status } = fixtureOf(name);
      expect(inWords({ status, body: response, retryAfter: null }).text).toMatch(/^[A-Z].*\.$/);
      expect(inWords({ status, body: response, retryAfter: null }).text).not.toContain('undefined');
    }
    for (const status of [400, 403, 404, 405, 408, 413, 502]) {
      expect(inWords({ status, body: { error: 'x' }, retryAfter: null }).text).not.toContain('unexpected');
    }
    expect(inWords({ status: 403, body: { error: 'Touchpoint authorization denied' } }).text).toContain('do not retry');
    expect(inWords({ status: 503, body: fixtureOf('19').response, retryAfter: '30' }).text).toContain('30 seconds');
    expect(inWords({ status: 418, body: undefined }).text).toContain('418');
  });
});
