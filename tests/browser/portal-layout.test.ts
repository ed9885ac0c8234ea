import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test as plainTest } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { testIn } from '../support/test-in.ts';
import { aMock, aPortal } from '../touchpoint/running-touchpoint.ts';
import { fillBody, historyEntries, openPortal } from './portal-page.ts';

const CONSOLE = 'http://127.0.0.1:9/console/';

describeInBrowser('The page of the portal', () => {
  let mock: Listening;
  let portal: Listening;
  let linked: Listening;
  const test = testIn(() => openPortal(portal.url));

  beforeAll(async () => {
    mock = await aMock();
    [portal, linked] = await Promise.all([aPortal({ mockUrl: mock.url }), aPortal({ mockUrl: mock.url, consoleUrl: CONSOLE })]);
  });

  const top = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
  const order = (page: Page) =>
    page.evaluate(
      "document.getElementById('calculate-send').compareDocumentPosition(document.getElementById('cases-title')) & Node.DOCUMENT_POSITION_FOLLOWING ? 'form first' : 'cases first'",
    );

  test('The page of the portal has one order for eye and keyboard, which changes with the width of the window', async ({ page }) => {
    const isFormAbove = async () => (await top(page, '#finish-send')) < (await top(page, '#cases-title'));
    expect([await order(page), await isFormAbove()]).toEqual(['cases first', false]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('#rail:last-child').waitFor();
    expect([await order(page), await isFormAbove()]).toEqual(['form first', true]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.locator('#rail:first-child').waitFor();
  });

  test.each([
    ['Control', 'calculate-body'],
    ['Meta', 'calculate-body'],
    ['Control', 'calculate-selector'],
    ['Control', 'calculate-address'],
    ['Control', 'finish-body'],
  ])('The form of the portal is sent once with %s+Enter in %s', async ({ page }, modifier, field) => {
    const form = field.split('-')[0];
    const before = await page.inputValue(`#${form}-body`);
    await page.focus(`#${field}`);
    await page.keyboard.press(`${modifier}+Enter`);
    await page.locator(`#${form}-verdict p`).waitFor();
    expect(await historyEntries(page).count()).toBe(1);
    expect(await page.inputValue(`#${form}-body`)).toBe(before);
  });

  test('The form of the portal is not sent with Enter alone in the body', async ({ page }) => {
    await page.focus('#calculate-body');
    await page.keyboard.press('Enter');
    await page.focus('#finish-body');
    await page.keyboard.press('Control+Enter');
    await page.locator('#finish-verdict p').waitFor();
    expect(await historyEntries(page).count()).toBe(1);
  });

  test('The form of the portal does not show an answer beside another request', async ({ page }) => {
    await page.click('#calculate-send');
    await page.locator('#calculate-verdict p').waitFor();
    await page.locator('button[data-case="03"]').click();
    expect(await page.textContent('#calculate-sent-at')).toBe('Not sent yet.');
    expect(await page.textContent('#calculate-result')).toBe('');
  });

  /** Passes the command on standard input, because it may be longer than an argument. */
  const run = async (command: string) => {
    const shell = spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'] });
    shell.stdin.end(command.replace('curl -i', "curl -s -w '\\n%{http_code}'"));
    return (await text(shell.stdout)).split('\n');
  };

  test.each([
    ['quotes and signs of the shell', '\'"$(id)`id`\\ !! @%s \n\t<>|&;'],
    ['more than one argument can hold', 'x'.repeat(200_000)],
  ])('The command for curl gets the answer to a body with %s', async ({ page }, _what, content) => {
    await fillBody(page, { touchpointId: 'SCO-01', basketId: content });
    const command = (await page.textContent('#calculate-curl')) ?? '';
    expect(command).toContain(`curl -i -X POST '${mock.url}/retail/touchpoint/basket/calculate'`);
    const [body, status] = await run(command);
    expect([status, JSON.parse(body ?? '').basketId]).toEqual(['200', content]);
  });

  plainTest('The command for curl has the host name of the page when the mock is on the same machine', async () => {
    await using tab = await openPortal(`http://localhost:${portal.port}/`);
    expect(await tab.page.textContent('#calculate-curl')).toContain(`'http://localhost:${mock.port}/retail`);
  });

  plainTest('The portal links to the console of its estate, and to none without an estate', async () => {
    await using tab = await openPortal(linked.url);
    expect(await tab.page.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe(CONSOLE);
    await using alone = await openPortal(portal.url);
    expect(await alone.page.getByRole('link', { name: 'Console' }).count()).toBe(0);
  });
});
