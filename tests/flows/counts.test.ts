import { expect, test } from '@jest/globals';
import { jsonCallsPerOrder } from '../../bench/json-calls.ts';
import { newestCounts, readHistory } from '../../bench/report.ts';

const history = readHistory();

/** Tolerance: the number of polls of relays and clock varies slightly. */
const MARGIN = 3;

test('The history of counts is sorted by day', () => {
  const days = history.map(({ on }) => on);
  expect(days).toEqual(days.toSorted());
});

test('The JSON calls of an order do not exceed the newest line of the history', async () => {
  const newest = newestCounts(history);
  const { parse, stringify } = await jsonCallsPerOrder();
  expect(parse).toBeLessThanOrEqual((newest['JSON.parse'] ?? 0) + MARGIN);
  expect(stringify).toBeLessThanOrEqual((newest['JSON.stringify'] ?? 0) + MARGIN);
});
