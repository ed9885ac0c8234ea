import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../support/effort.ts';
import { cutHistory, historiesOf, type Subject } from './histories/history.ts';

const factor = Number(process.env['HISTORIES'] ?? 1);
const seed = process.env['SEED'];
const subjects: readonly Subject[] = ['orders and parcels', 'the till', 'returns and exchanges', 'everything together'];

test.each(subjects)(
  'Histories of %s that are cut anywhere, kept and opened give the answers of the original, with the same ids',
  async (subject) => {
    const property = fc.asyncProperty(historiesOf(subject), fc.nat(), async (history, at) => {
      const [original, copy] = await cutHistory(history, at);
      expect(copy).toEqual(original);
    });
    const numRuns = runsOf({ usually: 2, thoroughly: 50 }) * factor;
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: 100_000 * factor, ...(seed !== undefined && { seed: Number(seed) }) });
  },
  200_000 * factor,
);
