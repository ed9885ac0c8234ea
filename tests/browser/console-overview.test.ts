import { expect } from '@jest/globals';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';
import { consoleTab } from './console-tab.ts';

describeInBrowser('The overview in the console', () => {
  const tab = consoleTab();
  const test = testIn(() => tab.openNew());
  const { main, link } = tab;
  const step = (place: number) =>
    tab.page
      .getByRole('region', { name: 'First steps' })
      .getByRole('listitem')
      .nth(place - 1);
  const isDone = (place: number) => step(place).filter({ hasText: '(done)' }).waitFor();
  const map = () => tab.page.getByRole('group', { name: /^Map of the estate/ });
  const node = (name: string) => map().locator('a').filter({ hasText: name });
  const hasHops = (name: string) => node(name).filter({ hasText: ' hop' }).waitFor();

  test('The overview loads with at most 40 requests, and at most 14 of them read the estate', async (rehearsal) => {
    await rehearsal.confirmed();
    const requested: string[] = [];
    tab.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await tab.page.reload();
    await tab.isLive();
    await main().getByRole('link', { name: '13 of 13 applications ready', exact: true }).waitFor();
    await main().getByText('Authorize Payment').first().waitFor();
    await hasHops('OMS');
    // Four requests are repeated when the stream begins after their first answers.
    expect(requested.filter((path) => !path.startsWith('/console/')).length).toBeLessThanOrEqual(14);
    expect(requested.length).toBeLessThanOrEqual(40);
  });

  test('The overview places an order, shows its calls on the map and leads to its trace', async () => {
    await tab.shows('Nothing has happened here yet.');
    await step(1).getByRole('button', { name: 'Place' }).click();
    await tab.page.getByRole('status').getByText('The order is confirmed.').waitFor();
    await isDone(1);
    await hasHops('OMS');
    await hasHops('Payment Hub');
    await map().locator('title').getByText('OMS called Payment Hub').waitFor({ state: 'attached' });
    await step(2).getByRole('link', { name: 'Open' }).click();
    await tab.heading('Confirm Order').waitFor();
    await tab.page.goBack();
    await isDone(2);
  });

  test('The first steps stay away once they are closed', async () => {
    await step(1).waitFor();
    await tab.press('Close the first steps');
    await step(1).waitFor({ state: 'detached' });
    await tab.page.reload();
    await tab.shows('Nothing has happened here yet.');
    expect(await step(1).count()).toBe(0);
    await tab.page.evaluate("localStorage.removeItem('estate.first-steps')");
  });

  test('The overview shows an order that a client places over HTTP, and its map leads to the activity of an application by keyboard', async (rehearsal) => {
    await tab.shows('Nothing has happened here yet.');
    await rehearsal.confirmed();
    await link(/^Confirm Order/).waitFor();
    await link('1 order, confirmed').waitFor();
    await hasHops('Payment Hub');
    await node('Payment Hub').press('Enter');
    await tab.heading('Activity').waitFor();
    expect(new URL(tab.page.url()).search).toBe('?application=payment-hub');
    await link(/^Authorize Payment/).waitFor();
    expect(await link(/^Create Basket/).count()).toBe(0);
  });

  test('The overview makes a payment fail, shows why, and moves the clock until the parcel of an order has arrived', async (rehearsal) => {
    await step(3).getByRole('button', { name: 'Set' }).click();
    await step(3).getByText('“The Payment Hub is down” is set: place an order, and see it fail').waitFor();
    await step(3).getByRole('button', { name: 'Place' }).click();
    await tab.page.getByText(/^Authorize Payment answered 503: .*payment-hub-down/).waitFor();
    await isDone(3);
    await node('Payment Hub').filter({ hasText: '✕ down: ⚡ struck' }).waitFor();
    await step(3).getByRole('button', { name: 'Off' }).click();
    await step(3).getByRole('button', { name: 'Off' }).waitFor({ state: 'detached' });
    await node('Payment Hub').filter({ hasText: '⚡ struck, now off' }).waitFor();
    await main().getByRole('link', { name: '13 of 13 applications ready', exact: true }).waitFor();
    expect(await rehearsal.faults()).toEqual([]);
    const before = await rehearsal.now();
    await rehearsal.confirmed();
    await step(4).getByRole('button', { name: '+2 days' }).click();
    await isDone(4);
    // The step is done before the last events of the two days.
    await eventually('two days have passed', async () => (await rehearsal.now()) - before >= 2 * 86_400_000);
    const { items } = await rehearsal.client.control('list-objects', { params: { type: 'shipment' } });
    expect(items).toMatchObject([{ state: 'delivered' }]);
    await step(3).getByRole('link', { name: 'See why' }).click();
    await tab.heading('Activity').waitFor();
    await link(/^Authorize Payment/).waitFor();
    expect(new URL(tab.page.url()).search).toBe('?fault=payment-hub-down');
  });

  test('The overview warns that others see the default rehearsal, and no other rehearsal', async () => {
    await main().getByText('Nobody else sees what happens here.').waitFor();
    await tab.open('r/default');
    await main().getByText('Every request without X-Rehearsal comes here.').waitFor();
    expect(await main().getByText('Nobody else sees').count()).toBe(0);
  });

  test('The overview keeps the focus in a step whose button is replaced', async () => {
    await step(3).getByRole('button', { name: 'Set' }).waitFor();
    await step(3).getByRole('button', { name: 'Set' }).focus();
    await tab.page.keyboard.press('Enter');
    await step(3).locator('button:focus', { hasText: 'Place' }).waitFor();
  });

  test('The overview marks a fault that is set and has not struck, and leads from an application that is down to the faults', async (rehearsal) => {
    await rehearsal.fault('payment-hub-down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await rehearsal.fault('slow-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'latency', ms: 5 } });
    await node('Payment Hub').filter({ hasText: '✕ down: ◇ set' }).waitFor();
    await node('Inventory').filter({ hasText: '◇ fault set' }).waitFor();
    expect(await tab.page.locator('main summary').filter({ hasText: 'applications ready' }).textContent()).toContain(
      'down because of a fault: Payment Hub',
    );
    await tab.follow(/12 of 13 ready · 1 down because of a fault$/);
    await tab.heading('Faults').waitFor();
  });

  test('The overview copies the settings of a client as an .env file', async (rehearsal) => {
    await tab.page.getByRole('button', { name: 'Copy as .env' }).click();
    await tab.page.getByText('The .env file copied').waitFor();
    const lines = (await tab.copied()).split('\n');
    expect(lines).toContain(`ESTATE_REHEARSAL=${rehearsal.name}`);
    expect(lines).toContain('ESTATE_BEARER_TOKEN=demo-integration-token');
  });
});
