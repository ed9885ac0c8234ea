import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ends, histories, liveThrough } from '../support/history.ts';

describe('Whatever happens', () => {
  test('in a hundred random histories of orders, stock, parcels, webhooks, clock and faults, every invariant holds at the end', async () => {
    await fc.assert(fc.asyncProperty(histories, liveThrough), {
      numRuns: 100,
      interruptAfterTimeLimit: 160_000,
      markInterruptAsFailure: false,
    });
    // The histories must have led somewhere.
    for (const end of [
      'order confirmed',
      'order completed',
      'order cancelled',
      'fulfillment-order delivered',
      'shipment delivered',
      'shipment lost',
    ]) {
      expect({ end, reached: (ends.get(end) ?? 0) > 0 }).toEqual({ end, reached: true });
    }
  }, 240_000);
});
