import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';

interface Queue {
  readonly pending: unknown[];
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (options: object) => Queue;

/** Whether a queue arms its timer, with as many requests held back. */
function arms(pending: number): boolean {
  const queue = new RequestQueue({ logger: { debug: () => undefined } });
  for (let held = 0; held < pending; held++) queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  const armed = queue.throttleCheckTimeoutId !== null;
  queue.destroy();
  return armed;
}

describe('The guard of the timers of kafkajs', () => {
  test('is still needed: the library arms a timer for requests that it holds back although it holds none back', () => {
    expect(arms(0)).toBe(true);
  });

  test('leaves a timer to whoever holds requests back, and to nobody else', async () => {
    await import('../../shared/events/kafka-timer-guard.ts');
    expect(arms(0)).toBe(false);
    expect(arms(1)).toBe(true);
  });
});
