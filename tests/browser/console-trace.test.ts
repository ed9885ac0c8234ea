import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab, readProduct } from './console-tab.ts';

const CONFIRM = 'web-confirm';
const LONG = 'long';
const HOPS = 500;

/** Runs in the page: keeps every element that was ever drawn, and counts the reads that force a layout. */
const countDrawing = `{
  globalThis.drawing = { added: [], measured: 0 };
  const keep = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    drawing.added.push(node, ...node.querySelectorAll('*'));
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(keep);
  }).observe(document, { childList: true, subtree: true });
  const counted = (object, name) => {
    const known = Object.getOwnPropertyDescriptor(object, name);
    const count = (read) => function (...given) {
      drawing.measured += 1;
      return read.apply(this, given);
    };
    Object.defineProperty(object, name, { ...known, ...(known.get ? { get: count(known.get) } : { value: count(known.value) }) });
  };
  for (const name of ['clientHeight', 'clientWidth', 'scrollTop', 'scrollHeight', 'scrollWidth', 'getBoundingClientRect']) {
    counted(Element.prototype, name);
  }
  for (const name of ['offsetHeight', 'offsetWidth', 'offsetTop']) counted(HTMLElement.prototype, name);
  counted(globalThis, 'getComputedStyle');
}`;

/** Confirms an order, refuses a request and makes a trace of many requests. */
async function twoTraces(rehearsal: TestRehearsal): Promise<void> {
  const { id } = await rehearsal.authorised();
  await rehearsal.api('confirm-order-api', { params: { id }, headers: { 'x-correlation-id': CONFIRM } });
  await rehearsal.call('get-order-api', { params: { id: 'ord_never' }, headers: { 'x-correlation-id': 'refused' } });
  // Each request is two hops: the product, and its availability.
  for (let hops = 0; hops < HOPS; hops += 20) {
    await Promise.all(Array.from({ length: 10 }, () => readProduct(rehearsal, LONG)));
  }
  await rehearsal.settle();
}

describeInBrowser('Traces in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    await twoTraces(rehearsal);
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const { main, press } = tab;
  const response = () => main().getByLabel('Response', { exact: true }).first();
  const open = (trace: string) => tab.open(`r/${rehearsal.name}/activity/${trace}`);
  const count = (selector: string) => tab.page.locator(selector).count();
  const hop = (title: RegExp) => tab.page.getByRole('heading', { level: 2, name: title });

  test('A trace of several requests shows the latest request, under names that have room', async () => {
    await using other = await newRehearsal();
    const headers = { 'x-correlation-id': 'journey' };
    const { id } = await other.basket({ qty: 1 });
    const body = { shippingAddress: ADDRESS, placeOrder: true };
    const { orderId } = await other.api('checkout-basket-api', { params: { id }, body, headers });
    await other.authorisation(orderId);
    for (const api of ['get-order-api', 'get-order-api', 'confirm-order-api'] as const)
      await other.api(api, { params: { id: orderId }, headers });
    await tab.open(`r/${other.name}/activity/journey`);
    await tab.heading('Confirm Order').waitFor();
    await tab.shows(/, the latest of 4 requests · /);
    await tab.row('Confirm Order +3').waitFor();
    const tooWide = await main()
      .locator('svg:first-child > g')
      .evaluateAll((heads) =>
        heads
          .filter((head) => {
            const [box, ...words] = [...head.children].map((one) => one.getBoundingClientRect());
            return words.some(({ width }) => width > (box?.width ?? 0));
          })
          .map((head) => head.textContent),
      );
    expect(tooWide).toEqual([]);
  });

  test('A trace with a fault has room for the words of the struck call', async () => {
    await using other = await newRehearsal();
    await other.fault('payment-hub-down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    const body = { orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } };
    await other.call('authorize-payment-api', { body, headers: { 'x-correlation-id': 'struck' } });
    await tab.resize(1280);
    await tab.open(`r/${other.name}/activity/struck`);
    const label = main().locator('svg g[aria-hidden] text');
    await label.waitFor();
    const [words, drawing] = [await label.boundingBox(), await main().locator('svg:last-child:has(g[aria-hidden])').boundingBox()];
    expect(words && drawing && words.x >= drawing.x && words.x + words.width <= drawing.x + drawing.width).toBe(true);
  });

  test('A trace is exported as JSON with bodies and events, as a Mermaid diagram, and as an expectation that holds in this order only', async () => {
    await open(CONFIRM);
    await press('Export');
    const dialog = tab.page.getByRole('dialog', { name: 'Export the trace' });
    const download = tab.page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download JSON' }).click();
    expect((await download).suggestedFilename()).toBe(`trace-${CONFIRM}.json`);
    const { hops, events } = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(hops.map(({ api }: { api: string }) => api)).toContain('confirm-order-api');
    expect(hops.some(({ request }: { request?: unknown }) => request !== undefined)).toBe(true);
    expect(events.map(({ type }: { type: string }) => type)).toContain('com.unified-commerce.order-confirmed');
    await dialog.getByRole('button', { name: 'Copy as Mermaid' }).click();
    await dialog.getByText('Diagram copied').waitFor();
    expect(await tab.copied()).toMatch(/^sequenceDiagram\n {2}autonumber\n {2}participant p1 as Client\n {2}participant p2 as OMS\n/);
    await tab.expectSoundInEveryLook();
    await dialog.getByRole('button', { name: 'Copy as expectation' }).click();
    await dialog.getByText('Expectation copied').waitFor();
    const sequence = JSON.parse(await tab.copied());
    expect(sequence[0]).toEqual({ what: 'call', name: 'confirm-order-api', by: 'client', status: 200 });
    const holds = async (steps: typeof sequence) => (await rehearsal.control('verify-sequence', { body: { sequence: steps } })).holds;
    expect(await holds(sequence)).toBe(true);
    expect(await holds(sequence.toReversed())).toBe(false);
  });

  test('A trace shows why a request was refused, and leads to its API and to the remedy of its problem in the reference', async () => {
    await open('refused');
    await tab.shows(/OMS refused Get Order with 404\. .*ord_never/);
    const body = response();
    await body.getByText('not_found', { exact: false }).first().waitFor();
    expect(await body.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBeLessThanOrEqual(0);
    await tab.follow('What the problem means');
    await main().locator('li#not_found[aria-current]').getByText('Remedy.').waitFor();
    await tab.page.goBack();
    const link = tab.link('In the reference');
    expect(await link.getAttribute('href')).toBe('/console/reference/api#tag/oms/GET/orders/{id}');
    await link.click();
    const drawn = tab.page.frameLocator('main iframe');
    await drawn.getByRole('heading', { name: 'Get Order', exact: true }).first().waitFor();
  });

  test('A request is edited and sent again, and the page compares the answers', async () => {
    const order = { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 1 }] };
    await rehearsal.api('create-basket-api', { body: order, headers: { 'x-correlation-id': 'edited' } });
    await open('edited');
    await tab.follow(/hop 1, /);
    await press('Edit and send');
    const form = main().getByRole('form', { name: 'Edit and send' });
    const key = await form.getByLabel('Idempotency-Key').inputValue();
    const path = form.getByLabel('POST to');
    for (const elsewhere of ['http://evil.example/x', '//evil.example/x', '/\\evil.example/x', 'baskets']) {
      await path.fill(elsewhere);
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('it begins with one /').waitFor();
      await path.fill('/baskets');
      await form.getByLabel('Body').fill('{"channel": "web", ');
      await form.getByRole('button', { name: 'Send' }).click();
      await form.getByText('The body is not JSON').waitFor();
    }
    await form.getByLabel('Body').fill(JSON.stringify({ ...order, lines: [{ sku: 'mug-blue', qty: 3 }] }));
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByRole('row', { name: '/lines/0/qty 1 3' }).waitFor();
    expect(await form.getByLabel('Idempotency-Key').inputValue()).not.toBe(key);
    await tab.expectSoundInEveryLook();
    await form.getByRole('link', { name: 'Its trace' }).click();
    await tab.page.waitForURL(/\/activity\/(?!edited)/);
  });

  test('The form of a request checks whether it is possible, shows the answer that would follow or the refusal, and sends nothing', async () => {
    const body = { email: 'nia@example.test', firstName: 'Nia' };
    await rehearsal.api('create-customer-api', { body, headers: { 'x-correlation-id': 'asked' } });
    await open('asked');
    await tab.follow(/hop 1, /);
    await press('Edit and send');
    const form = main().getByRole('form', { name: 'Edit and send' });
    const check = form.getByRole('button', { name: 'Check whether it is possible' });
    await check.click();
    const verdict = form.getByRole('region', { name: 'Verdict' });
    await verdict.getByText('It is not possible.').waitFor();
    await verdict.getByText('409').waitFor();
    await verdict.getByText('is already registered with this email').waitFor();
    await form.getByLabel('Body').fill(JSON.stringify({ ...body, email: 'ode@example.test' }));
    await check.click();
    await verdict.getByText('It is possible.').waitFor();
    await verdict.getByText('201').waitFor();
    await tab.expectSoundInEveryLook();
    expect(await rehearsal.events({ type: 'customer-registered' })).toHaveLength(1);
  });

  test('A redacted member is demanded before a request is sent again', async () => {
    const { orderId } = await rehearsal.checkedOut({}, { placeOrder: true });
    const body = { orderId, tender: { type: 'card', token: 'tok_of_mine' }, amount: { amount: 100, currency: 'EUR' } } as const;
    await rehearsal.api('authorize-payment-api', { body, headers: { 'x-correlation-id': 'paid' } });
    await open('paid');
    await tab.follow(/hop 1, /);
    await press('Edit and send');
    const form = main().getByRole('form', { name: 'Edit and send' });
    const token = form.getByLabel('Value of /tender/token');
    await form.getByRole('button', { name: 'Send' }).click();
    expect(await token.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
    await token.fill('tok_visa');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('201').nth(1).waitFor();
  });

  test('A trace of 500 hops draws the hops in view, with few requests, and the others when they are scrolled to', async () => {
    const requested: string[] = [];
    tab.page.on('request', (request) => request.url().includes('/_control/') && requested.push(new URL(request.url()).pathname));
    await open(LONG);
    await hop(/^\d+\. /).waitFor();
    await response().waitFor();
    expect(await count('[aria-label^="Sequence diagram"] a')).toBeLessThanOrEqual(100);
    expect(await count('*')).toBeLessThan(1_500);
    // Requests: the clock, the faults (twice), the stream, the list, the trace with its hops and events, the selected hop.
    // The stream reads some of them again, on a slow machine more often. No request is made per hop.
    expect(requested.length).toBeLessThanOrEqual(HOPS / 20);
    await tab.page.locator('[aria-label^="Sequence diagram"]').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
    await tab.follow(`, hop ${HOPS}, `);
    await hop(new RegExp(`^${HOPS}\\. Check Availability$`)).waitFor();
    expect(await count('[aria-label^="Sequence diagram"] a')).toBeLessThanOrEqual(100);
    await tab.page.keyboard.press('[');
    await hop(new RegExp(`^${HOPS - 1}\\. Get Product$`)).waitFor();
  });

  test.each([
    ['[aria-label^="Sequence diagram"] a', 1280],
    ['[aria-label="Hops"] a', 390],
  ])('A trace of 500 hops draws each row of %s once when it opens, and measures the page a few times only', async (row, width) => {
    await tab.resize(width);
    await tab.page.addInitScript(countDrawing);
    await open(LONG);
    await response().waitFor();
    await main().locator(`${row}[aria-current]`).waitFor();
    const drawn = await tab.page.evaluate(
      `({ rows: drawing.added.filter((one) => one.matches('${row}')).length, measured: drawing.measured })`,
    );
    expect(drawn).toEqual({ rows: await count(row), measured: expect.any(Number) });
    expect((drawn as { measured: number }).measured).toBeLessThanOrEqual(12);
  });

  test('A trace of 500 hops draws only a part in a narrow window, in rows that a finger can hit', async () => {
    await tab.resize(390);
    await open(LONG);
    await main().getByRole('list', { name: 'Hops' }).getByRole('link').first().waitFor();
    expect(await count('[aria-label="Hops"] a')).toBeLessThanOrEqual(100);
    for (const selector of ['[aria-label="Hops"] a', '[aria-label="Views of the trace"] a', 'article > header button']) {
      const targets = main().locator(selector);
      const heights = await targets.evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    }
    await main()
      .locator('[aria-label="Hops"]')
      .evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
    await main().locator(`li[aria-posinset="${HOPS}"] a`).click();
    await hop(new RegExp(`^${HOPS}\\. Check Availability$`)).waitFor();
    await tab.expectSoundInEveryLook();
  });
});
