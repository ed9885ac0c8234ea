import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { native } from '../support/native/native.ts';

interface Queue {
  readonly pending: unknown[];
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}

type Load = (module: string) => new (options: object) => Queue;
const QUEUE = 'kafkajs/src/network/requestQueue';

/** Whether a queue arms its timer, with as many requests held back. */
function arms(load: Load, pending: number): boolean {
  const queue = new (load(QUEUE))({ logger: { debug: () => undefined } });
  for (let held = 0; held < pending; held++) queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  const armed = queue.throttleCheckTimeoutId !== null;
  queue.destroy();
  return armed;
}

describe('The timer guard for kafkajs', () => {
  test('is still needed: the library starts a timer for throttled requests without any throttled request', () => {
    // The library as this file alone loads it, without the guard.
    expect(arms(createRequire(import.meta.url) as Load, 0)).toBe(true);
  });

  test('keeps the timer only while requests are throttled', async () => {
    await import('../../shared/events/kafka/timer-guard.ts');
    expect(arms(native as Load, 0)).toBe(false);
    expect(arms(native as Load, 1)).toBe(true);
  });
});
