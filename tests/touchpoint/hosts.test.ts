import { expect, test } from '@jest/globals';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { AUTHORIZED, aMock, aPortal, call } from './running-touchpoint.ts';

const ALLOWED = { allowedHosts: ['touchpoint.example.com'] };
const BODY = '{"touchpointId":"SCO-01","basketId":"b"}';

const mock = await aMock(ALLOWED);
const portal = await aPortal({ mockUrl: mock.url, ...ALLOWED });

const get = (server: Listening, path: string, host: string) => call(server.url, { method: 'GET', path, headers: { host } });
const statusOf = async (server: Listening, path: string, host: string) => (await get(server, path, host)).status;
const post = async (server: Listening, path: string, host: string) =>
  (await call(server.url, { path, headers: { ...AUTHORIZED, host }, body: BODY })).status;

const FOREIGN = ['evil.example', 'evil.example:15116', 'localhost.evil.example'];
test.each(FOREIGN)('A foreign page that resolves %s to the touchpoint gets nothing of the portal, nor through it', async (host) => {
  for (const path of ['/', '/portal.js', '/portal.json', '/openapi.json', '/openapi.yaml', '/nowhere']) {
    const { status, text } = await get(portal, path, host);
    expect([path, status, JSON.parse(text)]).toEqual([path, 421, { error: expect.stringContaining('ALLOWED_HOSTS') }]);
  }
  expect(await post(portal, '/mock/caso02', host)).toBe(421);
  for (const path of ['/openapi.json', '/openapi.yaml']) expect([path, await statusOf(mock, path, host)]).toEqual([path, 421]);
});

const OWN = ['localhost', 'localhost:15116', '127.0.0.1', '[::1]:15116', '192.168.1.7', 'touchpoint-mock', 'touchpoint.example.com'];
test.each(OWN)('The touchpoint answers under the name %s', async (host) => {
  for (const path of ['/', '/portal.json', '/openapi.json']) expect([path, await statusOf(portal, path, host)]).toEqual([path, 200]);
  expect(await post(portal, '/mock/caso02', host)).toBe(200);
  expect(await statusOf(mock, '/openapi.json', host)).toBe(200);
});

test('The touchpoint answers a request for a whole address, as clients of a proxy send it, under the host of the address', async () => {
  const at = (server: Listening, path: string, host: string) => statusOf(server, `http://${host}${path}`, 'other.example');
  expect([await at(portal, '/portal.json', 'localhost'), await at(portal, '/portal.json', 'evil.example')]).toEqual([200, 421]);
  expect([await at(mock, '/openapi.json', 'localhost'), await at(mock, '/openapi.json', 'evil.example')]).toEqual([200, 421]);
  expect([await post(mock, 'http://mock.example/caso02', 'x'), await post(portal, 'http://localhost/mock/caso02', 'x')]).toEqual([
    200, 200,
  ]);
});

test('The touchpoint answers probes, and callers with its key, under any name', async () => {
  for (const server of [mock, portal]) expect(await statusOf(server, '/readyz', 'evil.example')).toBe(200);
  expect(await post(mock, '/caso02', 'lane.example.org')).toBe(200);
});
