import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { curlOf } from '../../../ui/data/curl.ts';

const options = { origin: 'http://gateway:8080', rehearsal: 'galway', auth: 'bearer', credential: 'token', bound: false } as const;

const wordsOf = (command: string, environment = {}): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8', env: environment })
    .split('\0')
    .slice(0, -1);

test('The curl command of a hop has address, rehearsal, credential and body', () => {
  const command = curlOf({ method: 'POST', path: '/orders?a=1', request: { qty: 2 } }, options);
  expect(wordsOf(command)).toEqual([
    ...['-i', '-X', 'POST', 'http://gateway:8080/orders?a=1'],
    ...['-H', 'Authorization: Bearer token', '-H', 'X-Rehearsal: galway', '-H', 'Content-Type: application/json', '-d', '{"qty":2}'],
  ]);
});

test('The curl command of a hop omits an empty body, and the rehearsal if the credential is bound to it', () => {
  expect(wordsOf(curlOf({ method: 'GET', path: '/p', request: undefined }, { ...options, bound: true }))).toEqual([
    ...['-i', '-X', 'GET', 'http://gateway:8080/p', '-H', 'Authorization: Bearer token'],
  ]);
});

test.each([
  ['bearer', 'ESTATE_BEARER_TOKEN', 'Authorization: Bearer mine'],
  ['api-key', 'ESTATE_API_KEY', 'X-API-Key: mine'],
] as const)('The curl command of a hop has a shell variable in place of an unknown %s', (auth, variable, header) => {
  const command = curlOf({ method: 'GET', path: '/p', request: null }, { ...options, auth, credential: undefined, bound: true });
  expect(wordsOf(command, { [variable]: 'mine' })).toContain(header);
});

test.each(["it's", '$(touch x)', '`id`', 'a\nb', '"; rm -rf /', '\\', '‮טקסט 🎁'])('The curl command of a hop passes %j unchanged', (text) =>
  expect(wordsOf(curlOf({ method: 'POST', path: '/x', request: { text } }, options)).at(-1)).toBe(JSON.stringify({ text })),
);
