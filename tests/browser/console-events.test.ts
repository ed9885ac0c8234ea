import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ordering } from '../services/oms-scenes.ts';
import { describeInBrowser, launchChromium } from '../support/chromium.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { expectAccessible, LOOKS, type Look, WIDTHS, watchedTab } from './watched-tab.ts';

type Scene = Awaited<ReturnType<typeof ordering>>;

describeInBrowser('the events in the console', () => {
  let browser: Browser;
  let scene: Scene;
  let confirmed: { id: string; subject: string; correlationid: string };
  const tab = (look?: Look) => watchedTab(browser, estate.gateway, look);
  const events = () => `r/${scene.rehearsal.name}/events`;

  beforeAll(async () => {
    browser = await launchChromium();
    scene = await ordering();
    await scene.confirmed({ customerId: 'cus_ben' });
    [confirmed] = (await scene.rehearsal.events({ type: 'order-confirmed' })) as [typeof confirmed];
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await scene?.rehearsal[Symbol.asyncDispose]();
  });

  test.each(LOOKS)(
    'are shown without an accessibility finding or horizontal scrolling $width pixels wide and $colorScheme',
    async (look) => {
      await using shown = await tab(look);
      await shown.open(`${events()}?ext=true`);
      await shown.row('order-confirmed').waitFor();
      await expectAccessible(shown.page, look.width);
      await shown.open(`${events()}/${confirmed.id}`);
      await shown.page.getByRole('heading', { name: 'Consumed by 2 applications' }).waitFor();
      await expectAccessible(shown.page, look.width);
    },
  );

  test('appear as they are published, the newest first, without a reload', async () => {
    await using other = await newRehearsal();
    await using shown = await tab();
    await shown.open(`r/${other.name}/events`);
    await shown.page.getByText('Nothing has been published here yet.').waitFor();
    await shown.page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await other.ok('POST', '/baskets', { channel: 'web' });
    await shown.row('basket-created').waitFor();
    await other.ok('POST', '/customers', { firstName: 'Ann', lastName: 'Other', email: 'ann@shop.example' });
    await shown.row('customer-registered').waitFor();
    expect(await shown.page.locator('a[data-row] .what').allTextContents()).toEqual(['customer-registered', 'basket-created']);
  });

  test('wait while the pointer is in the list', async () => {
    await using other = await newRehearsal();
    await other.ok('POST', '/baskets', { channel: 'web' });
    await using shown = await tab();
    await shown.open(`r/${other.name}/events`);
    await shown.page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await shown.row('basket-created').hover();
    await other.ok('POST', '/baskets', { channel: 'web' });
    await shown.page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await shown.page.locator('a[data-row]').count()).toBe(1);
    await shown.page.mouse.move(0, 0);
    await shown.page.locator('a[data-row]').nth(1).waitFor();
  });

  test('are filtered by type, subject and kind, and the filter is in the address', async () => {
    await using shown = await tab();
    const { page } = shown;
    await shown.open(events());
    await shown.row('order-confirmed').waitFor();
    expect(await page.getByText('additional', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'with additional events' }).click();
    await page.waitForURL(/ext=true/);
    await page.locator('a[data-row]').getByText('additional', { exact: true }).first().waitFor();
    await page.getByLabel('Type of event').selectOption('order-confirmed');
    await page.waitForURL(/type=order-confirmed/);
    await page.locator('a[data-row]').nth(1).waitFor({ state: 'detached' });
    await page.getByLabel('Subject').fill('order/ord_none');
    await page.getByText('No event matches.').waitFor();
    await page.getByLabel('Subject').fill(confirmed.subject);
    await shown.row('order-confirmed').waitFor();
    await page.reload();
    await shown.row('order-confirmed').waitFor();
    expect(await page.getByLabel('Type of event').inputValue()).toBe('order-confirmed');
    await page.getByRole('button', { name: 'show all', exact: true }).click();
    await shown.row('basket-created').waitFor();
  });

  test('of a type that does not exist are refused with the reason', async () => {
    await using shown = await tab();
    await shown.open(`${events()}?type=nonsense`);
    await shown.page
      .locator('.problem')
      .getByText(/nonsense|type/)
      .first()
      .waitFor();
    await shown.page.getByRole('button', { name: 'show all', exact: true }).click();
    await shown.row('order-confirmed').waitFor();
  });

  test('say what was published, and lead to the hop of each consumer', async () => {
    await using shown = await tab();
    const { page } = shown;
    await shown.open(events());
    await shown.row('order-confirmed').click();
    await shown.heading('order-confirmed').waitFor();
    await page.getByText('uc.order.events').waitFor();
    expect(await page.getByRole('group', { name: 'Payload' }).textContent()).toContain(confirmed.id);
    const consumers = page.locator('.consumers li');
    expect(await consumers.allTextContents()).toEqual([
      expect.stringMatching(/^CRM✓ consumed200/),
      expect.stringMatching(/^FMS✓ consumed200/),
    ]);
    await page.getByRole('link', { name: 'How FMS handled it' }).click();
    await page.waitForURL(new RegExp(`/activity/${confirmed.correlationid}\\?hop=`));
    await page.getByRole('heading', { name: /^\d+\. order-confirmed$/ }).waitFor();
  });

  test('that a fault withholds say so until it is removed', async () => {
    await using held = await ordering();
    const { rehearsal } = held;
    await rehearsal.fault('kept', { match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } });
    await held.confirmed({ customerId: 'cus_ben' });
    const { withheld } = await rehearsal.settle();
    await using shown = await tab();
    await shown.open(`r/${rehearsal.name}/events/${withheld[0]?.id}`);
    await shown.page.getByText('not on the bus yet').waitFor();
    await shown.page.getByText('⚡ withheld').first().waitFor();
    await shown.page.getByRole('button', { name: 'Live', exact: true }).waitFor();
    await rehearsal.noFaults();
    await rehearsal.settle();
    await shown.page.getByText('✓ consumed').first().waitFor();
  });

  test('can be read with the keyboard alone', async () => {
    await using shown = await tab();
    const { page } = shown;
    await shown.open(`r/${scene.rehearsal.name}/activity`);
    await page.locator('a[data-row]').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await shown.heading('Events').waitFor();
    await shown.row('order-confirmed').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(confirmed.subject);
    await page.waitForURL(/subject=/);
    await page.locator('a[data-row]').nth(2).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await shown.heading('order-confirmed').waitFor();
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('Escape');
    await shown.heading('Events').waitFor();
  });

  test('that do not exist are named, beside those that do', async () => {
    await using shown = await tab();
    await shown.open(`${events()}/evt_none`);
    await shown.heading('No event has this id').waitFor();
    await shown.row('order-confirmed').waitFor();
  });

  test('show hostile text as text', async () => {
    await using other = await newRehearsal();
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202eטקסט 🎁';
    await other.ok('POST', '/customers', { firstName: 'Ann', lastName: hostile.slice(0, 60), email: 'ann@shop.example' });
    const [registered] = await other.events({ type: 'customer-registered' });
    for (const width of WIDTHS) {
      await using shown = await tab({ width });
      for (const path of [
        `/${registered.id}`,
        `/${encodeURIComponent(hostile.replaceAll(/[./]/g, ''))}`,
        `?subject=${encodeURIComponent(hostile)}&type=${encodeURIComponent(hostile)}`,
      ]) {
        await shown.open(`r/${other.name}/events${path}`);
        await shown.page.locator('.detail h1, .problem').first().waitFor();
        expect(await shown.page.locator('main img, main script, main b').count()).toBe(0);
        expect(await shown.page.title()).toContain('Estate console');
        expect(await shown.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    }
  });
});
