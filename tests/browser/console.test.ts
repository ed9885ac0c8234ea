import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ADDRESS, ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { breakableWay } from './breakable-way.ts';
import { ARGS, CHROMIUM, isInstalled } from './chromium.ts';

const TRACE = 'web-confirm-1';

if (!isInstalled()) {
  // biome-ignore lint/suspicious/noConsole: a test that did not run must not look like one that passed
  console.warn(`SKIPPED: the browser tests of the console need Chromium at ${CHROMIUM} (Debian: apt-get install chromium).`);
}

/** An order that is confirmed under the correlation id TRACE, while allocation is slow. */
async function confirmedOrder(rehearsal: TestRehearsal): Promise<void> {
  const line = { sku: 'mug-blue', qty: 2 };
  const basket = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [line] });
  const { orderId } = await rehearsal.ok('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
  await rehearsal.ok('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
  await rehearsal.fault('slow-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'latency', ms: 60 } });
  await rehearsal.ok('POST', `/orders/${orderId}/confirm`, undefined, { headers: { 'x-correlation-id': TRACE } });
  await rehearsal.settle();
}

(isInstalled() ? describe : describe.skip)('the console in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let rehearsal: TestRehearsal;
  let home = estate.gateway;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
    rehearsal = await newRehearsal();
    await confirmedOrder(rehearsal);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await rehearsal?.[Symbol.asyncDispose]();
  });

  /** A fresh tab, without a session. Policy violations and errors of the page count as complaints. */
  beforeEach(async () => {
    home = estate.gateway;
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // The browser reports every refused request as an error, and some tests provoke refusals.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(home)) complaints.push(`asked for ${request.url()}`);
    });
  });
  afterEach(async () => {
    expect(await context.cookies()).toEqual([]);
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  const open = (path: string) => page.goto(`${home}/console/${path}`);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const row = (name: string) => page.locator('a[data-row]').filter({ hasText: name }).first();
  const activity = () => `r/${rehearsal.name}/activity`;
  const isLive = () => page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  const focusedText = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");

  const widths = [1280, 390] as const;
  const schemes = ['light', 'dark'] as const;
  const cases = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })));

  describe.each(cases)('$width pixels wide and $colorScheme', ({ width, colorScheme }) => {
    test.each([
      ['the activity', '', 'Confirm Order'],
      ['a trace', `/${TRACE}`, 'Allocate Inventory'],
      ['a call tree', `/${TRACE}?view=tree`, 'Allocate Inventory'],
      ['the events of a trace', `/${TRACE}?view=events`, 'order-confirmed'],
    ])('shows %s without an accessibility finding or horizontal scrolling', async (_what, path, words) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await open(activity() + path);
      await page.locator('main').getByText(words).locator('visible=true').first().waitFor();
      if (path.includes(TRACE) && !path.includes('events')) await page.locator('.hop pre').first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    });
  });

  test('sends a browser from the root to the overview of the default rehearsal', async () => {
    await page.goto(home);
    await heading('Overview').waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/r/default');
  });

  test('shows a request over HTTP as soon as it has been answered, without a reload', async () => {
    await using other = await newRehearsal();
    await open(`r/${other.name}/activity`);
    await page.getByText('Nothing has happened here yet.').waitFor();
    await isLive();
    await other.ok('GET', '/products/mug-blue');
    await row('Get Product').waitFor();
  });

  test('lets new rows wait while the pointer is in the list', async () => {
    await using other = await newRehearsal();
    await other.ok('GET', '/products/mug-blue');
    await open(`r/${other.name}/activity`);
    await isLive();
    await row('Get Product').hover();
    await other.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row('Create Basket').count()).toBe(0);
    await page.getByRole('button', { name: '1 new' }).click();
    await row('Create Basket').waitFor();
  });

  test('leads from the list to the reason of a slow order, its bodies and its objects', async () => {
    await open(activity());
    await row('Confirm Order').click();
    await heading('Confirm Order').waitFor();
    await page.getByText(/^FMS waited/).waitFor();
    expect(await page.locator('.sentence').textContent()).toMatch(
      /^FMS waited [\d.,]+ m?s of [\d.,]+ m?s for ⚡ slow-allocation in Inventory Service\.$/,
    );
    await page.getByRole('heading', { name: /^\d+\. Allocate Inventory$/ }).waitFor();
    expect(await page.locator('.hop pre').first().textContent()).toContain('"sku": "mug-blue"');
    const objects = await page.locator('.objects a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(objects.some((link) => link?.startsWith(`/console/r/${rehearsal.name}/objects/order/ord_`))).toBe(true);
    await page.getByRole('link', { name: /^List Payments 200/ }).click();
    await page.getByRole('heading', { name: /^\d+\. List Payments$/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: /^\d+\. Allocate Inventory$/ }).waitFor();
  });

  test('copies a hop as a command that has the same outcome', async () => {
    await using other = await newRehearsal();
    await other.call('GET', '/products/nothing-like-this', undefined, { headers: { 'x-correlation-id': 'lookup' } });
    await open(`r/${other.name}/activity/lookup`);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Command copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`curl -i -X GET '${home}/products/nothing-like-this'`);
    expect(copied).toContain(`-H 'X-Rehearsal: ${other.name}'`);
  });

  test('makes a call fail next time, and names that fault when it struck', async () => {
    await using other = await newRehearsal();
    await other.call('GET', '/products/mug-blue', undefined, { headers: { 'x-correlation-id': 'first' } });
    await open(`r/${other.name}/activity/first`);
    await page.getByRole('button', { name: 'Fail this call next time' }).click();
    await page.getByRole('link', { name: '1 fault set' }).waitFor();
    await other.call('GET', '/products/mug-blue', undefined, { headers: { 'x-correlation-id': 'second' } });
    await open(`r/${other.name}/activity/second`);
    await page.getByText(/failed Get Product/).waitFor();
    expect(await page.locator('.sentence').textContent()).toContain('because ⚡ fail-next-get-product-api struck');
  });

  test('can be used from the first key to a hop of a trace with the keyboard alone', async () => {
    await open(activity());
    await row('Confirm Order').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('confirm');
    await page.waitForURL(/q=confirm/);
    await page.locator('main:not(:has(li + li a[data-row])) a[data-row]').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await focusedText()).toContain('Confirm Order');
    await page.keyboard.press('Enter');
    await heading('Confirm Order').waitFor();
    await page.locator('h1:focus').waitFor();
    await page.getByRole('heading', { name: /Allocate Inventory$/ }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('heading', { name: /Create Fulfillment Orders$/ }).waitFor();
    await page.keyboard.press('Escape');
    await heading('Activity').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL((url) => url.search === '' && url.pathname.endsWith('/activity'));
  });

  test('says since when the stream is broken, and shows what came in the meantime when it is back', async () => {
    await using other = await newRehearsal();
    const way = await breakableWay(estate.gateway);
    try {
      home = way.url;
      await other.ok('GET', '/products/mug-blue');
      await open(`r/${other.name}/activity`);
      await row('Get Product').waitFor();
      await isLive();
      way.break();
      await page.getByRole('button', { name: /^Reconnecting since \d\d:\d\d$/ }).waitFor();
      expect(await page.getByRole('button', { name: 'Settle' }).isDisabled()).toBe(true);
      await other.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] });
      way.mend();
      await isLive();
      await row('Create Basket').waitFor();
      expect(await page.getByRole('button', { name: 'Settle' }).isEnabled()).toBe(true);
    } finally {
      await way.close();
    }
  });

  test('moves the clock, settles and verifies from the bar', async () => {
    await using other = await newRehearsal();
    await open(`r/${other.name}/activity`);
    await isLive();
    const before = await other.now();
    await page.getByRole('button', { name: /^\+1 day/ }).click();
    await page.getByText(/^It is /).waitFor();
    expect((await other.now()) - before).toBeGreaterThanOrEqual(86_400_000);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: /^\d+ of \d+ laws hold$/ }).waitFor();
  });

  test('asks for the credential again, with the reason, when it is refused', async () => {
    await page.addInitScript("sessionStorage.getItem('estate.simulation') ?? sessionStorage.setItem('estate.simulation', 'wrong')");
    await open(activity());
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/^The credential was refused: .+/);
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.getByLabel('Bearer token').fill(ADMIN);
    await page.keyboard.press('Enter');
    await row('Confirm Order').waitFor();
  });

  test('says that a rehearsal, a page or a trace in a link does not exist, and what does', async () => {
    await open('r/never-was/activity');
    await heading('There is no rehearsal never-was').waitFor();
    await page
      .locator('main')
      .getByRole('link', { name: new RegExp(`^${rehearsal.name}`) })
      .waitFor();
    await open(`r/${rehearsal.name}/nonsense`);
    await heading('There is no such page').waitFor();
    await open(`${activity()}/never-was`);
    await heading('No trace has this correlation id').waitFor();
    await row('Confirm Order').waitFor();
  });

  test('shows hostile text as text', async () => {
    await using other = await newRehearsal();
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>‮טקסט 🎁 \u0007';
    const name = `${hostile}${'x'.repeat(10_000)}`;
    await other.call('POST', '/baskets', { channel: hostile, name, [hostile]: hostile }, { headers: { 'x-correlation-id': 'hostile' } });
    await other.call('GET', `/products/${encodeURIComponent(hostile.slice(0, 60))}`, undefined, {
      headers: { 'x-correlation-id': 'path' },
    });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      for (const trace of ['hostile', 'path']) {
        await open(`r/${other.name}/activity/${trace}?q=${encodeURIComponent('<b>')}&fault=${encodeURIComponent(hostile)}`);
        await page.locator('.hop pre').first().waitFor();
        expect(await page.locator('main img, main script, main b').count()).toBe(0);
        expect(await page.title()).toContain('Estate console');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
    }
  });
});
