import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Findings } from './estate-counting-reads.ts';
import { reported } from './started.ts';

const PROCESS = fileURLToPath(new URL('./estate-counting-reads.ts', import.meta.url));

test('A start reads and compresses the same with and without the console, and the page at its first request', async () => {
  const [on, off] = await Promise.all(['on', 'off'].map((console) => reported<Findings>(PROCESS, console)));
  expect(on?.atStart).toEqual(off?.atStart);
  expect(on?.atStart.read.length).toBeGreaterThan(0);
  expect(on?.forFirstPage.read).toContain('console/page/main.ts');
  expect(on?.forFirstPage.compressed).toBeGreaterThan(0);
  expect(off?.forFirstPage.read).toEqual([]);
});
