import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { credentialsOf } from '../../testcontainers/fixture-credentials.ts';
import { EstateStartError, type Evidence, failureOf, lastWords } from '../../testcontainers/start-failure.ts';
import { aFolder } from '../support/folder.ts';

const IMAGE = 'unified-commerce-estate:local';
const evidence: Evidence = { what: IMAGE, image: IMAGE, hasEngine: true, hasImage: true, timeoutMs: 60_000, message: 'Some words' };

const named = 'correct what its last log lines name';
test.each<[string, Partial<Evidence>, string]>([
  ['has no engine', { hasEngine: false }, 'No container engine answers; start Docker, or set DOCKER_HOST '],
  [
    'has no image',
    { hasImage: false },
    `There is no image ${IMAGE} here, and no registry gave it: build it in a checkout of the estate with`,
  ],
  [
    'has no image of others',
    { hasImage: false, image: 'redis:8.9' },
    'There is no image redis:8.9 here, and no registry gave it: correct its',
  ],
  ['stopped', { run: { ms: 1_900, lines: ['PORT=abc'] } }, `${IMAGE} stopped after 2 s; ${named}:\n  PORT=abc`],
  [
    'is slow',
    { run: { ms: 60_300, lines: ['a', 'b'] } },
    `${IMAGE} was not ready within 60 s; ${named}, or allow more time with withStartupTimeout:\n  a\n  b`,
  ],
  [
    'logged nothing',
    { run: { ms: 300, lines: [] } },
    `${IMAGE} stopped after 0 s and logged nothing; docker run --rm ${IMAGE} shows whether`,
  ],
])('A container that %s reports the reason and the remedy', (_how, found, sentence) =>
  expect(failureOf({ ...evidence, ...found }).slice(0, sentence.length)).toBe(sentence),
);

test.each([
  [
    '(HTTP code 500) server error - driver failed programming external connectivity: Bind for 0.0.0.0:8080 failed: port is already allocated ',
    `${IMAGE} cannot have port 8080, which is in use; free it, or leave the choice of the port to Testcontainers.`,
  ],
  [
    '(HTTP code 500) server error - failed to bind host port 127.0.0.1:8080/tcp: address already in use ',
    `${IMAGE} cannot have port 8080, which is in use; free it, or leave the choice of the port to Testcontainers.`,
  ],
  [
    'Timed out after 10000ms while waiting for container ports to be bound to the host',
    `${IMAGE} stopped immediately; docker run --rm with the same variables shows why.`,
  ],
  [
    '(HTTP code 404) unexpected - pull access denied for testcontainers/ryuk ',
    /^Testcontainers could not start its own container testcontainers\/ryuk.*TESTCONTAINERS_RYUK_DISABLED=true/,
  ],
  [
    '(HTTP code 404) missing container - network shop not found ',
    `The container engine refuses ${IMAGE}; correct what it names: network shop not found`,
  ],
])('A container that the engine refuses is reported in one sentence: %s', (said, sentence) =>
  expect(failureOf({ ...evidence, message: said })).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence)),
);

test('The last words of a container are the last 25 lines of its log, once it has ended', async () => {
  const words = lastWords();
  const log = new PassThrough();
  words.follow(log);
  log.end(Array.from({ length: 30 }, (_, line) => `line ${line}\r\n`).join(''));
  const run = await words.all();
  expect([run?.lines.length, run?.lines[0], run?.lines.at(-1)]).toEqual([25, 'line 5', 'line 29']);
});

test('The last words of a container are none when no container ran', async () => expect(await lastWords().all()).toBeUndefined());

test('The credentials of fixtures are the demo credentials without a file; a missing folder, a broken file, an overlay and a missing credential are named', async () => {
  await using folder = await aFolder();
  const refused = () => expect(() => credentialsOf(folder.path));
  const write = (content: string) => folder.write('credentials.json', content);
  expect(() => credentialsOf(folder.at('nowhere'))).toThrow(EstateStartError);
  expect(() => credentialsOf(folder.at('nowhere'))).toThrow(`The folder ${folder.at('nowhere')} does not exist;`);
  expect(credentialsOf(folder.path)).toEqual(DEMO_CREDENTIALS);
  const file = await write('{"name":');
  refused().toThrow(`${file} cannot be used: / – it is not JSON`);
  await write('[{"name":"a","kind":"bearer","secret":"s"}]');
  refused().toThrow(`${file} cannot be used: /0/scopes – this member is required.`);
  await write('[{"name":"a","kind":"bearer","secret":"s","scopes":["catalog"]}]');
  refused().toThrow(`${file} has no credential of kind api-key with the scope catalog; add one.`);
  const overlay = await folder.write('credentials.overlay.json', '[]');
  refused().toThrow(`${overlay} is not read by withFixtures; write all credentials into credentials.json.`);
});
