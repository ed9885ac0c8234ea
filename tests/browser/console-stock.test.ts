import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';

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

  const { main } = tab;
  const stock = (rest = '', of = rehearsal) => `r/${of.name}/stock${rest}`;
  const skuRows = () => main().locator('tbody tr');
  /** The cells of the only row, from left to right. */
  const counts = (...expected: string[]) =>
    skuRows()
      .filter({ hasText: new RegExp(`${expected.join('\\s*')}$`) })
      .waitFor();

  test('The list of inventory items shows the stock', async () => {
    await tab.open(`r/${rehearsal.name}/objects/inventory-item?q=mug-blue`);
    await tab.heading('Stock').waitFor();
    await counts('mug-blue', '2,148', '2,150', '2', '0');
  });

  test('The stock page keeps the filter and the location in the address', async () => {
    await tab.open(stock('?q=mug'));
    await skuRows().first().waitFor();
    expect(await skuRows().count()).toBe(await skuRows().filter({ hasText: 'mug' }).count());
    await main().getByRole('link', { name: 'Galway, Quay Street' }).click();
    await tab.page.waitForURL(/\/stock\?q=mug&location=store-01$/);
    await skuRows().first().getByRole('cell', { name: '50', exact: true }).first().waitFor();
    await main().getByLabel('Filter: product or SKU').fill('nothing like this');
    await tab.page.waitForURL(/q=nothing/);
    await main().getByRole('button', { name: 'Show all' }).click();
    await skuRows().nth(20).waitFor();
    await tab.open(stock('?location=atlantis'));
    await main().getByText('Unknown location.').waitFor();
  });

  test('The stock page has a row per SKU with the name of its product, sorts by a count, and has a column for each location', async () => {
    await tab.open(stock('?q=blue%20stoneware'));
    await skuRows().getByText('Blue stoneware mug').waitFor();
    expect(await skuRows().count()).toBe(1);
    await main().getByText('Columns').first().click();
    await main().getByLabel('dc-01').check();
    await main().getByRole('columnheader', { name: 'dc-01' }).waitFor();
    await skuRows().getByRole('cell', { name: '998', exact: true }).waitFor();
    await tab.expectSoundInEveryLook();
    await tab.open(stock());
    const sortByAtp = () => main().getByRole('columnheader', { name: 'ATP' }).getByRole('button').click();
    await sortByAtp();
    await main().locator('[aria-sort="ascending"]').waitFor();
    expect(await skuRows().first().getByRole('cell').nth(1).textContent()).toBe('0');
    await sortByAtp();
    await main().locator('[aria-sort="descending"]').waitFor();
    await skuRows().first().getByText('Blue stoneware mug').waitFor();
  });

  test('The stock page follows orders and counts while it is shown', async () => {
    await using other = await newRehearsal();
    await tab.open(stock('?q=mug-blue&location=dc-01', other));
    await counts('mug-blue', '1,000', '1,000', '0', '0');
    await tab.isLive();
    await placedOrder(other);
    await counts('mug-blue', '998', '1,000', '2', '0');
    await other.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-01' }, body: { onHand: 7 } });
    await counts('mug-blue', '5', '7', '2', '0');
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
    await main().getByText('1,000 on hand, 2 reserved, 998 available to promise').waitFor();
    await field.fill('9');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('Counted: 9 units of Blue stoneware mug at Athlone distribution centre.').waitFor();
    await main().getByText('9 on hand, 2 reserved, 7 available to promise').waitFor();
    await field.fill('1');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('status').getByText('reserved').waitFor();
    await main().getByText('9 on hand, 2 reserved, 7 available to promise').waitFor();
  });
});
