import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { histories, liveThrough } from '../support/history.ts';

describe('Whatever happens', () => {
  test('in a hundred random histories of orders, stock, parcels, webhooks, clock and faults, every invariant holds at the end', async () => {
    await fc.assert(fc.asyncProperty(histories, liveThrough), {
      numRuns: 100,
      interruptAfterTimeLimit: 160_000,
      markInterruptAsFailure: false,
    });
  }, 240_000);
});
