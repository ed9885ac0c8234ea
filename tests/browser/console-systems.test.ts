import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { startLoyaltyCopy } from '../support/loyalty-copy.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card, eur } from '../support/steps/tender.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const SECRET = 'Bearer secret-of-our-hub-4711';

describeInBrowser('Your systems in the console', () => {
  const tab = consoleTab();
  const { main, press, shows } = tab;
  const address = () => main().getByLabel('Address of your system');
  const noteOnMap = (text: string) => tab.page.locator('[aria-label^="Map of the estate"] a', { hasText: text }).waitFor();
  const beginAgain = () => tab.page.getByRole('dialog').getByRole('button', { name: 'Begin again' }).click();

  test('A Payment Hub is checked, compared in the shadow, and goes live with its header', async () => {
    await using hub = await startPaymentHub();
    await using rehearsal = await newRehearsal();
    const pay = () => rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: card(), amount: eur(500) } });
    await tab.openLive(rehearsal, '/systems');
    await shows('13 simulated in');
    await tab.expectSoundInEveryLook();
    await main()
      .getByRole('link', { name: /^Payment Hub/ })
      .click();
    await address().fill(hub.url);
    await main().getByLabel('Value of header 1').fill(SECRET);
    await press('Check it');
    await shows('It fits.');
    await main().getByText('Capture Payment', { exact: true }).click();
    await shows('never captures more than the authorised amount');
    await tab.expectSoundInEveryLook();
    await press('Compare in the shadow…');
    await tab.page.getByRole('dialog').getByText('begins again: its orders, events and journal go.').waitFor();
    await beginAgain();
    await shows('in shadow');
    await pay();
    await shows('1 compared, 0 equal');
    await main().getByRole('switch').click();
    await beginAgain();
    await main().getByRole('switch', { checked: true }).waitFor();
    await pay();
    await shows(/^1 call, 0 failed\. The latest answer, to Authorize Payment, was 201/);
    expect(hub.received.at(-1)?.headers['authorization']).toBe(SECRET);
    expect(await main().innerHTML()).not.toContain('secret-of-our-hub');
    await press('Back to ours…');
    await beginAgain();
    await shows('13 simulated in');
    expect((await rehearsal.control('list-swaps')).items).toEqual([]);
  });

  test('A system that answers nothing, something else or at a refused address gets a sentence, and ours stays', async () => {
    await using server = await serving((_request, response) => response.writeHead(404).end('<h1>nothing</h1>'));
    const gone = await serving(() => undefined);
    await gone[Symbol.asyncDispose]();
    await using rehearsal = await newRehearsal();
    await tab.openLive(rehearsal, '/systems/promotion-engine');
    for (const [url, words] of [
      [gone.url, `No system answers at ${gone.url}.`],
      [server.url, 'Every call was answered with 404: the address may be wrong.'],
    ] as const) {
      await address().fill(url);
      await press(/^Check/);
      await shows(words);
      await main()
        .locator('li', { has: tab.page.getByText('Address', { exact: true }) })
        .getByText(url === gone.url ? 'no answer' : 'answers', { exact: true })
        .waitFor();
    }
    await tab.expectSoundInEveryLook();
    for (const url of ['http://169.254.169.254/', HOSTILE, '']) {
      await address().fill(url);
      await press(/^Check/);
      await tab.wrongAt('Address of your system').waitFor();
      await tab.expectTextOnly();
    }
    await press('Compare in the shadow…');
    await beginAgain();
    await tab.page.getByRole('dialog').getByRole('alert').waitFor();
    expect((await rehearsal.control('list-swaps')).items).toEqual([]);
    await tab.open(`r/${rehearsal.name}/systems/till`);
    await tab.heading('No application is named till').waitFor();
    await tab.open(`r/${rehearsal.name}/systems/crm`);
    await shows('There are no checks for the CRM.');
  });

  test('The differences of a system in the shadow stand side by side, and one above the other in a narrow window', async () => {
    await using copy = await startLoyaltyCopy(({ path }, answered) =>
      path.includes('/balance') ? { ...answered, body: { ...answered.body, nextTierThreshold: MOST } } : answered,
    );
    await using rehearsal = await newRehearsal(undefined, undefined, {
      'loyalty-platform': { url: copy.url, mode: 'shadow' },
      'payment-hub': { mode: 'kept', answers: {} },
    });
    await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    await rehearsal.call('void-payment-api', { params: { id: 'pay_1' } });
    expect((await rehearsal.control('read-fidelity')).items[0]?.waiting).toBe(0);
    await tab.open(`r/${rehearsal.name}`);
    for (const note of ['real in shadow', 'kept · 1 violation']) await noteOnMap(note);
    await shows('your system in shadow, or its kept answers');
    await tab.expectSoundInEveryLook();
    await tab.open(`r/${rehearsal.name}/systems/loyalty-platform`);
    const ours = () => main().locator('td[data-side="ours"]', { hasText: '1000' });
    const theirs = () => main().locator('td[data-side="theirs"]', { hasText: String(MOST) });
    await theirs().waitFor();
    for (const width of [1280, 920, 390]) {
      await tab.resize(width);
      const [left, right] = [await ours().boundingBox(), await theirs().boundingBox()];
      expect(left && right && (width > 900 ? right.x >= left.x + left.width : right.y >= left.y + left.height)).toBe(true);
      expect((right?.x ?? width) + (right?.width ?? 0)).toBeLessThanOrEqual(width);
    }
    await tab.expectSoundInEveryLook();
    await tab.resize(1280);
    await main().getByRole('link', { name: 'First trace of get-member-balance-api /nextTierThreshold' }).click();
    await tab.page.getByText('/members/loy_ada/balance').first().waitFor();
    await tab.open(`r/${rehearsal.name}/systems/payment-hub`);
    await shows('1 call to kept answers, 1 failed');
  });

  test('The violations of a real system are on the map and on its page, and the page of its rehearsal leads there', async () => {
    await using hub = await startPaymentHub(() => ({ status: 200, body: 'nonsense' }));
    await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url } });
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: card(), amount: eur(500) } });
    await tab.open(`r/${rehearsal.name}`);
    await noteOnMap('real · 1 violation');
    await shows('your system answers');
    await tab.open(`rehearsals/${rehearsal.name}`);
    await tab.follow('Your systems');
    await shows('Put yours in');
    await tab.expectSoundInEveryLook();
    await main()
      .getByRole('link', { name: /^Payment Hub/ })
      .click();
    await shows(/not_json at Authorize Payment, 1 time: The real payment-hub answered 200/);
    await tab.expectSoundInEveryLook();
  });
});
