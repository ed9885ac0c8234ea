import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { unpacked } from '../../shared/contract/estate-file.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal } from '../support/estate.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

const freshName = () => `t-${randomBytes(6).toString('hex')}`;

describeInBrowser('Rehearsals in the console', () => {
  const tab = consoleTab();
  const { main, press, shows } = tab;
  const open = (rehearsal: { readonly name: string }) => tab.open(`rehearsals/${rehearsal.name}`);
  const nameField = () => main().getByLabel('Name', { exact: true });
  /** Presses a button that downloads a file. @returns its name and content */
  const downloaded = async (button: string) => {
    const download = tab.page.waitForEvent('download');
    await press(button);
    const file = await download;
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  };

  test('The world of a rehearsal is downloaded with its journal as one file', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.basket();
    await open(rehearsal);
    const { name, content } = await downloaded('Download');
    expect(name).toBe(`${rehearsal.name}.estate.zip`);
    const { snapshot, failure } = unpacked(content);
    expect([JSON.stringify(snapshot).includes(id), failure]).toEqual([true, undefined]);
  });

  test('A rehearsal is saved as a scenario, and an empty one shows why it cannot be', async () => {
    await using rehearsal = await newRehearsal();
    await open(rehearsal);
    await press('Save as scenario');
    await tab.page.getByText('Nothing has happened in this rehearsal yet.').waitFor();
    await rehearsal.basket();
    await tab.page.reload();
    const { name, content } = await downloaded('Save as scenario');
    expect(name).toBe(`recorded-${rehearsal.name}.ts`);
    expect(String(content)).toBe((await rehearsal.control('read-story')).text);
  });

  test('A new rehearsal has credentials that are shown once, kept by the tab and accepted by the gateway, until it is deleted', async () => {
    const name = freshName();
    await tab.open('rehearsals');
    await main().getByLabel('It ends').selectOption('PT1H');
    await nameField().fill(name);
    await tab.page.keyboard.press('Enter');
    await shows(`${name} is ready`);
    await press('Copy as .env');
    await tab.page.getByText('The .env file copied').waitFor();
    const env = Object.fromEntries((await tab.copied()).split('\n').map((line) => line.split(/=(.*)/)));
    expect(env['ESTATE_BEARER_TOKEN']).toMatch(new RegExp(`^reh_${name}_`));
    const answer = await fetch(`${env['ESTATE_URL']}/customers/cus_ada`, {
      headers: { Authorization: `Bearer ${env['ESTATE_BEARER_TOKEN']}` },
    });
    expect(answer.status).toBe(200);
    expect(await main().textContent()).not.toContain(env['ESTATE_BEARER_TOKEN']);
    await press('Show secrets');
    await shows(env['ESTATE_BEARER_TOKEN'] ?? '');
    await tab.follow('Open its overview');
    await tab.heading('Overview').waitFor();
    await main().getByText('4 more settings').click();
    await shows('Bearer of this rehearsal');

    await open({ name });
    await tab.button('Delete…').press('Enter');
    const dialog = tab.page.getByRole('dialog');
    await dialog.locator('#typed-name:focus').waitFor();
    await tab.expectSoundInEveryLook();
    await tab.page.keyboard.type(`${name}x`);
    await tab.page.keyboard.press('Enter');
    expect(await dialog.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
    await tab.page.keyboard.press('Backspace');
    await tab.page.keyboard.press('Enter');
    await tab.heading('Rehearsals').waitFor();
    await open({ name });
    await tab.heading(`There is no rehearsal ${name}`).waitFor();
    expect(await tab.page.evaluate(`sessionStorage.getItem('estate.rehearsal.${name}')`)).toBeNull();
  });

  test('A rehearsal is kept and forked on its page, and its snapshot is opened and deleted on the list', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.basket();
    const snapshot = freshName();
    const ready = main().getByRole('heading', { name: / is ready$/ });
    const madeRehearsal = async (): Promise<string> => {
      await ready.waitFor();
      const name = ((await ready.textContent()) ?? '').replace(' is ready', '');
      const { body } = await rehearsal.call('read-object', { params: { type: 'basket', id }, headers: { 'x-rehearsal': name } });
      await rehearsal.control('delete-rehearsal', { params: { name } });
      return body.id;
    };
    await open(rehearsal);
    for (const [wrong, words] of [
      ['', 'A snapshot needs a name'],
      ['No Name', /./],
    ] as const) {
      await main().getByLabel('Name of the snapshot').fill(wrong);
      await main().getByRole('button', { name: 'Keep', exact: true }).click();
      await tab.wrongAt('Name of the snapshot').getByText(words).waitFor();
    }
    await main().getByLabel('Name of the snapshot').fill(snapshot);
    await main().getByRole('button', { name: 'Keep', exact: true }).click();
    await tab.page.getByText(`The snapshot ${snapshot} is kept.`).waitFor();
    await main().getByRole('button', { name: 'Fork', exact: true }).click();
    await main().getByText(`A fork of ${rehearsal.name}.`).waitFor();
    expect(await ready.textContent()).toBe(`${rehearsal.name.slice(0, 35)}-fork is ready`);
    expect(await madeRehearsal()).toBe(id);
    await tab.open('rehearsals');
    await press(`Open ${snapshot}`);
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
    expect(await madeRehearsal()).toBe(id);
    await tab.expectSoundInEveryLook();
    await press(`Delete ${snapshot}`);
    await tab.page.getByText(`The snapshot ${snapshot} is deleted.`).waitFor();
  });

  test('The list of rehearsals shows a refusal at its field, in any look, and hostile text as text', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open('rehearsals');
    await tab.link(`Manage ${rehearsal.name}`).waitFor();
    await nameField().fill(rehearsal.name);
    await press('Create');
    await tab.wrongAt('Name').waitFor();
    await tab.expectSoundInEveryLook();
    await nameField().fill(HOSTILE.repeat(200));
    await press('Create');
    await tab.wrongAt('Name').waitFor();
    await nameField().fill(freshName());
    await main().getByLabel('It ends').selectOption('other');
    await main().getByLabel('Time without use').fill('soon');
    await press('Create');
    await tab.wrongAt('Time without use').waitFor();
    await main().getByLabel('Filter by name').fill(HOSTILE);
    await shows('No rehearsal has this name.');
    await tab.expectTextOnly();
  });

  test('The page of a rehearsal verifies it, sets which steps are taken automatically, and resets it', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.basket({ qty: 1 });
    await open(rehearsal);
    await shows(/^1 trace,/);
    await press('Verify');
    const { invariants } = await rehearsal.verify();
    await tab.page.getByText(`All ${invariants.length} invariants hold.`).waitFor();
    expect(await main().getByRole('list', { name: 'Invariants' }).getByText('holds', { exact: true }).count()).toBe(invariants.length);
    await tab.expectSoundInEveryLook();
    await main().getByLabel('Picking, packing and dispatch').selectOption('immediate');
    await shows('Done immediately.');
    expect(await rehearsal.control('read-progression')).toMatchObject({ warehouse: 'immediate', carrier: 'time' });
    await press('Reset…');
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
    await shows(/^0 traces,/);
  });

  test('The page of a rehearsal lists parked work, and redrives it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const fault = { kind: 'status', status: 500, code: 'internal_error' };
    await scene.fault('broken', { match: { api: 'allocate-inventory-api' }, fault });
    await scene.confirmed();
    await scene.advance('P2D');
    const { items } = await scene.control('list-parked');
    await scene.noFaults();
    await open(scene);
    expect(items).not.toEqual([]);
    await shows(items[0]?.key ?? '');
    await press('Redrive all');
    await shows('Deliveries and timers that failed too often appear here.');
  });
});
