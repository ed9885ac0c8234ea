import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

describeInBrowser('Events in the console', () => {
  let scene: TestRehearsal;
  let confirmed: { id: string; subject: string; correlationid: string };
  const tab = consoleTab();
  const events = () => `r/${scene.name}/events`;

  beforeAll(async () => {
    scene = await newRehearsal({ warehouse: 'manual' });
    await scene.confirmed({ customerId: 'cus_ben' });
    [confirmed] = (await scene.events({ type: 'order-confirmed' })) as [typeof confirmed];
  });
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
  });

  test('The list of events and an event have no accessibility finding or horizontal scrolling in any look', async () => {
    await tab.open(`${events()}?ext=true`);
    await tab.row('order-confirmed').waitFor();
    await tab.expectSoundInEveryLook();
    await tab.open(`${events()}/${confirmed.id}`);
    await tab.page.getByRole('heading', { name: 'Consumed by 2 applications' }).waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The list of events shows each event as it is published, newest first, without a reload', async () => {
    await using other = await tab.openNew('/events');
    await tab.page.getByText('Nothing has been published here yet.').waitFor();
    await tab.isLive();
    await other.api('create-basket-api', { body: { channel: 'web' } });
    await tab.row('basket-created').waitFor();
    await other.api('create-customer-api', { body: { firstName: 'Ann', lastName: 'Other', email: 'ann@shop.example' } });
    await tab.row('customer-registered').waitFor();
    expect(await tab.page.locator('a[data-row] .what').allTextContents()).toEqual(['customer-registered', 'basket-created']);
  });

  test('The list of events keeps new events back while the pointer is in it', async () => {
    await using other = await newRehearsal();
    for (let n = 0; n < 3; n++) await other.api('create-basket-api', { body: { channel: 'web' } });
    await tab.open(`r/${other.name}/events`);
    await tab.isLive();
    const rows = tab.page.locator('a[data-row]');
    await rows.first().hover();
    const before = await rows.first().boundingBox();
    await other.api('create-basket-api', { body: { channel: 'web' } });
    const button = tab.page.getByRole('button', { name: '1 new' });
    await button.waitFor();
    expect(await rows.count()).toBe(3);
    expect(await rows.first().boundingBox()).toEqual(before);
    // The pointer leaves the rows on its way to the button.
    await button.hover();
    await other.api('create-basket-api', { body: { channel: 'web' } });
    await tab.page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await rows.count()).toBe(3);
    await tab.page.mouse.move(0, 0);
    await rows.nth(4).waitFor();
  });

  test('The list of events has at most 1,000 rows', async () => {
    await using other = await newRehearsal();
    for (let n = 0; n < 1_020; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => other.api('create-basket-api', { body: { channel: 'web' } })));
    }
    await tab.open(`r/${other.name}/events?ext=true`);
    await tab.isLive();
    await tab.row('basket-created').waitFor();
    await other.api('create-customer-api', { body: { firstName: 'Ann', lastName: 'Other', email: 'ann@shop.example' } });
    await tab.row('customer-registered').waitFor();
    expect(await tab.page.locator('main li').count()).toBe(1_000);
  });

  test('The list of events is filtered by type, subject and kind, and the address keeps the filter', async () => {
    const { page } = tab;
    await tab.open(events());
    await tab.row('order-confirmed').waitFor();
    expect(await page.getByText('additional', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'with additional events' }).click();
    await page.waitForURL(/ext=true/);
    await page.locator('a[data-row]').getByText('additional', { exact: true }).first().waitFor();
    await page.getByLabel('Type of event').selectOption('order-confirmed');
    await page.waitForURL(/type=order-confirmed/);
    await page.locator('a[data-row]').nth(1).waitFor({ state: 'detached' });
    await page.getByLabel('Subject').fill('order/ord_none');
    await page.getByText('No event matches.').waitFor();
    await page.getByLabel('Subject').fill('nothing');
    await page.waitForURL(/subject=nothing/);
    await page.getByText('No event matches.').waitFor();
    await page.getByLabel('Subject').fill(confirmed.subject.replace('order/', ''));
    await tab.row('order-confirmed').waitFor();
    await page.getByLabel('Subject').fill(confirmed.subject);
    await tab.row('order-confirmed').waitFor();
    await page.reload();
    await tab.row('order-confirmed').waitFor();
    expect(await page.getByLabel('Type of event').inputValue()).toBe('order-confirmed');
    await page.getByRole('button', { name: 'show all', exact: true }).click();
    await tab.row('basket-created').waitFor();
  });

  test('The list of events shows why a filter by an unknown type is refused', async () => {
    await tab.open(`${events()}?type=nonsense`);
    await tab.page
      .locator('.problem')
      .getByText(/nonsense|type/)
      .first()
      .waitFor();
    await tab.page.getByRole('button', { name: 'show all', exact: true }).click();
    await tab.row('order-confirmed').waitFor();
  });

  test('The page of an event shows its payload, and leads to the hop of each consumer', async () => {
    const { page } = tab;
    await tab.open(events());
    await tab.row('order-confirmed').click();
    await tab.heading('order-confirmed').waitFor();
    await page.getByText('uc.order.events').waitFor();
    expect(await page.getByRole('group', { name: 'Payload' }).textContent()).toContain(confirmed.id);
    const consumers = page.getByRole('region', { name: 'Consumers' }).getByRole('listitem');
    expect(await consumers.allTextContents()).toEqual([
      expect.stringMatching(/^CRM✓ consumed200/),
      expect.stringMatching(/^FMS✓ consumed200/),
    ]);
    await page.getByRole('link', { name: 'How FMS handled it' }).click();
    await page.waitForURL(new RegExp(`/activity/${confirmed.correlationid}\\?hop=`));
    await page.getByRole('heading', { name: /^\d+\. order-confirmed$/ }).waitFor();
  });

  test('The page of a withheld event names the fault until the fault is removed', async () => {
    await using held = await newRehearsal({ warehouse: 'manual' });
    await held.fault('kept', { match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } });
    await held.confirmed({ customerId: 'cus_ben' });
    const { withheld } = await held.settle();
    await tab.open(`r/${held.name}/events/${withheld[0]?.id}`);
    await tab.page.getByText('not on the bus yet').waitFor();
    await tab.page.getByText('⚡ withheld').first().waitFor();
    await tab.isLive();
    await held.noFaults();
    await held.settle();
    await tab.page.getByText('✓ consumed').first().waitFor();
  });

  test('Events can be found and read with the keyboard alone', async () => {
    const { page } = tab;
    await tab.open(`r/${scene.name}/activity`);
    await page.locator('a[data-row]').first().waitFor();
    await tab.goTo('e');
    await tab.heading('Events').waitFor();
    await tab.row('order-confirmed').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(confirmed.subject);
    await page.waitForURL((url) => url.searchParams.get('subject') === confirmed.subject);
    await page.locator('a[data-row]').nth(2).waitFor({ state: 'detached' });
    await tab.row('order-confirmed').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await tab.heading('order-confirmed').waitFor();
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('Escape');
    await tab.heading('Events').waitFor();
  });

  test('The page of an unknown event lists existing events', async () => {
    await tab.open(`${events()}/evt_none`);
    await tab.heading('No event has this id').waitFor();
    await tab.row('order-confirmed').waitFor();
  });

  test('The pages of events show hostile text as text', async () => {
    await using other = await newRehearsal();
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>\u202eטקסט 🎁';
    await other.api('create-customer-api', { body: { firstName: 'Ann', lastName: hostile.slice(0, 60), email: 'ann@shop.example' } });
    const [registered] = await other.events({ type: 'customer-registered' });
    for (const width of WIDTHS) {
      await tab.resize(width);
      for (const path of [
        `/${registered.id}`,
        `/${encodeURIComponent(hostile.replaceAll(/[./]/g, ''))}`,
        `?subject=${encodeURIComponent(hostile)}&type=${encodeURIComponent(hostile)}`,
      ]) {
        await tab.open(`r/${other.name}/events${path}`);
        await tab.page.locator('article h1, .problem').first().waitFor();
        await tab.expectTextOnly(width);
      }
    }
  });
});
