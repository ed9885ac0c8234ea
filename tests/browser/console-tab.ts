import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { estate } from '../support/estate.ts';
import { ARGS, CHROMIUM, isInstalled } from './chromium.ts';

/** Widths and color schemes in which each page is looked at. */
export const LOOKS = ([1280, 390] as const).flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })));
/** axe looks at each element: seconds on a busy machine. */
export const LOOK_MS = 60_000;
export type Look = (typeof LOOKS)[number];

/** Skips, and says so, where no browser is installed. */
export function describeConsole(what: string, tests: () => void): void {
  if (!isInstalled()) {
    // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
    console.warn(`SKIPPED: the browser tests of ${what} need Chromium at ${CHROMIUM} (Debian: apt-get install chromium).`);
  }
  (isInstalled() ? describe : describe.skip)(what, tests);
}

/** A fresh tab for each test, without a session. Policy violations, errors of the page and foreign requests fail the test. */
export function consoleTab() {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  }, 60_000);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // The browser reports every refused request as an error, and some tests provoke refusals.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(estate.gateway)) complaints.push(`asked for ${request.url()}`);
    });
  });
  afterEach(async () => {
    expect(await context.cookies()).toEqual([]);
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  return {
    get page(): Page {
      return page;
    },
    open: (path: string) => page.goto(`${estate.gateway}/console/${path}`),
    heading: (name: string) => page.getByRole('heading', { level: 1, name, exact: true }),
    dress: async ({ width, colorScheme }: Look) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    },
    /** No accessibility finding, and nothing to scroll sideways. */
    expectSound: async () => {
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
    isLive: () => page.getByRole('button', { name: 'Live', exact: true }).waitFor(),
    copied: () => page.evaluate<string>('navigator.clipboard.readText()'),
    /** Presses Tab until the focused element's name begins so. */
    tabTo: async (name: string) => {
      const focused = () =>
        page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''");
      for (let presses = 0; presses < 120; presses += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()).startsWith(name)) return;
      }
      throw new Error(`Tab never reached ${name}`);
    },
  };
}
