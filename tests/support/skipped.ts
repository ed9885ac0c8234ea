import { expect, test } from '@jest/globals';

/** Warns that tests did not run, with the reason. */
export function skipTests(what: string, why: string | undefined, need: string): void {
  // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
  console.warn(`SKIPPED: ${what}, because ${why}.`);
  test.skip(`${what}: needs ${need}`, () => undefined);
  // Jest shows a file's output only if one of its tests ran.
  test('The reason of the skipped tests is known', () => expect(why).toBeDefined());
}
