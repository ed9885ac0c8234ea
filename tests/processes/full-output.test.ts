import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';

const PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };

test('An estate whose standard output is full says so in a sentence, runs on, and stops at a signal', async () => {
  const full = openSync('/dev/full', 'w');
  const estate = spawn(process.execPath, ['estate/main.ts'], { stdio: ['ignore', full, 'pipe'], env: { ...process.env, ...PORTS } });
  let errors = '';
  estate.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const ended = once(estate, 'exit');
  await eventually('the sentence is printed', async () => errors.includes('\n') || estate.exitCode !== null);
  expect([errors, estate.exitCode]).toEqual([
    'The standard output takes no text: its disk is full. Free space. The estate runs, and its addresses are not shown.\n',
    null,
  ]);
  estate.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
