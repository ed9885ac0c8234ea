import { afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { sharedBrowser } from '../support/chromium.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { collectErrors } from './complaints.ts';
import { expectSoundInEveryLook } from './looks.ts';

declare global {
  /** Set by this folder's test environment. */
  var hasTestFailed: boolean;
}

/** Shorter than the time of a test, so that a failure names its step. */
const STEP_MS = 60_000;

/** Text with markup, a script for the title of the page, right-to-left letters and an emoji. */
export const HOSTILE = '<img src=x onerror="document.title=1"><b>‮טקסט 🎁';

/** One request, under this correlation id. */
export const readProduct = (rehearsal: TestRehearsal, trace?: string) =>
  rehearsal.api('get-product-api', { params: { id: 'mug-blue' }, headers: trace ? { 'x-correlation-id': trace } : {}, as: 'bearer' });

/**
 * A fresh tab for each test, without a session; the tabs of a file share what the browser has cached. Cookies, policy violations, errors of
 * the page and foreign requests fail the test.
 */
export function consoleTab() {
  const browser = sharedBrowser();
  let context: BrowserContext;
  let page: Page;
  let home: string;
  const complaints: string[] = [];
  const unanswered = new Set<Request>();

  beforeAll(async () => {
    context = await (await browser()).newContext({ permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce' });
    context.setDefaultTimeout(STEP_MS);
  });
  beforeEach(async () => {
    home = estate.gateway;
    page = await context.newPage();
    collectErrors(page, complaints);
    unanswered.clear();
    page.on('request', (request) => {
      unanswered.add(request);
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${home}/`)) complaints.push(`requested ${request.url()}`);
    });
    page.on('response', (response) => unanswered.delete(response.request()));
    page.on('requestfailed', (request) => unanswered.delete(request));
  });
  afterEach(async () => {
    if (globalThis.hasTestFailed && page) await showFailed(page, unanswered);
    await page?.close();
    expect(await context.cookies()).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  /** @param from the address of the gateway, or of a proxy to it */
  const open = (path: string, from = estate.gateway) => {
    home = from;
    return page.goto(`${from}/console/${path}`);
  };
  const expectToFit = async (width: number) =>
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  const isLive = () => page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  const main = () => page.locator('main');
  const button = (name: string | RegExp) => main().getByRole('button', { name });
  const link = (name: string | RegExp) => main().getByRole('link', { name });

  return {
    get page(): Page {
      return page;
    },
    open,
    /** Opens a page of a new rehearsal, and waits until it follows the rehearsal. */
    openNew: async (path = '') => {
      const rehearsal = await newRehearsal();
      await open(`r/${rehearsal.name}${path}`);
      await isLive();
      return rehearsal;
    },
    /** Opens a page of a rehearsal, and waits until it follows the rehearsal. */
    openLive: async (rehearsal: TestRehearsal, path = '') => {
      await open(`r/${rehearsal.name}${path}`);
      await isLive();
    },
    main,
    button,
    link,
    /** Opens the menu of the clock and chooses an item. */
    chooseOfClock: async (name: string) => {
      await page.getByRole('button', { name: /: move the clock$/ }).click();
      await page.getByRole('menuitem', { name }).click();
    },
    press: (name: string | RegExp) => button(name).click(),
    follow: (name: string | RegExp) => link(name).click(),
    /** Waits until the page shows a text. */
    shows: (text: string | RegExp) => main().getByText(text).locator('visible=true').first().waitFor(),
    /** Waits until the message below the bar has a text. */
    says: (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor(),
    /** What the page shows as wrong at a field. */
    wrongAt: (label: string) =>
      main()
        .locator('.field', { has: page.getByLabel(label, { exact: true }) })
        .locator('.wrong'),
    focusedText: () => page.evaluate<string>("document.activeElement?.textContent ?? ''"),
    heading: (name: string) => page.getByRole('heading', { level: 1, name, exact: true }),
    /** A row of the page's list or table: the first one that has this text. */
    row: (name: string) => page.locator('tr:has(a[data-row]), a[data-row]').filter({ hasText: name }).first(),
    /** Waits until an object or a run is in this state. */
    stateIs: (state: string) => page.locator('main .title .badge', { hasText: new RegExp(`^${state}$`) }).waitFor(),
    /** Waits for the trace of Get Product. On a busy machine, its sentence names the slowest call. */
    isTraceOfProduct: () => page.locator('[data-sentence]', { hasText: /Get Product|Check Availability/ }).waitFor(),
    resize: (width: number) => page.setViewportSize({ width, height: 900 }),
    expectToFit,
    /** Expects that hostile text became neither an element nor a title, and fits. */
    expectTextOnly: async (width = 1280) => {
      expect(await page.locator('main').locator('img:not([src^="/media/products/"]), script, b').count()).toBe(0);
      expect(await page.title()).toContain('Estate console');
      await expectToFit(width);
    },
    expectSoundInEveryLook: (without?: string) => expectSoundInEveryLook(page, without),
    /** Signs in where the console offers no credential, as in production. */
    signInIfAsked: async () => {
      const field = page.getByLabel('Bearer token');
      await field.or(page.getByRole('button', { name: 'Live', exact: true })).waitFor();
      if (!(await field.isVisible())) return;
      await field.fill(ADMIN);
      await page.keyboard.press('Enter');
    },
    isLive,
    copied: () => page.evaluate<string>('navigator.clipboard.readText()'),
    /** Presses `g` and the key of a page without a pause between them: the second key must follow in time. */
    goTo: async (key: string) => {
      await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
    },
    /** Presses Tab until the name of the focused element begins with `name`. */
    tabTo: async (name: string) => {
      const focused = () =>
        page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''");
      for (let presses = 0; presses < 200; presses += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()).startsWith(name)) return;
      }
      throw new Error(`Tab never reached ${name}`);
    },
  };
}

/** Prints what the page showed when the test failed. */
async function showFailed(page: Page, unanswered: ReadonlySet<Request>): Promise<void> {
  const text = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
  const waiting = [...unanswered].map((request) => request.url());
  // biome-ignore lint/suspicious/noConsole: it explains a failure that may not happen again
  console.warn(`The page ${page.url()} shows:\n${text.slice(0, 5_000)}\n\nRequests without an answer: ${waiting.join(', ') || 'none'}`);
}
