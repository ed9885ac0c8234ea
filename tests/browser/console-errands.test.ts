import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { consoleTab } from './console-tab.ts';

/** Presses of Tab that reach any part of a page. */
const MOST_TABS = 200;

describeInBrowser('Errands in the console', () => {
  const tab = consoleTab();
  const { main, shows } = tab;
  let rehearsal: TestRehearsal;
  let returned: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal({ returns: 'manual' });
    const completed = await rehearsal.completed();
    returned = await rehearsal.inspected(completed);
    await rehearsal.draft({ customerId: 'cus_ben' });
    await rehearsal.draft({ customerId: 'cus_grace' });
    await rehearsal.confirmed({ customerId: 'cus_grace' });
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const focus = async (target: Locator): Promise<void> => {
    await target.waitFor();
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await tab.page.keyboard.press('Tab');
    }
    throw new Error(`Tab never reached ${target}`);
  };

  /** Each hand uses no other device, and no JSON. */
  const hands = {
    mouse: {
      press: (target: Locator) => target.click(),
      type: (target: Locator, text: string) => target.fill(text),
      choose: (target: Locator, label: string) => target.selectOption({ label }).then(() => {}),
      filter: (text: string) => main().getByRole('searchbox').fill(text),
      nextStep: () => tab.press(/^Next/),
    },
    keyboard: {
      press: async (target: Locator) => {
        await focus(target);
        await tab.page.keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
      },
      type: async (target: Locator, text: string) => {
        await focus(target);
        await tab.page.keyboard.type(text);
      },
      choose: async (target: Locator, label: string) => {
        await focus(target);
        await tab.page.keyboard.type(label);
      },
      filter: async (text: string) => {
        await tab.page.keyboard.press('/');
        await tab.page.keyboard.type(text);
      },
      nextStep: () => tab.page.keyboard.press('ArrowRight'),
    },
  } as const;
  const HANDS = [['mouse'], ['keyboard']] as const;

  test.each(HANDS)('The unpaid order of a customer is found by %s alone', async (hand) => {
    const { choose, filter } = hands[hand];
    await tab.openLive(rehearsal, '/objects/order');
    await choose(main().getByRole('combobox', { name: 'Payment' }), 'payment: unpaid');
    await tab.page.waitForURL(/payment=unpaid/);
    await filter('grace');
    await main().locator('tbody tr:only-child').filter({ hasText: 'Grace' }).getByText('unpaid').waitFor();
  });

  test.each(HANDS)('The receivers of an event are found by %s alone', async (hand) => {
    const { choose, press } = hands[hand];
    await tab.openLive(rehearsal, '/events');
    await tab.row('order-created').waitFor();
    await choose(main().getByRole('combobox').first(), 'order-confirmed');
    await tab.page.waitForURL(/type=order-confirmed/);
    await tab.row('order-created').waitFor({ state: 'detached' });
    await press(main().locator('a[data-row]').first());
    await shows('Consumed by 2 applications');
  });

  test.each(HANDS)('A return is played by %s alone', async (hand) => {
    const { press, nextStep } = hands[hand];
    await tab.openLive(rehearsal, `/objects/return/${returned}`);
    await press(tab.link('Play'));
    await main()
      .getByRole('heading', { level: 1, name: /^Story of return / })
      .waitFor();
    await nextStep();
    await tab.page.waitForURL(/\?step=/);
  });

  test.each(HANDS)('Two worlds are compared by %s alone', async (hand) => {
    const { press, type } = hands[hand];
    await tab.open('rehearsals');
    await type(main().getByLabel('Filter by name'), rehearsal.name);
    await press(main().getByLabel(`Compare ${rehearsal.name}`, { exact: true }));
    await main().getByLabel('Filter by name').fill('default');
    await press(main().getByLabel('Compare default', { exact: true }));
    await press(tab.link(/^Compare/));
    await tab.heading(`${rehearsal.name} and default`).waitFor();
  });

  test.each(HANDS)('A Payment Hub is put in the shadow, and then live, by %s alone', async (hand) => {
    const { press, type } = hands[hand];
    await using hub = await startPaymentHub();
    await using mine = await newRehearsal();
    await tab.openLive(mine, '/systems');
    const again = () => tab.page.getByRole('dialog').getByRole('button', { name: 'Begin again' });
    await press(main().getByRole('link', { name: /^Payment Hub/ }));
    await type(main().getByLabel('Address of your system'), hub.url);
    await press(tab.button('Compare in the shadow…'));
    await press(again());
    await shows('in shadow');
    await press(main().getByRole('switch'));
    await press(again());
    await main().getByRole('switch', { checked: true }).waitFor();
    expect((await mine.control('list-swaps')).items).toMatchObject([{ application: 'payment-hub', mode: 'real', url: hub.url }]);
  });

  test.each(HANDS)('A rehearsal is forked from yesterday by %s alone', async (hand) => {
    const { press } = hands[hand];
    await using mine = await newRehearsal();
    const { id } = await mine.confirmed();
    await mine.control('set-clock', { body: { flowing: false } });
    await tab.openLive(mine, `/timelines/order/${id}`);
    await shows('The fork begins now');
    await press(tab.button('Keep now as a point'));
    await tab.says(/is kept: later forks can begin here/);
    await mine.advance('P1D');
    // The first mark after the kept point.
    const { marks, now } = await mine.control('read-timeline', { params: { type: 'order', id } });
    const begun = Date.parse(now) - 86_400_000;
    const at = marks.find((mark) => Date.parse(mark.at) > begun)?.at ?? '';
    await tab.openLive(mine, `/timelines/order/${id}?at=${at}`);
    await shows('Its clock then moves to the line, and due work runs again.');
    await press(tab.button(/^Fork from here/));
    await tab.says(/continues from/);
    const link = await tab.page.getByRole('status').getByRole('link', { name: 'Its timeline' }).getAttribute('href');
    const fork = link?.split('/')[3] ?? '';
    const { body } = await mine.call('read-clock', { headers: { 'x-rehearsal': fork } });
    expect(body.now).toBe(at);
    await mine.call('delete-rehearsal', { params: { name: fork } });
    for (const { name, rehearsal: of } of (await mine.control('list-snapshots')).items) {
      if (of === mine.name) await mine.control('delete-snapshot', { params: { name } });
    }
  });
});
