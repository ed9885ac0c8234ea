import { expect, test } from '@jest/globals';
import { whyNoRedis } from './redis-server.ts';

/** Warns that tests did not run, with the reason. */
export function skipWithoutRedis(what: string): void {
  // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
  console.warn(`SKIPPED: ${what}, because ${whyNoRedis}.`);
  test.skip(`${what}: needs redis-server`, () => undefined);
  // Jest shows a file's output only if one of its tests ran.
  test('the reason of the skipped tests is known', () => expect(whyNoRedis).toContain('redis-server'));
}
