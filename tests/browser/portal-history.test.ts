import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { testIn } from '../support/test-in.ts';
import { aMock, aPortal } from '../touchpoint/running-touchpoint.ts';
import { fillBody, historyEntries, openHistory, openPortal, send } from './portal-page.ts';

const HOSTILE = '<img src=x onerror="document.title=\'struck\'">';
const MEGABYTE = 1_000_000;

describeInBrowser('The history of the portal', () => {
  let portal: Listening;
  const test = testIn(() => openPortal(portal.url));

  beforeAll(async () => {
    portal = await aPortal({ mockUrl: (await aMock()).url });
  });

  const texts = (page: Page, part: string) => historyEntries(page).locator(part).allTextContents();
  const names = (page: Page) => texts(page, 'time + span');
  const runAll = async (page: Page) => {
    await page.click('#run-all');
    await page.getByText('All 21 cases were').waitFor({ timeout: 20_000 });
  };
  const fill = (page: Page, length: number, basketId: string) =>
    fillBody(page, { touchpointId: 'SCO-01', basketId, padding: 'x'.repeat(length) });

  test('The history lists each exchange with its time, case or path, status and duration, newest first', async ({ page }) => {
    await send(page);
    await page.selectOption('#calculate-address', 'scenario');
    await page.locator('button[data-case="19"]').click();
    await send(page);
    await send(page, 'finish');
    await page.click('#run-sequence');
    await page.getByText('All 6 steps').waitFor();
    await openHistory(page);
    expect(await names(page)).toEqual(['10r', '10', '14', '04', '03', '02', '10', '/caso19', '02']);
    expect((await texts(page, '.badge')).slice(6)).toEqual(['200', '503', '200']);
    for (const time of await texts(page, 'time')) expect(time).toMatch(/^\d\d:\d\d:\d\d$/);
    for (const duration of await texts(page, 'span:last-child')) expect(duration).toMatch(/^\d+ ms$/);
    expect(await page.textContent('#history-count')).toBe('9');
  });

  test('The history does not list a request that the browser refused to send', async ({ page }) => {
    await page.fill('#calculate-selector', '☕');
    await send(page);
    expect(await historyEntries(page).count()).toBe(0);
  });

  test('The history restores the request and the answer of an opened entry, without sending', async ({ page }) => {
    await page.selectOption('#authorization', 'revoked');
    await page.selectOption('#calculate-address', 'scenario');
    await page.fill('#calculate-selector', '14');
    await page.fill('#calculate-body', '{"touchpointId":"SCO-01","basketId":"mine"}');
    await send(page);
    await page.selectOption('#authorization', 'valid');
    await page.selectOption('#calculate-address', 'alias');
    await page.locator('button[data-case="07"]').click();
    await send(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await openHistory(page);
    await historyEntries(page).nth(1).click();

    expect(await page.inputValue('#authorization')).toBe('revoked');
    expect(await page.inputValue('#calculate-address')).toBe('scenario');
    expect(await page.inputValue('#calculate-selector')).toBe('14');
    expect(await page.inputValue('#calculate-body')).toBe('{"touchpointId":"SCO-01","basketId":"mine"}');
    expect(await page.textContent('#calculate-verdict')).toContain('403 Forbidden');
    expect(await page.textContent('#calculate-result pre')).toContain('Touchpoint authorization denied');
    expect(await page.evaluate('document.activeElement.id')).toBe('calculate-send');
    expect(await historyEntries(page).nth(1).getAttribute('aria-current')).toBe('true');
    expect(requests).toEqual([]);

    await historyEntries(page).nth(0).click();
    expect(await page.textContent('#calculate-verdict')).toContain('Line L2 (number 2) was rejected');
    expect(await page.locator('button[data-case="07"]').getAttribute('aria-current')).toBe('true');
    expect(await page.inputValue('#authorization')).toBe('valid');
  });

  test('The history survives a reload, is not in another tab, and can be cleared', async ({ page }) => {
    await send(page);
    await page.reload();
    await openHistory(page);
    await historyEntries(page).first().click();
    expect(await page.textContent('#calculate-verdict')).toContain('200 OK');

    const other = await page.context().newPage();
    await other.goto(portal.url);
    await other.waitForSelector('[data-case="10claimed"]');
    expect(await historyEntries(other).count()).toBe(0);

    await page.click('#history-clear');
    expect(await historyEntries(page).count()).toBe(0);
    expect(await page.locator('#history-empty').isVisible()).toBe(true);
    await page.reload();
    await page.waitForSelector('[data-case="10claimed"]');
    expect(await historyEntries(page).count()).toBe(0);
  });

  test('The history keeps the last 50 exchanges', async ({ page }) => {
    for (let runs = 0; runs < 3; runs += 1) await runAll(page);
    await openHistory(page);
    expect(await historyEntries(page).count()).toBe(50);
    expect((await names(page))[0]).toBe('10claimed');
    await page.reload();
    await page.waitForSelector('[data-case="10claimed"]');
    expect(await historyEntries(page).count()).toBe(50);
  });

  test('The history shows hostile text as text', async ({ page }) => {
    await page.selectOption('#calculate-address', 'scenario');
    await page.fill('#calculate-selector', HOSTILE);
    await send(page);
    await page.fill('#calculate-selector', '02');
    await page.fill('#calculate-body', JSON.stringify({ touchpointId: 'SCO-01', basketId: HOSTILE }));
    await send(page);
    await openHistory(page);
    expect(await names(page)).toEqual(['/caso02', `/caso${HOSTILE}`]);
    await historyEntries(page).nth(1).click();
    await historyEntries(page).nth(0).click();
    expect(await page.textContent('#calculate-result pre')).toContain(`"basketId": ${JSON.stringify(HOSTILE)}`);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Touchpoint mock – portal');
  });

  test('The history drops the oldest exchanges when bodies fill the storage', async ({ page }) => {
    for (let sent = 0; sent < 7; sent += 1) {
      await fill(page, 0.9 * MEGABYTE, `basket-${sent}`);
      expect(await send(page)).toContain('200 OK');
    }
    const kept = await historyEntries(page).count();
    expect(kept).toBeGreaterThan(2);
    expect(kept).toBeLessThan(7);
    await page.reload();
    await openHistory(page);
    expect(await historyEntries(page).count()).toBe(kept);
    await historyEntries(page).first().click();
    expect(await page.textContent('#calculate-result pre')).toContain('"basket-6"');
  });

  test('The history keeps the others when one exchange alone is too big', async ({ page }) => {
    await send(page);
    await fill(page, 6 * MEGABYTE, 'giant');
    await send(page);
    await openHistory(page);
    expect(await page.locator('#history-too-big').isVisible()).toBe(true);
    expect(await names(page)).toEqual(['02']);
    await page.locator('button[data-case="03"]').click();
    await send(page);
    await eventually('the hint is gone', async () => !(await page.locator('#history-too-big').isVisible()));
    expect(await names(page)).toEqual(['03', '02']);
  });

  test('The history starts empty when the storage holds something else', async ({ page }) => {
    for (const stored of ['{', 'null', '[null, 1, {}]', '[{"request":{"alias":"calculate","caller":"nobody"}}]']) {
      await page.evaluate((text) => sessionStorage.setItem('touchpoint-exchanges', text), stored);
      await page.reload();
      await page.waitForSelector('[data-case="10claimed"]');
      expect(await historyEntries(page).count()).toBe(0);
    }
    expect(await send(page)).toContain('200 OK');
    expect(await historyEntries(page).count()).toBe(1);
  });
});
