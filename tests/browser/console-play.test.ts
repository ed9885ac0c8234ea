import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Download } from 'playwright-core';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { orderAfterOutage } from '../support/steps/order-after-outage.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

describeInBrowser('A story on the map of the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;
  let order: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    order = await orderAfterOutage(rehearsal);
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const { main, shows } = tab;
  const press = (key: string) => tab.page.keyboard.press(key);
  const sentence = () => main().locator('[data-sentence]');
  const reads = (text: string | RegExp) =>
    sentence()
      .getByText(text)
      .or(sentence().filter({ hasText: text }))
      .first()
      .waitFor();
  const isAt = (step: number) => main().locator(`[data-step="${step}"]`).waitFor();
  const openStory = async (step?: number, of = `order/${order}`, on = rehearsal) => {
    await tab.open(`r/${on.name}/play/${of}${step === undefined ? '' : `?step=${step}`}`);
    await sentence().waitFor();
  };
  const stepsOf = async () => (await rehearsal.control('read-play', { query: { type: 'order', id: order, limit: 1_000 } })).steps;
  const node = (id: string) => main().locator(`[data-node="${id}"]`);
  const classOf = (id: string) => node(id).getAttribute('class');

  test('The page of an order leads to its story, which begins with its first exchange and is sound in every look', async () => {
    await tab.open(`r/${rehearsal.name}/objects/order/${order}`);
    await tab.follow('Play');
    await main()
      .getByRole('heading', { level: 1, name: /^Story of order / })
      .waitFor();
    await reads('Your client calls the eCommerce Platform to create the basket of 25.98 EUR. It answers 201.');
    await shows('basket open');
    await isAt(1);
    await tab.expectSoundInEveryLook();
    for (const width of [360, 1600]) {
      await tab.resize(width);
      await tab.expectToFit(width);
    }
  });

  test('Arrow keys step through the changes, the map shows who called whom, and the address keeps the step', async () => {
    const steps = await stepsOf();
    const second = steps.findIndex(({ isQuiet }, place) => place > 0 && !isQuiet) + 1;
    expect(second).toBeGreaterThan(2);
    await openStory();
    await press('ArrowRight');
    await isAt(second);
    await reads(steps[second - 1]?.sentence ?? '');
    expect(new URL(tab.page.url()).search).toBe(`?step=${second}`);
    const failed = steps.findIndex(({ outcome }) => outcome === 'failed') + 1;
    await openStory(failed);
    await reads('It fails with 503: dependency unavailable. The fault “hub-down” strikes.');
    expect([await classOf('client'), await classOf('payment-hub')]).toEqual([
      expect.stringMatching(/_from\b/),
      expect.stringMatching(/_to .*_failed\b/),
    ]);
    await main().getByRole('img', { name: 'Map: Your client to Payment Hub' }).waitFor();
    await shows('POST /payments/authorizations');
    await press('ArrowLeft');
    await isAt(steps.findLastIndex(({ isQuiet }, place) => place < failed - 1 && !isQuiet) + 1);
    await press('End');
    await isAt(steps.length);
    await press('ArrowRight');
    await isAt(steps.length);
    await press('Home');
    await isAt(1);
  });

  test('A shared address opens its step, and numbers that no step has open the nearest one', async () => {
    const steps = await stepsOf();
    await openStory(7);
    await reads(steps[6]?.sentence ?? '');
    await openStory(99_999);
    await isAt(steps.length);
    await tab.open(`r/${rehearsal.name}/play/order/${order}?step=-3`);
    await isAt(1);
    await tab.open(`r/${rehearsal.name}/play/order/${order}?step=${encodeURIComponent(HOSTILE)}`);
    await isAt(1);
  });

  test('Buttons and the slider step by mouse, and the whole story has its reads too', async () => {
    const steps = await stepsOf();
    await openStory();
    await tab.press(/^Next/);
    await isAt(steps.findIndex(({ isQuiet }, place) => place > 0 && !isQuiet) + 1);
    await tab.press(/^Back/);
    await isAt(1);
    await tab.press('Only changes');
    await tab.press(/^Next/);
    await isAt(2);
    await reads(steps[1]?.sentence ?? '');
    await main().getByRole('slider', { name: 'Step' }).fill('5');
    await isAt(5);
  });

  test('Space plays and pauses, from every place that has the focus', async () => {
    const steps = await stepsOf();
    await openStory();
    await press('Space');
    await tab.button(/^Pause/).waitFor();
    await isAt(steps.findIndex(({ isQuiet }, place) => place > 0 && !isQuiet) + 1);
    await press('Space');
    await tab.button(/^Play/).waitFor();
    await main().getByRole('slider', { name: 'Step' }).press('Space');
    await tab.button(/^Pause/).waitFor();
    await tab.button(/^Pause/).press('Space');
    await tab.button(/^Play/).waitFor();
    await press('End');
    await tab.press(/^Play/);
    await isAt(1);
  });

  test('f fills the screen and leaves it again, and Escape leaves the story for its object', async () => {
    await openStory(3);
    const isFull = () => tab.page.evaluate<boolean>('document.fullscreenElement !== null');
    await press('f');
    await eventually('the story fills the screen', isFull);
    await press('f');
    await eventually('the story leaves the screen', async () => !(await isFull()));
    await press('Escape');
    await tab.page.waitForURL(new RegExp(`/objects/order/${order}$`));
  });

  test('A step leads to its trace', async () => {
    const steps = await stepsOf();
    const paid = steps.findIndex(({ changes }) => changes.includes('30.88 EUR authorised')) + 1;
    await openStory(paid);
    await tab.follow('Open its trace');
    await tab.page.waitForURL(/\/activity\/.*\?hop=/);
    await shows('Authorize Payment');
  });

  test('The map is saved as SVG and as PNG, under the name of the order and the step', async () => {
    await openStory(3);
    const saved = async (name: string): Promise<Download> => {
      const [file] = await Promise.all([tab.page.waitForEvent('download'), tab.press(name)]);
      return file;
    };
    const svg = await saved('Map as SVG');
    expect(svg.suggestedFilename()).toMatch(/^order-\d{6}-\w{6}-step-3\.svg$/);
    const text = await readFile(await svg.path(), 'utf8');
    expect(text).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(text).toMatch(/fill="rgb\(\d+, \d+, \d+\)"[^>]*>Promotion</);
    expect(text).not.toMatch(/class=|var\(/);
    const png = await saved('Map as PNG');
    expect(png.suggestedFilename()).toMatch(/^order-\d{6}-\w{6}-step-3\.png$/);
    const bytes = await readFile(await png.path());
    expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(['PNG', 2160, 1182]);
  });

  test('A run of a scenario is played as the story of its rehearsal', async () => {
    const { id } = await rehearsal.control('start-run', { body: { scenario: 'digital-order' } });
    await tab.open(`r/${rehearsal.name}/runs/${id}`);
    await tab.stateIs('passed');
    await tab.follow('Play its story');
    await main()
      .getByRole('heading', { level: 1, name: /^Story of rehearsal digital-order-/ })
      .waitFor();
    await reads('Your client calls the eCommerce Platform to get the product. It answers 200.');
    await press('Escape');
    await tab.page.waitForURL(/\/activity$/);
  });

  test('A long story names the number of exchanges that are left out', async () => {
    await using mine = await newRehearsal();
    const { id } = await mine.draft();
    for (let n = 0; n < 21; n += 1) await Promise.all(Array.from({ length: 50 }, () => mine.order(id)));
    await openStory(undefined, `order/${id}`, mine);
    await shows(/^[\d,]+ later exchanges are left out\.$/);
    await tab.expectSoundInEveryLook();
  });

  test('The page of a story whose rehearsal was deleted names the reason, and offers what exists', async () => {
    const mine = await newRehearsal();
    const { id } = await mine.draft();
    await openStory(2, `order/${id}`, mine);
    await press('Space');
    await mine[Symbol.asyncDispose]();
    await shows('It ended, it was deleted, or the name is wrong.');
    await tab.expectSoundInEveryLook();
    await main().locator('a[href="/console/r/default/play"]').click();
    await main().getByRole('heading', { level: 1, name: 'Story of rehearsal default' }).waitFor();
  });

  test.each([
    ['order', () => 'order/ord_none', 'There is no order "ord_none" in this rehearsal.'],
    ['type', () => 'unicorn/x', 'There is no type of object unicorn'],
    ['object without an id', () => 'order', 'A story belongs to one object'],
    ['hostile name', () => `order/${encodeURIComponent(HOSTILE)}`, 'There is no order'],
  ])('The story of an unknown %s is sound in every look, and leads to what exists', async (_what, path, words) => {
    await tab.open(`r/${rehearsal.name}/play/${path()}`);
    await shows(words);
    await tab.expectSoundInEveryLook();
    await tab.expectTextOnly();
    await tab.follow('Story of the rehearsal');
    await sentence().waitFor();
  });

  test('The story of an object of the initial data is empty, and names what begins it', async () => {
    await tab.open(`r/${rehearsal.name}/play/customer/cus_ben`);
    await shows('Nothing has happened to it in this rehearsal.');
    await tab.expectSoundInEveryLook();
  });

  test('A story shows hostile text as text', async () => {
    await using mine = await newRehearsal();
    const { id } = await mine.api('create-customer-api', {
      body: { firstName: HOSTILE, lastName: 'x'.repeat(60), email: 'h@people.example' },
    });
    await openStory(1, `customer/${id}`, mine);
    await reads('to create the customer');
    await tab.expectTextOnly();
    await tab.resize(390);
    await tab.expectTextOnly(390);
  });
});
