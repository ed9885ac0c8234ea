import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../support/chromium.ts';
import { copiedFixtures } from '../support/folder.ts';
import { collectErrors } from './complaints.ts';

const browser = sharedBrowser();

/** Copies the project's fixtures into a temporary folder, and replaces some texts. */
export async function changedFixtures(changes: Readonly<Record<string, readonly [string, string]>>) {
  const folder = await copiedFixtures();
  for (const [name, [from, to]] of Object.entries(changes)) {
    const file = `touchpoint/${name}.json`;
    const text = await readFile(folder.at(file), 'utf8');
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    await folder.write(file, text.replace(from, to));
  }
  return folder;
}

/** Opens the portal in a new tab with an empty history. Errors of the page and foreign requests fail the test. */
export async function openPortal(url: string) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  const page = await context.newPage();
  const complaints = collectErrors(page);
  page.on('request', (request) => request.url().startsWith(url) || complaints.push(`requested ${request.url()}`));
  await page.goto(url);
  await page.waitForSelector('[data-case="10claimed"]');
  return { page, verify: async () => expect(complaints).toEqual([]), [Symbol.asyncDispose]: () => context.close() };
}

/** Sets the body of a calculation by script, because typing a large text takes too long. */
export const fillBody = (page: Page, body: object) =>
  page.locator('#calculate-body').evaluate(
    (node, value) => {
      Object.assign(node, { value });
      node.dispatchEvent(new Event('input'));
    },
    JSON.stringify(body, null, 2),
  );

export const historyEntries = (page: Page) => page.locator('#history button');
export const openHistory = (page: Page) => page.click('#history-panel > summary');

/** Sends the form, and waits for the answer. */
export async function send(page: Page, form: 'calculate' | 'finish' = 'calculate'): Promise<string> {
  const response = page.locator(`[data-at]:has(#${form}-verdict)`);
  const before = (await response.count()) > 0 ? await response.getAttribute('data-at') : '';
  await page.click(`#${form}-send`);
  await page.locator(`[data-at]:not([data-at="${before}"]) > #${form}-verdict`).waitFor({ timeout: 15_000 });
  return (await page.textContent(`#${form}-verdict`)) ?? '';
}
