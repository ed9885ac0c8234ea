import { openSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { bare, FREE_PORTS, MAIN, started } from './started.ts';

test('An estate whose standard output is full reports it in one sentence, keeps running, and stops on SIGTERM', async () => {
  const env = { ...bare(), ...FREE_PORTS };
  await using estate = started(process.execPath, [MAIN], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'], env });
  const { child, output } = estate;
  await eventually('the sentence is printed', async () => output.err.includes('\n') || child.exitCode !== null);
  const sentence = 'The standard output takes no text: its disk is full. Free space. The estate runs, and its addresses are not shown.\n';
  expect([output.err, child.exitCode]).toEqual([sentence, null]);
  expect(await estate.stop()).toBe(0);
});
