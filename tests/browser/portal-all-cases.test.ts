import { beforeAll, expect, test as plainTest } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { serving } from '../conform/serving.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { testIn } from '../support/test-in.ts';
import { aMock, aPortal } from '../touchpoint/running-touchpoint.ts';
import { expectSoundInEveryLook } from './looks.ts';
import { changedFixtures, historyEntries, openHistory, openPortal, send } from './portal-page.ts';

describeInBrowser('All cases in the portal', () => {
  let portal: Listening;
  let deviating: Listening;
  const test = testIn(() => openPortal(portal.url));
  const testDeviating = testIn(() => openPortal(deviating.url));

  beforeAll(async () => {
    await using fixtures = await changedFixtures({
      '02': ['"total": 1.49', '"total": 1.59'],
      '10c': ['"error": "Basket already paid",\n    "code": "BASKET_PAID"', '"code": "BASKET_PAID", "error": "Basket already paid"'],
      '19': ['"Retry-After": "30"', '"Retry-After": "60"'],
    });
    portal = await aPortal({ mockUrl: (await aMock()).url });
    deviating = await aPortal({ mockUrl: (await aMock({ fixtures: fixtures.url })).url });
  });

  const outcome = (page: Page) => page.locator('#all-outcome');
  const result = (page: Page, name: string) => page.locator(`#all-results > li[data-case="${name}"]`);
  const run = async (page: Page) => {
    await page.click('#run-all');
    await page.locator('#all-outcome:not(:empty)').waitFor({ timeout: 20_000 });
    return (await outcome(page).textContent()) ?? '';
  };

  test('The run of all cases sends every case in order, and shows per case that the answer is as documented', async ({ page }) => {
    expect(await run(page)).toBe('All 21 cases were answered as documented.');
    const listed = await page.locator('button[data-case]').evaluateAll((all) => all.map((node) => node.getAttribute('data-case')));
    const results = page.locator('#all-results > li');
    expect(await results.evaluateAll((all) => all.map((node) => node.getAttribute('data-case')))).toEqual(listed);
    expect(await results.getByRole('img', { name: 'as documented', exact: true }).count()).toBe(21);
    await result(page, '19').locator('summary').click();
    await page.getByText('Status, headers and body are as documented.').waitFor();
    expect(await page.locator('#all-progress').isVisible()).toBe(false);
  });

  testDeviating(
    'The run of all cases names the cases whose answer deviates in status, header or body, and opens one with a click',
    async ({ page }) => {
      expect(await run(page)).toBe('18 of 21 cases were answered as documented, 3 were not: 02, 19, 10c.');
      const sentences = async (name: string) => {
        await result(page, name).locator('summary').click();
        const sentences = result(page, name).getByRole('list', { name: 'Differences' });
        await sentences.waitFor();
        return sentences.getByRole('listitem').allTextContents();
      };
      expect(await sentences('02')).toEqual(['total: documented 1.49, answered 1.59.']);
      expect(await sentences('19')).toEqual(['Header Retry-After: documented 30, answered 60.']);
      expect(await sentences('10c')).toEqual(['Body: the documented values, written differently.']);
      await result(page, '10c').getByRole('button', { name: 'Open in the form' }).click();
      expect(await page.inputValue('#finish-selector')).toBe('10c');
      expect(await page.textContent('#finish-verdict')).toContain('409 Conflict');
    },
  );

  test('The run of all cases explains why every case fails for a denied caller', async ({ page }) => {
    await page.selectOption('#authorization', 'wrong-lane');
    const words = await run(page);
    expect(words).toContain('0 of 21 cases were answered as documented, 21 were not');
    expect(words).toContain('The mock refuses the chosen caller.');
  });

  plainTest('The run of all cases shows its progress and can be stopped while an answer is awaited', async () => {
    let requested = 0;
    let abandoned = 0;
    await using slow = await serving((request, response) => {
      requested += 1;
      if (requested <= 3) {
        response.writeHead(404, { 'Content-Type': 'application/json' }).end('{}');
        return;
      }
      request.socket.on('close', () => {
        abandoned += 1;
      });
    });
    const waiting = await aPortal({ mockUrl: slow.url });
    await using tab = await openPortal(waiting.url);
    const { page } = tab;
    await page.click('#run-all');
    await page.getByText('3 of 21, now case 04').waitFor();
    expect(await page.locator('#all-progress progress').evaluate((bar) => bar.getAttribute('value'))).toBe('3');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('#all-outcome:not(:empty)').waitFor();
    expect(await outcome(page).textContent()).toContain('Stopped after 3 of 21 cases.');
    expect(await page.locator('#all-results > li').count()).toBe(3);
    expect(await page.textContent('#run-all')).toBe('Run all 21 cases');
    expect(requested).toBe(4);
    await openHistory(page);
    expect(await historyEntries(page).first().textContent()).toContain('stopped');
    await eventually('the portal abandons the call to the mock', async () => abandoned === 1);
  });

  testDeviating(
    'The run of all cases has no accessibility finding or horizontal scrolling in any look, with failures and the history open',
    async ({ page }) => {
      await run(page);
      await send(page);
      await openHistory(page);
      await historyEntries(page).nth(3).click();
      await page.evaluate(
        "for (const details of document.querySelectorAll('li:has([aria-label^=not]) details, section:has(form) details')) details.open = true",
      );
      await result(page, '10c').getByRole('list', { name: 'Differences' }).waitFor();
      await expectSoundInEveryLook(page);
    },
  );
});
