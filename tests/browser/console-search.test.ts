import { expect } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { testIn } from '../support/test-in.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

describeInBrowser('The search of the console', () => {
  const tab = consoleTab();
  const test = testIn(() => tab.openNew('/activity'));
  const field = () => tab.page.getByRole('combobox', { name: 'Search' });
  const option = (name: string | RegExp) => tab.page.getByRole('option', { name });
  const chosen = () => tab.page.locator('[role="option"][aria-selected="true"]');

  /** Opens the search and types into it. */
  async function search(text: string): Promise<void> {
    await tab.page.keyboard.press('Control+k');
    await field().waitFor();
    await field().fill(text);
  }

  test('The search finds an order by its number and a customer by the e-mail, and opens what is chosen by keyboard', async (rehearsal) => {
    const { id, orderNumber } = await rehearsal.confirmed({ customerId: 'cus_ben' });
    const { email } = await rehearsal.object('customer', 'cus_ben');
    await search(email);
    await option(/^Ben Okafor/)
      .first()
      .waitFor();
    await tab.expectSoundInEveryLook();
    await field().fill(orderNumber);
    await option(new RegExp(`^${orderNumber} ?Ben Okafor · 30\\.88 EUR`)).waitFor();
    await eventually('only the order is found', async () => (await chosen().textContent())?.includes(orderNumber));
    await field().press('Enter');
    await tab.page.waitForURL(new RegExp(`/objects/order/${id}$`));
    await search('mug-blue');
    await option('mug-blue').first().waitFor();
  });

  test('Enter that is pressed before the search has answered opens the result as soon as it is there', async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    await tab.page.route(/\/_control\/.*search/, async (route) => {
      await held;
      await route.continue();
    });
    await search(id);
    await field().press('Enter');
    answer();
    await tab.page.waitForURL(new RegExp(`/objects/order/${id}$`));
    await tab.page.unroute(/\/_control\/.*search/);
  });

  test('The search leads to the objects in a state, finds a fault by what it does, and reports when nothing has the text', async () => {
    await search(HOSTILE);
    await tab.says(/^Nothing has this text/);
    expect(await tab.page.getByRole('option').count()).toBe(0);
    await tab.expectTextOnly();
    await field().fill('till no connection');
    await option(/^Fault: The till has no connection/).waitFor();
    await field().fill('webhooks');
    await option(/^Webhooks t-/).waitFor();
    await field().fill('customer blocked');
    await option(/^customer: blocked/).waitFor();
    await field().press('Enter');
    await tab.page.waitForURL(/\/objects\/customer\?state=blocked$/);
  });

  test('The search keeps what is typed before its code is loaded, and no typed key acts on the page', async () => {
    const address = tab.page.url();
    const { promise: held, resolve: load } = Promise.withResolvers<void>();
    await tab.page.route(/\/console\/.*search.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    await tab.page.keyboard.press('Control+k');
    await tab.page.keyboard.type('cus_bg o?');
    for (let time = 0; time < 4; time++) await tab.page.keyboard.press('Backspace');
    await tab.page.keyboard.type('en');
    expect([await tab.page.getByRole('dialog').count(), tab.page.url()]).toEqual([0, address]);
    load();
    await field().waitFor();
    await option('cus_ben').first().waitFor();
    expect(await field().inputValue()).toBe('cus_ben');
    await tab.page.unrouteAll();
  });

  test('Escape closes the search before its code is loaded, and keys act again', async () => {
    await tab.page.route(/\/console\/.*search.*\.js/, () => new Promise(() => undefined));
    await tab.page.keyboard.press('Control+k');
    await tab.page.keyboard.type('x');
    await tab.page.keyboard.press('Escape');
    await tab.page.keyboard.press('?');
    await tab.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('The arrows choose a result, the last follows the first upwards, and Escape returns the focus to where it was', async () => {
    await tab.goTo('x');
    await tab.heading('Faults').waitFor();
    await tab.page.getByRole('button', { name: 'Live' }).focus();
    await tab.page.keyboard.press('/');
    await field().waitFor();
    const first = await chosen().textContent();
    await field().press('ArrowDown');
    expect(await chosen().textContent()).not.toBe(first);
    expect(await chosen().getAttribute('id')).toBe(await field().getAttribute('aria-activedescendant'));
    await field().press('ArrowUp');
    await field().press('ArrowUp');
    expect(await chosen().getAttribute('id')).toBe(await tab.page.getByRole('option').last().getAttribute('id'));
    await field().press('Escape');
    await field().waitFor({ state: 'detached' });
    expect(await tab.focusedText()).toBe('Live');
  });

  test('A typed length of time moves the clock, faults are switched, and a new rehearsal opens', async (rehearsal) => {
    const before = await rehearsal.now();
    await search('advance the clock 3 days');
    await option('Advance the clock by 3 days').click();
    await tab.says(/^It is /);
    expect((await rehearsal.now()) - before).toBeGreaterThanOrEqual(3 * 86_400_000);
    await search('payment hub is down');
    await option('Fault: The Payment Hub is down').click();
    await eventually('the fault is set', async () => (await rehearsal.faults()).length === 1);
    await search('all faults off');
    await option('All faults off').click();
    await eventually('no fault is set', async () => (await rehearsal.faults()).length === 0);
    await search('new rehearsal');
    await option(/^New rehearsal/).click();
    await tab.says(/^The rehearsal .* is ready/);
    const name = /\/r\/([^/]+)$/.exec(tab.page.url())?.[1] ?? '';
    expect(name).not.toBe(rehearsal.name);
    await rehearsal.control('delete-rehearsal', { params: { name } });
  });
});
