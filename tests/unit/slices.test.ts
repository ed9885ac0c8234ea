import { expect, test } from '@jest/globals';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { createSlices } from '../../shared/process/slices.ts';

const staying = new AbortController().signal;
const newSlices = () => createSlices({ sliceMs: 0 });

async function read(rows: number, breathe: Breathe): Promise<number> {
  for (let row = 0; row < rows; row++) await breathe();
  return rows;
}

test('Parts of a computation that run together end while another computation takes turns with them', async () => {
  const inSlices = newSlices();
  const parts = inSlices(staying, (breathe) => Promise.all([read(3, breathe), read(5, breathe), read(1, breathe)]));
  const other = inSlices(staying, (breathe) => read(20, breathe));
  expect(await Promise.all([parts, other])).toEqual([[3, 5, 1], 20]);
});

test('A computation that fails while one of its parts waits for its turn lets the others end', async () => {
  const inSlices = newSlices();
  const failed = inSlices(staying, (breathe) => {
    const part = read(2, breathe);
    return Promise.all([part, Promise.resolve(breathe()).then(() => Promise.reject(new Error('it failed')))]);
  });
  const other = inSlices(staying, (breathe) => read(20, breathe));
  await expect(failed).rejects.toThrow('it failed');
  expect(await other).toBe(20);
  expect(await inSlices(staying, async () => 'the next')).toBe('the next');
});
