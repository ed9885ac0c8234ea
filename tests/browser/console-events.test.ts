import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { consoleTab } from './console-tab.ts';

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
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test('The list of events shows each event as it is published, newest first, without a reload', async () => {
    await using other = await tab.openNew('/events');
    await tab.shows('Nothing has been published here yet.');
    await other.api('create-basket-api', { body: { channel: 'web' } });
    await tab.row('basket-created').waitFor();
    await other.api('create-customer-api', { body: { firstName: 'Ann', lastName: 'Other', email: 'ann@shop.example' } });
    await tab.row('customer-registered').waitFor();
    expect(await tab.page.locator('a[data-row]').allTextContents()).toEqual(['customer-registered ', 'basket-created ']);
  });

  test('The table of events names object, order, application, receivers and deliveries of each event, and j, k and Enter open one', async () => {
    await using receiver = await receiveEvents();
    await using other = await newRehearsal({ warehouse: 'manual' });
    await other.control('put-webhook', { params: { name: 'shop' }, body: { url: receiver.url, types: ['order-confirmed'] } });
    const { orderNumber } = await other.confirmed({ customerId: 'cus_ben' });
    await other.settle();
    await tab.openLive(other, '/events');
    await tab.row('order-confirmed').getByText('delivered').waitFor();
    const cellsOf = async (event: string) => (await tab.row(event).locator('td').allTextContents()).slice(0, -1);
    expect(await tab.page.locator('thead th').allTextContents()).toEqual([
      'event',
      'object',
      'customer or order',
      'application',
      'receivers',
      'webhooks',
      'when',
    ]);
    expect(await cellsOf('order-confirmed')).toEqual([orderNumber, 'cus_ben', 'OMS', 'CRM, FMS', 'delivered']);
    expect(await cellsOf('payment-authorized')).toEqual([expect.stringMatching(/^pay_/), orderNumber, 'Payment Hub', 'POS', '']);
    const current = tab.page.locator('tr[data-current]');
    const [first = '', second = '', third = ''] = await tab.page.locator('a[data-row]').allTextContents();
    expect(await current.locator('a').textContent()).toBe(first);
    for (const [key, event] of [
      ['j', second],
      ['j', third],
      ['k', second],
    ] as const) {
      await tab.page.keyboard.press(key);
      expect(await tab.focusedText()).toBe(event);
    }
    await tab.page.keyboard.press('Enter');
    await tab.heading(second.trim()).waitFor();
  });

  test('The page of events shows the first event in a wide window only, and leaves focus and title to the list', async () => {
    await tab.open(events());
    const chosen = tab.page.locator('article h2').first();
    await chosen.waitFor();
    expect(await tab.row(String(await chosen.textContent())).getAttribute('data-current')).toBe('');
    expect([await tab.page.locator('h1').allTextContents(), await tab.page.evaluate('document.activeElement.tagName')]).toEqual([
      ['Events'],
      'BODY',
    ]);
    expect(await tab.page.title()).toMatch(/^Events · /);
    await tab.resize(390);
    await tab.page.locator('article').waitFor({ state: 'detached' });
  });

  test('The list of events has at most 1,000 rows, and then offers no older ones', async () => {
    await using other = await newRehearsal();
    for (let n = 0; n < 1_020; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => other.api('create-basket-api', { body: { channel: 'web' } })));
    }
    await tab.openLive(other, '/events?ext=true');
    await tab.row('basket-created').waitFor();
    await other.api('create-customer-api', { body: { firstName: 'Ann', lastName: 'Other', email: 'ann@shop.example' } });
    await tab.row('customer-registered').waitFor();
    await tab.shows('1,000 shown, newest first');
    expect(await tab.button('Show older').count()).toBe(0);
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
      .locator('.problem', { hasText: /nonsense|type/ })
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
});
