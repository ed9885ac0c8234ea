import { expect, test } from '@jest/globals';
import { whyNoRedis } from './redis-server.ts';

/** Says loudly that tests did not run, and why. */
export function skipWithoutRedis(what: string): void {
  // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
  console.warn(`SKIPPED: ${what}, because ${whyNoRedis}.`);
  test.skip(`${what}: needs redis-server`, () => undefined);
  // Jest shows what a file prints only if something in it ran.
  test('it is said why the others were skipped', () => expect(whyNoRedis).toContain('redis-server'));
}
