import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { unpacked } from '../../shared/contract/estate-file.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { startLoyaltyCopy } from '../support/loyalty-copy.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card, eur } from '../support/steps/tender.ts';
import { consoleTab, HOSTILE } from './console-tab.ts';

const freshName = () => `t-${randomBytes(6).toString('hex')}`;

describeInBrowser('Rehearsals in the console', () => {
  const tab = consoleTab();
  const main = () => tab.page.locator('main');
  const manage = (name: string) => main().getByRole('link', { name: `Manage ${name}`, exact: true });
  const create = () => main().getByRole('button', { name: 'Create' }).click();

  test('The list of rehearsals has no accessibility finding or horizontal scrolling in any look', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open('rehearsals');
    await manage(rehearsal.name).waitFor();
    await main().getByLabel('Name', { exact: true }).fill(rehearsal.name);
    await create();
    await main().locator('.wrong').waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The page of a rehearsal has no accessibility finding or horizontal scrolling in any look', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await tab.heading(rehearsal.name).waitFor();
    await main().getByRole('button', { name: 'Verify' }).click();
    await main().getByRole('list', { name: 'Invariants' }).getByText('holds', { exact: true }).first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('The world of a rehearsal is downloaded with its journal as one file', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.basket();
    await tab.open(`rehearsals/${rehearsal.name}`);
    const download = tab.page.waitForEvent('download');
    await main().getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(`${rehearsal.name}.estate.zip`);
    const { snapshot, failure } = unpacked(await readFile(await (await download).path()));
    expect([JSON.stringify(snapshot).includes(id), failure]).toEqual([true, undefined]);
  });

  test('A rehearsal is saved as a scenario, and an empty one shows why it cannot be', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open(`rehearsals/${rehearsal.name}`);
    const save = main().getByRole('button', { name: 'Save as scenario' });
    await save.click();
    await tab.page.getByText('Nothing has happened in this rehearsal yet.').waitFor();
    await rehearsal.basket();
    await tab.page.reload();
    const download = tab.page.waitForEvent('download');
    await save.click();
    expect((await download).suggestedFilename()).toBe(`recorded-${rehearsal.name}.ts`);
    expect(await readFile(await (await download).path(), 'utf8')).toBe((await rehearsal.control('read-story')).text);
  });

  test('A real system and its violations are on the map and on the page of its rehearsal, without accessibility finding in any look', async () => {
    await using hub = await startPaymentHub(() => ({ status: 200, body: 'nonsense' }));
    await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url } });
    await rehearsal.call('authorize-payment-api', { body: { orderId: 'ord_1', tender: card(), amount: eur(500) } });
    await tab.open(`r/${rehearsal.name}`);
    await tab.page
      .getByRole('group', { name: /^Map of the estate/ })
      .locator('a')
      .filter({ hasText: 'real · 1 violation' })
      .waitFor();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main()
      .getByText(/not_json at authorize-payment-api, 1 time: The real payment-hub answered 200/)
      .waitFor();
    await main().getByRole('button', { name: 'Verify' }).click();
    await main().getByText('as the real systems have shown their objects').first().waitFor();
    await tab.expectSoundInEveryLook();
  });

  test('A real system in the shadow has its differences on the page of its rehearsal, with the trace of the first, and kept answers their use', async () => {
    await using copy = await startLoyaltyCopy(({ path }, answered) =>
      path.includes('/balance') ? { ...answered, body: { ...answered.body, nextTierThreshold: 800 } } : answered,
    );
    await using rehearsal = await newRehearsal(undefined, undefined, {
      'loyalty-platform': { url: copy.url, mode: 'shadow' },
      'payment-hub': { mode: 'kept', answers: {} },
    });
    await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    await rehearsal.call('void-payment-api', { params: { id: 'pay_1' } });
    const { items } = await rehearsal.control('read-fidelity');
    expect(items[0]?.waiting).toBe(0);
    await tab.open(`r/${rehearsal.name}`);
    for (const note of ['real in shadow', 'kept · 1 violation'])
      await tab.page
        .getByRole('group', { name: /^Map of the estate/ })
        .locator('a')
        .filter({ hasText: note })
        .waitFor();
    await tab.expectSoundInEveryLook();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main().getByText('1 call compared, 0 equal', { exact: true }).waitFor();
    await main().getByText('1 call to kept answers, 1 failed').waitFor();
    const row = main().getByRole('row').filter({ hasText: '/nextTierThreshold' });
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'get-member-balance-api',
      '/nextTierThreshold',
      '1000',
      '800',
      '1',
      'Trace',
    ]);
    await tab.expectSoundInEveryLook();
    await row.getByRole('link').click();
    await tab.page.getByText('/members/loy_ada/balance').first().waitFor();
  });

  test('A new rehearsal has credentials that are shown once, kept by the tab and accepted by the gateway, until it is deleted', async () => {
    const name = freshName();
    await tab.open('rehearsals');
    await main().getByLabel('Name', { exact: true }).fill(name);
    await main().getByLabel('It ends').selectOption('PT1H');
    await create();
    await main()
      .getByRole('heading', { name: `${name} is ready` })
      .waitFor();
    await main().getByRole('button', { name: 'Copy as .env' }).click();
    await tab.page.getByText('The .env file copied').waitFor();
    const env = Object.fromEntries((await tab.copied()).split('\n').map((line) => line.split(/=(.*)/)));
    expect(env['ESTATE_BEARER_TOKEN']).toMatch(new RegExp(`^reh_${name}_`));
    const answer = await fetch(`${env['ESTATE_URL']}/customers/cus_ada`, {
      headers: { Authorization: `Bearer ${env['ESTATE_BEARER_TOKEN']}` },
    });
    expect(answer.status).toBe(200);
    expect(await main().textContent()).not.toContain(env['ESTATE_BEARER_TOKEN']);
    await main().getByRole('button', { name: 'Show secrets' }).click();
    await main()
      .getByText(env['ESTATE_BEARER_TOKEN'] ?? '')
      .waitFor();
    await main().getByRole('link', { name: 'Open its overview' }).click();
    await tab.heading('Overview').waitFor();
    await main().getByText('Bearer of this rehearsal', { exact: true }).waitFor();

    await tab.open(`rehearsals/${name}`);
    await main().getByRole('button', { name: 'Delete…' }).click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.waitFor();
    await tab.expectSoundInEveryLook();
    const confirm = dialog.getByRole('button', { name: 'Delete', exact: true });
    await dialog.getByLabel('Type the name').fill(`${name}x`);
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type the name').fill(name);
    await confirm.click();
    await tab.heading('Rehearsals').waitFor();
    await tab.open(`rehearsals/${name}`);
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
      const headers = { Authorization: `Bearer ${ADMIN}`, 'X-Rehearsal': name };
      const reply = await fetch(`${estate.gateway}/_control/objects/basket/${id}`, { headers });
      await rehearsal.control('delete-rehearsal', { params: { name } });
      return ((await reply.json()) as { readonly id: string }).id;
    };
    await tab.open(`rehearsals/${rehearsal.name}`);
    for (const wrong of ['', 'No Name']) {
      await main().getByLabel('Name of the snapshot').fill(wrong);
      await main().getByRole('button', { name: 'Keep', exact: true }).click();
      await main()
        .locator('.field', { has: tab.page.getByLabel('Name of the snapshot') })
        .locator('.wrong')
        .getByText(wrong === '' ? 'A snapshot needs a name' : /./)
        .waitFor();
    }
    await main().getByLabel('Name of the snapshot').fill(snapshot);
    await main().getByRole('button', { name: 'Keep', exact: true }).click();
    await tab.page.getByText(`The snapshot ${snapshot} is kept.`).waitFor();
    await main().getByRole('button', { name: 'Fork', exact: true }).click();
    await main().getByText(`A fork of ${rehearsal.name}.`).waitFor();
    expect(await ready.textContent()).toBe(`${rehearsal.name.slice(0, 35)}-fork is ready`);
    expect(await madeRehearsal()).toBe(id);
    await tab.open('rehearsals');
    await main()
      .getByRole('button', { name: `Open ${snapshot}` })
      .click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
    expect(await madeRehearsal()).toBe(id);
    await tab.expectSoundInEveryLook();
    await main()
      .getByRole('button', { name: `Delete ${snapshot}` })
      .click();
    await tab.page.getByText(`The snapshot ${snapshot} is deleted.`).waitFor();
  });

  test('A rehearsal can be deleted with the keyboard: the field has the focus, and Enter deletes', async () => {
    const rehearsal = await newRehearsal();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main().getByRole('button', { name: 'Delete…' }).focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('dialog #typed-name:focus').waitFor();
    await tab.page.keyboard.type('x');
    await tab.page.keyboard.press('Enter');
    await tab.page.keyboard.press('Backspace');
    await tab.page.keyboard.type(rehearsal.name);
    await tab.page.keyboard.press('Enter');
    await tab.heading('Rehearsals').waitFor();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await tab.heading(`There is no rehearsal ${rehearsal.name}`).waitFor();
  });

  test('The pages of rehearsals show a refusal of the gateway at the field, and hostile text as text', async () => {
    await tab.open('rehearsals');
    await main().getByLabel('Name', { exact: true }).fill(HOSTILE.repeat(200));
    await create();
    await main()
      .locator('.field', { has: tab.page.getByLabel('Name', { exact: true }) })
      .locator('.wrong')
      .waitFor();
    await main().getByLabel('Name', { exact: true }).fill(freshName());
    await main().getByLabel('It ends').selectOption('other');
    await main().getByLabel('Time without use').fill('soon');
    await create();
    await main()
      .locator('.field', { has: tab.page.getByLabel('Time without use') })
      .locator('.wrong')
      .waitFor();
    await main().getByLabel('Filter by name').fill(HOSTILE);
    await main().getByText('No rehearsal has this name.').waitFor();
    await tab.open(`rehearsals/${encodeURIComponent(HOSTILE)}`);
    await tab.page.locator('h1').waitFor();
    await tab.expectTextOnly();
  });

  test('The page of a rehearsal verifies it, and lists each invariant with its checks', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main().getByRole('button', { name: 'Verify' }).click();
    const { invariants } = await rehearsal.verify();
    await tab.page.getByText(`All ${invariants.length} invariants hold.`).waitFor();
    expect(await main().getByRole('list', { name: 'Invariants' }).getByText('holds', { exact: true }).count()).toBe(invariants.length);
  });

  test('The page of a rehearsal sets which steps are taken automatically', async () => {
    await using rehearsal = await newRehearsal();
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main().getByLabel('Picking, packing and dispatch').selectOption('immediate');
    await main().getByText('Done immediately.').waitFor();
    expect(await rehearsal.client.control('read-progression')).toMatchObject({ warehouse: 'immediate', carrier: 'time' });
  });

  test('The page of a rehearsal lists parked work, and redrives it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const fault = { kind: 'status', status: 500, code: 'internal_error' };
    await scene.fault('broken', { match: { api: 'allocate-inventory-api' }, fault });
    await scene.confirmed();
    await scene.advance('P2D');
    const { items } = await scene.client.control('list-parked');
    await scene.noFaults();
    await tab.open(`rehearsals/${scene.name}`);
    expect(items).not.toEqual([]);
    await main()
      .locator('code', { hasText: items[0]?.key ?? '' })
      .waitFor();
    await main().getByRole('button', { name: 'Redrive all' }).click();
    await main().getByText('Deliveries and timers that failed too often appear here.').waitFor();
  });

  test('The page of a rehearsal resets it', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.basket({ qty: 1 });
    await tab.open(`rehearsals/${rehearsal.name}`);
    await main()
      .getByText(/^1 trace,/)
      .waitFor();
    await main().getByRole('button', { name: 'Reset…' }).click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
    await main()
      .getByText(/^0 traces,/)
      .waitFor();
  });

  test('A rehearsal can be created with the keyboard alone', async () => {
    const name = freshName();
    await tab.open('rehearsals');
    await tab.heading('Rehearsals').waitFor();
    await main().getByLabel('Name', { exact: true }).waitFor();
    await main().getByLabel('Filter by name').waitFor();
    await tab.page.keyboard.press('/');
    await tab.page.keyboard.type('no-such-rehearsal');
    await main().getByText('No rehearsal has this name.').waitFor();
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.type(name);
    await tab.page.keyboard.press('Enter');
    await main()
      .getByRole('heading', { name: `${name} is ready` })
      .waitFor();
    await tab.tabTo('Open its overview');
    await tab.page.keyboard.press('Enter');
    await tab.heading('Overview').waitFor();
  });
});
