import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

describeInBrowser('Faults in the console', () => {
  const tab = consoleTab();
  const main = () => tab.page.locator('main');
  const preset = (title: string) => tab.page.getByRole('switch', { name: title });
  const row = (title: string) => main().getByRole('listitem').filter({ hasText: title });
  const card = (title: string) => main().getByRole('region', { name: title, exact: true });
  const isOn = (title: string) => tab.page.getByRole('switch', { name: title, checked: true }).waitFor();
  const isOff = (title: string) => tab.page.getByRole('switch', { name: title, checked: false }).waitFor();

  test('The page of faults has no accessibility finding or horizontal scrolling in any look', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('order-events-twice', { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate', copies: 1 } });
    await rehearsal.fault('unheard', { match: { event: 'basket-created' }, fault: { kind: 'withhold' } });
    await rehearsal.basket({ qty: 1 });
    await tab.open(`r/${rehearsal.name}/faults`);
    await isOn('Order events arrive twice');
    await card('Withheld').getByText('basket-created').waitFor();
    await main().getByLabel('What goes wrong').selectOption('status');
    await main().getByLabel('HTTP status').fill('teapot');
    await main().getByRole('button', { name: 'Set the fault' }).click();
    await main().locator('.wrong').first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test.each(WIDTHS)('A switch of a fault reports its effect below the bar, and no bar moves, %s pixels wide', async (width) => {
    await tab.resize(width);
    await using _rehearsal = await tab.openNew('/faults');
    await tab.isLive();
    const places = () => Promise.all(['header', 'nav'].map((part) => tab.page.locator(part).first().boundingBox()));
    const atRest = await places();
    await preset('The Payment Hub is down').click();
    const text = await tab.page.getByText('Set: The Payment Hub is down.').boundingBox();
    expect(await places()).toEqual(atRest);
    const [bar] = atRest;
    expect(text?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0));
    expect(text && text.x >= 0 && text.x + text.width <= width).toBe(true);
  });

  test('A refused rule moves the focus to its wrong field, even far from the button', async () => {
    await tab.resize(390);
    await using _rehearsal = await tab.openNew('/faults');
    const name = card('Your own rule').getByLabel('Name', { exact: true });
    await name.fill(HOSTILE);
    await main().getByRole('button', { name: 'Set the fault' }).click();
    await main().locator('.wrong').first().waitFor();
    await main().locator('#fault-name:focus').waitFor();
    const top = await name.evaluate((field) => field.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(800);
  });

  test.each(['a/b', '.', '..', 'hub down'])('A rule named %s is refused at the field of the name, which has the focus', async (wrong) => {
    await tab.resize(390);
    await using rehearsal = await tab.openNew('/faults');
    const name = card('Your own rule').getByLabel('Name', { exact: true });
    await name.fill(wrong);
    await main().getByLabel('Application').selectOption('oms');
    await main().getByRole('button', { name: 'Set the fault' }).click();
    await main().locator('#fault-name[aria-invalid]:focus').waitFor();
    expect(await main().locator('#fault-name-wrong').textContent()).toContain('letters, digits, dots, hyphens and underscores');
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('A refusal of a rule that concerns no field is shown in sight', async () => {
    await using rehearsal = await newRehearsal();
    await tab.page.route('**/_control/faults/full', (route) =>
      route.fulfill({ status: 409, json: { detail: 'There are too many faults.' } }),
    );
    await tab.resize(390);
    await tab.open(`r/${rehearsal.name}/faults`);
    await card('Your own rule').getByLabel('Name', { exact: true }).fill('full');
    await main().getByRole('button', { name: 'Set the fault' }).click();
    const refusal = main().getByText('There are too many faults.');
    await refusal.waitFor();
    const top = await refusal.evaluate((text) => text.getBoundingClientRect().top);
    expect([top > 60, top < 800]).toEqual([true, true]);
  });

  test('A fault is switched on and off under its business name, and each strike is counted as it happens', async () => {
    await using rehearsal = await tab.openNew('/faults');
    await tab.isLive();
    await preset('The Payment Hub is down').click();
    await isOn('The Payment Hub is down');
    await row('The Payment Hub is down').getByText('on, not struck yet').waitFor();
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } } });
    await row('The Payment Hub is down').getByRole('link', { name: 'struck 1 time' }).click();
    await tab.heading('Activity').waitFor();
    await main()
      .getByRole('link', { name: /^Authorize Payment/ })
      .waitFor();
    await tab.page.goBack();
    await preset('The Payment Hub is down').click();
    await isOff('The Payment Hub is down');
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('A fault that has struck as often as it may is no longer counted as set', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('put-fault', {
      params: { name: 'payment-hub-down' },
      body: { match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 1 },
    });
    await tab.open(`r/${rehearsal.name}/faults`);
    await tab.isLive();
    await row('The Payment Hub is down').getByText('outage · once').waitFor();
    await tab.page.getByRole('link', { name: '1 fault set' }).waitFor();
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } } });
    await row('The Payment Hub is down').getByText('struck 1 time, used up').waitFor();
    await main().getByText('0 faults set, 1 used up, 1 strike').waitFor();
    expect(await tab.page.getByRole('link', { name: 'fault set' }).count()).toBe(0);
  });

  test('The button "All off" removes every fault, including faults set elsewhere', async () => {
    await using rehearsal = await tab.openNew('/faults');
    await tab.isLive();
    await preset('The OMS is down').click();
    await isOn('The OMS is down');
    await rehearsal.fault('from-a-test', { match: { api: 'get-product-api' }, fault: { kind: 'outage' } });
    await card('Other rules').getByRole('listitem').filter({ hasText: 'from-a-test' }).waitFor();
    await main().getByRole('button', { name: 'All off' }).click();
    await isOff('The OMS is down');
    await main().getByText('Nothing goes wrong on purpose.').waitFor();
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('The page of faults names the fault that withholds an event; the event is sent when the fault is switched off', async () => {
    await using rehearsal = await tab.openNew('/faults');
    await tab.isLive();
    await rehearsal.fault('payment-events-late', { match: { event: 'basket-created' }, fault: { kind: 'late', by: 'PT10M' } });
    await rehearsal.basket({ qty: 1 });
    await card('Withheld')
      .getByText(/by “Payment events are late”, until/)
      .waitFor();
    await preset('Payment events are late').click();
    await isOff('Payment events are late');
    await card('Withheld').waitFor({ state: 'detached' });
    expect(await rehearsal.events({ type: 'basket-created' })).toHaveLength(1);
  });

  test('A rule written on the page of faults offers the members that suit its target and kind', async () => {
    await using rehearsal = await tab.openNew('/faults');
    await main().getByLabel('Name').fill('slow-lookups');
    await main().getByLabel('Application').selectOption('crm');
    await main().getByLabel('API', { exact: true }).selectOption('get-customer-api');
    await main().getByLabel('What goes wrong').selectOption('latency');
    await main().getByLabel('Milliseconds').fill('5');
    await main().getByLabel('How often').fill('3');
    await main().getByLabel('Probability').fill('0.5');
    await main().getByLabel('Seed').fill('monday');
    await main().getByRole('button', { name: 'Set the fault' }).click();
    await card('Other rules').getByRole('listitem').filter({ hasText: 'slow-lookups' }).waitFor();
    expect(await rehearsal.faults()).toMatchObject([
      {
        name: 'slow-lookups',
        match: { application: 'crm', api: 'get-customer-api' },
        fault: { kind: 'latency', ms: 5 },
        ...{ times: 3, probability: 0.5, seed: 'monday' },
      },
    ]);
    await main().getByLabel('What it strikes').selectOption('webhook');
    expect(await main().getByLabel('What goes wrong').locator('option').allTextContents()).toContain('Bad signature');
    await card('Other rules').getByRole('button', { name: 'Switch off slow-lookups' }).click();
    await card('Other rules').waitFor({ state: 'detached' });
  });

  test('The reason why the gateway refuses a rule is shown at the field', async () => {
    await using rehearsal = await tab.openNew('/faults');
    const refused = async (field: string, words: string | RegExp) => {
      await main().getByRole('button', { name: 'Set the fault' }).click();
      await main()
        .locator('.field')
        .filter({ has: tab.page.getByLabel(field, { exact: true }) })
        .locator('.wrong')
        .filter({ hasText: words })
        .waitFor();
    };
    await refused('Name', 'A fault needs a name');
    await main().getByLabel('Name').fill('rule');
    await refused('Application', /A fault needs a target/);
    await main().getByLabel('Application').selectOption('oms');
    await main().getByLabel('Seed').fill('monday');
    await refused('Probability', 'A seed needs a probability.');
    await main().getByLabel('Seed').fill('');
    await main().getByLabel('Name').fill('no name');
    await refused('Name', /letters, digits/);
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('The page of faults shows hostile text as text', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('hostile', { match: { event: 'order-created', subject: `order/${HOSTILE}` }, fault: { kind: 'withhold' } });
    await tab.resize(390);
    await tab.open(`r/${rehearsal.name}/faults`);
    await card('Other rules').getByText('hostile').first().waitFor();
    await main()
      .getByLabel('Name')
      .fill(`${HOSTILE}${'x'.repeat(50)}`);
    await main().getByLabel('Application').selectOption('oms');
    await main().getByLabel('How often').fill(HOSTILE.repeat(200));
    await main().getByRole('button', { name: 'Set the fault' }).click();
    await main().locator('.wrong, .problem').first().waitFor();
    await tab.expectTextOnly(390);
  });

  test('A fault can be switched on and off with the keyboard alone', async () => {
    await using _rehearsal = await tab.openNew('/activity');
    await tab.heading('Activity').waitFor();
    await tab.goTo('x');
    await tab.heading('Faults').waitFor();
    await isOff('The OMS is down');
    await tab.tabTo('The OMS is down');
    await tab.page.keyboard.press('Space');
    await isOn('The OMS is down');
    await tab.page.locator('[role=switch]:focus').waitFor();
    await tab.page.keyboard.press('Space');
    await isOff('The OMS is down');
  });
});
