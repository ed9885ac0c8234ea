import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../support/effort.ts';
import { cutHistory, historiesOf, type Subject } from './histories/history.ts';

const factor = Number(process.env['HISTORIES'] ?? 1);
const seed = process.env['SEED'];
const subjects: readonly Subject[] = ['orders and parcels', 'the till', 'returns and exchanges', 'everything together'];

/** Ids that due work makes, and numbers that derive from them: they depend on the order of concurrent events. */
const MADE = /[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}|UC\d{14}/g;

/** The answers, with a number for each id, by first appearance. */
function numbered(answers: readonly unknown[]): unknown {
  const known = new Map<string, string>();
  const text = JSON.stringify(answers).replaceAll(MADE, (id) => {
    const number = known.get(id) ?? `${id.replace(/[_\d].*/, '')} ${known.size}`;
    known.set(id, number);
    return number;
  });
  return JSON.parse(text);
}

test.each(subjects)(
  'A history of %s that is kept at any act and opened again gives the answers of the original',
  async (subject) => {
    const property = fc.asyncProperty(historiesOf(subject), fc.nat(), async (history, at) => {
      const [original, copy] = await cutHistory(history, at);
      expect(numbered(copy)).toEqual(numbered(original));
    });
    const numRuns = runsOf({ usually: 2, thoroughly: 50 }) * factor;
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: 100_000 * factor, ...(seed !== undefined && { seed: Number(seed) }) });
  },
  200_000 * factor,
);
