import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { consoleTab } from './console-tab.ts';

describeInBrowser('Worlds in the console', () => {
  const tab = consoleTab();
  const { main, press, shows } = tab;

  test('Two rows of the list of rehearsals are chosen, and their worlds are compared, without accessibility finding in any look', async () => {
    await using one = await newRehearsal();
    await using other = await newRehearsal();
    const { id } = await other.basket();
    await other.control('verify');
    await tab.open('rehearsals');
    await main().getByLabel('Filter by name').fill('t-');
    await main().getByLabel(`Compare ${one.name}`, { exact: true }).check();
    await main().getByLabel(`Compare ${other.name}`, { exact: true }).check();
    await main()
      .getByRole('row', { name: new RegExp(other.name) })
      .getByText('holds')
      .waitFor();
    await tab.expectSoundInEveryLook();
    await tab.follow(`Compare ${one.name} with ${other.name}`);
    await tab.heading(`${one.name} and ${other.name}`).waitFor();
    await main().getByRole('table', { name: 'Objects' }).getByText('added').first().waitFor();
    await tab.expectSoundInEveryLook();
    await main()
      .getByRole('table', { name: 'Objects' })
      .getByRole('link', { name: /^basket/ })
      .click();
    await tab.page.waitForURL(new RegExp(`/r/${other.name}/objects/basket/${id}`));
    await tab.open(`rehearsals?from=${one.name}&to=gone`);
    await shows(/gone/);
    await tab.button('Try again').waitFor();
  });

  test('The invariants of a rehearsal have a page with what each has read and since when it holds', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.basket();
    await tab.openLive(rehearsal, '/invariants');
    await shows('This rehearsal was never verified. Verify settles it and checks each of them.');
    await shows('Captures do not exceed authorisations, refunds and disputes do not exceed captures, and no goods leave unpaid');
    await tab.expectSoundInEveryLook();
    await press('Verify');
    const money = main().getByRole('listitem').filter({ hasText: 'Captures do not exceed authorisations' });
    await money.getByText(/^Reads .*order.*payment/).waitFor();
    await money.getByText(/^Holds since .*, in 1 verification\.$/).waitFor();
    await press('Verify');
    await money.getByText(/in 2 verifications\.$/).waitFor();
    expect(await main().getByRole('list', { name: 'Verdicts' }).getByRole('listitem').count()).toBe(2);
    await tab.expectSoundInEveryLook();
  });

  test('The menu of a rehearsal keeps and forks it, and leads to your systems and its invariants', async () => {
    await using rehearsal = await newRehearsal();
    await tab.openLive(rehearsal);
    await tab.page.getByRole('button', { name: `${rehearsal.name}, change the rehearsal` }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save as scenario' }).waitFor();
    await dialog.getByText('Keep and fork').first().click();
    await tab.expectSoundInEveryLook();
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await dialog.getByText(`A fork of ${rehearsal.name}.`).waitFor();
    const { items } = await rehearsal.control('list-rehearsals');
    const fork = items.find(({ name }) => name.startsWith(rehearsal.name) && name !== rehearsal.name);
    expect(fork?.labels).toEqual({ by: 'person' });
    await rehearsal.control('delete-rehearsal', { params: { name: fork?.name ?? '' } });
    await dialog.getByRole('link', { name: 'Your systems' }).click();
    await tab.heading('Your systems').waitFor();
  });
});
