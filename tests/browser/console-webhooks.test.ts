import { expect, test } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { describeInBrowser } from '../support/chromium.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type ReceivedEvent, receiveEvents } from '../support/event-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { consoleTab } from './console-tab.ts';

const REFUSED = { status: 503, body: 'out of paper' };
const ACCEPTED = { status: 204 };
const SHOP = { params: { name: 'shop' } };

const verify = (secret: string, { text, headers }: ReceivedEvent): unknown =>
  new Verifier(secret).verify(text, headers as Record<string, string>);

const register = ({ control }: TestRehearsal, url: string, ...types: string[]) => control('put-webhook', { ...SHOP, body: { url, types } });

describeInBrowser('Webhooks in the console', () => {
  const tab = consoleTab();
  const { main, button, press, shows } = tab;
  const dialog = () => tab.page.getByRole('dialog');
  const delivery = (event: string) => main().locator('li[data-delivery]').filter({ hasText: event });
  const secretShown = () => main().getByText(/^whsec_/);

  test('A receiver is registered, refuses an event, gets it again on the clock, and once more by hand', async () => {
    await using rehearsal = await tab.openNew('/webhooks');
    let isUp = false;
    await using receiver = await receiveEvents(() => (isUp ? ACCEPTED : REFUSED));
    await shows('No webhook is registered.');
    await shows('estate listen --against');
    await tab.expectSoundInEveryLook();
    await main().getByLabel('Name').fill('shop');
    await main().getByLabel('URL of the receiver').fill(receiver.url);
    await main().getByLabel('Add an event').selectOption('order-created');
    await main().getByLabel('Add an event').selectOption('order-confirmed');
    expect(await main().getByLabel('Events', { exact: true }).inputValue()).toBe('order-created, order-confirmed');
    await press('Register');

    await tab.heading('shop').waitFor();
    const secret = await secretShown().textContent();
    await press('Copy the secret');
    await eventually('the secret is copied', async () => (await tab.copied()) === secret);
    await shows('Nothing has been sent to it yet.');
    await tab.expectSoundInEveryLook();

    await rehearsal.confirmed();
    await delivery('order-created').getByText('503', { exact: true }).waitFor();
    await delivery('order-created').getByText('out of paper').waitFor();
    await delivery('order-created').getByText('next attempt').waitFor();
    await delivery('order-confirmed').getByText('after the earlier delivery about this object').waitFor();
    await shows('2 deliveries, 2 not accepted yet');
    await tab.stateIs('failing');
    await tab.expectSoundInEveryLook();

    await press(/^Advance to/);
    await delivery('order-created').getByRole('button', { name: 'All 2 attempts' }).click();
    expect(await delivery('order-created').getByText('503', { exact: true }).count()).toBe(2);
    isUp = true;
    await press(/^Advance to/);
    await delivery('order-created').getByText('✓ delivered').waitFor();
    await delivery('order-confirmed').getByText('✓ delivered').waitFor();
    await main().getByText('2 deliveries', { exact: true }).waitFor();
    await tab.stateIs('active');
    const times = receiver.received.length;
    await delivery('order-confirmed').getByRole('button', { name: 'Redeliver' }).click();
    await delivery('order-confirmed').getByRole('button', { name: 'All 2 attempts' }).waitFor();
    expect(receiver.types().slice(times)).toEqual(['order-confirmed']);
    await delivery('order-created').locator('a[data-row]').click();
    await main().getByRole('region', { name: 'Webhooks' }).getByText('✓ delivered').waitFor();
    await main().getByRole('region', { name: 'Webhooks' }).getByRole('link', { name: 'shop' }).click();
    await tab.heading('shop').waitFor();
    for (const one of receiver.received) expect(verify(secret ?? '', one)).toMatchObject({ id: one.id });
  });

  test('A delivery leads to its event, to the object, and to the attempt in the trace', async () => {
    await using rehearsal = await newRehearsal();
    await using receiver = await receiveEvents();
    await register(rehearsal, receiver.url, 'order-confirmed');
    const { id } = await rehearsal.confirmed();
    const open = async (link: string) => {
      await tab.open(`r/${rehearsal.name}/webhooks/shop`);
      await delivery('order-confirmed').locator(link).click();
    };
    await open('a[data-row]');
    await tab.heading('order-confirmed').waitFor();
    await open(`a[title="order/${id}"]`);
    await tab.page.waitForURL(new RegExp(`/objects/order/${id}$`));
    await open('a[href*="hop="]');
    await main().locator('[aria-label^="Hop "]', { hasText: '204' }).waitFor();
  });

  test('A new secret is shown once and signs beside the old one; a deleted webhook gets nothing more', async () => {
    await using rehearsal = await newRehearsal();
    await using receiver = await receiveEvents();
    const { secret: old = '' } = await register(rehearsal, receiver.url, 'order-created');
    await tab.open(`r/${rehearsal.name}/webhooks`);
    await tab.row('shop').click();
    await press('New secret…');
    await dialog().getByLabel('The old secret signs, too').selectOption('for an hour');
    await tab.expectSoundInEveryLook();
    await dialog().getByRole('button', { name: 'Make a new secret' }).click();
    const fresh = await secretShown().textContent();
    expect(fresh).not.toBe(old);
    await shows(/^signs too, until/);
    await rehearsal.draft();
    await delivery('order-created').getByText('✓ delivered').waitFor();
    const [first] = receiver.received;
    if (!first) throw new Error('The receiver got nothing.');
    for (const secret of [old, fresh]) expect(verify(secret ?? '', first)).toMatchObject({ id: first.id });

    await tab.page.reload();
    await delivery('order-created').waitFor();
    expect(await secretShown().count()).toBe(0);
    await press('Delete…');
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await shows('No webhook is registered.');
    await rehearsal.draft();
    await rehearsal.settle();
    expect(receiver.received).toHaveLength(1);
  });

  test('The page of a webhook that was disabled by 410 enables it again', async () => {
    await using rehearsal = await newRehearsal();
    let answer = { status: 410 };
    await using receiver = await receiveEvents(() => answer);
    await register(rehearsal, receiver.url, 'order-created');
    await rehearsal.draft();
    await tab.open(`r/${rehearsal.name}/webhooks/shop`);
    await shows('disabled by 410');
    await delivery('order-created').getByText('cancelled').waitFor();
    expect(await button('Redeliver').count()).toBe(0);
    await tab.expectSoundInEveryLook();
    answer = ACCEPTED;
    await press('Enable it again');
    await main().getByText('active', { exact: true }).waitFor();
    await delivery('order-created').getByRole('button', { name: 'Redeliver' }).click();
    await delivery('order-created').getByText('204', { exact: true }).waitFor();
  });

  test('A delivery that was never accepted is shown as parked with all attempts, and is delivered when it is sent again', async () => {
    await using rehearsal = await newRehearsal();
    let answer: { status: number } = REFUSED;
    await using receiver = await receiveEvents(() => answer);
    await register(rehearsal, receiver.url, 'order-created');
    await rehearsal.draft();
    await rehearsal.advance('P4D');
    await tab.open(`r/${rehearsal.name}/webhooks/shop`);
    await delivery('! parked').getByRole('button', { name: 'All 10 attempts' }).click();
    expect(await delivery('order-created').getByText('503', { exact: true }).count()).toBe(10);
    await tab.expectSoundInEveryLook();
    answer = ACCEPTED;
    await delivery('order-created').getByRole('button', { name: 'Redeliver' }).click();
    await delivery('✓ delivered').waitFor();
  });

  test('The form of a webhook shows at its fields what is refused, and sends what is corrected', async () => {
    await using rehearsal = await tab.openNew('/webhooks');
    await using receiver = await receiveEvents();
    const refused = async (label: string, words: string | RegExp) => {
      await press('Register');
      await tab.wrongAt(label).filter({ hasText: words }).waitFor();
    };
    const name = main().getByLabel('Name');
    const url = main().getByLabel('URL of the receiver');
    const types = main().getByLabel('Events', { exact: true });
    await refused('Name', 'A webhook needs a name');
    await main().locator('#webhook-name:focus').waitFor();
    await name.fill('../faults');
    await refused('Name', 'lower-case letters, digits and hyphens');
    await name.fill('carrier');
    await url.fill(receiver.url);
    await refused('Name', 'choose another one');
    await name.fill('shop');
    await url.fill('http://10.0.0.1/events');
    await refused('URL of the receiver', 'OUTBOUND_ALLOW');
    await url.fill(receiver.url);
    await types.fill('order-confirmd, ext.*');
    await refused('Events', 'order-confirmed');
    await tab.expectSoundInEveryLook();
    await types.fill('order-confirmed ext.*');
    await press('Register');
    await tab.heading('shop').waitFor();
    expect(await rehearsal.control('read-webhook', SHOP)).toMatchObject({ types: ['order-confirmed', 'ext.*'], url: receiver.url });

    await press('Change…');
    await dialog().getByLabel('Events', { exact: true }).fill('*');
    await dialog().getByLabel('webhook-timestamp').selectOption('rehearsal');
    await dialog().getByRole('button', { name: 'Change', exact: true }).click();
    await shows('all (*)');
    expect(await rehearsal.control('read-webhook', SHOP)).toMatchObject({ types: ['*'], timestamp: 'rehearsal' });
    await tab.open(`r/${rehearsal.name}/webhooks`);
    await shows('all events');
    await name.fill('shop');
    await refused('Name', 'The webhook shop is registered');
  });

  test('A registered webhook is a target of faults, under its name', async () => {
    await using rehearsal = await newRehearsal();
    await using receiver = await receiveEvents();
    await register(rehearsal, receiver.url, 'order-created');
    await tab.open(`r/${rehearsal.name}/faults`);
    await main().getByLabel('What it strikes').selectOption('webhook');
    await main().getByLabel('Scan').waitFor();
    await main().getByLabel('Webhooks', { exact: true }).selectOption('shop');
    await main().getByLabel('Scan').waitFor({ state: 'detached' });
    await main().getByLabel('Name', { exact: true }).fill('twice');
    await main().getByLabel('What goes wrong').selectOption('duplicate');
    await press('Set the fault');
    await main().getByText('webhook shop · duplicate, copies 1').nth(1).waitFor();
    await tab.expectSoundInEveryLook();
    await rehearsal.draft();
    await rehearsal.settle();
    expect(receiver.received).toHaveLength(2);
    await press('All off');
    await main().getByText('Nothing goes wrong on purpose.').waitFor();

    const lost = tab.page.getByRole('switch', { name: 'Webhooks to shop are lost' });
    await lost.click();
    await tab.page.getByRole('switch', { name: 'Webhooks to shop are lost', checked: true }).waitFor();
    await rehearsal.draft();
    await tab.open(`r/${rehearsal.name}/webhooks/shop`);
    await main().getByRole('link', { name: 'withheld by shop-webhooks-lost' }).click();
    await lost.click();
    await tab.page.getByRole('switch', { name: 'Webhooks to shop are lost', checked: false }).waitFor();
    await rehearsal.settle();
    expect(receiver.received).toHaveLength(3);
  });

  test('New deliveries wait while a pointer is in the list, and older ones follow on demand', async () => {
    await using rehearsal = await newRehearsal();
    await using receiver = await receiveEvents();
    await register(rehearsal, receiver.url, 'basket-created');
    for (let count = 0; count < 52; count += 1) await rehearsal.basket({ qty: 1 });
    await rehearsal.settle();
    await tab.openLive(rehearsal, '/webhooks/shop');
    await shows('50 shown, newest first');
    await press('Show older');
    await shows('52 shown, newest first');
    await button('Show older').waitFor({ state: 'detached' });
    await delivery('basket-created').first().hover();
    await rehearsal.basket({ qty: 1 });
    await button('1 new').waitFor();
    expect(await delivery('basket-created').first().getAttribute('data-delivery')).toBe('52');
    await press('1 new');
    await main().locator('li[data-delivery="53"]').waitFor();
  });
});
