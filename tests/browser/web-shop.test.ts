import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test as plainTest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { started } from '../processes/started.ts';
import { describeInBrowser, sharedBrowser } from '../support/chromium.ts';
import { estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { freePort } from '../support/free-port.ts';
import { onMonday } from '../support/steps/collection.ts';
import { testIn } from '../support/test-in.ts';
import { collectErrors } from './complaints.ts';
import { expectSoundInEveryLook } from './looks.ts';

describeInBrowser('The web shop', () => {
  const browser = sharedBrowser();
  let shop: ReturnType<typeof started>;
  let address: string;

  beforeAll(async () => {
    shop = started(process.execPath, [fileURLToPath(new URL('../../examples/web-shop/serve.mjs', import.meta.url)), '0']);
    await eventually('the address of the shop', async () => shop.output.out.includes('/\n'));
    [address = ''] = /http:\S+/.exec(shop.output.out) ?? [];
  });
  afterAll(() => shop?.stop());

  /** Opens the shop with a new rehearsal in a new browser session. */
  async function visit(gateway = estate.gateway) {
    return visitIn(await newRehearsal(), gateway);
  }

  async function visitIn<R extends TestRehearsal>(rehearsal: R, gateway = estate.gateway) {
    const context = await (await browser()).newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const complaints = collectErrors(page);
    await page.goto(`${address}?${new URLSearchParams({ estate: gateway, rehearsal: rehearsal.name })}`);
    const end = async () => {
      await context.close();
      await rehearsal[Symbol.asyncDispose]();
      expect(complaints).toEqual([]);
    };
    return { page, rehearsal, [Symbol.asyncDispose]: end };
  }

  const test = testIn(() => visit());
  const byHandTest = testIn(async () => visitIn(await onMonday()));
  const onMondayTest = testIn(async () => visitIn(await onMonday({ store: 'time' })));
  const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const refusal = (page: Page, text: string | RegExp) => page.getByRole('alert').getByText(text).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const isIdle = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
  const isSound = async (page: Page) => {
    await isIdle(page);
    await expectSoundInEveryLook(page);
  };

  async function add(page: Page, sku: string, name: string) {
    await page.goto(`${address}#/product/${sku}`);
    await press(page, `Add ${name} to basket`);
    await page.getByText(`${name} is in your basket.`).waitFor();
  }

  async function fillCheckout(page: Page) {
    await page.goto(`${address}#/checkout`);
    const values = {
      'E-mail': 'nora@people.example',
      Name: 'Nora Quinn',
      'Street and number': '4 Harbour Row',
      'Postal code': 'H91',
      City: 'Galway',
    };
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
    await press(page, 'Show the total');
    await page.getByRole('button', { name: /^Order for/ }).waitFor();
  }

  /** @returns the id of the order */
  async function placeOrder(page: Page): Promise<string> {
    await fillCheckout(page);
    await page.getByRole('button', { name: /^Order for/ }).dblclick();
    await title(page, /waits for its payment$/);
    return page.url().split('/').at(-1) ?? '';
  }

  async function pay(page: Page, choice: string) {
    await page.getByLabel('Pay with').selectOption(choice);
    await page.getByRole('button', { name: /^Pay €/ }).click();
  }

  test('A customer finds a product, changes its quantity, uses a voucher, pays, and follows the parcel until it is delivered', async ({
    page,
    rehearsal,
  }) => {
    await title(page, 'Everything for the table');
    await isSound(page);
    await page.getByRole('searchbox').fill('blue stoneware');
    await page.keyboard.press('Enter');
    await title(page, 'Products with “blue stoneware”');
    await page.getByRole('link', { name: 'Blue stoneware mug' }).click();
    await title(page, 'Blue stoneware mug');
    await page.locator('.columns img.loaded').waitFor();
    await page.getByText('In stock').waitFor();
    await isSound(page);
    await press(page, 'Add Blue stoneware mug to basket');
    await page.getByRole('link', { name: 'Basket 1' }).click();
    await page.getByLabel('Quantity of Blue stoneware mug').fill('3');
    await page.getByLabel('Voucher code').fill('welcome10');
    await page.getByRole('link', { name: 'Basket 3' }).waitFor();
    await isIdle(page);
    expect(await page.getByLabel('Voucher code').inputValue()).toBe('welcome10');
    expect(await page.evaluate('document.activeElement.id')).toBe('/code');
    await press(page, 'Use it');
    await page.getByText('The checkout will take off the voucher WELCOME10.').waitFor();
    await page.getByLabel('Voucher code').fill('WELCOME10');
    await press(page, 'Use it');
    await refusal(page, 'The voucher WELCOME10 is already in your basket.');
    await isSound(page);
    await page.reload();
    expect(await page.getByLabel('Quantity of Blue stoneware mug').inputValue()).toBe('3');

    const orderId = await placeOrder(page);
    await isSound(page);
    await page.getByText('€39.97').first().waitFor();
    await pay(page, 'Card, approved');
    await title(page, /is confirmed$/);
    expect((await rehearsal.order(orderId)).totals).toMatchObject({ discount: { amount: 390 }, total: { amount: 3997 } });

    const parcel = await rehearsal.dispatched(await rehearsal.onlyFulfilment(orderId));
    await page.getByRole('heading', { name: /^Parcel UC\d+ label created$/ }).waitFor();
    await rehearsal.delivered(parcel);
    await title(page, /has been delivered$/);
    expect(await page.locator('.scans li').count()).toBe(5);
    await isSound(page);
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('link', { name: /^\d{6}-/ }).click();
    await title(page, /has been delivered$/);
    const { items } = await rehearsal.control('list-objects', { params: { type: 'order' } });
    expect(items.map(({ id }) => id)).toEqual([orderId]);
  });

  async function collectIn(page: Page, store: string) {
    await page.goto(`${address}#/checkout`);
    await page.getByLabel('E-mail', { exact: true }).fill('nora@people.example');
    await page.getByLabel('Collect in a store').check();
    await page.getByLabel(store).check();
  }

  onMondayTest('A customer collects in a store: chooses it, orders, shows the code, and has it handed over', async (visitor) => {
    const { page, rehearsal } = visitor;
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await collectIn(page, 'Dublin, Mill Lane');
    await page.getByText('Ready today at 12:00').first().waitFor();
    await page.getByText('Open Mon to Fri 09:00-20:00, Sat 09:00-19:00, Sun 12:00-18:00').first().waitFor();
    await isSound(page);
    await page.getByLabel('Somebody else who may collect it').fill('Ben Collector');
    await press(page, 'Show the total');
    await page.getByText('Ready in Dublin, Mill Lane on Monday 2 March at 12:00.').waitFor();
    await page.getByRole('button', { name: 'Order for €12.99' }).waitFor();
    expect(await page.getByLabel('Dublin, Mill Lane').isChecked()).toBe(true);
    await isSound(page);
    await page.getByRole('button', { name: /^Order for/ }).click();
    await title(page, /waits for its payment$/);
    const orderId = page.url().split('/').at(-1) ?? '';
    await pay(page, 'Card, approved');
    await title(page, /is (confirmed|being prepared)$/);
    await page.getByText('It is being prepared. It should be ready on Monday 2 March at 12:00.').waitFor();
    await isSound(page);

    await rehearsal.advance('PT3H');
    await title(page, /is ready to collect$/);
    const { id, collection } = await rehearsal.fulfilment(await rehearsal.onlyFulfilment(orderId));
    const code = collection?.code ?? '';
    await page.getByText(`${code.slice(0, 3)} ${code.slice(3)}`).waitFor();
    await page.getByText('until the store closes on Monday 9 March at 20:00').waitFor();
    await page.waitForFunction('document.querySelector(".pass img").naturalWidth > 100');
    await isSound(page);

    expect(await rehearsal.handOver(id, { code })).toMatchObject({ status: 200 });
    await title(page, /has been collected$/);
    await page.getByText('You have collected it.').waitFor();
    await isSound(page);
  });

  byHandTest('A customer whose collection comes in two parts reads the goods, the state and the code of each', async (visitor) => {
    const { page, rehearsal } = visitor;
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await collectIn(page, 'Galway, Quay Street');
    await press(page, 'Show the total');
    await page.getByRole('button', { name: /^Order for/ }).click();
    await title(page, /waits for its payment$/);
    const orderId = page.url().split('/').at(-1) ?? '';
    await pay(page, 'Card, approved');
    await title(page, /is (confirmed|being prepared)$/);
    await rehearsal.settle();
    const first = await rehearsal.onlyFulfilment(orderId);
    const picking = await rehearsal.short(await rehearsal.order(orderId), first, 1);
    const parts = page.getByRole('heading', { level: 4, name: '1 × Blue stoneware mug' });
    await parts.nth(1).waitFor();
    await rehearsal.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: first } });
    await title(page, /is ready to collect in part$/);
    const { collection } = await rehearsal.fulfilment(first);
    const inWords = (code = '') => `${code.slice(0, 3)} ${code.slice(3)}`;
    await page.getByText(inWords(collection?.code)).waitFor();
    await page.getByText('It is being prepared.').waitFor();
    await isSound(page);

    expect(await rehearsal.handOver(first, { code: collection?.code })).toMatchObject({ status: 200 });
    await title(page, /has been collected in part$/);
    const second = (await rehearsal.routed(orderId)).find(({ id }) => id !== first)?.id ?? '';
    const parcel = await rehearsal.dispatched(second);
    await page.getByText('It is on its way to the store.').waitFor();
    await rehearsal.delivered(parcel);
    await title(page, /is ready to collect$/);
    const { code = '' } = (await rehearsal.fulfilment(second)).collection ?? {};
    await page.getByText(inWords(code)).waitFor();
    await page.getByText('You have collected it.').waitFor();
    await isSound(page);
    expect(await rehearsal.handOver(second, { code })).toMatchObject({ status: 200 });
    await title(page, /has been collected$/);
  });

  onMondayTest('A customer pays in the store: at a till, before the goods are handed over', async ({ page, rehearsal }) => {
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await collectIn(page, 'Galway, Quay Street');
    await page.getByLabel('In the store', { exact: true }).check();
    await press(page, 'Show the total');
    await page.getByText('You pay at a till of the store, before you get it.').waitFor();
    await isSound(page);
    await page.getByLabel('Deliver to my address').check();
    for (const label of ['Name', 'Street and number', 'Postal code', 'City'])
      await page.getByLabel(label, { exact: true }).fill('Galway 4');
    await press(page, 'Update the total');
    await page.getByRole('button', { name: 'Order for €17.89' }).waitFor();
    expect(await page.getByText('You pay at a till of the store, before you get it.').count()).toBe(0);
    await collectIn(page, 'Galway, Quay Street');
    await page.getByLabel('In the store', { exact: true }).check();
    await press(page, 'Update the total');
    await page.getByText('You pay at a till of the store, before you get it.').waitFor();
    await page.getByRole('button', { name: /^Order for/ }).click();
    await title(page, /is (confirmed|being prepared)$/);
    expect(await page.getByLabel('Pay with').count()).toBe(0);
    const orderId = page.url().split('/').at(-1) ?? '';
    await rehearsal.advance('PT3H');
    await title(page, /is ready to collect$/);
    await page.getByText('Pay €12.99 at a till of the store first.').waitFor();
    await isSound(page);

    const { id, collection } = await rehearsal.fulfilment(await rehearsal.onlyFulfilment(orderId));
    await rehearsal.call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', orderId } });
    await rehearsal.pay(orderId, { type: 'cash' }, 2000);
    await page.getByText('Pay €12.99 at a till of the store first.').waitFor({ state: 'detached' });
    expect(await rehearsal.handOver(id, { code: collection?.code })).toMatchObject({ status: 200 });
    await title(page, /has been collected$/);
  });

  onMondayTest(
    'A customer who does not collect an order reads that it went back, and a product that no store has is only delivered',
    async (visitor) => {
      const { page, rehearsal } = visitor;
      await add(page, 'mug-blue', 'Blue stoneware mug');
      await page.context().grantPermissions(['geolocation'], { origin: new URL(address).origin });
      await page.context().setGeolocation({ latitude: 53.55, longitude: 9.99 });
      await collectIn(page, 'Galway, Quay Street');
      await press(page, 'Nearest store first');
      await page.getByText(/Hamburg · \d+(\.\d)? km/).waitFor();
      expect(await page.locator('.store strong').allTextContents()).toEqual([
        'Hamburg, Speicherweg',
        'Dublin, Mill Lane',
        'Galway, Quay Street',
      ]);
      expect(await page.getByLabel('Galway, Quay Street').isChecked()).toBe(true);
      await press(page, 'Show the total');
      await page.getByRole('button', { name: /^Order for/ }).click();
      await title(page, /waits for its payment$/);
      await pay(page, 'Card, approved');
      await title(page, /is (confirmed|being prepared)$/);
      await rehearsal.advance('P10D');
      await title(page, /was not collected$/);
      await page.getByText('Nobody collected it in time.').waitFor();
      await isSound(page);
      // One warehouse has the desk, and another one the mug.
      const none = { body: { onHand: 0 } };
      await rehearsal.control('count-stock-by-hand', { params: { sku: 'desk-two-nodes', locationId: 'dc-01' }, ...none });
      await rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'dc-02' }, ...none });
      await add(page, 'desk-two-nodes', 'Writing desk');
      await add(page, 'mug-blue', 'Blue stoneware mug');
      await page.goto(`${address}#/checkout`);
      expect(await page.getByLabel('Collect in a store: no store has all products').isDisabled()).toBe(true);
      await isSound(page);
    },
  );

  test('A customer whose card is declined pays with a card that the provider approves later', async ({ page, rehearsal }) => {
    await add(page, 'mug-blue', 'Blue stoneware mug');
    const orderId = await placeOrder(page);
    await pay(page, 'Card, declined: insufficient funds');
    await refusal(page, /insufficient_funds/);
    await page.getByText('failed').waitFor();
    await isSound(page);
    await pay(page, 'Card, approved a minute later');
    await page.getByText('The provider has not decided about the payment yet.').waitFor();
    await rehearsal.advance('PT2M');
    await title(page, /is confirmed$/);
    expect((await rehearsal.order(orderId)).payments.map(({ state }) => state)).toEqual(['failed', 'authorised']);
    await press(page, 'Cancel the order');
    await title(page, /is cancelled$/);
    await isSound(page);
  });

  test('A sold-out product is refused with the reason, and its page does not offer it', async ({ page }) => {
    await press(page, 'Add Tall vase to basket');
    await refusal(page, 'No location has 1 of "vase-sold-out"; the best location has 0.');
    await isSound(page);
    await page.getByRole('link', { name: 'Tall vase' }).click();
    await page.getByText('Sold out', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Add Tall vase to basket' }).count()).toBe(0);
  });

  test('A customer in checkout sees each mistake at its field, and can change the basket without losing its stock', async ({ page }) => {
    await add(page, 'lamp-last-one', 'Brass reading lamp');
    await page.goto(`${address}#/checkout`);
    await page.getByLabel('E-mail').fill('nora');
    await press(page, 'Show the total');
    await refusal(page, 'Correct the marked fields.');
    expect(await page.locator('[aria-invalid]').evaluateAll((inputs) => inputs.map(({ id }) => id))).toEqual([
      '/contact/email',
      ...['name', 'line1', 'postalCode', 'city'].map((name) => `/shippingAddress/${name}`),
    ]);
    await isSound(page);
    await fillCheckout(page);
    await page.getByRole('link', { name: 'Back to the basket' }).click();
    await press(page, 'Change the basket');
    await page.getByLabel('Quantity of Brass reading lamp').fill('2');
    await page.keyboard.press('Enter');
    await refusal(page, /the best location has 1/);
    expect(await page.getByLabel('Quantity of Brass reading lamp').inputValue()).toBe('1');
    await placeOrder(page);
  });

  test('A checkout that has run out reserves the products again, and the way back from the order skips it', async ({ page, rehearsal }) => {
    await add(page, 'lamp-last-one', 'Brass reading lamp');
    await fillCheckout(page);
    await rehearsal.advance('PT20M');
    await page.getByRole('button', { name: /^Order for/ }).click();
    await refusal(page, /^The time for this checkout has run out/);
    await press(page, 'Show the total');
    await page.getByRole('button', { name: /^Order for/ }).click();
    await title(page, /waits for its payment$/);
    await page.goBack();
    await title(page, 'Brass reading lamp');
    await page.getByRole('link', { name: 'Basket', exact: true }).click();
    await title(page, 'Your basket is empty');
  });

  test('A customer who follows an order sees that the estate does not answer, and that it is back', async ({ page, rehearsal }) => {
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await placeOrder(page);
    await page.route('**/orders/*', (route) => route.abort());
    await refusal(page, /cannot be reached/);
    await page.unroute('**/orders/*');
    await page.locator('#problem:empty').waitFor({ state: 'attached' });
    await rehearsal.fault('confirm-down', { match: { api: 'confirm-order-api' }, fault: { kind: 'outage' } });
    await pay(page, 'Card, approved');
    await refusal(page, /^oms cannot be reached/);
    await isSound(page);
    await rehearsal.noFaults();
    await press(page, 'Try again');
    await title(page, /is confirmed$/);
    expect(await page.getByRole('alert').textContent()).toBe('');
  });

  test('A customer finds the lines of an expired basket again', async ({ page, rehearsal }) => {
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await rehearsal.advance('P2D');
    await page.getByRole('link', { name: 'Basket 1' }).click();
    await title(page, 'Your basket has expired');
    await isSound(page);
    await press(page, 'Fill a new basket with these products');
    expect(await page.getByLabel('Quantity of Blue stoneware mug').inputValue()).toBe('1');
  });

  test('A slow change of the basket does not bring back the view that the customer has left', async ({ page, rehearsal }) => {
    await add(page, 'mug-blue', 'Blue stoneware mug');
    await rehearsal.fault('slow', { match: { api: 'change-basket-line-api' }, fault: { kind: 'latency', ms: 1_000 } });
    await page.getByRole('link', { name: 'Basket 1' }).click();
    await page.getByLabel('Quantity of Blue stoneware mug').fill('2');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Orders' }).click();
    await title(page, 'Your orders');
    await page.getByRole('link', { name: 'Basket 2' }).waitFor();
    await page.waitForLoadState('networkidle');
    await title(page, 'Your orders');
  });

  test('A command whose answer was lost is sent again with its key, so that it has one effect', async ({ page }) => {
    await page.route(
      '**/baskets/*/lines',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await press(page, 'Add Blue stoneware mug to basket');
    await refusal(page, /cannot be reached/);
    await press(page, 'Add Blue stoneware mug to basket');
    await page.getByRole('link', { name: 'Basket 1' }).waitFor();
    await page.getByRole('link', { name: 'Basket 1' }).click();
    expect(await page.getByLabel('Quantity of Blue stoneware mug').inputValue()).toBe('1');
  });

  plainTest('An estate that cannot be reached is named with the remedy, until the customer connects to another one', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    await using visitor = await visit(nowhere);
    const { page } = visitor;
    await refusal(page, `The estate at ${nowhere} cannot be reached.`);
    await page.getByText(`CORS_ORIGINS=${new URL(address).origin}`).waitFor();
    await isSound(page);
    expect(page.url()).toBe(address);
    await press(page, 'Connection');
    await isSound(page);
    await page.getByLabel('Address of the estate').fill(estate.gateway);
    await press(page, 'Connect');
    await page.getByRole('link', { name: 'Blue stoneware mug' }).waitFor();
  });
});
