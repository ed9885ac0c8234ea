import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';

describeInBrowser('Words of ours in the console', () => {
  const tab = consoleTab();
  const main = () => tab.page.locator('main');

  test.each([
    ['Stock', '/stock', 'ATP', 'Available to promise'],
    ['Activity', '/activity', 'trace', 'All hops and events that one request has caused.'],
    ['Faults', '/faults', 'rehearsal', 'An isolated world in the estate'],
  ])('The page %s explains the first use of a word of ours to the keyboard, once', async (_title, path, word, meaning) => {
    await using rehearsal = await newRehearsal();
    await tab.open(`r/${rehearsal.name}${path}`);
    const first = main().getByRole('button', { name: word, exact: true });
    await first.waitFor();
    expect(await first.getAttribute('title')).toContain(meaning);
    await tab.tabTo(word);
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('#meaning').getByText(meaning).waitFor();
    await tab.page.keyboard.press('Escape');
    await tab.page.locator('#meaning').waitFor({ state: 'hidden' });
    await tab.expectSoundInEveryLook();
  });
});
