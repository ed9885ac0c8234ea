import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** Axe is evaluated only in the page: evaluating it here would cost each test file a quarter of a second. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HEIGHT = 900;

export const WIDTHS = [1280, 390] as const;

const COLORS = ['color-contrast', 'link-in-text-block'];

/** Looks with `colors` check only the rules on colors, because a color scheme changes nothing else. */
const LOOKS = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'colors' },
  { width: 390, colorScheme: 'dark', rules: 'all' },
  { width: 390, colorScheme: 'light', rules: 'colors' },
] as const;

/**
 * Expects no accessibility finding and no horizontal scrolling, wide and narrow, light and dark. The page keeps its size.
 * @param without selector of foreign markup, which is not checked
 */
export async function expectSoundInEveryLook(page: Page, without?: string): Promise<void> {
  const size = page.viewportSize();
  await page.evaluate(AXE);
  const seen = [];
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const options = { resultTypes: ['violations'], ...(rules === 'colors' && { runOnly: { type: 'rule', values: COLORS } }) };
    const findings = await page.evaluate<string[]>(`axe
      .run(${JSON.stringify({ include: ['html'], exclude: without === undefined ? [] : [without] })}, ${JSON.stringify(options)})
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
    const tooWide = await page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
    seen.push({ width, colorScheme, findings, tooWide });
  }
  if (size) await page.setViewportSize(size);
  expect(seen).toEqual(LOOKS.map(({ width, colorScheme }) => ({ width, colorScheme, findings: [], tooWide: 0 })));
}
