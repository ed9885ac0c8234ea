import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describeInBrowser, launchChromium } from '../support/chromium.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { expectAccessible, LOOKS, type Look, watchedTab } from './watched-tab.ts';

describeInBrowser('the reference in the console', () => {
  let browser: Browser;
  const tab = (look?: Look) => watchedTab(browser, estate.gateway, look);

  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  test.each(LOOKS)(
    'shows problems and magic values without an accessibility finding or horizontal scrolling $width pixels wide and $colorScheme',
    async (look) => {
      await using shown = await tab(look);
      await shown.open('reference/problems');
      await shown.page.getByText('insufficient_stock').waitFor();
      await expectAccessible(shown.page, look.width);
      await shown.open('reference/values');
      await shown.page.getByText('tok_timeout').waitFor();
      await expectAccessible(shown.page, look.width);
    },
    60_000,
  );

  test.each(LOOKS)(
    'draws APIs and events within the gateway and its policy $width pixels wide and $colorScheme',
    async (look) => {
      for (const [reference, words] of [
        ['api', 'Create Transaction'],
        ['events', 'uc.commerce.events'],
      ] as const) {
        await using shown = await tab(look);
        await shown.open(`reference/${reference}`);
        await shown.page.locator('#reference').getByText(words).first().waitFor({ state: 'attached' });
        await expectAccessible(shown.page, look.width, '#reference');
      }
    },
    60_000,
  );

  test('finds a problem by the API that answers it, and says when no problem matches', async () => {
    await using shown = await tab();
    await shown.open('reference/problems');
    await shown.page.getByText('insufficient_stock').waitFor();
    await shown.page.keyboard.press('/');
    await shown.page.keyboard.type('add payment');
    await shown.page.getByText('payment_declined').waitFor();
    await shown.page.getByText('already_enrolled').waitFor({ state: 'detached' });
    await shown.page.keyboard.type('<b>');
    await shown.page.getByText('No problem matches.').waitFor();
  });

  test('leads to the APIs and back with the keyboard alone', async () => {
    await using shown = await tab();
    const { page } = shown;
    await shown.open('reference');
    await shown.row('Magic values').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reference\/api$/);
    await page.locator('#reference').getByText('Create Transaction').first().waitFor();
    await page.keyboard.press('Tab');
    await page.locator('.reference-bar a:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/r\//);
  });

  test('sends a request with the credential of the session to the rehearsal that was open', async () => {
    await using rehearsal = await newRehearsal();
    await using shown = await tab();
    const { page } = shown;
    await shown.open(`r/${rehearsal.name}/events`);
    await page.getByText('Nothing has been published here yet.').waitFor();
    await shown.open('reference/api#tag/ecommerce-platform/POST/baskets');
    await page.getByText(`Requests go to the rehearsal ${rehearsal.name}.`).waitFor();
    await page
      .getByRole('button', { name: /Test Request.*\/baskets\)?$/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Send/ }).first().click();
    await page.getByText('201').first().waitFor();
    expect(await rehearsal.events({ type: 'basket-created' })).toHaveLength(1);
  }, 60_000);
});
