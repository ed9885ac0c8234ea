import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describeInBrowser } from '../support/chromium.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startWay } from '../support/way.ts';
import { consoleTab, readProduct } from './console-tab.ts';

const TRACE = 'web-confirm-1';

/** Confirms an order under the correlation id TRACE, while allocation is slow. */
async function confirmedOrder(rehearsal: TestRehearsal): Promise<void> {
  const { id } = await rehearsal.authorised();
  await rehearsal.fault('slow-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'latency', ms: 60 } });
  await rehearsal.api('confirm-order-api', { params: { id }, headers: { 'x-correlation-id': TRACE } });
  await rehearsal.settle();
}

describeInBrowser('The console', () => {
  const tab = consoleTab();
  const { heading, row, isLive, open, focusedText } = tab;
  let rehearsal: TestRehearsal;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    await confirmedOrder(rehearsal);
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const activity = () => `r/${rehearsal.name}/activity`;

  test('The list of traces has the focus on the first of the oldest rows when there are no more', async () => {
    await using other = await newRehearsal();
    for (let sent = 0; sent < 53; sent += 1) await readProduct(other);
    await open(`r/${other.name}/activity`);
    await tab.page.getByRole('button', { name: 'Show older' }).focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('li:nth-child(51) a[data-row]:focus').waitFor();
  });

  test('The list of traces leads to the reason of a slow order, its bodies and its objects', async () => {
    await open(activity());
    await row('Confirm Order').click();
    await heading('Confirm Order').waitFor();
    await tab.page.getByText(/^FMS waited/).waitFor();
    expect(await tab.page.locator('[data-sentence]').textContent()).toMatch(
      /^FMS waited [\d.,]+ m?s of [\d.,]+ m?s for ⚡ slow-allocation in Inventory Service; the order ended confirmed\.$/,
    );
    await tab.page.getByRole('heading', { name: /^\d+\. Allocate Inventory$/ }).waitFor();
    expect(await tab.page.getByLabel('Request', { exact: true }).first().textContent()).toContain('"sku": "mug-blue"');
    const objects = await tab.page
      .locator('[aria-label="Objects that changed"] a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(objects.some((link) => link?.startsWith(`/console/r/${rehearsal.name}/objects/order/ord_`))).toBe(true);
    await tab.page.getByRole('link', { name: /^List Payments 200/ }).click();
    await tab.page.getByRole('heading', { name: /^\d+\. List Payments$/ }).waitFor();
    await tab.page.goBack();
    await tab.page.getByRole('heading', { name: /^\d+\. Allocate Inventory$/ }).waitFor();
  });

  test('A hop is copied as a command with the same outcome', async () => {
    await using other = await newRehearsal();
    await other.call('get-product-api', { params: { id: 'nothing-like-this' }, headers: { 'x-correlation-id': 'lookup' }, as: 'bearer' });
    await open(`r/${other.name}/activity/lookup`);
    await tab.page.getByRole('button', { name: 'Copy as curl' }).click();
    await tab.page.getByText('Command copied').waitFor();
    const copied = await tab.copied();
    expect(copied).toContain(`curl -i -X GET '${estate.gateway}/products/nothing-like-this'`);
    expect(copied).toContain(`-H 'X-Rehearsal: ${other.name}'`);
  });

  test('The page of a hop makes the call fail next time, and the next trace names the fault', async () => {
    await using other = await newRehearsal();
    await readProduct(other, 'first');
    // Without `hop`, the page selects the slowest hop.
    const [{ requestId }] = (await other.journal('first')).filter(({ api }: { api: string }) => api === 'get-product-api');
    await open(`r/${other.name}/activity/first?hop=${requestId}`);
    await isLive();
    await tab.page.getByRole('button', { name: 'Fail this call next time' }).click();
    await tab.page.getByRole('link', { name: '1 fault set' }).waitFor();
    await other.call('get-product-api', { params: { id: 'mug-blue' }, headers: { 'x-correlation-id': 'second' }, as: 'bearer' });
    await open(`r/${other.name}/activity/second`);
    await tab.page.getByText(/failed Get Product/).waitFor();
    expect(await tab.page.locator('[data-sentence]').textContent()).toContain('because ⚡ fail-next-get-product-api struck');
    await tab.page.locator('[data-sentence]').getByRole('link', { name: 'fail-next-get-product-api' }).click();
    await heading('Faults').waitFor();
  });

  test('A hop is found with the keyboard alone, and Escape leads back to the list', async () => {
    const { keyboard } = tab.page;
    await open(`${activity()}/${TRACE}`);
    await tab.page.getByRole('heading', { name: /Allocate Inventory$/ }).waitFor();
    await keyboard.press('[');
    await tab.page.getByRole('heading', { name: /Create Fulfillment Orders$/ }).waitFor();
    await keyboard.press('Escape');
    await heading('Activity').waitFor();
    await keyboard.press('?');
    await tab.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('The filter keeps what is typed while the address follows', async () => {
    await open(activity());
    await row('Confirm Order').waitFor();
    await tab.page.evaluate(`{
      const field = document.querySelector('[data-filter]');
      const type = (text) => {
        field.value = text;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      };
      const replace = history.replaceState;
      history.replaceState = (...address) => {
        history.replaceState = replace;
        replace.apply(history, address);
        type('confirm');
      };
      type('conf');
    }`);
    await tab.page.waitForURL(/q=confirm$/);
    expect(await tab.page.getByRole('searchbox').inputValue()).toBe('confirm');
  });

  test('The console shows since when its stream is broken, and shows all missed traces when the stream is back', async () => {
    await using other = await newRehearsal();
    const gateway = Number(new URL(estate.gateway).port);
    const way = await startWay([gateway]);
    try {
      await readProduct(other);
      await open(`r/${other.name}/activity`, way.url);
      await row('Get Product').waitFor();
      await isLive();
      way.lead([]);
      way.breakOff();
      await tab.page.getByRole('button', { name: /^Reconnecting since \d\d:\d\d$/ }).waitFor();
      const settles = tab.page.getByRole('menuitem', { name: 'Settle' });
      await tab.page.keyboard.press('t');
      expect(await settles.isDisabled()).toBe(true);
      await other.basket({ qty: 1 });
      way.lead([gateway]);
      await isLive();
      await row('Create Basket').waitFor();
      expect(await settles.isEnabled()).toBe(true);
    } finally {
      await way.close();
    }
  });

  test('The menu of the clock verifies, moves, freezes and resumes; the focus returns to the clock, and a frozen clock is marked', async () => {
    await using other = await tab.openNew('/activity');
    const flows = async () => (await other.control('read-clock')).flowing;
    const bar = tab.page.getByRole('group', { name: 'Clock of the rehearsal' });
    const mark = bar.getByText('frozen', { exact: true });
    const before = await other.now();
    await tab.chooseOfClock('+1 day');
    await tab.says(/^It is /);
    expect((await other.now()) - before).toBeGreaterThanOrEqual(86_400_000);
    expect(await focusedText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\dZ/);
    await tab.chooseOfClock('Verify');
    await tab.page.getByRole('button', { name: /^\d+ of \d+ invariants hold$/ }).waitFor();
    await tab.page.clock.install();
    await tab.page.reload();
    await tab.isLive();
    const shown = async () => Date.parse(((await bar.textContent()) ?? '').slice(0, 17).replace(' ', 'T'));
    const flowing = await shown();
    await tab.page.clock.fastForward(600_000);
    expect((await shown()) - flowing).toBeGreaterThanOrEqual(600_000);
    await tab.chooseOfClock('Freeze');
    await tab.says(/^The clock is frozen at /);
    await mark.waitFor();
    expect(await flows()).toBe(false);
    const frozenAt = await shown();
    await tab.page.clock.fastForward(600_000);
    expect(await shown()).toBe(frozenAt);
    await tab.expectSoundInEveryLook();
    await tab.chooseOfClock('Resume');
    await tab.says(/^The clock flows on from /);
    await mark.waitFor({ state: 'detached' });
    expect(await flows()).toBe(true);
  });

  test('The dialog of the clock has the focus on its instant, and shows there why the clock cannot be moved to it', async () => {
    await using other = await tab.openNew('/activity');
    await tab.chooseOfClock('To…');
    const dialog = tab.page.getByRole('dialog', { name: 'Move the clock' });
    await dialog.locator('#instant:focus').waitFor();
    await dialog.getByLabel('To (UTC)').fill('2999-01-01T00:00');
    await tab.page.keyboard.press('Enter');
    await dialog.locator('#instant[aria-invalid]:focus').waitFor();
    expect(await dialog.locator('#instant-wrong').textContent()).toMatch(/^One advance covers at most ten years/);
    expect(await dialog.getByLabel('To (UTC)').inputValue()).toBe('2999-01-01T00:00');
    await tab.expectSoundInEveryLook();
    const tomorrow = new Date((await other.now()) + 86_400_000).toISOString().slice(0, 16);
    await dialog.getByLabel('To (UTC)').fill(tomorrow);
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await tab.says(/^It is /);
    expect(await other.now()).toBeGreaterThanOrEqual(Date.parse(`${tomorrow}:00Z`));
  });

  test('The menu of the clock opens with t, the arrows wrap, and Escape and Tab close it', async () => {
    await tab.openNew('/activity');
    const menu = tab.page.getByRole('menu', { name: 'Clock' });
    const keys = async (...pressed: string[]) => {
      for (const key of pressed) await tab.page.keyboard.press(key);
    };
    await keys('t');
    await menu.waitFor();
    expect(await focusedText()).toMatch(/^Freeze/);
    await tab.expectSoundInEveryLook();
    await keys('ArrowUp');
    expect(await focusedText()).toMatch(/^Verify/);
    await keys('ArrowDown', 'ArrowDown');
    expect(await focusedText()).toMatch(/^\+15 min/);
    await keys('End', 'Home', 'Escape');
    await menu.waitFor({ state: 'hidden' });
    expect(await focusedText()).toMatch(/^\d{4}-/);
    await keys('Enter');
    await menu.waitFor();
    await keys('Tab');
    await menu.waitFor({ state: 'hidden' });
    await keys('t', 'ArrowDown', 'Enter');
    await tab.says(/^It is /);
  });

  test.each([990, 1024, 1150])('The bar has one line in a window of %i px, so that it covers no head of a table', async (width) => {
    await using other = await newRehearsal();
    await other.fault('slow', { match: { api: 'get-product-api' }, fault: { kind: 'latency', ms: 1 } });
    for (let made = 0; made < 40; made += 1) await other.basket({ qty: 1 });
    await tab.resize(width);
    await tab.openLive(other, '/objects/basket');
    await tab.chooseOfClock('Verify');
    await tab.page.getByRole('button', { name: /^\d+ of \d+ invariants hold$/ }).waitFor();
    await tab.page.locator('a[data-row]').nth(39).scrollIntoViewIfNeeded();
    const bottom = await tab.page.evaluate<number>("document.querySelector('#console header').getBoundingClientRect().bottom");
    const head = await tab.page.evaluate<number>("document.querySelector('thead th').getBoundingClientRect().top");
    expect(head).toBeGreaterThanOrEqual(bottom - 1);
    expect(head).toBeLessThan(bottom + 4);
    await tab.expectToFit(width);
  });

  test('The menu of the clock has every verb in a narrow window, and the focus returns to the clock', async () => {
    await tab.resize(390);
    await using other = await tab.openNew('/activity');
    const clock = tab.page.getByRole('button', { name: /^\d{4}-\d\d-\d\d \d\d:\d\dZ.*: move the clock$/ });
    const items = tab.page.getByRole('menuitem');
    const press = async (verb: string, outcome: RegExp) => {
      await tab.chooseOfClock(verb);
      await items.first().waitFor({ state: 'hidden' });
      await tab.says(outcome);
      expect(await focusedText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\dZ/);
    };
    await press('Freeze', /^The clock is frozen at /);
    const before = await other.now();
    await press('+15 min', /^It is /);
    await press('+1 day', /^It is /);
    await press('Settle', /^Settled/);
    expect((await other.now()) - before).toBe(86_400_000 + 900_000);
    await clock.click();
    const heights = await items.evaluateAll((buttons) => buttons.map((button) => button.clientHeight));
    expect(Math.min(...heights, await clock.evaluate((button) => button.clientHeight))).toBeGreaterThanOrEqual(42);
    await tab.expectToFit(390);
    await tab.expectSoundInEveryLook();
    await tab.page.keyboard.press('Escape');
    await press('Resume', /^The clock flows on from /);
  });

  test.each([
    ['is unknown', 'wrong', /refused: ./],
    ['lacks the scope', 'demo-integration-token', /refused: .*control/],
    ['was pasted with typographic quotes', `“${ADMIN}”`, /refused: it has a blank or a character that no header can carry/],
  ])('The console requests the credential again, with the reason, when it %s', async (_, credential, reason) => {
    const kept = JSON.stringify(credential);
    await tab.page.addInitScript(`sessionStorage.getItem('estate.control') ?? sessionStorage.setItem('estate.control', ${kept})`);
    await open(activity());
    await tab.page.getByRole('alert').waitFor();
    expect(await tab.page.getByRole('alert').textContent()).toMatch(reason);
    await tab.expectSoundInEveryLook();
    for (const credential of ['wrong-too', 'wrong too', ADMIN]) {
      await tab.page.locator('#bearer[aria-describedby]:focus').waitFor();
      await tab.page.keyboard.type(credential);
      await tab.page.keyboard.press('Enter');
    }
    await row('Confirm Order').waitFor();
  });

  test('The console shows that another tab deleted the rehearsal, and offers nothing that needs it', async () => {
    const other = await newRehearsal();
    await tab.openLive(other, '/activity');
    await other[Symbol.asyncDispose]();
    await heading(`There is no rehearsal ${other.name}`).waitFor();
    for (const name of ['Live', /: move the clock$/]) {
      expect([name, await tab.page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    }
    await tab.page.getByRole('link', { name: 'Rehearsals', exact: true }).first().click();
    await heading('Rehearsals').waitFor();
    const links = tab.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Activity' });
    expect(await links.getAttribute('href')).toBe('/console/r/default/activity');
  });

  test('A hidden console sends no request, and shows all missed traces when it is visible again', async () => {
    await using other = await newRehearsal();
    const requested: string[] = [];
    const look = (hidden: boolean) =>
      tab.page.evaluate(`{
        Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }`);
    await tab.page.clock.install();
    await tab.openLive(other, '/activity');
    const ended = tab.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/_control/stream'));
    await look(true);
    await tab.page.clock.fastForward(11_000);
    await ended;
    await tab.page.getByRole('button', { name: 'Asleep' }).waitFor();
    // A read that was due before the console fell asleep begins with the next frame.
    await tab.page.clock.runFor(1_000);
    tab.page.on('request', (request) => requested.push(request.url()));
    await readProduct(other);
    await tab.page.clock.fastForward(3_600_000);
    expect([requested, await row('Get Product').count()]).toEqual([[], 0]);
    await look(false);
    await row('Get Product').waitFor();
    await isLive();
  });

  test.each([1280, 390])(
    'A message at %i pixels is between the bars; a success goes, and a failure stays until it is dismissed or the page is left',
    async (width) => {
      await tab.resize(width);
      await using other = await tab.openNew();
      await tab.page.clock.install();
      const message = tab.page.getByRole('status').filter({ hasText: /\S/ });
      const top = async (element: Locator) => (await element.boundingBox())?.y ?? Number.NaN;
      await tab.page.getByRole('button', { name: '+2 days' }).click();
      const said = message.getByText(/^It is /);
      await said.waitFor();
      const line = await tab.page.locator('.status-line.shown').boundingBox();
      const limit = width === 390 ? await top(tab.page.locator('nav')) : 900;
      expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual(limit);
      await tab.page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
      const last = await tab.page.locator('main > *').last().boundingBox();
      expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(line?.y ?? 0);
      await tab.page.evaluate('window.scrollTo(0, 0)');
      await tab.page.clock.fastForward(10_001);
      await said.waitFor({ state: 'detached' });
      await tab.page.route('**/_control/clock/advance', (route) =>
        route.fulfill({
          status: 409,
          contentType: 'application/problem+json',
          json: { code: 'clock_busy', title: 'Busy', detail: 'Busy now.' },
        }),
      );
      await tab.page.getByRole('button', { name: '+2 days' }).click();
      const refused = message.getByText('Busy now.');
      await refused.waitFor();
      await tab.page.clock.fastForward(60_000);
      expect(await refused.isVisible()).toBe(true);
      await tab.expectSoundInEveryLook();
      await tab.page.getByRole('button', { name: 'Dismiss the message' }).click();
      await refused.waitFor({ state: 'detached' });
      await tab.page.getByRole('button', { name: '+2 days' }).click();
      await refused.waitFor();
      await tab.goTo('f');
      await refused.waitFor({ state: 'detached' });
      expect(await other.now()).toBeGreaterThan(Date.now());
    },
  );

  test('The bar of a narrow window covers no element that has the focus', async () => {
    await tab.resize(390);
    await open('reference/values');
    await tab.page.locator('main button').first().focus();
    const covered: string[] = [];
    for (let presses = 0; presses < 25; presses += 1) {
      await tab.page.keyboard.press('Tab');
      const isCovered = await tab.page.evaluate<boolean>(
        "document.activeElement.getBoundingClientRect().bottom > document.querySelector('nav[aria-label=Console]').getBoundingClientRect().top",
      );
      if (isCovered) covered.push(await focusedText());
    }
    expect([covered, await tab.page.evaluate('scrollY > 0')]).toEqual([[], true]);
  });

  test('The console offers to load the page again when a part of it is missing', async () => {
    await tab.page.route('**/console/assets/chunk-*.js', (route) => route.abort());
    await open(activity());
    await tab.page.getByText('The console is loading.').waitFor();
    await tab.page.unroute('**/console/assets/chunk-*.js');
    await tab.page.getByRole('link', { name: 'load the page again' }).click();
    await row('Confirm Order').waitFor();
    expect(await tab.page.getByText('The console is loading.').count()).toBe(0);
  });
});
