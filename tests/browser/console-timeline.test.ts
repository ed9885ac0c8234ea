import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

/** A dispatched order whose first payment was declined, and whose parcel is with the carrier. */
async function dispatched(rehearsal: TestRehearsal): Promise<string> {
  const { id } = await rehearsal.draft();
  await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card('tok_decline_insufficient_funds') } });
  await rehearsal.authorisation(id);
  await rehearsal.confirmed(id);
  await rehearsal.advance('PT4H');
  return id;
}

describeInBrowser('The timeline in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;
  let order: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    order = await dispatched(rehearsal);
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const { main, shows } = tab;
  const timeline = (id = order, type = 'order', of = rehearsal) => `r/${of.name}/timelines/${type}/${id}`;
  const instant = () => main().locator('[data-instant]');
  const axis = () => main().locator('[data-axis]');
  const states = () => main().getByRole('list', { name: 'States at the clock line' });
  const nearby = () => main().getByRole('list', { name: 'Marks near the clock line' });
  const press = (key: string) => tab.page.keyboard.press(key);
  const openTimeline = async (path = timeline()) => {
    await tab.open(path);
    await tab.isLive();
    await instant().waitFor();
    await shows('The fork begins now');
  };
  /** Text of the ticks of the axis, from left to right. */
  const ticks = () => tab.page.evaluate<string>("document.querySelector('[data-axis] [class*=ticks]').textContent");

  test('The page of an order leads to its timeline, which has a lane per application, and is sound in every look', async () => {
    await tab.open(`r/${rehearsal.name}/objects/order/${order}`);
    await tab.follow('Timeline');
    await main()
      .getByRole('heading', { level: 1, name: /^Timeline of order / })
      .waitFor();
    await axis().getByText('Payment Hub', { exact: true }).waitFor();
    for (const application of ['OMS', 'SIM', 'WMS', 'Carrier Platform']) await axis().getByText(application, { exact: true }).waitFor();
    await states().getByText('in-fulfilment').waitFor();
    await shows('The fork begins now');
    await tab.expectSoundInEveryLook();
  });

  test('The timeline leads to the story of its object', async () => {
    await openTimeline();
    await tab.follow('Play');
    await tab.page.waitForURL(new RegExp(`/play/order/${order}`));
    await shows(/^Story of order /);
  });

  test('Keys move the clock line from mark to mark, the states follow, and the address keeps the instant', async () => {
    await openTimeline();
    await press('Home');
    await states().getByText('open', { exact: true }).waitFor();
    expect(await states().getByRole('listitem').count()).toBeLessThan(4);
    const first = await instant().textContent();
    await press('ArrowRight');
    await instant()
      .filter({ hasNotText: first ?? '' })
      .waitFor();
    await tab.page.waitForURL(/\?at=/);
    await tab.page.reload();
    await instant()
      .filter({ hasNotText: first ?? '' })
      .waitFor();
    await press('ArrowLeft');
    await instant()
      .filter({ hasText: first ?? '' })
      .waitFor();
    await press('End');
    await states().getByText('in-fulfilment').waitFor();
    expect(new URL(tab.page.url()).search).toBe('');
    // The slider has the same stops for assistive technology.
    await main().getByRole('slider', { name: 'Clock line' }).press('Home');
    await instant()
      .filter({ hasText: first ?? '' })
      .waitFor();
  });

  test('The clock line is dragged, and the wheel, buttons and keys zoom to milliseconds', async () => {
    await openTimeline();
    const end = (await instant().textContent()) ?? '';
    const box = await axis().locator('[data-line]').locator('..').boundingBox();
    if (!box) throw new Error('The axis is not drawn.');
    const { mouse } = tab.page;
    const y = box.y + 10;
    await mouse.move(box.x + box.width * 0.9, y);
    await mouse.down();
    await mouse.move(box.x + box.width * 0.5, y, { steps: 3 });
    await mouse.move(box.x + box.width * 0.02, y, { steps: 3 });
    await mouse.up();
    await instant().filter({ hasNotText: end }).waitFor();
    await states().getByText('open', { exact: true }).waitFor();
    await tab.press('True scale');
    await mouse.move(box.x + 40, y);
    const before = await ticks();
    await mouse.wheel(0, -500);
    await eventually('the wheel zooms', async () => (await ticks()) !== before);
    await press('Home');
    for (let n = 0; n < 25; n += 1) await press('+');
    await eventually('the ticks have milliseconds', async () => /\d\d:\d\d:\d\d\.\d{3}/.test(await ticks()));
    await main().getByRole('button', { name: 'Zoom out' }).click();
    await tab.press(/^All$/);
    await eventually('the whole axis is in view', async () => (await ticks()) === before);
  });

  test('A mark leads to its trace, a refused call is a cross, and kinds can be hidden', async () => {
    await openTimeline();
    const kinds = main().getByRole('group', { name: 'Kinds of marks' });
    for (const kind of ['state', 'stock', 'money', 'event', 'webhook', 'clock']) {
      await kinds.getByRole('button', { name: new RegExp(`^${kind} \\d`) }).click();
    }
    await nearby().getByText('Capture Payment').waitFor();
    await nearby().getByText('order in-fulfilment').waitFor({ state: 'detached' });
    await press('Home');
    for (let n = 0; n < 3; n += 1) await press('ArrowRight');
    await nearby().getByRole('link', { name: 'Authorize Payment refused: payment_declined' }).click();
    await tab.page.waitForURL(/\/activity\/.*\?hop=/);
    await shows('insufficient_funds');
  });

  test('Fork from here shows that no kept point is early enough, keeps one, and forks it with the work that was due', async () => {
    await using mine = await newRehearsal({ carrier: 'manual' });
    const { id } = await mine.confirmed();
    await mine.control('set-clock', { body: { flowing: false } });
    await openTimeline(timeline(id, 'order', mine));
    await press('Home');
    await shows('No kept point is early enough. A fork can begin later:');
    await tab.button('Fork from now').waitFor();
    await tab.expectSoundInEveryLook();
    await tab.press('Keep now as a point');
    await tab.says(/is kept: later forks can begin here/);
    await mine.advance('PT4H');
    await mine.call('get-order-api', { params: { id } });
    // The capture came with the first pick, an hour before the parcel left.
    const { marks } = await mine.control('read-timeline', { params: { type: 'order', id } });
    const captured = marks.find(({ words }) => words.endsWith('EUR captured'))?.at ?? '';
    await tab.open(`${timeline(id, 'order', mine)}?at=${captured}`);
    await shows('Its clock then moves to the line, and due work runs again.');
    await states().getByText('captured').waitFor();
    await press('f');
    await tab.says(/continues from/);
    await tab.page.getByRole('status').getByRole('link', { name: 'Its timeline' }).click();
    await tab.page.waitForURL(({ pathname }) => !pathname.includes(mine.name));
    await states().getByText('captured').waitFor();
    const fork = new URL(tab.page.url()).pathname.split('/')[3] ?? '';
    const read = await mine.call('read-clock', { headers: { 'x-rehearsal': fork } });
    expect((read.body as { now: string }).now).toBe(captured);
    expect(await states().getByText('fulfilled').count()).toBe(0);
    await shows('The journal lacks the traces of');
    await mine.call('delete-rehearsal', { params: { name: fork } });
    for (const { name, rehearsal: of } of (await mine.control('list-snapshots')).items) {
      if (of === mine.name) await mine.control('delete-snapshot', { params: { name } });
    }
  });

  test('A timeline follows the rehearsal while it is shown', async () => {
    await using mine = await newRehearsal();
    const { id } = await mine.draft();
    await openTimeline(timeline(id, 'order', mine));
    await mine.cancel(id);
    await states().getByText('cancelled').waitFor();
    await nearby().getByText('order cancelled').waitFor();
    // The read after the beginning of the stream is over.
    await mine.order(id);
    await nearby().getByText('Get Order', { exact: true }).waitFor();
  });

  test('The timeline of an object of the initial data is empty, and names the reason', async () => {
    await tab.open(timeline('cus_ben', 'customer'));
    await shows('Nothing has happened to it in this rehearsal.');
    await tab.expectSoundInEveryLook();
  });

  test('A timeline shows hostile text as text', async () => {
    await using mine = await newRehearsal();
    const { id } = await mine.api('create-customer-api', {
      body: { firstName: HOSTILE, lastName: 'x'.repeat(60), email: 'h@people.example' },
    });
    await openTimeline(timeline(id, 'customer', mine));
    await nearby().getByText('Create Customer').waitFor();
    await tab.expectTextOnly();
    await tab.resize(390);
    await tab.expectTextOnly(390);
    await tab.resize(1280);
    await tab.open(`r/${mine.name}/timelines/order/${encodeURIComponent(HOSTILE)}`);
    await shows('There is no order');
    await tab.expectTextOnly();
  });

  test.each([
    ['order', () => timeline('ord_none'), 'There is no order "ord_none" in this rehearsal.'],
    ['type', () => timeline('x', 'unicorn'), 'There is no type of object unicorn'],
    ['object without an id', () => `r/${rehearsal.name}/timelines`, 'A timeline belongs to one object'],
  ])('The timeline of an unknown %s is sound in every look, and leads to what exists', async (_what, path, words) => {
    await tab.open(path());
    await shows(words);
    await tab.expectSoundInEveryLook();
    await main().locator(`a[href^="/console/r/${rehearsal.name}/objects"]`).first().click();
    await tab.page.waitForURL(/\/objects/);
  });

  test.each([
    ['timelines', /^Timeline of order /],
    ['play', /^Story of order /],
  ])('The page at %s of an unknown order leads to the page of the newest order', async (page, heading) => {
    await tab.open(`r/${rehearsal.name}/${page}/order/ord_none`);
    await main().locator(`a[data-row][href$="/${page}/order/${order}"]`).click();
    await main().getByRole('heading', { level: 1, name: heading }).waitFor();
  });
});
