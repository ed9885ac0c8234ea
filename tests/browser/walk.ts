import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { pages } from '../../ui/shell/pages.ts';
import type { TestRehearsal } from '../support/estate.ts';
import type { consoleTab } from './console-tab.ts';

export interface Walk {
  readonly tab: ReturnType<typeof consoleTab>;
  /** Address of the gateway. */
  readonly gateway: string;
  readonly rehearsal: TestRehearsal;
  readonly hand: 'mouse' | 'keyboard';
  /** Width of the page in pixels. */
  readonly width: number;
}

/** Expects that the way from an order to verified invariants can be walked with the mouse or the keyboard alone. */
export async function expectWalk({ tab, gateway, rehearsal, hand, width }: Walk): Promise<void> {
  const main = () => tab.page.locator('main');

  /** Operates a visible element with a click, or with Tab and Enter. */
  const hands = {
    mouse: {
      press: (target: Locator) => target.click(),
      goTo: async (title: string) => {
        const link = tab.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: title, exact: true });
        if (await link.isVisible()) return link.click();
        await tab.page.getByRole('button', { name: 'More' }).click();
        await tab.page.getByRole('dialog').getByRole('link', { name: title, exact: true }).click();
      },
    },
    keyboard: {
      press: async (target: Locator) => {
        await target.waitFor();
        for (let presses = 0; presses < 200; presses += 1) {
          if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return tab.page.keyboard.press('Enter');
          await tab.page.keyboard.press('Tab');
        }
        throw new Error(`Tab never reached ${target}`);
      },
      goTo: (title: string) => tab.goTo(pages.find((page) => page.title === title)?.key ?? ''),
    },
  };

  const { press, goTo } = hands[hand];
  await tab.resize(width);
  await tab.open(`r/${rehearsal.name}/activity`, gateway);
  await tab.signInIfAsked();
  await main().getByText('Nothing has happened here yet.').waitFor();
  await tab.isLive();

  const { id: orderId } = await rehearsal.confirmed();
  await press(tab.row('Confirm Order'));
  await tab.heading('Confirm Order').waitFor();
  await press(main().locator(`[aria-label="Objects that changed"] a[href$="/objects/order/${orderId}"]`).first());
  await tab.page.waitForURL(new RegExp(`/objects/order/${orderId}`));
  await main().getByRole('heading', { name: 'Life cycle' }).waitFor();
  await tab.stateIs('confirmed');
  await tab.expectSoundInEveryLook();

  await goTo('Faults');
  await press(tab.page.getByRole('switch', { name: 'The Payment Hub is down' }));
  await tab.page.getByRole('switch', { name: 'The Payment Hub is down', checked: true }).waitFor();
  await goTo('Activity');
  await tab.heading('Activity').waitFor();
  await rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type: 'card', token: 'tok_visa' } } });
  await press(tab.row('Authorize Payment').filter({ hasText: '503' }));
  await main()
    .locator('[data-sentence]')
    .getByText(/because ⚡ payment-hub-down struck/)
    .waitFor();
  await goTo('Faults');
  await press(tab.page.getByRole('switch', { name: 'The Payment Hub is down' }));
  await tab.page.getByRole('switch', { name: 'The Payment Hub is down', checked: false }).waitFor();

  await goTo('Overview');
  await tab.heading('Overview').waitFor();
  const before = await rehearsal.now();
  await press(main().getByRole('button', { name: '+2 days' }));
  await press(tab.page.getByRole('status').getByRole('link', { name: /^\d+ timers ran$/ }));
  await tab.heading('Clock +2 days').waitFor();
  await tab.expectSoundInEveryLook();
  expect((await rehearsal.now()) - before).toBeGreaterThanOrEqual(2 * 86_400_000);

  await goTo('Flows');
  await press(main().getByRole('button', { name: 'Run: A digital order, from product page to confirmation' }));
  await press(main().getByRole('link', { name: 'passed: latest run of A digital order, from product page to confirmation' }));
  await tab.stateIs('passed');

  await goTo('Rehearsals');
  await press(main().getByRole('link', { name: `Manage ${rehearsal.name}`, exact: true }));
  await press(main().getByRole('button', { name: 'Verify' }));
  await tab.page.getByText(/^All \d+ invariants hold\.$/).waitFor();
}
