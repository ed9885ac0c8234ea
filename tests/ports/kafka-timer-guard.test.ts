import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import '../../shared/events/kafka/timer-guard.ts';

interface Queue {
  readonly pending: unknown[];
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}

type QueueClass = new (options: object) => Queue;

const require = createRequire(import.meta.url);
const path = require.resolve('kafkajs/src/network/requestQueue');

/** A copy of the library that the guard has not changed. */
function unguarded(): QueueClass {
  const guarded = require.cache[path];
  delete require.cache[path];
  const copy: QueueClass = require(path);
  require.cache[path] = guarded;
  return copy;
}

/** Whether a queue starts its timer when a number of requests are throttled. */
function arms(Queue: QueueClass, pending: number): boolean {
  const queue = new Queue({ logger: { debug: () => undefined } });
  for (let held = 0; held < pending; held++) queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  const armed = queue.throttleCheckTimeoutId !== null;
  queue.destroy();
  return armed;
}

test('kafkajs without the guard still starts its throttling timer when no request is throttled', () => {
  expect(arms(unguarded(), 0)).toBe(true);
});

test('The guard keeps the timer only while requests are throttled', () => {
  const guarded: QueueClass = require(path);
  expect(arms(guarded, 0)).toBe(false);
  expect(arms(guarded, 1)).toBe(true);
});
