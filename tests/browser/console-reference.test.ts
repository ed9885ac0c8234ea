import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { consoleTab } from './console-tab.ts';

describeInBrowser('The reference in the console', () => {
  const tab = consoleTab();
  /** Scalar's page inside the console. */
  const drawn = () => tab.page.frameLocator('main iframe');

  test.each([
    ['api', 'Create Transaction'],
    ['events', 'uc.commerce.events'],
  ])('The page of the %s reference is drawn in the console under its own policy in any look', async (reference, words) => {
    await tab.open(`reference/${reference}`);
    await drawn().locator('#reference').getByText(words).first().waitFor({ state: 'attached' });
    await tab.expectSoundInEveryLook('iframe');
  });

  test('The menu of the API reference is covered by nothing in a narrow window, and has the colors of the console', async () => {
    await tab.resize(390);
    await tab.open('reference/api');
    await drawn().getByRole('button', { name: 'Open Menu' }).click();
    const item = drawn()
      .getByRole('link', { name: 'Payment Hub', exact: true })
      .or(drawn().getByRole('button', { name: 'Payment Hub' }));
    await item.locator('visible=true').first().click();
    await drawn().getByText('Capture Payment').locator('visible=true').first().click();
    await tab.page.waitForURL(/\/console\/reference\/api#.*capture/i);
    const color = (name: string) =>
      drawn().locator('#reference .scalar-app').first().evaluate(`(app) => getComputedStyle(app).getPropertyValue('${name}')`);
    expect(await color('--scalar-color-accent')).toBe(await color('--accent'));
  });

  test('The pages of settings and words have no accessibility finding, and the fragment names one of them', async () => {
    await tab.open('reference/settings#JOURNAL_HOPS');
    await tab.page.locator('li[aria-current="true"]').getByText('JOURNAL_HOPS').waitFor();
    await tab.expectSoundInEveryLook();
    await tab.open('reference/glossary#hop');
    await tab.page.locator('li[aria-current="true"]').getByText('The journal lists hops.').waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The list of problems finds a problem by the API that returns it, and reports when no problem matches', async () => {
    await tab.open('reference/problems');
    await tab.page.getByText('insufficient_stock').waitFor();
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type('add payment');
    await tab.page.getByRole('link', { name: 'payment_declined: link to' }).waitFor();
    await tab.page.getByText('already_enrolled').waitFor({ state: 'detached' });
    await tab.page.keyboard.type('<b>');
    await tab.page.getByText('No problem matches.').waitFor();
  });

  test('The type of a problem leads to its cause and remedy, and the type of an unknown problem to the list', async () => {
    await tab.page.goto(`${estate.gateway}/problems/payment_declined`);
    const named = tab.page.locator('main li[aria-current]');
    await named.getByText('Use another tender').waitFor();
    expect(await named.getAttribute('id')).toBe('payment_declined');
    expect(await named.evaluate((section) => section.getBoundingClientRect().top < innerHeight)).toBe(true);
    await tab.page.getByRole('link', { name: /^overpayment: / }).click();
    await tab.page.locator('main li#overpayment[aria-current]').waitFor();
    await tab.page.goto(`${estate.gateway}/problems/${encodeURIComponent('<b>never')}`);
    await tab.page.getByText('There is no problem <b>never. These exist:').waitFor();
  });

  test('The reference leads to the APIs and back with the keyboard alone', async () => {
    const { page } = tab;
    await tab.open('reference');
    await tab.row('Magic values').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reference\/api/);
    await drawn().locator('#reference').getByText('Create Transaction').first().waitFor({ state: 'attached' });
    await tab.goTo('o');
    await page.waitForURL(/\/console\/r\/[^/]+$/);
  });

  test('The search of the console leads from one API of the reference to another, also while the reference has the focus', async () => {
    const { page } = tab;
    await tab.open('reference/api#tag/ecommerce-platform/POST/baskets');
    const get = drawn().getByRole('heading', { name: 'Create Basket' });
    await get.first().click();
    for (const keys of ['Control+k', '/']) {
      await page.keyboard.press(keys);
      await page.getByRole('dialog').getByRole('combobox').fill('Capture Payment');
      await page
        .getByRole('option', { name: /^Capture Payment/ })
        .first()
        .click();
      await page.waitForURL(/#tag\/payment-hub\/POST\/payments\/.*capture/);
      await drawn().getByRole('heading', { name: 'Capture Payment' }).first().click();
    }
  });

  test('The reference sends a request with the credential of the session to the rehearsal that was open', async () => {
    await using rehearsal = await newRehearsal();
    const { page } = tab;
    await tab.open(`r/${rehearsal.name}/events`);
    await page.getByText('Nothing has been published here yet.').waitFor();
    await tab.open('reference/api#tag/ecommerce-platform/POST/baskets');
    await drawn().getByText(`Requests go to the rehearsal ${rehearsal.name}.`).waitFor();
    const tryIt = drawn().getByRole('button', { name: /Test Request.*\/baskets\)?$/ });
    await tryIt.first().click();
    await drawn().getByRole('button', { name: /^Send/ }).first().click();
    await drawn().getByText('201').first().waitFor();
    await eventually('the basket is there', async () => (await rehearsal.events({ type: 'basket-created' })).length === 1);
  });

  test.each([
    ['Stock', '/stock', 'ATP', 'Available to promise'],
    ['Activity', '/activity', 'trace', 'All hops and events that one request has caused.'],
    ['Faults', '/faults', 'rehearsal', 'An isolated world in the estate'],
    ['Flows', '/flows', 'scenario', 'A program that plays a flow against an estate'],
  ])('The page %s explains a word of the glossary at its first use, by keyboard too', async (_title, path, word, meaning) => {
    await using _rehearsal = await tab.openNew(path);
    // A column of the table of stock has the same name.
    const first = tab
      .main()
      .locator('button.term')
      .and(tab.main().getByRole('button', { name: word, exact: true }));
    await first.waitFor();
    expect(await first.getAttribute('title')).toContain(meaning);
    await tab.tabTo(word);
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('#meaning').getByText(meaning).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.locator('#meaning').waitFor({ state: 'hidden' });
    await tab.expectSoundInEveryLook();
  });
});
