import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { curlCommand } from '../../ui/touchpoint/exchange.ts';
import { layOut, markRejected } from '../../ui/touchpoint/json-text.ts';
import { type Basket, inWords } from '../../ui/touchpoint/plain-words.ts';
import { serving } from '../conform/serving.ts';
import { ALL_CASES, AUTHORIZED, aMock, aPortal, authorized, CALCULATE, call, fixtureOf } from './running-touchpoint.ts';

const mock = await aMock();
const portal = await aPortal({ mockUrl: mock.url });

const get = (path: string, url = portal.url) => call(url, { method: 'GET', path });
const statusOf = async (path: string, url = portal.url) => (await get(path, url)).status;

test.each(ALL_CASES)('The portal returns the answer of the mock for case %s', async (name) => {
  const body = fixtureOf(name).request;
  const [direct, forwarded] = await Promise.all([
    authorized(mock.url, { path: `/caso${name}`, body }),
    authorized(portal.url, { path: `/mock/caso${name}`, body }),
  ]);
  const same = [direct.status, direct.text, direct.headers['retry-after'], 'application/json'];
  const { status, text, headers } = forwarded;
  expect([status, text, headers['retry-after'], headers['content-type']]).toEqual(same);
});

test('The portal forwards key, selector and body, and the refusals of the mock', async () => {
  const path = `/mock${CALCULATE}`;
  const priced = await authorized(portal.url, { path, headers: { 'X-Mock-Case': '04' }, body: fixtureOf('04').request });
  expect(priced.text).toContain('"total":11.37');
  expect((await authorized(portal.url, { path, headers: { 'X-Mock-Case': '10' } })).status).toBe(400);
  expect((await call(portal.url, { path })).status).toBe(403);
  expect((await get(path)).headers.allow).toBe('POST');
  for (const other of ['/mock/nowhere', CALCULATE, '/caso02', '/mockcaso02', '/MOCK/caso02'])
    expect((await authorized(portal.url, { path: other })).status).toBe(404);
});

test('The portal answers 502 in JSON while the mock is down', async () => {
  const gone = await aMock();
  const facing = await aPortal({ mockUrl: gone.url });
  await gone.close();
  const reply = await authorized(facing.url, { path: '/mock/caso02' });
  expect([reply.status, reply.headers['content-type']]).toEqual([502, 'application/json']);
  expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
  expect(await statusOf('/healthz', facing.url)).toBe(200);
  await aMock({ port: gone.port });
  expect((await authorized(facing.url, { path: '/mock/caso02' })).status).toBe(200);
});

test('The portal answers 502 when the mock closes the connection without an answer', async () => {
  await using rude = await serving((request) => request.socket.destroy());
  const facing = await aPortal({ mockUrl: rude.url });
  expect((await authorized(facing.url, { path: '/mock/caso02' })).status).toBe(502);
});

test('The page refers only to existing files of the portal', async () => {
  const page = await get('/');
  expect(page.headers['content-type']).toContain('text/html');
  const references = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, target]) => target ?? '');
  expect(references).toEqual(expect.arrayContaining(['openapi.json', 'openapi.yaml']));
  const files = references.filter((name) => name !== '');
  expect(files.filter((name) => /^assets\/(?:touchpoint|icon)-[A-Z0-9]{8}\.(?:js|css|svg)$/.test(name)).length).toBeGreaterThanOrEqual(3);
  for (const target of files) expect([target, await statusOf(`/${target}`)]).toEqual([target, 200]);
  expect(page.text).not.toMatch(/https?:\/\//);
});

const served = ['/', '/assets/touchpoint.js', '/portal.json', '/openapi.json', '/nowhere'];
test.each(served)('%s is served under a policy for the portal alone', async (path) => {
  const { headers } = await get(path);
  const policy = String(headers['content-security-policy']);
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) expect(policy).toContain(rule);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
  expect(headers).not.toHaveProperty('x-powered-by');
});

test('The page receives the 21 cases, the seven authorization fixtures and the suggested sequence', async () => {
  const { cases, authorization, sequence, aliases } = JSON.parse((await get('/portal.json')).text);
  expect(cases.map((fixture: { case: string }) => fixture.case)).toEqual(ALL_CASES);
  expect(authorization).toHaveLength(7);
  expect(authorization[0]).toMatchObject({ name: 'valid', authorization: 'Bearer demo-store-key', touchpointId: 'SCO-01' });
  expect(sequence).toEqual(['02', '03', '04', '14', '10', '10r']);
  expect(aliases[0]).toEqual({ name: 'calculate', path: CALCULATE, prefilled: '02' });
});

test('The page receives the configured key and lane', async () => {
  const { url } = await aPortal({ mockUrl: mock.url, storeKey: 'k$&y', lanes: ['SCO-42'] });
  const { authorization } = JSON.parse((await get('/portal.json', url)).text);
  expect(authorization[0]).toMatchObject({ authorization: 'Bearer k$&y', touchpointId: 'SCO-42' });
});

const outside = [
  '/../mock-server.ts',
  '/..%2fmock-server.ts',
  '/assets/..%2f..%2fserve.ts',
  '/assets/pages.json',
  '/portal-server.ts',
  '/.git/config',
];
test.each(outside)('%s leads to no other file', async (path) => expect([403, 404]).toContain(await statusOf(path)));

test('The portal listens on the loopback unless another host is configured', async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const address = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  expect(portal.url).toBe(`http://127.0.0.1:${portal.port}`);
  if (address === undefined) return;
  await expect(get('/healthz', `http://${address}:${portal.port}`)).rejects.toThrow('ECONNREFUSED');
  const open = await aPortal({ mockUrl: mock.url, host: '0.0.0.0' });
  expect(await statusOf('/healthz', `http://${address}:${open.port}`)).toBe(200);
});

const textOf = async (name: string) => (await authorized(mock.url, { path: `/caso${name}` })).text;

/** The arguments that a shell passes to curl when the text is pasted. */
function pasted(command: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.split('\0').slice(0, -1));
    });
  });
}

const bodies = ['{"a": 1}', "it's", '$(id) `id` \\ "q" !', "'; exit 1; '", '@file', 'two\nlines', ''];
test.each(bodies)('A curl command passes the body %j through the shell', async (body) => {
  const url = `${portal.url}/mock/caso02`;
  const headers = ['Authorization: Bearer demo-store-key', 'Content-Type: application/json', "X-Mock-Case: 0'2"];
  const command = curlCommand(url, { headers: { ...AUTHORIZED, 'X-Mock-Case': "0'2" }, body });
  expect(await pasted(command)).toEqual(['-i', '-X', 'POST', url, ...headers.flatMap((one) => ['-H', one]), '--data-raw', body]);
});

test.each(ALL_CASES)('The JSON of case %s is formatted without changing a value, and its rejected lines are marked', async (name) => {
  const text = await textOf(name);
  const laidOut = layOut(text).join('\n');
  expect(JSON.parse(laidOut)).toEqual(JSON.parse(text));
  expect(laidOut.replace(/\n */g, '').replaceAll('": ', '":')).toBe(text);
  const blocks = markRejected(layOut(text));
  const marked = blocks.filter((block) => block.rejected).map((block) => JSON.parse(block.text.replace(/,$/, '')));
  expect(marked).toEqual((fixtureOf(name).response.lines ?? []).filter(({ status }) => status === 'REJECTED'));
  expect(blocks.map((block) => block.text).join('\n')).toBe(laidOut);
});

test('JSON is formatted with its empty values, and text that is not JSON stays as it is', async () => {
  const laidOut = ['{', '  "a": [],', '  "b": {},', '  "c": "x,{\\"}",', '  "d": 1.50', '}'];
  expect(layOut('{"a":[],"b":{},"c":"x,{\\"}","d":1.50}').join('\n')).toBe(laidOut.join('\n'));
  expect(layOut('not json')).toEqual(['not json']);
});

test('Every status of the mock or the portal has an explanation', async () => {
  for (const name of ALL_CASES) {
    const { response, status } = fixtureOf(name);
    const body = response as Basket;
    const { text } = inWords({ status, body });
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text).not.toContain('undefined');
  }
  for (const status of [400, 403, 404, 405, 408, 413, 502])
    expect(inWords({ status, body: { error: 'x' } }).text).not.toContain('unexpected');
  expect(inWords({ status: 403, body: { error: 'Touchpoint authorization denied' } }).text).toContain('do not retry');
  expect(inWords({ status: 503, body: fixtureOf('19').response as Basket, retryAfter: 30 }).text).toContain('30 seconds');
  expect(inWords({ status: 418, body: undefined }).text).toContain('418');
});
