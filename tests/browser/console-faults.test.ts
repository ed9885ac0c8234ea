import { expect } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { testIn } from '../support/test-in.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

describeInBrowser('Faults in the console', () => {
  const tab = consoleTab();
  const test = testIn(() => tab.openNew('/faults'));
  const { main, press } = tab;
  const preset = (title: string) => tab.page.getByRole('switch', { name: title });
  const row = (title: string) => main().getByRole('listitem').filter({ hasText: title });
  const card = (title: string) => main().getByRole('region', { name: title, exact: true });
  const isOn = (title: string) => tab.page.getByRole('switch', { name: title, checked: true }).waitFor();
  const isOff = (title: string) => tab.page.getByRole('switch', { name: title, checked: false }).waitFor();

  test.each(WIDTHS)('A switch of a fault reports its effect below the bar, and no bar moves, %s pixels wide', async (_rehearsal, width) => {
    await tab.resize(width);
    await tab.page.reload();
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

  test.each([
    ['a/b', 'letters, digits, dots, hyphens and underscores'],
    ['.', 'letters, digits, dots, hyphens and underscores'],
    ['..', 'letters, digits, dots, hyphens and underscores'],
    ['hub down', 'letters, digits, dots, hyphens and underscores'],
    [HOSTILE, ''],
  ])('A rule named %s is refused at the field of its name, which has the focus, far from the button', async (rehearsal, wrong, words) => {
    await tab.resize(390);
    const name = card('Your own rule').getByLabel('Name', { exact: true });
    await name.fill(wrong);
    await main().getByLabel('Application').selectOption('oms');
    await press('Set the fault');
    await main().locator('#fault-name[aria-invalid]:focus').waitFor();
    expect(await main().locator('#fault-name-wrong').textContent()).toContain(words);
    const top = await name.evaluate((field) => field.getBoundingClientRect().top);
    expect([top > 0, top < 800]).toEqual([true, true]);
    await tab.expectTextOnly(390);
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('A refusal of a rule that concerns no field is shown inside the window', async () => {
    await tab.page.route('**/_control/faults/full', (route) =>
      route.fulfill({ status: 409, json: { detail: 'There are too many faults.' } }),
    );
    await tab.resize(390);
    await card('Your own rule').getByLabel('Name', { exact: true }).fill('full');
    await press('Set the fault');
    const refusal = main().getByText('There are too many faults.');
    await refusal.waitFor();
    const top = await refusal.evaluate((text) => text.getBoundingClientRect().top);
    expect([top > 60, top < 800]).toEqual([true, true]);
  });

  test('A fault is switched on and off under its business name, and each strike is counted as it happens', async (rehearsal) => {
    await preset('The Payment Hub is down').click();
    await isOn('The Payment Hub is down');
    await row('The Payment Hub is down').getByText('on, not struck yet').waitFor();
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } } });
    await row('The Payment Hub is down').getByRole('link', { name: 'struck 1 time' }).click();
    await tab.heading('Activity').waitFor();
    await tab.link(/^Authorize Payment/).waitFor();
    await tab.page.goBack();
    await preset('The Payment Hub is down').press('Space');
    await isOff('The Payment Hub is down');
    await tab.page.locator('[role=switch]:focus').waitFor();
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('A fault that has struck as often as it may is no longer counted as set', async (rehearsal) => {
    await rehearsal.fault('payment-hub-down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 1 });
    await row('The Payment Hub is down').getByText('outage · once').waitFor();
    await tab.page.getByRole('link', { name: '1 fault set' }).waitFor();
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } } });
    await row('The Payment Hub is down').getByText('struck 1 time, used up').waitFor();
    await main().getByText('0 faults set, 1 used up, 1 strike').waitFor();
    expect(await tab.page.getByRole('link', { name: 'fault set' }).count()).toBe(0);
  });

  test('The button "All off" removes every fault, including faults set elsewhere', async (rehearsal) => {
    await preset('The OMS is down').click();
    await isOn('The OMS is down');
    await rehearsal.fault('from-a-test', { match: { api: 'get-product-api' }, fault: { kind: 'outage' } });
    await card('Other rules').getByRole('listitem').filter({ hasText: 'from-a-test' }).waitFor();
    await press('All off');
    await isOff('The OMS is down');
    await main().getByText('Nothing goes wrong on purpose.').waitFor();
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('The page of faults names the fault that withholds an event; the event is sent when the fault is switched off', async (rehearsal) => {
    await rehearsal.fault('payment-events-late', { match: { event: 'basket-created' }, fault: { kind: 'late', by: 'PT10M' } });
    await rehearsal.basket({ qty: 1 });
    await card('Withheld').filter({ hasText: 'by “Payment events are late”, until' }).waitFor();
    await preset('Payment events are late').click();
    await isOff('Payment events are late');
    await card('Withheld').waitFor({ state: 'detached' });
    expect(await rehearsal.events({ type: 'basket-created' })).toHaveLength(1);
  });

  test('A rule written on the page of faults offers the members that suit its target and kind', async (rehearsal) => {
    await main().getByLabel('Name').fill('slow-lookups');
    await main().getByLabel('Application').selectOption('crm');
    await main().getByLabel('API', { exact: true }).selectOption('get-customer-api');
    await main().getByLabel('What goes wrong').selectOption('latency');
    await main().getByLabel('Milliseconds').fill('5');
    await main().getByLabel('How often').fill('3');
    await main().getByLabel('Probability').fill('0.5');
    await main().getByLabel('Seed').fill('monday');
    await press('Set the fault');
    await card('Other rules').getByRole('listitem').filter({ hasText: 'slow-lookups' }).waitFor();
    expect(await rehearsal.faults()).toMatchObject([
      {
        name: 'slow-lookups',
        match: { application: 'crm', api: 'get-customer-api' },
        fault: { kind: 'latency', ms: 5 },
        times: 3,
        probability: 0.5,
        seed: 'monday',
      },
    ]);
    await main().getByLabel('What it strikes').selectOption('webhook');
    expect(await main().getByLabel('What goes wrong').locator('option').allTextContents()).toContain('Bad signature');
    await card('Other rules').getByRole('button', { name: 'Switch off slow-lookups' }).click();
    await card('Other rules').waitFor({ state: 'detached' });
  });

  test('A rule written on the page of faults offers the changes that an API can have, and none for the carrier', async (rehearsal) => {
    await main().getByLabel('Name').fill('wrong');
    await main().getByLabel('Application').selectOption('crm');
    await main().getByLabel('API', { exact: true }).selectOption('get-customer-api');
    await main().getByLabel('What goes wrong').selectOption('forbidden');
    const offered = await main().getByLabel('Change', { exact: true }).locator('option').allTextContents();
    expect(offered).toEqual(['previous state', 'html body', 'broken json']);
    await main().getByLabel('Change', { exact: true }).selectOption('html-body');
    await main().getByText('The answer is a page of HTML with status 200.').waitFor();
    await press('Set the fault');
    await card('Other rules').getByRole('listitem').filter({ hasText: 'forbidden, change html-body' }).waitFor();
    expect(await rehearsal.faults()).toMatchObject([{ fault: { kind: 'forbidden', change: 'html-body' } }]);
    await main().getByLabel('What it strikes').selectOption('webhook');
    expect(await main().getByLabel('What goes wrong').locator('option').allTextContents()).not.toContain('What no contract permits');
  });

  test('The reason why the gateway refuses a rule is shown at the field', async (rehearsal) => {
    const refused = async (field: string, words: string | RegExp) => {
      await press('Set the fault');
      await tab.wrongAt(field).filter({ hasText: words }).waitFor();
    };
    await refused('Name', 'A fault needs a name');
    await main().getByLabel('Name').fill('rule');
    await main().getByLabel('Application').selectOption('any');
    await refused('Application', /A fault needs a target/);
    await main().getByLabel('Application').selectOption('oms');
    await main().getByLabel('Seed').fill('monday');
    await refused('Probability', 'A seed needs a probability.');
    expect(await rehearsal.faults()).toEqual([]);
  });
});
