import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

/** Places an order that reserves two blue mugs. */
const placedOrder = async (rehearsal: TestRehearsal) => (await rehearsal.checkedOut({}, { placeOrder: true })).orderId;

describeInBrowser('Stock in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;
  let order: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    order = await placedOrder(rehearsal);
    await rehearsal.authorisation(order);
    await rehearsal.confirmed(order);
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const main = () => tab.page.locator('main');
  const stock = (rest = '', of = rehearsal) => `r/${of.name}/stock${rest}`;
  const skuRows = () => main().locator('li[data-sku]');

  test.each([
    ['a filtered list', '?q=mug', 'mug-green'],
    ['a reserved SKU', '/mug-blue', 'confirmed'],
    ['an unknown SKU', '/unicorn', 'These have stock'],
  ])('The stock page with %s has no accessibility finding or horizontal scrolling in any look', async (_what, rest, words) => {
    await tab.open(stock(rest));
    await main().getByText(words).locator('visible=true').first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The stock page keeps the filter and the location in the address', async () => {
    await tab.open(stock('?q=mug'));
    await skuRows().first().waitFor();
    expect(await skuRows().count()).toBe(await skuRows().filter({ hasText: 'mug' }).count());
    await main().getByRole('link', { name: 'store-01' }).click();
    await tab.page.waitForURL(/\/stock\?q=mug&location=store-01$/);
    await main()
      .getByRole('button', { name: /locations of/ })
      .first()
      .waitFor({ state: 'detached' });
    await skuRows().first().getByText('50 on hand', { exact: true }).waitFor();
    await main().getByLabel('Filter: product or SKU').fill('nothing like this');
    await tab.page.waitForURL(/q=nothing/);
    await main().getByRole('button', { name: 'Show all' }).click();
    await skuRows().nth(20).waitFor();
    await tab.open(stock('?location=atlantis'));
    await main().getByText('Unknown location.').waitFor();
  });

  test('The stock page has one line per SKU with the name of its product, and its locations open below', async () => {
    await tab.open(stock('?q=blue%20stoneware'));
    await skuRows().getByText('Blue stoneware mug').waitFor();
    expect(await skuRows().count()).toBe(1);
    await skuRows()
      .getByRole('button', { name: /locations of mug-blue/ })
      .click();
    await main().getByRole('list', { name: 'mug-blue' }).getByText('1,000 on hand, 2 reserved', { exact: true }).waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The stock page follows orders and counts while it is shown', async () => {
    await using other = await newRehearsal();
    await tab.open(stock('?q=mug-blue&location=dc-01', other));
    await skuRows().getByText('1,000 on hand', { exact: true }).waitFor();
    await tab.isLive();
    await placedOrder(other);
    await skuRows().getByText('1,000 on hand, 2 reserved', { exact: true }).waitFor();
    await other.client.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 7 } });
    await skuRows().getByText('7 on hand, 2 reserved', { exact: true }).waitFor();
    await skuRows().locator('strong').getByText('5', { exact: true }).waitFor();
  });

  test('The stock page names the order that holds a SKU, and leads to it', async () => {
    await tab.open(stock('/mug-blue'));
    await tab.heading('Blue stoneware mug').waitFor();
    await main().getByText('2 units at Athlone distribution centre').waitFor();
    await main().locator(`a[title="order/${order}"]`).click();
    await main().getByRole('heading', { name: 'How it got there' }).waitFor();
  });

  test('The stock page counts a location by hand, and shows why a count is refused', async () => {
    await using other = await newRehearsal();
    await placedOrder(other);
    await tab.open(stock('/mug-blue', other));
    const field = main().getByLabel('Units of Blue stoneware mug on hand at Athlone distribution centre');
    await main().getByText('1,000 on hand, 2 reserved, 998 to promise').waitFor();
    await field.fill('9');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('Counted: 9 units of Blue stoneware mug at Athlone distribution centre.').waitFor();
    await main().getByText('9 on hand, 2 reserved, 7 to promise').waitFor();
    await field.fill('1');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('status').getByText('reserved').waitFor();
    await main().getByText('9 on hand, 2 reserved, 7 to promise').waitFor();
  });

  test('The stock page can be used with the keyboard alone, from another page to a SKU', async () => {
    await tab.open(`r/${rehearsal.name}/faults`);
    await tab.heading('Faults').waitFor();
    await tab.goTo('s');
    await tab.heading('Stock').waitFor();
    await skuRows().first().waitFor();
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type('mug-blue');
    await tab.page.waitForURL(/q=mug-blue$/);
    await tab.page.keyboard.press('Escape');
    await tab.page.keyboard.press('j');
    await tab.page.keyboard.press('Enter');
    await tab.heading('Blue stoneware mug').waitFor();
  });

  test('The stock page of an unknown SKU leads to SKUs that have stock', async () => {
    await tab.open(stock('/unicorn'));
    await tab.heading('No stock is kept of SKU unicorn').waitFor();
    await main().getByRole('link', { name: 'mug-blue', exact: true }).click();
    await tab.heading('Blue stoneware mug').waitFor();
  });

  test('The stock page shows hostile text as text', async () => {
    const hostile = encodeURIComponent(HOSTILE);
    for (const width of WIDTHS) {
      await tab.resize(width);
      for (const rest of [`/${hostile}`, `?location=${hostile}`]) {
        await tab.open(stock(rest));
        await main().getByText('<img src=x').waitFor();
        await tab.expectTextOnly(width);
      }
    }
  });
});
