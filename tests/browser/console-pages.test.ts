import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pages } from '../../ui/shell/pages.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { card } from '../support/steps/tender.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

/** A rehearsal with a parcel on its way, a webhook, a run that has passed, and faults that have struck. */
async function busyRehearsal() {
  const rehearsal = await newRehearsal();
  await rehearsal.progress({ carrier: 'manual' });
  await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: 'http://127.0.0.1:1/', types: ['return-created'] } });
  const { id: run } = await rehearsal.control('start-run', { body: { scenario: 'digital-order' } });
  const { shipmentId: parcel, orderId: order } = await rehearsal.dispatchedOrder();
  const [event] = await rehearsal.events({ type: 'order-confirmed' });
  await rehearsal.confirmed();
  await rehearsal.fault('payment-hub-down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
  await rehearsal.call('authorize-payment-api', { body: { orderId: order, tender: card() } });
  await rehearsal.fault('order-events-twice', { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate', copies: 1 } });
  await rehearsal.fault('unheard', { match: { event: 'basket-created' }, fault: { kind: 'withhold' } });
  await rehearsal.basket();
  await eventually('the run ends', async () => (await rehearsal.control('read-run', { params: { id: run } })).state === 'passed');
  return { rehearsal, parcel, order, run, event: event.id as string, trace: event.correlationid as string };
}

/** A rehearsal that has hostile text wherever a client or a receiver can bring it. @returns the page of an event, too */
async function hostileRehearsal(receiverUrl: string) {
  const rehearsal = await newRehearsal();
  const webhook = { url: `${receiverUrl}?${'x'.repeat(300)}`, types: ['customer-registered'] };
  await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: webhook });
  await rehearsal.call('create-basket-api', {
    body: { channel: `${HOSTILE}<script>document.title=1</script>\u0007`, name: `${HOSTILE}${'x'.repeat(10_000)}`, [HOSTILE]: HOSTILE },
    headers: { 'x-correlation-id': 'body' },
  });
  await rehearsal.call('get-product-api', { params: { id: HOSTILE }, headers: { 'x-correlation-id': 'path' }, as: 'bearer' });
  await rehearsal.api('create-customer-api', { body: { firstName: HOSTILE, lastName: 'x'.repeat(60), email: 'hostile@people.example' } });
  const [registered] = await rehearsal.events({ type: 'customer-registered' });
  await rehearsal.fault('hostile', { match: { event: 'order-created', subject: `order/${HOSTILE}` }, fault: { kind: 'withhold' } });
  return { rehearsal, event: `events/${registered.id}` };
}

describeInBrowser('Every page of the console', () => {
  const tab = consoleTab();
  const { main, shows } = tab;
  let busy: Awaited<ReturnType<typeof busyRehearsal>>;

  beforeAll(async () => {
    busy = await busyRehearsal();
  });
  afterAll(() => busy?.rehearsal[Symbol.asyncDispose]());

  const own = (page = '') => `r/${busy.rehearsal.name}${page}`;

  test.each([
    ['the overview', () => own(), 'Authorize Payment'],
    ['the activity', () => own('/activity'), 'Confirm Order'],
    ['a trace', () => own(`/activity/${busy.trace}`), 'Allocate Inventory'],
    ['a call tree', () => own(`/activity/${busy.trace}?view=tree`), 'Allocate Inventory'],
    ['the events of a trace', () => own(`/activity/${busy.trace}?view=events`), 'order-confirmed'],
    ['the events', () => own('/events?ext=true'), 'order-confirmed'],
    ['an event', () => own(`/events/${busy.event}`), 'Consumed by 2 applications'],
    ['the flows', () => own('/flows'), 'goes wrong'],
    ['a run', () => own(`/runs/${busy.run}`), 'Invariants at the end'],
    ['the types of objects', () => own('/objects'), 'fulfillment-order'],
    ['the customers', () => own('/objects/customer'), 'Ada Byrne'],
    ['a parcel', () => own(`/objects/shipment/${busy.parcel}`), 'How it got there'],
    ['an order', () => own(`/objects/order/${busy.order}`), 'Related objects'],
    ['an inventory item', () => own('/objects/inventory-item/mug-blue'), 'Stock by location'],
    ['the stock of mugs', () => own('/stock?q=mug'), 'mug-green'],
    ['the stock of a reserved SKU', () => own('/stock/mug-blue'), 'units at Athlone distribution centre'],
    ['the file of a harden run', () => 'harden', 'File harden.json of a run'],
    ['the problems', () => 'reference/problems', 'insufficient_stock'],
    ['the magic values', () => 'reference/values', 'tok_timeout'],
  ])('The page of %s has no accessibility finding or horizontal scrolling in any look', async (_what, path, words) => {
    await tab.open(path());
    await shows(words);
    if (path().endsWith(busy.trace)) await main().getByLabel('Response', { exact: true }).first().waitFor();
    if (path() === own()) for (const folded of await main().locator('summary').all()) await folded.click();
    await tab.expectSoundInEveryLook();
  });

  test('The page of faults with a refused rule has no accessibility finding or horizontal scrolling in any look', async () => {
    await tab.open(own('/faults'));
    await tab.page.getByRole('switch', { name: 'Order events arrive twice', checked: true }).waitFor();
    await main().getByRole('region', { name: 'Withheld', exact: true }).getByText('basket-created').waitFor();
    await main().getByLabel('What goes wrong').selectOption('status');
    await main().getByLabel('HTTP status').fill('teapot');
    await tab.press('Set the fault');
    await main().locator('.wrong').first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test.each([
    ['rehearsal', 'There is no rehearsal never-was', () => ['r/never-was/activity', own()]],
    ['rehearsal in capitals', 'There is no rehearsal UPPER', () => ['r/UPPER/activity', own()]],
    ['rehearsal in another script', 'There is no rehearsal טקסט', () => [`r/${encodeURIComponent('טקסט')}/activity`, own()]],
    ['trace', 'No trace has this correlation id', () => [own('/activity/never-was'), own(`/activity/${busy.trace}`)]],
    ['long trace', 'No trace has this correlation id', () => [own(`/activity/${'x'.repeat(129)}`), own(`/activity/${busy.trace}`)]],
    ['event', 'No event has this id', () => [own('/events/evt_none'), own('/events/evt_')]],
    ['type of object', 'There are no objects of type unicorn', () => [own('/objects/unicorn'), own('/objects/shipment')]],
    ['object', 'There is no shipment shp_never', () => [own('/objects/shipment/shp_never'), own(`/objects/shipment/${busy.parcel}`)]],
    ['SKU', 'This rehearsal has no stock records of SKU unicorn', () => [own('/stock/unicorn'), own('/stock/mug-blue')]],
    ['run', 'There is no run run_never', () => [own('/runs/run_never'), own(`/runs/${busy.run}`)]],
    ['webhook', 'No webhook has this name', () => [own('/webhooks/never-was'), own('/webhooks')]],
  ])('The page of an unknown %s is sound in every look, and leads to an existing one', async (_what, heading, addresses) => {
    const [unknown = '', existing] = addresses();
    await tab.open(unknown);
    await tab.heading(heading).waitFor();
    const link = main().locator(`a[href^="/console/${existing}"]`).first();
    await link.waitFor();
    await tab.expectSoundInEveryLook();
    await link.click();
    await tab.heading(heading).waitFor({ state: 'detached' });
  });

  test('The page of an unknown address leads to every page', async () => {
    await tab.open(own('/nonsense'));
    await tab.heading('This page does not exist').waitFor();
    const titles = pages.filter(({ under }) => under === undefined).map(({ title }) => title);
    expect(await main().getByRole('link').allTextContents()).toEqual(titles);
  });

  test.each([
    ['Activity', 'a', () => 'confirm'],
    ['Events', 'e', () => `order/${busy.order}`],
    ['Objects', 'b', () => ''],
    ['Stock', 's', () => 'mug-blue'],
    ['Webhooks', 'w', () => ''],
  ])('The page %s is reached, filtered, and left for its first row with the keyboard alone', async (title, key, filterOf) => {
    const filter = filterOf();
    const { keyboard } = tab.page;
    await tab.openLive(busy.rehearsal, '/faults');
    await tab.goTo(key);
    await tab.heading(title).waitFor();
    await tab.row('').waitFor();
    if (filter !== '') {
      const rows = tab.page.locator('a[data-row]');
      const all = await rows.count();
      await keyboard.press('/');
      await keyboard.type(filter);
      await tab.page.waitForURL(({ searchParams }) => [...searchParams.values()].includes(filter));
      await rows.nth(all - 1).waitFor({ state: 'detached' });
      await keyboard.press('Escape');
    }
    const chosen = await eventually('a row has the focus', async () => {
      await keyboard.press('j');
      return tab.page.evaluate<string | undefined>('document.activeElement.pathname');
    });
    expect(chosen).toMatch(new RegExp(`^/console/${own()}/\\w+/`));
    await keyboard.press('Enter');
    await tab.page.waitForURL(({ pathname }) => pathname === chosen);
    await tab.page.locator('h1:focus').waitFor();
  });

  test('The pages show hostile text as text, wide and narrow', async () => {
    await using receiver = await receiveEvents(() => ({ status: 500, body: HOSTILE.repeat(9) }));
    const { rehearsal: hostile, event } = await hostileRehearsal(receiver.url);
    await using _hostile = hostile;
    const text = encodeURIComponent(HOSTILE);
    const opened = 'article h1, .problem';
    const shown: readonly (readonly [path: string, selector?: string])[] = [
      [`activity/body?q=%3Cb%3E&fault=${text}`],
      [`activity/path?q=%3Cb%3E&fault=${text}`],
      [event, opened],
      [`events/${text}`, opened],
      [`events?subject=${text}&type=${text}`, ':text("No event matches.")'],
      ['objects/customer'],
      [`objects/customer?q=${encodeURIComponent('<img')}`],
      [`objects/${text}`],
      [`objects/order/${text}`],
      [`stock/${text}`],
      [`stock?location=${text}`],
      [`runs/${text}`],
      ['faults', '[role=listitem]:has-text("hostile"), li:has-text("hostile")'],
      ['webhooks', 'a[data-row]'],
      ['webhooks/shop'],
      [`webhooks/${text}`],
    ];
    for (const width of WIDTHS) {
      await tab.resize(width);
      for (const [path, selector = ':text("<img src=x")'] of shown) {
        await tab.open(`r/${hostile.name}/${path}`);
        await main().locator(selector).locator('visible=true').first().waitFor();
        await tab.expectTextOnly(width);
      }
      await tab.open(`rehearsals/${text}`);
      await tab.page.locator('h1').waitFor();
      await tab.expectTextOnly(width);
    }
  });

  test.each(WIDTHS)('The pages clip or wrap the longest names, %s pixels wide', async (width) => {
    await using other = await newRehearsal();
    const fault = 'w'.repeat(64);
    await other.fault(fault, { match: { api: 'get-product-api' }, fault: { kind: 'outage' } });
    const [firstName, lastName] = ['M'.repeat(80), 'W'.repeat(80)];
    const { id } = await other.api('create-customer-api', { body: { firstName, lastName, email: 'long@people.example' } });
    await tab.resize(width);
    await tab.open(`r/${other.name}/objects/customer/${id}`);
    await main().locator('h1', { hasText: 'MMM' }).waitFor();
    await tab.expectToFit(width);
    await tab.open(`r/${other.name}/activity`);
    const chip = await tab.page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: fault }).boundingBox();
    const room = await tab.page.getByRole('region', { name: 'Traces' }).boundingBox();
    expect(room && chip && chip.x + chip.width <= room.x + room.width).toBe(true);
    await tab.expectToFit(width);
  });

  test.each(WIDTHS)('The pages wrap the longest texts of a retailer, %s pixels wide', async (width) => {
    await using own = await newRehearsal();
    const text = (length: number): string => 'W'.repeat(length);
    await own.control('change-product-by-hand', { params: { id: 'mug-blue' }, body: { name: text(2_000), description: text(10_000) } });
    await own.control('change-voucher-by-hand', { params: { id: 'WELCOME10' }, body: { name: text(200) } });
    await own.control('put-webhook', { params: { name: 'w'.repeat(40) }, body: { url: 'http://127.0.0.1:1/', types: ['basket-created'] } });
    await own.dispatchedOrder();
    const [created] = await own.events({ type: 'basket-created' });
    const types = ['product', 'order', 'reservation', 'shipment'] as const;
    const objects = await Promise.all(
      types.map(async (type) => {
        const { items } = await own.control('list-objects', {
          params: { type },
          query: { q: type === 'product' ? 'mug-blue' : undefined },
        });
        return `objects/${type}/${items[0]?.['id']}`;
      }),
    );
    await tab.resize(width);
    for (const path of ['objects', 'faults', `events/${created.id}`, 'objects/customer/cus_ada', ...objects]) {
      await tab.open(`r/${own.name}/${path}`);
      await main()
        .getByText(/W{30}|w{30}/)
        .locator('visible=true')
        .first()
        .waitFor();
      expect([path, await tab.page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
    }
  });
});
