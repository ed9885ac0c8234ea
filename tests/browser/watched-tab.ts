import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';

/** A fresh tab, without a session, at a size and in a color scheme. */
export interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

export const WIDTHS = [1280, 390] as const;
export const LOOKS = WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })));

/**
 * Opens a tab that keeps the console's promises in view: at its end there was no cookie, no error, no violation of the policy and no request to
 * anywhere but home.
 */
export async function watchedTab(browser: Browser, home: string, { width = 1280, colorScheme = 'light' }: Look = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser reports every refused request as an error, and some tests provoke refusals.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${home}/`)) complaints.push(`asked for ${request.url()}`);
  });
  return {
    page,
    complaints,
    open: (path: string) => page.goto(`${home}/console/${path}`),
    heading: (name: string) => page.getByRole('heading', { level: 1, name, exact: true }),
    row: (name: string) => page.locator('a[data-row]').filter({ hasText: name }).first(),
    async [Symbol.asyncDispose]() {
      const cookies = await context.cookies();
      const seen = [...complaints];
      await context.close();
      expect(cookies).toEqual([]);
      expect(seen).toEqual([]);
    },
  };
}

/** @param without markup of others, as a selector */
export async function expectAccessible(page: Page, width: number, without?: string): Promise<void> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (without === undefined ? axe : axe.exclude(without)).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}
