import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';

const PAGES = ['activity', 'events'] as const;

const ROWS = 'nav[aria-label$="newest first"] a[data-row]';

describeInBrowser('Places in the lists of the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    for (let made = 0; made < 40; made += 1) await rehearsal.basket({ qty: 1 });
    await rehearsal.settle();
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const rows = () => tab.page.locator(ROWS);
  const open = async (page: string) => {
    await tab.open(`r/${rehearsal.name}/${page}`);
    await rows().nth(30).waitFor();
    await tab.isLive();
  };
  const topOf = (element: Locator) => element.evaluate((one) => Math.round(one.getBoundingClientRect().top));
  const focusedPlace = () => tab.page.evaluate<number>(`[...document.querySelectorAll('${ROWS}')].indexOf(document.activeElement) + 1`);
  const isOpen = () => tab.page.locator('article h1:focus').waitFor();
  const isBack = () => tab.page.locator(`${ROWS}:focus`).waitFor();

  test.each(PAGES)(
    'The list of %s keeps its place beside an open row far down, has the focus there after Esc, and j continues from it',
    async (page) => {
      await tab.resize(1280);
      await open(page);
      await rows().nth(25).scrollIntoViewIfNeeded();
      await rows().nth(25).click();
      await isOpen();
      const top = await topOf(rows().nth(25));
      expect(top).toBeGreaterThan(0);
      expect(top).toBeLessThan(880);
      expect(await rows().nth(25).getAttribute('aria-current')).toBe('true');
      const heading = await topOf(tab.page.locator('article h1'));
      expect(heading).toBeGreaterThan(0);
      expect(heading).toBeLessThan(720);
      await tab.page.keyboard.press('Escape');
      await isBack();
      expect([await focusedPlace(), await topOf(rows().nth(25))]).toEqual([26, top]);
      await tab.page.keyboard.press('j');
      expect(await focusedPlace()).toBe(27);
      await tab.page.keyboard.press('Enter');
      await isOpen();
    },
  );

  test.each(PAGES)('The list of %s shows its first row in a wide window, with a link to it that can be copied', async (page) => {
    await tab.resize(1280);
    await open(page);
    expect(await rows().first().getAttribute('aria-current')).toBe('true');
    const href = new URL(String(await rows().first().getAttribute('href')), tab.page.url()).href;
    await tab.page.locator('article').getByRole('button', { name: 'Copy link' }).click();
    await tab.page.getByRole('status').getByText('Link copied').waitFor();
    expect([await tab.copied(), await focusedPlace()]).toEqual([href, 0]);
  });

  test.each(PAGES)('The list of %s returns to its place in a narrow window, by its link and by the button of the browser', async (page) => {
    await tab.resize(390);
    await open(page);
    await rows().nth(25).scrollIntoViewIfNeeded();
    const top = await topOf(rows().nth(25));
    for (const back of [() => tab.page.getByRole('link', { name: '← All ' }).click(), () => tab.page.goBack()]) {
      await rows().nth(25).click();
      await isOpen();
      expect(await tab.page.evaluate('window.scrollY')).toBe(0);
      await back();
      await isBack();
      expect([await focusedPlace(), await topOf(rows().nth(25))]).toEqual([26, top]);
    }
  });

  test.each(PAGES)(
    'The list of %s keeps new rows back while the pointer is in it or on their button, which leads to the first',
    async (page) => {
      await using other = await newRehearsal();
      const more = (count: number) => tab.page.getByRole('button', { name: `${count} new` });
      for (let made = 0; made < 3; made += 1) await other.basket();
      await tab.openLive(other, `/${page}`);
      await rows().first().hover();
      const before = await rows().first().boundingBox();
      await other.basket();
      await more(1).waitFor();
      expect([await rows().count(), await rows().first().boundingBox()]).toEqual([3, before]);
      await more(1).hover();
      await other.basket();
      await more(2).waitFor();
      expect(await rows().count()).toBe(3);
      await tab.page.mouse.move(0, 0);
      await rows().nth(4).waitFor();
      await rows().first().hover();
      await other.basket();
      await more(1).waitFor();
      await tab.tabTo('1 new');
      await tab.page.keyboard.press('Enter');
      await rows().nth(5).waitFor();
      await tab.page.locator(':is(li, tr):first-child a[data-row]:focus').waitFor();
    },
  );
});
