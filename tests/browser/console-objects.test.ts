import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { payAtCounterSteps } from '../support/steps/pay-at-counter.ts';
import { card, eur } from '../support/steps/tender.ts';
import { consoleTab } from './console-tab.ts';

/** Dispatches an order with a carrier that scans nothing without a call. */
async function dispatchedParcel(rehearsal: TestRehearsal) {
  await rehearsal.progress({ carrier: 'manual' });
  const parcel = await rehearsal.dispatchedOrder();
  await rehearsal.settle();
  return parcel;
}

describeInBrowser('Objects in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;
  let order: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    ({ orderId: order } = await dispatchedParcel(rehearsal));
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const { main } = tab;
  const dialog = () => tab.page.getByRole('dialog');
  const objects = (rest = '', of = rehearsal) => `r/${of.name}/objects${rest}`;
  const verb = (name: string) => main().getByRole('button', { name, exact: true });
  const isEnabled = (name: string) =>
    main().locator('button[data-possible]:not([aria-disabled])').getByText(name, { exact: true }).waitFor();
  const showImpossible = () =>
    main()
      .getByText(/^\d+ not now, and why$/)
      .click();
  /** Presses buttons one after the other, each as soon as it is possible. */
  const press = async (...names: readonly string[]) => {
    for (const name of names) {
      await isEnabled(name);
      await verb(name).click();
    }
  };
  const confirm = (name: string) => dialog().getByRole('button', { name }).click();
  const listed = (id: string) => main().locator(`tbody a[href$="/${id}"]`);
  const history = () => main().getByRole('region', { name: 'How it got there' });

  test.each([
    ['a product', () => '/product/prd_mug-blue'],
    ['an order', () => `/order/${order}`],
  ])('The page of %s shows the picture of the product', async (_what, rest) => {
    await tab.open(objects(rest()));
    const picture = main().locator('img[src^="/media/products/mug-blue.svg"]').first();
    // A picture that cannot be decoded rejects.
    await picture.evaluate((image: HTMLImageElement) => image.decode());
  });

  test('A shop assistant finds what waits at the counter of a store, takes the rest of its payment, and hands it over', async () => {
    await using counter = await newRehearsal({ store: 'manual' });
    const { orderId, fulfillmentOrderId, code } = await payAtCounterSteps(counter).unpaidAtCounter();
    await counter.authorisation(orderId, 1_000);
    await counter.confirmed();
    await tab.openLive(counter, '/objects');
    await tab.follow(/^Galway, Quay Street/);
    await listed(fulfillmentOrderId).waitFor();
    const waiting = tab.page.url();
    const rows = main().locator('tbody tr');
    expect(await rows.count()).toBe(1);
    // 2 × 12.99 − 10.00
    await rows.getByRole('cell', { name: '15.98 EUR' }).waitFor();
    await main().getByRole('columnheader', { name: 'until' }).waitFor();
    await tab.expectSoundInEveryLook();
    const wide = tab.page.viewportSize() ?? { width: 1280, height: 900 };
    await tab.page.setViewportSize({ width: 390, height: 844 });
    // The last day, in the second line of its row.
    await rows.locator('td').nth(3).waitFor();
    await tab.page.setViewportSize(wide);
    await listed(fulfillmentOrderId).click();
    await press('Pay at the counter…');
    await confirm('Pay at the counter');
    await tab.says('Pay at the counter: done.');
    await tab.page.goto(waiting);
    await rows.getByRole('cell', { name: '0.00 EUR' }).waitFor();
    await listed(fulfillmentOrderId).click();
    await press('Hand over…');
    await dialog().getByLabel('Code of the customer').fill(code);
    await confirm('Hand over');
    await tab.stateIs('delivered');
    await tab.page.goto(waiting);
    await main().getByText('No fulfillment-order matches.').waitFor();
    await main().getByRole('combobox', { name: 'Collection' }).selectOption('handed-over');
    await listed(fulfillmentOrderId).waitFor();
    await main().getByRole('combobox', { name: 'Collected at' }).selectOption('store: Dublin, Mill Lane');
    await main().getByText('No fulfillment-order matches.').waitFor();
  });

  test('The forms of a checkout offer to cancel units that are missing when they are picked', async () => {
    await using other = await newRehearsal();
    for (const form of ['Check out', 'Check out to collect']) {
      const { id } = await other.basket();
      await tab.open(objects(`/basket/${id}`, other));
      await press(`${form}…`);
      await dialog().getByLabel('Units that are missing when picked').selectOption('Are cancelled and refunded');
      await tab.expectSoundInEveryLook();
      await confirm(form);
      await tab.stateIs('converted');
      expect(await other.object('basket', id)).toMatchObject({ shortage: 'cancel' });
      await tab.follow('Go to the new order');
      await tab.stateIs('draft');
    }
  });

  test('A person takes a basket to the counter of a store and hands it over, with the button that each page puts first', async () => {
    await using other = await newRehearsal();
    await tab.open(objects('/customer/cus_ada', other));
    await press('Open a basket…');
    await confirm('Open a basket');
    await tab.follow('Go to the new basket');
    await press('Check out to collect…');
    await confirm('Check out to collect');
    await tab.follow('Go to the new order');
    const first = (name: string | RegExp) => main().locator('button.primary').filter({ hasText: name });
    await first('Authorise a payment…').click();
    await confirm('Authorise a payment');
    await first('Confirm').click();
    await tab.stateIs('confirmed');
    const words = () => first(/^(Move the clock to|Hand over)/).textContent();
    // The staff of the store starts, picks, packs, and puts the goods on the counter, each at its time.
    const ordered = await other.now();
    for (let next = await words(); next !== 'Hand over…'; ) {
      const move = first(/^Move the clock to/);
      // The page may name another time before the click.
      const before = await move.textContent();
      await move.click();
      next = await eventually('the page offers the next step', async () => {
        const offered = await words();
        return offered !== before && offered;
      });
    }
    // Half of the time of the collection has not passed, so the customer was not reminded.
    expect((await other.now()) - ordered).toBeLessThan(3.5 * 86_400_000);
    await first('Hand over…').click();
    await confirm('Hand over');
    await tab.stateIs('completed');
  });

  test('The page of object types leads through a state to an object', async () => {
    await tab.open(objects());
    await tab.heading('Objects').waitFor();
    await tab.follow('at-risk 1');
    await tab.heading('Customers').waitFor();
    await tab.page.waitForURL(/\/objects\/customer\?state=at-risk$/);
    await main().locator('tbody tr:only-child').click();
    await main().locator('[data-is="present"]').getByText('at-risk').waitFor();
  });

  test('The first paragraph of an order shows what it waits for, its troubles and the trace, and its buttons end the wait', async () => {
    await using other = await newRehearsal({ warehouse: 'manual' });
    const { orderId } = await other.routedOrder();
    await tab.open(objects(`/order/${orderId}`, other));
    const why = main().getByRole('region', { name: 'Why', exact: true });
    await why.getByText('The warehouse works by hand: a client calls Create Picking Order.').waitFor();
    await why.getByRole('button', { name: 'Let the warehouse follow the clock' }).click();
    const clock = why.getByRole('button', { name: /^Move the clock to / });
    /** Presses the button, and waits until it names the next step. */
    const stepOn = async (): Promise<void> => {
      const before = await clock.textContent();
      await clock.click();
      await why.getByRole('button', { name: before ?? '', exact: true }).waitFor({ state: 'detached' });
      await clock.waitFor();
    };
    while ((await why.getByText('has been label-created since').count()) === 0) await stepOn();
    await other.fault('lost-scans', { match: { webhook: 'carrier' }, fault: { kind: 'withhold' } });
    await clock.click();
    await why.getByText('The fault lost-scans withholds it until the fault is deleted: the Carrier Platform reports a scan').waitFor();
    await tab.expectSoundInEveryLook();
    await why.getByRole('link', { name: 'Faults' }).first().click();
    await tab.heading('Faults').waitFor();
    await tab.page.goBack();
    await why.getByRole('link', { name: 'See how' }).click();
    await tab.page.waitForURL(/\/activity\//);
  });

  test('The history of an order shows why it was cancelled', async () => {
    await using other = await newRehearsal();
    const basket = await other.basket({ qty: 1 });
    const { orderId } = await other.checkedOut(basket.id, { placeOrder: true });
    await other.advance('P1D');
    await tab.open(objects(`/order/${orderId}`, other));
    await history().getByText('because: expired', { exact: true }).waitFor();
  });

  test('The list of orders finds the unpaid order of a customer, sorts by total, and keeps filter, order and columns in its address', async () => {
    await using other = await newRehearsal();
    const small = await other.draft({ qty: 1 });
    const large = await other.draft({ qty: 9 });
    const paid = await other.confirmed({ qty: 2 });
    const foreign = await other.draft({ qty: 1, customerId: 'cus_ben' });
    await tab.open(objects('/order', other));
    await listed(foreign.id).waitFor();
    await main().getByRole('combobox', { name: 'Payment' }).selectOption('unpaid');
    await main().getByRole('searchbox').fill('Byrne');
    await Promise.all([paid.id, foreign.id].map((id) => listed(id).waitFor({ state: 'detached' })));
    await Promise.all([small.id, large.id].map((id) => listed(id).waitFor()));
    const numbers = () => main().locator('tbody a[data-row]').allTextContents();
    // The list is read once for the payment, and again for the text.
    await eventually('the newer order is first', async () => `${await numbers()}` === `${[large.orderNumber, small.orderNumber]}`);
    await tab.press('total');
    await main().locator('[aria-sort="ascending"]').getByText('total').waitFor();
    expect(await numbers()).toEqual([small.orderNumber, large.orderNumber]);
    await main().getByText('Columns').first().click();
    await main().getByLabel('channel').check();
    await main().getByRole('columnheader', { name: 'channel' }).waitFor();
    const { searchParams } = new URL(tab.page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      payment: 'unpaid',
      q: 'Byrne',
      sort: 'total',
      columns: 'customer,what,total,channel,payment,goods,when',
    });
    await tab.page.reload();
    await main().getByRole('cell', { name: 'web' }).first().waitFor();
    expect(await numbers()).toEqual([small.orderNumber, large.orderNumber]);
    await tab.expectSoundInEveryLook();
  });

  test('A table of two hundred objects draws the first hundred rows, and the others when its end comes near', async () => {
    await using other = await newRehearsal();
    for (let made = 0; made < 210; made += 1) await other.basket({ qty: 1 });
    await tab.open(objects('/basket?sort=-total', other));
    await main().getByText('210 shown, by total, downwards').waitFor();
    expect(await main().locator('tbody tr').count()).toBe(100);
    await main().locator('tbody tr').last().scrollIntoViewIfNeeded();
    await main().locator('tbody tr').nth(199).waitFor();
    await main().locator('tbody tr').last().scrollIntoViewIfNeeded();
    await main().locator('tbody tr').nth(209).waitFor();
  });

  test('The keys j, Enter and c move in the list of orders, open a row, and copy the id of the row in hand', async () => {
    await using other = await newRehearsal();
    const older = await other.draft({ qty: 1 });
    await other.draft({ qty: 1 });
    await tab.open(objects('/order', other));
    await listed(older.id).waitFor();
    for (const key of ['j', 'j', 'c']) await tab.page.keyboard.press(key);
    await tab.says('Id copied');
    expect(await tab.copied()).toBe(older.id);
    await main().getByText('version 1').waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.heading(`Order ${older.orderNumber}`).waitFor();
  });

  test('The list of objects shows an object as soon as it is created', async () => {
    await using other = await tab.openNew('/objects/basket');
    await tab.shows('There is no basket yet.');
    expect(await main().getByText('no states').count()).toBe(0);
    const { id } = await other.basket({ qty: 1 });
    await listed(id).waitFor();
    await main().getByRole('link', { name: 'open 1' }).waitFor();
  });

  test('The list of a state loses an object that leaves the state', async () => {
    await using other = await tab.openNew('/objects/basket?state=open');
    await main().getByText('No basket matches.').waitFor();
    await tab.isLive();
    const { id } = await other.basket({ qty: 1 });
    await listed(id).waitFor();
    await other.checkedOut(id);
    await listed(id).waitFor({ state: 'detached' });
  });

  test('The list of objects finds nothing in an unknown state, and leads back to all', async () => {
    await tab.open(objects('/customer?state=bogus'));
    await main().getByText('No customer matches.').waitFor();
    await tab.press('Show all');
    await tab.row('Ada').waitFor();
  });

  test('The page of an order puts its usual next step first, and a final order has none', async () => {
    await using other = await newRehearsal();
    const { id } = await other.draft();
    await tab.open(objects(`/order/${id}`, other));
    await main().getByText('Waits for the customer to pay 30.88 EUR.').waitFor();
    const usual = main().locator('button.primary');
    await usual.getByText('Authorise a payment…').waitFor();
    await other.authorisation(id);
    await usual.getByText('Confirm', { exact: true }).waitFor();
    expect(await usual.count()).toBe(1);
    await other.api('cancel-order-api', { params: { id }, body: { reason: 'changed my mind' } });
    await main().getByText('Nothing; this order is final.').waitFor();
    expect(await usual.count()).toBe(0);
    await main()
      .getByText(/^\d+ not possible, and why$/)
      .click();
    await main().getByText('It is cancelled; confirm is possible only from draft.').waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('A button scans a parcel, and its state and life cycle change', async () => {
    await using other = await newRehearsal();
    const { shipmentId } = await dispatchedParcel(other);
    await tab.open(objects(`/shipment/${shipmentId}`, other));
    await tab.stateIs('label-created');
    await showImpossible();
    expect(await verb('Deliver').getAttribute('aria-disabled')).toBe('true');
    await main()
      .getByText('It is label-created; deliver is possible only from out-for-delivery, delivery-attempted or held-at-depot.')
      .waitFor();
    await verb('Deliver').click({ force: true });
    await verb('Collect').click();
    await tab.page.getByText('Collect: done.').waitFor();
    await tab.stateIs('collected');
    expect((await other.object('shipment', shipmentId)).state).toBe('collected');
    await main().locator('[data-is="present"]').getByText('collected').waitFor();
    await main().locator('text[data-taken]').getByText('collect', { exact: true }).waitFor();
    await history().locator('li').filter({ hasText: 'collected' }).getByRole('link', { name: 'ext.shipment-changed' }).waitFor();
    await isEnabled('Depart');
  });

  test('A button sends the newest scan of a parcel again, and its trace shows that the receiver recognises the repeat', async () => {
    await using other = await newRehearsal();
    const { shipmentId } = await dispatchedParcel(other);
    await tab.open(objects(`/shipment/${shipmentId}`, other));
    await press('Resend the newest scan');
    await tab.follow('See what this caused');
    await tab.follow(/changed nothing/);
    await main().getByText(`A webhook with the webhook-id "${shipmentId}.1" has already arrived.`).first().waitFor();
  });

  test('An order goes from its payment to the return of one mug by the buttons of its page alone', async () => {
    await using other = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { orderId } = await other.checkedOut({}, { placeOrder: true });
    await tab.open(objects(`/order/${orderId}`, other));
    await showImpossible();
    await main()
      .getByText(/^30\.88 EUR of 30\.88 EUR are neither authorised nor captured/)
      .waitFor();
    await main().getByRole('link', { name: 'Ada Byrne' }).first().waitFor();
    await main().getByRole('region', { name: 'Goods' }).getByRole('link', { name: 'Blue stoneware mug' }).waitFor();
    await verb('Authorise a payment…').click();
    expect(await dialog().getByLabel('Amount').inputValue()).toMatch(/^\d+\.\d\d$/);
    await confirm('Authorise a payment');
    await press('Confirm', 'Start picking', 'Pick everything', 'Pack', 'Dispatch…');
    await confirm('Dispatch');
    await press('Collect', 'Depart', 'Out for delivery', 'Deliver');
    await main().getByRole('region', { name: 'Parcels' }).getByText('out-for-delivery').first().waitFor();
    await tab.stateIs('completed');
    await press('Take goods back…');
    expect(await dialog().getByLabel('Blue stoneware mug').getAttribute('max')).toBe('2');
    await tab.expectSoundInEveryLook();
    await dialog().getByLabel('Blue stoneware mug').fill('0');
    await dialog().getByRole('button', { name: 'Take goods back' }).click();
    await dialog().locator('.field').filter({ hasText: 'Blue stoneware mug' }).getByText('This must not be empty.').waitFor();
    await dialog().getByLabel('Blue stoneware mug').fill('1');
    await dialog().getByLabel('It comes back').selectOption('store');
    await confirm('Take goods back');
    await tab.stateIs('return-in-progress');
    await press('Approve', 'Receive', 'Inspect…');
    await confirm('Inspect');
    await main().getByRole('region', { name: 'Returns' }).getByText('refunded', { exact: true }).waitFor();
    await main().getByRole('region', { name: 'Goods' }).getByText('1 with the customer · 1 returned').waitFor();
    await tab.stateIs('completed');
  });

  test('The page of an order names the goods that a carrier lost, and the button that sends them again', async () => {
    await using other = await newRehearsal({ warehouse: 'manual', carrier: 'manual' }, { retailer: { replaceLostWithin: 'P2D' } });
    const { orderId, shipmentId } = await other.dispatchedOrder();
    await other.lost(shipmentId);
    await tab.open(objects(`/order/${orderId}`, other));
    await main().getByText('Waits for the fulfillment order Athlone distribution centre: Blue stoneware mug.').waitFor();
    await press('Send goods again…');
    await confirm('Send goods again');
    await tab.says('Send goods again: done.');
    expect((await other.order(orderId)).replacements).toMatchObject([{ lines: [{ qty: 2 }] }]);
  });

  test('An exchange needs only the name of the other product, and leads to its order, which the return pays for', async () => {
    await using other = await newRehearsal({ returns: 'manual' });
    const returnId = await other.inspected(await other.completed(), 1, { resolution: 'exchange' });
    await tab.open(objects(`/return/${returnId}`, other));
    await press('Exchange it…');
    const products = dialog().getByLabel('Instead of it');
    await products.locator('option', { hasText: 'Green stoneware mug' }).waitFor({ state: 'attached' });
    await products.selectOption('mug-green');
    await confirm('Exchange it');
    await main()
      .getByText(/^Waits for the order .* of the exchange to be confirmed\.$/)
      .waitFor();
    await tab.follow('Go to the new order');
    await tab.stateIs('draft');
    await main().getByRole('region', { name: 'Goods' }).getByRole('link', { name: 'Green stoneware mug' }).waitFor();
    await main().getByRole('region', { name: 'Payments' }).getByText('exchange-credit').waitFor();
  });

  test('The page of an order names its application that did not answer in time, until a button reads it again', async () => {
    await using other = await newRehearsal();
    const { orderId } = await other.checkedOut({}, { placeOrder: true });
    const late = '**/_control/topology';
    // The page may read again automatically, so the answer changes with the click.
    const isPressed = () => tab.page.evaluate<boolean>('document.documentElement.dataset.isPressed === "true"').catch(() => false);
    await tab.page.route(late, async (route) => {
      if (await isPressed()) return route.continue();
      const answer = await route.fetch();
      const { applications, ...rest } = (await answer.json()) as { applications: { id: string }[] };
      const waitingFor = 'it did not answer in time';
      const withLate = applications.map((one) => (one.id === 'oms' ? { ...one, state: 'away', waitingFor } : one));
      await route.fulfill({ response: answer, json: { ...rest, applications: withLate } });
    });
    await tab.open(objects(`/order/${orderId}`, other));
    const trouble = main().locator('.problem').getByText('The OMS did not answer in time.');
    await trouble.waitFor();
    await tab.page.evaluate('addEventListener("click", () => { document.documentElement.dataset.isPressed = "true"; }, true)');
    await verb('Try again').click();
    await trouble.waitFor({ state: 'detached' });
    await tab.page.unroute(late);
  });

  test('A form can be sent before the products have been read', async () => {
    await using other = await newRehearsal();
    await tab.open(objects('/customer/cus_ben', other));
    const late = '**/objects/product?*';
    await tab.page.route(late, () => undefined);
    await verb('Sell at the till…').click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Sell at the till' }).click();
    await tab.follow('Go to the new basket');
    await tab.page.unroute(late);
  });

  test('The basket of a sale that is paid in part lists the payment, and waits for the rest', async () => {
    await using other = await newRehearsal();
    await tab.open(objects('/customer/cus_ben', other));
    await verb('Sell at the till…').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Units').fill('2');
    await dialog.getByRole('button', { name: 'Sell at the till' }).click();
    await main().getByRole('link', { name: 'Go to the new basket' }).click();
    const cash = dialog.getByLabel('Cash received');
    await isEnabled('Take cash…');
    await verb('Take cash…').click();
    await cash.fill('20');
    await dialog.getByRole('button', { name: 'Take cash' }).click();
    await main().getByText('Waits for the customer to pay 5.98 EUR at the till.').waitFor();
    await main().getByRole('region', { name: 'Payments' }).getByText('20.00 EUR').first().waitFor();
    await verb('Take cash…').click();
    expect(await cash.inputValue()).toBe('5.98');
  });

  test('The buttons of a payment play its customer, and the dispute of its cardholder', async () => {
    await using other = await newRehearsal();
    const { orderId } = await other.checkedOut({}, { placeOrder: true });
    const payment = await other.api('authorize-payment-api', { body: { orderId, tender: card('tok_3ds') } });
    await tab.open(objects(`/payment/${payment.id}`, other));
    await tab.stateIs('requires-action');
    await press('Authenticate');
    await tab.stateIs('authorised');
    await other.confirmed(orderId);
    await other.advance('P3D');
    await tab.stateIs('captured');
    await press('Dispute…');
    await dialog().getByLabel('Amount').fill('12.99');
    await confirm('Dispute');
    await isEnabled('Lose the dispute');
    await showImpossible();
    await main()
      .getByText(/^A dispute of 12\.99 EUR of the payment/)
      .first()
      .waitFor();
    await main()
      .getByRole('link', { name: /^\d{6}-/ })
      .first()
      .click();
    await main().getByRole('region', { name: 'Payments' }).getByText('12.99 EUR disputed').waitFor();
    await verb('Lose the dispute').click();
    await tab.page.getByText('Lose the dispute: done.').waitFor();
    await tab.open(objects(`/payment/${payment.id}`, other));
    await main()
      .getByText(/^The cardholder did not pay\. .* The bank charges a fee of 20\.00 EUR\.$/)
      .waitFor();
    // 30.88 − 12.99 − 20.00
    await main().getByText('-2.11 EUR').waitFor();
    await verb('Refund…').click();
    // The cardholder keeps 12.99 of 30.88.
    expect(await dialog().getByLabel('Amount').inputValue()).toBe('17.89');
    expect((await other.object('payment', payment.id)).disputes).toMatchObject([{ state: 'lost' }]);
    await other.verify();
  });

  test('A form shows why the estate refuses it, and stays open', async () => {
    await using other = await newRehearsal();
    const { orderId } = await other.checkedOut({}, { placeOrder: true });
    await tab.open(objects(`/order/${orderId}`, other));
    await verb('Authorise a payment…').click();
    await dialog().getByLabel('Token').fill('tok_decline_do_not_honor');
    await confirm('Authorise a payment');
    await dialog().getByRole('alert').waitFor();
    await dialog().getByLabel('Token').fill('tok_visa');
    await confirm('Authorise a payment');
    await dialog().waitFor({ state: 'detached' });
    await isEnabled('Confirm');
  });

  test('A voucher leads to the baskets with it, which show whether it is applied, and can be switched off', async () => {
    await using other = await newRehearsal();
    const basket = await other.basket({ qty: 1, customerId: 'cus_ben' });
    await other.checkedOut(basket.id, { voucherCodes: ['WELCOME10'] });
    await tab.open(objects('', other));
    await tab.follow(/WELCOME10/);
    await tab.row('Ben Okafor').getByText('WELCOME10: applied').waitFor();
    await tab.page.goBack();
    await verb('Switch off 10 % off').click();
    await verb('Switch on 10 % off').waitFor();
    const refused = { valid: false, reason: 'voucher_disabled' };
    expect(await other.api('validate-voucher-api', { params: { code: 'WELCOME10' }, body: { amount: eur(2598) } })).toMatchObject(refused);
  });

  test('The page of an object follows changes by others', async () => {
    await using other = await tab.openNew('/objects/customer/cus_ada');
    await tab.stateIs('active');
    await other.control('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' } });
    await tab.stateIs('blocked');
    await isEnabled('Unblock');
  });

  test('The history of an object leads to the trace of a change, and the trace leads back', async () => {
    await tab.open(objects(`/order/${order}`));
    const confirmed = history().locator('li').filter({ hasText: 'confirmed' });
    await confirmed
      .getByRole('link', { name: /^trace / })
      .first()
      .click();
    await tab.heading('Confirm Order').waitFor();
    await main().locator(`[aria-label="Objects that changed"] a[title="order/${order}"]`).click();
    await main().getByRole('heading', { name: 'How it got there' }).waitFor();
  });
});
