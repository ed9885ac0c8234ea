import { expect, test } from '@jest/globals';
import {
  ALL_CASES,
  AUTHORIZED,
  aMock,
  authorizationFixtures,
  authorized,
  CALCULATE,
  CALCULATE_CASES,
  call,
  FINISH,
  FINISH_CASES,
  fixtureOf,
} from './running-touchpoint.ts';

const DENIED = [403, '{"error":"Touchpoint authorization denied"}'];
const SELECTOR = [400, '{"error":"MOCK_ONLY: missing, unknown or incompatible X-Mock-Case selector"}'];
const ALIASES = [CALCULATE, FINISH];

/** Every contract path with a selector that suits it. */
const PATHS = [
  { path: CALCULATE, selector: '02', fixture: fixtureOf('02') },
  { path: FINISH, selector: '10', fixture: fixtureOf('10') },
  ...ALL_CASES.map((name) => ({ path: `/caso${name}`, selector: undefined, fixture: fixtureOf(name) })),
];

const mock = await aMock();

/** Sends a request with the key and lane. @returns status and text */
async function sent(path: string, { selector, ...options }: { selector?: string | string[]; headers?: object; body?: unknown } = {}) {
  const headers = { ...options.headers, ...(selector !== undefined && { 'X-Mock-Case': selector }) };
  const { status, text } = await authorized(mock.url, { path, ...options, headers });
  return [status, text];
}
const textOf = async (name: string, body?: unknown) => (await sent(`/caso${name}`, { body }))[1] as string;

test.each(PATHS)('$path answers each authorization fixture with its status', async ({ path, selector, fixture }) => {
  for (const caller of authorizationFixtures()) {
    const authorization = caller.authorization === null ? {} : { Authorization: caller.authorization };
    const headers = { 'Content-Type': 'application/json', ...(selector && { 'X-Mock-Case': selector }), ...authorization };
    const body = JSON.stringify({ ...fixture.request, touchpointId: caller.touchpointId });
    const reply = await call(mock.url, { path, headers, body });
    if (caller.authorized) expect([reply.status, JSON.parse(reply.text)]).toEqual([fixture.status, fixture.response]);
    else expect([caller.name, reply.status, reply.text]).toEqual([caller.name, ...DENIED]);
    expect(reply.headers['content-type']).toBe('application/json');
  }
});

test('The scheme Bearer is accepted in any case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
    expect((await sent('/caso02', { headers: { Authorization: `${scheme} demo-store-key` } }))[0]).toBe(200);
});

const almost = ['Bearer', 'Bearer ', 'Bearerdemo-store-key', 'Bearer demo-store-ke', 'Bearer demo-store-key2', 'Bearer Demo-Store-Key'];
const quoted = ['Bearer demo-store-key, Bearer demo-store-key', 'Bearer "demo-store-key"', 'Bearer \u00e9emo-store-key'];
test.each([...almost, ...quoted, 'demo-store-key', 'Token demo-store-key'])('The Authorization header "%s" is denied', async (header) =>
  expect(await sent('/caso02', { headers: { Authorization: header } })).toEqual(DENIED),
);

const shapeless = ['', '{"touchpointId":"SCO-01"', '["SCO-01"]', 'null', '"SCO-01"', '1', '{"basketId":"b"}'];
const lanes = ['{"touchpointId":["SCO-01"]}', '{"touchpointId":"sco-01"}', '{"touchpointId":"SCO-01 "}', '{"touchpointId":"constructor"}'];
test.each([...shapeless, ...lanes, '{"__proto__":{"touchpointId":"SCO-01"}}'])('The body %j has no authorised lane', async (body) => {
  for (const path of [...ALIASES, '/caso02', '/caso10']) expect(await sent(path, { selector: '02', body })).toEqual(DENIED);
});

test('Every configured lane is accepted and echoed', async () => {
  const other = await aMock({ lanes: ['SCO-07', 'SCO-"8"'] });
  for (const lane of ['SCO-07', 'SCO-"8"']) {
    const reply = await authorized(other.url, { path: '/caso02', body: { touchpointId: lane, basketId: 'b' } });
    expect(JSON.parse(reply.text)).toMatchObject({ touchpointId: lane, basketId: 'b' });
  }
  expect((await authorized(other.url, { path: '/caso02' })).status).toBe(403);
});

test('A denied credential or lane wins over an unknown selector', async () => {
  const body = '{"touchpointId":"SCO-99"}';
  const { status, text } = await call(mock.url, { path: CALCULATE, headers: { 'X-Mock-Case': 'nonsense' }, body });
  expect([status, text]).toEqual(DENIED);
  expect(await sent(CALCULATE, { selector: 'nonsense', body })).toEqual(DENIED);
});

const cases = [
  ...CALCULATE_CASES.map((name) => ({ path: CALCULATE, other: FINISH, name })),
  ...FINISH_CASES.map((name) => ({ path: FINISH, other: CALCULATE, name })),
];

test.each(cases)('$path answers case $name as its scenario endpoint does, and $other does not', async ({ path, other, name }) => {
  const { request: body, status } = fixtureOf(name);
  const [alias, scenario] = await Promise.all([
    authorized(mock.url, { path, headers: { 'X-Mock-Case': name }, body }),
    authorized(mock.url, { path: `/caso${name}`, body }),
  ]);
  const same = [scenario.status, scenario.text, scenario.headers['retry-after']];
  expect([alias.status, alias.text, alias.headers['retry-after']]).toEqual(same);
  expect(alias.status).toBe(status);
  expect(await sent(other, { selector: name })).toEqual(SELECTOR);
});

const unknown = ['', '2', '002', '14Refused', '05', '02,', '02, 03', '02, 02', 'caso02', 'constructor', '__proto__'];
const SELECTORS: readonly (string | string[] | undefined)[] = [
  ...unknown,
  'MOCK_ONLY_INVALID_SELECTOR',
  undefined,
  ['02', '03'],
  ['02', '02'],
];
test.each(SELECTORS)('The selector %j is unknown on both aliases', async (selector) => {
  for (const path of ALIASES) expect(await sent(path, { selector })).toEqual(SELECTOR);
});

test('The selector may be surrounded by white space, and a scenario endpoint ignores it', async () => {
  expect((await sent(CALCULATE, { selector: ' \t02 ' }))[0]).toBe(200);
  const plain = await sent('/caso04');
  for (const selector of ['10', 'nonsense', '', 'MOCK_ONLY_INVALID_SELECTOR']) expect(await sent('/caso04', { selector })).toEqual(plain);
});

const controls = ['', 'B-7', 'a"b\\c', '\n\t\u0000', 'caffè ☕ 🛒', '\u2028\u2029', '\ud800'];
const STRINGS = [...controls, '$& $1 {basketId}', '</script>', '__proto__', 'x'.repeat(5000)];

test.each(STRINGS)('The basketId %j is returned unchanged, and nothing else changes', async (basketId) => {
  for (const name of ['02', '14', '09', '10', '10c', '10claimed']) {
    const { text, headers } = await authorized(mock.url, { path: `/caso${name}`, body: { touchpointId: 'SCO-01', basketId } });
    expect(JSON.parse(text)).toEqual({ ...fixtureOf(name).response, basketId });
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(text.replace(`"basketId":${JSON.stringify(basketId)}`, () => '"basketId":"basket-1001"')).toBe(await textOf(name));
  }
});

test.each([undefined, null, 7, true, ['b'], { id: 'b' }])('The basketId %j is replaced by the one of the fixture', async (basketId) =>
  expect(JSON.parse(await textOf('02', { touchpointId: 'SCO-01', basketId }))).toEqual(fixtureOf('02').response),
);

test.each(['18', '19'])('Case %s echoes nothing', async (name) =>
  expect(JSON.parse(await textOf(name, { touchpointId: 'SCO-01', basketId: 'other' }))).toEqual(fixtureOf(name).response),
);

test.each(ALL_CASES)('Case %s is byte-identical for every body with the lane, and for every repeat', async (name) => {
  const other = { touchpointId: 'SCO-01', basketId: 'basket-1001', lines: 'nonsense', add: -1, loyaltyCard: { a: 1 }, total: 99 };
  const bodies = [fixtureOf(name).request, { touchpointId: 'SCO-01' }, other, other];
  expect(new Set(await Promise.all(bodies.map((body) => textOf(name, body)))).size).toBe(1);
});

test.each(ALL_CASES)('Case %s has amounts with two decimals, weights with three, and Retry-After only for 19', async (name) => {
  const { text, headers } = await authorized(mock.url, { path: `/caso${name}` });
  for (const [, member, value] of text.matchAll(/"(unitPrice|amount|saving|total|totalSaving|weight)":([^,}]+)/g))
    if (value !== 'null') expect(`${member} ${value}`).toMatch(member === 'weight' ? /^\w+ \d+\.\d{3}$/ : /^\w+ \d+\.\d{2}$/);
  expect(headers['retry-after']).toBe(name === '19' ? '30' : undefined);
  if (name === '14') expect(text).toContain('"unitPrice":7.90,"amount":6.90,"saving":1.00');
  if (name === '16') expect(text).toContain('"weight":0.250');
});

test('The content type of the request is ignored', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
    expect((await sent('/caso02', { headers: { 'Content-Type': type } }))[0]).toBe(200);
});

test.each(PATHS.map(({ path }) => path))('%s answers POST only', async (path) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const { status, headers, text } = await call(mock.url, { method, path, headers: AUTHORIZED });
    expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    if (method !== 'HEAD') expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
  }
});

const others = ['/', '/caso05', '/caso', '/CASO02', '/caso02/', '/caso2', '//caso02', '/caso%302', '/mock/caso02'];
const UNKNOWN = [...others, '/retail/touchpoint/basket', `${CALCULATE}/`, '/Healthz'];
test.each(UNKNOWN)('%s is not found, with or without a key', async (path) => {
  for (const reply of [await authorized(mock.url, { path }), await call(mock.url, { path }), await call(mock.url, { method: 'GET', path })])
    expect([reply.status, JSON.parse(reply.text)]).toEqual([404, { error: expect.any(String) }]);
});

test('A query string does not change the answer', async () => expect(await sent('/caso02?trace=1')).toEqual(await sent('/caso02')));

test.each(['/healthz', '/readyz'])('%s needs no key', async (path) => {
  const statuses = ['GET', 'HEAD', 'POST'].map(async (method) => (await call(mock.url, { method, path })).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 405]);
});

test('No header reveals the server software', async () => {
  for (const path of ['/caso02', '/healthz', '/nowhere'])
    expect((await call(mock.url, { method: 'GET', path })).headers).not.toHaveProperty('x-powered-by');
});
