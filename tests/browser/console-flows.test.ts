import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';

describeInBrowser('Flows in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const { main, button, link } = tab;
  const runs = () => button(/^Run: /);
  const result = (state: string) => link(`${state}: latest run of A digital order, from product page to confirmation`);

  test('The page of flows offers each scenario once', async () => {
    const { items } = await rehearsal.control('list-scenarios');
    await tab.open(`r/${rehearsal.name}/flows`);
    await runs().first().waitFor();
    const names = await main().locator('li code').allTextContents();
    expect(names.toSorted()).toEqual(items.map(({ name }) => name).toSorted());
  });

  test('A run can be started, followed to its end and traced with the keyboard alone, without a reload', async () => {
    await tab.openLive(rehearsal, '/activity');
    await tab.goTo('f');
    await tab.heading('Flows').waitFor();
    await runs().first().waitFor();
    await tab.tabTo('Run: A digital order, from product page to confirmation');
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('status').getByRole('link', { name: 'See its steps' }).waitFor();
    await result('passed').waitFor();
    await tab.tabTo('passed: latest run of A digital order, from product page');
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(/\/runs\/run_/);
    await tab.stateIs('passed');
    await main().getByText('✗ broken').waitFor({ state: 'detached' });
    expect(await main().getByRole('list', { name: 'Invariants' }).getByRole('listitem').count()).toBeGreaterThan(0);
    await tab.page.keyboard.press('j');
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(/\/r\/digital-order-[^/]+\/activity\/rehearse-1$/);
    await main().locator('[data-sentence]').waitFor();
  });

  test('A filter shows the flows with a text, and all that are shown can be started together, each with its result beside it', async () => {
    await tab.openLive(rehearsal, '/flows');
    await button('Run all').waitFor();
    await main().getByRole('searchbox').fill('split-tender');
    await tab.press('Run 1 shown');
    await tab.page.getByRole('status').getByText('1 scenario started.').waitFor();
    await link('passed: latest run of The second of two tenders at the till is declined').waitFor();
    expect(await runs().count()).toBe(1);
  });

  test('A run can be stopped', async () => {
    await tab.openLive(rehearsal, '/flows');
    await tab.press('Run: A digital order, from basket to delivered parcel and loyalty points');
    await tab.page.getByRole('link', { name: 'See its steps' }).click();
    await tab.page.waitForURL(/\/runs\/run_/);
    await tab.press('Stop');
    await tab.stateIs('stopped');
  });

  test('A run that ends while it is being stopped keeps its result, and the page shows the result', async () => {
    const run = await rehearsal.control('start-run', { body: { scenario: 'digital-order' } });
    const stateNow = async () => (await rehearsal.control('read-run', { params: { id: run.id } })).state;
    let isStopping = false;
    await tab.page.route(`**/_control/runs/${run.id}*`, async (route) => {
      if (route.request().method() === 'DELETE') {
        isStopping = true;
        await eventually('the end of the run', async () => (await stateNow()) === 'passed', 60_000);
      }
      // Until the page stops the run, it gets the run as started.
      return isStopping ? route.continue() : route.fulfill({ json: run });
    });
    await tab.open(`r/${rehearsal.name}/runs/${run.id}`);
    await tab.press('Stop');
    await tab.page.getByText('It had ended already: passed.').waitFor();
    await tab.stateIs('passed');
    await link(/^Rehearsal /).waitFor();
    expect(await stateNow()).toBe('passed');
  });
});
