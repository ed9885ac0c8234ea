import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { consoleTab, readProduct } from './console-tab.ts';

describeInBrowser('Time in the console', () => {
  const tab = consoleTab();
  const list = () => tab.page.getByRole('region', { name: 'Traces' });
  const days = () =>
    list()
      .locator('li', { hasText: /^\w+day, / })
      .allTextContents();

  test('A move of the clock is a row between the traces, with its timers below it and the days that it separates', async () => {
    await using rehearsal = await tab.openNew('/activity');
    await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
    await tab.row('Reserve Inventory').waitFor();
    await rehearsal.advance('P2D');
    await tab.row('Clock +2 days').getByText('1 timer ran').waitFor();
    await readProduct(rehearsal);
    await tab.row('Get Product').waitFor();
    const rows = await list().locator('a[data-row] .what').allTextContents();
    expect(rows.map((row) => row.trim())).toEqual(['Get Product', 'Clock +2 days', 'timer expire-reservation', 'Reserve Inventory']);
    expect(new Set(await days()).size).toBe(2);
    const today = tab.row('Get Product').getByText(/^\d\d:\d\d:\d\dZ$/);
    expect(await today.getAttribute('title')).toMatch(/ your time$/);
    await tab
      .row('Reserve Inventory')
      .getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/)
      .waitFor();
    await tab.expectSoundInEveryLook();
    await tab.row('timer expire-reservation').click();
    await tab.page.waitForURL(/\/activity\/[^/]+\?hop=req_/);
    await tab.page.goBack();
    await tab.row('Clock +2 days').click();
    await tab.page.waitForURL(/\/activity\/clock\/1$/);
    await tab.heading('Clock +2 days').waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('A filter shows traces without clock moves, and the page of an unknown move gives the reason', async () => {
    await using rehearsal = await tab.openNew('/activity/clock/7');
    await tab.page.getByText('The clock was not moved so often, or the record is gone.').waitFor();
    await rehearsal.advance('P1D');
    await readProduct(rehearsal);
    await tab.open(`r/${rehearsal.name}/activity?q=mug-blue`);
    await tab.row('Get Product').waitFor();
    expect(await list().locator('a[data-move]').count()).toBe(0);
  });

  test('The list of traces and the map show how many older traces were discarded, with a link to the setting', async () => {
    for (const address of ['**/_control/traces?*', '**/_control/topology']) {
      await tab.page.route(address, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), discarded: 1_234 } });
      });
    }
    await using rehearsal = await tab.openNew('/activity');
    await readProduct(rehearsal);
    await list().getByText('1,234 older traces were discarded.').waitFor();
    await tab.open(`r/${rehearsal.name}`);
    const map = tab.page.getByRole('region', { name: 'Estate' });
    await map.getByText('1,234 older traces were discarded.').waitFor();
    await map.getByRole('link', { name: 'How many are kept' }).click();
    await tab.heading('Settings').waitFor();
    await tab.page.locator('[aria-current="true"]').getByText('JOURNAL_HOPS').waitFor();
  });
});
