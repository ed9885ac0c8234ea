import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Findings } from './estate-counting-reads.ts';
import { reported } from './started.ts';

const PROCESS = fileURLToPath(new URL('./estate-counting-reads.ts', import.meta.url));

test('A start reads and compresses the same with and without the console, which bundles its page at the first request', async () => {
  const [on, off] = await Promise.all(['on', 'off'].map((console) => reported<Findings>(PROCESS, console)));
  expect(on?.atStart).toEqual(off?.atStart);
  expect(on?.atStart.read.length).toBeGreaterThan(0);
  expect(on?.forFirstPage.spawned).toBe(1);
  expect([on?.atStart.spawned, off?.forFirstPage.spawned]).toEqual([0, 0]);
});
