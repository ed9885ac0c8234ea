import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { bare, started } from './started.ts';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const runner = (file: string): string => fileURLToPath(new URL(`../support/runner/${file}`, import.meta.url));

/** Runs the text of a test file with the runner of this project. @returns the report */
async function reportOf(text: string): Promise<string> {
  const rootDir = await mkdtemp(join(tmpdir(), 'left-open-'));
  try {
    await writeFile(join(rootDir, 'example.test.mjs'), text);
    const config = JSON.stringify({
      rootDir,
      testEnvironment: runner('leaving-nothing.mjs'),
      testEnvironmentOptions: { endingMs: 0 },
      testRunner: runner('runner.mjs'),
      testMatch: ['**/*.test.mjs'],
    });
    await using jest = started(process.execPath, [JEST, '--config', config, '--runInBand', '--forceExit', '--no-watchman'], {
      env: bare(),
    });
    await jest.ended;
    return jest.output.err;
  } finally {
    await rm(rootDir, { recursive: true, force: true });
  }
}

const IMPORTS = "import { test } from '@jest/globals'; import { createServer } from 'node:net';";
/** Jest starts and ends timers at any time, so the file leaves a server open. */
const LEAVES_A_SERVER = "await new Promise((listening) => createServer().listen(0, '127.0.0.1', listening));";

test.each([
  ['passes', '', []],
  ['fails', "throw new Error('the reason');", ['● A test', 'the reason']],
])('The report of a file whose test %s names the server that the file left open', async (_outcome, end, shown) => {
  const report = await reportOf(`${IMPORTS} test('A test', async () => { ${LEAVES_A_SERVER} ${end} });`);
  for (const text of ['This file left open: TCPServerWrap', ...shown]) expect(report).toContain(text);
});

test('The report of a file that fails to load has the reason, whatever the file left open', async () =>
  expect(await reportOf(`${IMPORTS} ${LEAVES_A_SERVER} throw new Error('the reason');`)).toContain('the reason'));
