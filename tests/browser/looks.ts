import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Run in the page itself: evaluated here, its source would cost each test file a quarter of a second. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HEIGHT = 900;

export const WIDTHS = [1280, 390] as const;

const COLORS = ['color-contrast', 'link-in-text-block'];

/** Of anything that axe judges, or of colors only, which is all that a color scheme changes. */
const LOOKS = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'colors' },
  { width: 390, colorScheme: 'dark', rules: 'all' },
  { width: 390, colorScheme: 'light', rules: 'colors' },
] as const;

export interface LookOptions {
  /** Markup of others, as a selector. */
  readonly without?: string;
  /** What remains to be done at another width before the page shows the same again. */
  readonly atEachWidth?: () => Promise<unknown>;
}

/** The page as it is now, wide and narrow, light and dark: no accessibility finding, and nothing to scroll sideways. */
export async function expectSoundInEveryLook(page: Page, { without, atEachWidth }: LookOptions = {}): Promise<void> {
  await page.evaluate(AXE);
  const seen = [];
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await atEachWidth?.();
    const options = { resultTypes: ['violations'], ...(rules === 'colors' && { runOnly: { type: 'rule', values: COLORS } }) };
    const findings = await page.evaluate<string[]>(`axe
      .run(${JSON.stringify({ include: ['html'], exclude: without === undefined ? [] : [without] })}, ${JSON.stringify(options)})
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
    const tooWide = await page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
    seen.push({ width, colorScheme, findings, tooWide });
  }
  expect(seen).toEqual(LOOKS.map(({ width, colorScheme }) => ({ width, colorScheme, findings: [], tooWide: 0 })));
}
