import { expect, test } from '@jest/globals';
import type { HardenRun } from '../../rehearsal/harden/run.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { endedRun, hostileRun, largeRun, runningRun, smallRun, soundRun } from '../support/harden-runs.ts';
import { consoleTab } from './console-tab.ts';
import { WIDTHS } from './looks.ts';

const fileOf = (run: unknown, name = 'harden.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof run === 'string' ? run : JSON.stringify(run)),
});

describeInBrowser('The page of a harden run', () => {
  const tab = consoleTab();
  const choose = (file: ReturnType<typeof fileOf>) => tab.page.getByLabel('File harden.json of a run').setInputFiles(file);
  const openRun = async (run: HardenRun) => {
    await tab.open('harden');
    await tab.heading('Harden').waitFor();
    await choose(fileOf(run));
    await tab.main().getByRole('region', { name: 'Matrix' }).waitFor();
  };

  test.each(Object.entries({ smallRun, soundRun, endedRun, runningRun, hostileRun }))(
    'The page of %s has no accessibility finding or horizontal scrolling in any look',
    async (_name, run) => {
      await openRun(run);
      for (const summary of await tab.main().locator('summary').all()) await summary.click();
      await tab.expectSoundInEveryLook();
    },
  );

  test('The page without a run has the command that makes one', async () => {
    await tab.open('harden');
    await tab
      .main()
      .getByText(/^estate harden --against http:\S+ --report report -- npm test$/)
      .waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('A field of the matrix shows its words under the pointer and with the focus, and leads to its finding', async () => {
    await openRun(smallRun);
    const field = tab.link('twice: Confirm Order, answer lost');
    const words = field.getByText('C63: The answer is lost (504). There are two orders for one basket.');
    await words.waitFor({ state: 'hidden' });
    await field.hover();
    await words.waitFor();
    await tab.heading('Harden').hover();
    await words.waitFor({ state: 'hidden' });
    await tab.tabTo('twice: Confirm Order');
    await words.waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(/#finding-1$/);
    const finding = tab.main().getByRole('region', { name: 'Finding F1' });
    await finding.getByText('Confirm Order was carried out and its answer lost.').waitFor();
    expect(await finding.getByRole('row').allTextContents()).toContain('money authorised EUR30.8861.76');
  });

  test('A field without a finding opens the list of its site', async () => {
    await openRun(smallRun);
    await tab.follow('varies: Check Out Basket, system down');
    await tab.main().getByText('Three tries: survived, survived, half.').locator('visible=true').first().waitFor();
  });

  test('A cell leads to its traces while its rehearsal exists', async () => {
    await using rehearsal = await newRehearsal();
    const cells = smallRun.cells.map((cell) => (cell.rehearsal === 'harden-c50' ? { ...cell, rehearsal: rehearsal.name } : cell));
    await openRun({ ...smallRun, cells });
    const links = tab.main().getByRole('link', { name: /^Traces of / });
    await links.first().waitFor();
    expect(await links.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual(['Traces of C63']);
    await links.first().click();
    await tab.heading('Activity').waitFor();
  });

  test('A dropped file is read like a chosen one', async () => {
    await tab.open('harden');
    await tab.heading('Harden').waitFor();
    const text = JSON.stringify(smallRun);
    await tab.page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(text)}], 'harden.json'));
      document.querySelector('h1').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
    }`);
    await tab.shows('3 findings, 1 accepted');
  });

  const CHOOSE = 'Choose the file harden.json in the folder that estate harden --report wrote.';
  test.each([
    ['no JSON', 'junit.xml', '<testsuites/>', `junit.xml is not JSON. ${CHOOSE}`],
    ['nothing', 'harden.json', '', `harden.json is empty. ${CHOOSE}`],
    ['another JSON', 'package.json', { name: 'shop' }, `package.json is not a run of estate harden: version: `],
    ['a list', 'list.json', [], `list.json is not a run of estate harden: the file: `],
    ['null', 'null.json', 'null', `null.json is not a run of estate harden: the file: `],
    [
      'a later version',
      'harden.json',
      { ...smallRun, version: 2 },
      'harden.json has version 2, and this console reads version 1. Open it in',
    ],
    ['a text too long', 'harden.json', { ...smallRun, seed: 'x'.repeat(5_000) }, 'harden.json is not a run of estate harden: seed: '],
  ])('A file with %s is refused with a remedy, and the run that is shown stays', async (_what, name, content, words) => {
    await openRun(soundRun);
    await choose(fileOf(content, name));
    const alert = tab.main().getByRole('alert');
    await alert.getByText(words).waitFor();
    await tab.shows('No finding');
    await tab.expectToFit(1280);
    await choose(fileOf(smallRun));
    await tab.shows('3 findings, 1 accepted');
    expect(await alert.count()).toBe(0);
  });

  test('A file that is too large is refused before it is read', async () => {
    await tab.open('harden');
    await tab.heading('Harden').waitFor();
    await tab.page.evaluate(`{
      const file = new File([], 'huge.json');
      Object.defineProperty(file, 'size', { value: 50_000_001 });
      file.text = () => { throw new Error('read'); };
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: { files: [file] } });
      document.querySelector('h1').dispatchEvent(event);
    }`);
    await tab.main().getByRole('alert').getByText(`huge.json has more than 50 MB. ${CHOOSE}`).waitFor();
  });

  test.each(WIDTHS)('1,200 cells and hostile text fit, %s pixels wide', async (width) => {
    await tab.resize(width);
    await openRun(largeRun);
    await tab.shows('What happened where');
    await tab.expectToFit(width);
    await choose(fileOf(hostileRun));
    await tab.main().getByRole('region', { name: 'Finding <img' }).waitFor();
    expect(await tab.main().locator('img, script, a[href^="javascript:"], a[href*="etc"]').count()).toBe(0);
    expect(await tab.page.title()).toContain('Estate console');
    await tab.expectToFit(width);
  });
});
