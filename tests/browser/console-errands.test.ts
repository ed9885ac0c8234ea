import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { pages } from '../../ui/shell/pages.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { someOf } from '../support/effort.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { consoleTab } from './console-tab.ts';

/** Presses of Tab that reach any part of a page. */
const MOST_TABS = 200;

describeInBrowser('Errands in the console', () => {
  const tab = consoleTab();
  const { main, shows } = tab;
  let rehearsal: TestRehearsal;
  let completed: string;
  let orderNumber: string;
  let unpaid: string;
  let returned: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal({ returns: 'manual' });
    const done = await rehearsal.completed();
    ({ id: completed, orderNumber } = done);
    returned = await rehearsal.inspected(done);
    ({ id: unpaid } = await rehearsal.draft({ customerId: 'cus_clara' }));
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
      goTo: (title: string) =>
        tab.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: title, exact: true }).click(),
      find: async (text: string, found: RegExp) => {
        await tab.page.getByRole('button', { name: 'Search' }).first().click();
        await tab.page.getByRole('combobox', { name: 'Search' }).fill(text);
        await tab.page.getByRole('option', { name: found }).first().click();
      },
      ofClock: tab.chooseOfClock,
      dragClockLine: () => main().getByRole('slider', { name: 'Clock line' }).click(),
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
      goTo: (title: string) => tab.goTo(pages.find((page) => page.title === title)?.key ?? ''),
      find: async (text: string, found: RegExp) => {
        await tab.page.keyboard.press('Control+k');
        await tab.page.keyboard.type(text);
        await tab.page.locator('[role="option"][aria-selected="true"]').filter({ hasText: found }).waitFor();
        await tab.page.keyboard.press('Enter');
      },
      ofClock: async (item: string) => {
        await tab.page.keyboard.press('t');
        await tab.page.getByRole('menuitem', { name: item }).waitFor();
        for (const chosen = tab.page.locator('[role="menuitem"]:focus'); !(await chosen.textContent())?.startsWith(item); ) {
          await tab.page.keyboard.press('ArrowDown');
        }
        await tab.page.keyboard.press('Enter');
      },
      dragClockLine: async () => {
        await focus(main().getByRole('slider', { name: 'Clock line' }));
        await tab.page.keyboard.press('ArrowLeft');
      },
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

  const dialog = () => tab.page.getByRole('dialog');
  const isCopied = (text: RegExp) => eventually(`${text} is copied`, async () => text.test(await tab.copied()));
  const isOpen = (path: string) => tab.page.waitForURL(new RegExp(path));
  const openConfirmation = async ({ goTo, press }: Hand) => {
    await goTo('Activity');
    await press(tab.row('Confirm Order'));
    await tab.heading('Confirm Order').waitFor();
  };
  const openOrder = (id: string) => tab.openLive(rehearsal, `/objects/order/${id}`);

  type Hand = (typeof hands)[keyof typeof hands];
  /** Short errands, each from the overview of the shared rehearsal. */
  const ERRANDS: Readonly<Record<string, (hand: Hand) => Promise<unknown>>> = {
    'An order is found by its number': async ({ find }) => {
      await find(orderNumber, new RegExp(orderNumber));
      await isOpen(`/objects/order/${completed}`);
    },
    'A customer is found by name': async ({ find }) => {
      await find('grace', /Grace/);
      await isOpen('/objects/customer/cus_grace');
    },
    'The goods that wait at a counter are found': async ({ goTo, press }) => {
      await goTo('Objects');
      await press(tab.link(/Galway, Quay Street/));
      await isOpen('collectAt=store-01');
    },
    'The scenario of a dispute is found': async ({ goTo, filter }) => {
      await goTo('Flows');
      await tab.heading('Flows').waitFor();
      await filter('dispute');
      await tab.shows(/disputes/);
    },
    'The reason why a step is not possible is found': async ({ press }) => {
      await openOrder(unpaid);
      await press(main().locator('summary', { hasText: /not now/ }));
      await main().locator('details[open] li').first().waitFor();
    },
    'The call tree of a trace is opened': async (hand) => {
      await openConfirmation(hand);
      await hand.press(tab.link('Call tree'));
      await isOpen('view=tree');
    },
    'The states at an earlier instant are seen': async ({ dragClockLine }) => {
      await tab.openLive(rehearsal, `/timelines/order/${completed}`);
      await tab.shows('At that instant');
      await dragClockLine();
      await isOpen('at=');
    },
    'The invariants are verified': async ({ goTo, press }) => {
      await goTo('Invariants');
      await press(tab.button('Verify'));
      await tab.shows('all hold');
    },
    'An order is paid': async ({ press }) => {
      const { id } = await rehearsal.draft({ customerId: 'cus_clara' });
      await openOrder(id);
      await press(tab.button(/^Authorise a payment/));
      await press(dialog().locator('button.primary'));
      await tab.says(/^Authorise a payment: done/);
    },
    'A paid order is confirmed': async ({ press }) => {
      const { id } = await rehearsal.authorised();
      await openOrder(id);
      await press(tab.button(/^Confirm/));
      await tab.stateIs('confirmed');
    },
    'Goods are counted': async ({ type, press }) => {
      await tab.openLive(rehearsal, '/stock/mug-blue');
      await main().getByRole('spinbutton').first().focus();
      await tab.page.keyboard.press('Control+a');
      await type(main().getByRole('spinbutton').first(), '77');
      await press(tab.button(/^Count/).first());
      await tab.shows(/77 on hand/);
    },
    'The clock is moved by a day': async ({ ofClock }) => {
      const before = await rehearsal.now();
      await ofClock('+1 day');
      await eventually('a day has passed', async () => (await rehearsal.now()) - before >= 86_400_000);
    },
    'The Payment Hub is taken down, and all faults are switched off': async ({ goTo, press }) => {
      const down = (checked: boolean) => tab.page.getByRole('switch', { name: 'The Payment Hub is down', checked });
      await goTo('Faults');
      await press(down(false));
      await down(true).waitFor();
      await press(tab.button('All off'));
      await down(false).waitFor();
    },
    'A call is made to fail next time': async (hand) => {
      await openConfirmation(hand);
      await hand.press(tab.button('Fail this call next time'));
      await tab.says(/answers 503/);
      await rehearsal.control('delete-faults');
    },
    'The command that breaks your own code is copied': async ({ goTo, press }) => {
      await goTo('Harden');
      await press(tab.button('Copy the command'));
      await isCopied(/estate harden/);
    },
    'A trace is copied as a diagram': async (hand) => {
      await openConfirmation(hand);
      await hand.press(tab.button('Export'));
      await hand.press(dialog().getByRole('button', { name: 'Copy as Mermaid' }));
      await isCopied(/^sequenceDiagram/);
    },
    'A request is copied as a command': async (hand) => {
      await openConfirmation(hand);
      await hand.press(tab.button('Copy as curl'));
      await isCopied(/^curl/);
    },
    'A story is taken along as one file': async ({ press }) => {
      await tab.openLive(rehearsal, `/play/order/${completed}`);
      const download = tab.page.waitForEvent('download');
      await press(tab.button('Story as one file'));
      expect((await download).suggestedFilename()).toMatch(/\.html$/);
    },
    'A rehearsal is taken along as a scenario': async ({ press }) => {
      await tab.open(`rehearsals/${rehearsal.name}`);
      const download = tab.page.waitForEvent('download');
      await press(tab.button('Save as scenario'));
      expect((await download).suggestedFilename()).toMatch(/\.ts$/);
    },
    'The settings of a client are copied': async ({ press }) => {
      await press(tab.button('Copy as .env'));
      await isCopied(new RegExp(rehearsal.name));
    },
  };

  test.each(
    someOf(
      Object.entries(ERRANDS).flatMap(([errand, run]) => HANDS.map(([hand]) => [errand, hand, run] as const)),
      0.5,
    ),
  )('%s by %s alone', async (_, hand, run) => {
    await tab.openLive(rehearsal);
    await run(hands[hand]);
  });
});
