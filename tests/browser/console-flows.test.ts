import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

describeInBrowser('Flows in the console', () => {
  const tab = consoleTab();
  let rehearsal: TestRehearsal;
  let passed: string;

  beforeAll(async () => {
    rehearsal = await newRehearsal();
    const { id } = await rehearsal.client.control('start-run', { body: { scenario: 'digital-order' } });
    passed = id;
    await eventually(
      'the end of the run',
      async () => (await rehearsal.client.control('read-run', { params: { id } })).state === 'passed',
      60_000,
    );
  });
  afterAll(() => rehearsal?.[Symbol.asyncDispose]());

  const main = () => tab.page.locator('main');
  const result = (state: string) =>
    main().getByRole('link', { name: `${state}: latest run of A digital order, from product page to confirmation` });
  const page = (rest: string) => `r/${rehearsal.name}/${rest}`;

  test.each([
    ['the flows', () => 'flows', 'goes wrong'],
    ['a run', () => `runs/${passed}`, 'Invariants at the end'],
    ['an unknown run', () => 'runs/run_never', 'There is no run'],
  ])('The page of %s has no accessibility finding or horizontal scrolling in any look', async (_what, rest, words) => {
    await tab.open(page(rest()));
    await main().getByText(words).locator('visible=true').first().waitFor();
    await main().locator('[data-row], [aria-label="Invariants"] li').first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The page of flows offers each scenario once', async () => {
    const { items } = await rehearsal.client.control('list-scenarios');
    await tab.open(page('flows'));
    await main()
      .getByRole('button', { name: /^Run: / })
      .first()
      .waitFor();
    const names = await main().locator('li code').allTextContents();
    expect(names.toSorted()).toEqual(items.map(({ name }) => name).toSorted());
  });

  test('A run can be started, followed to its end and traced with the keyboard alone, without a reload', async () => {
    await tab.open(page('activity'));
    await tab.heading('Activity').waitFor();
    await tab.isLive();
    await tab.goTo('f');
    await tab.heading('Flows').waitFor();
    await main()
      .getByRole('button', { name: /^Run: / })
      .first()
      .waitFor();
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
    await tab.open(page('flows'));
    await tab.isLive();
    await main().getByRole('button', { name: 'Run all' }).waitFor();
    await main().getByRole('searchbox').fill('split-tender');
    await main().getByRole('button', { name: 'Run 1 shown' }).click();
    await tab.page.getByRole('status').getByText('1 scenario started.').waitFor();
    await main().getByRole('link', { name: 'passed: latest run of The second of two tenders at the till is declined' }).waitFor();
    expect(
      await main()
        .getByRole('button', { name: /^Run: / })
        .count(),
    ).toBe(1);
  });

  test('A run can be stopped', async () => {
    await tab.open(page('flows'));
    await tab.isLive();
    await main().getByRole('button', { name: 'Run: A digital order, from basket to delivered parcel and loyalty points' }).click();
    await tab.page.getByRole('link', { name: 'See its steps' }).click();
    await tab.page.waitForURL(/\/runs\/run_/);
    await main().getByRole('button', { name: 'Stop' }).click();
    await tab.stateIs('stopped');
  });

  test('A run that ends while it is being stopped keeps its result, and the page shows the result', async () => {
    const run = await rehearsal.client.control('start-run', { body: { scenario: 'digital-order' } });
    const stateNow = async () => (await rehearsal.client.control('read-run', { params: { id: run.id } })).state;
    let isStopping = false;
    await tab.page.route(`**/_control/runs/${run.id}*`, async (route) => {
      if (route.request().method() === 'DELETE') {
        isStopping = true;
        await eventually('the end of the run', async () => (await stateNow()) === 'passed', 60_000);
      }
      // Until the page stops the run, it gets the run as started.
      return isStopping ? route.continue() : route.fulfill({ json: run });
    });
    await tab.open(page(`runs/${run.id}`));
    await main().getByRole('button', { name: 'Stop' }).click();
    await tab.page.getByText('It had ended already: passed.').waitFor();
    await tab.stateIs('passed');
    await main()
      .getByRole('link', { name: /^Rehearsal / })
      .waitFor();
    expect(await stateNow()).toBe('passed');
  });

  test('The page of an unknown run leads to the latest runs', async () => {
    await tab.open(page(`runs/${encodeURIComponent(HOSTILE)}`));
    await tab.heading(`There is no run ${HOSTILE}`).waitFor();
    await tab.expectTextOnly();
    await main().locator(`.rows a[href$="${passed}"]`).click();
    await tab.stateIs('passed');
  });
});
