import { expect } from '@jest/globals';
import { clientOf } from '../redis/replicas/running-replicas.ts';
import type { consoleTab } from './console-tab.ts';

export interface MovingStream {
  readonly tab: ReturnType<typeof consoleTab>;
  /** Address that leads to one of several gateways. */
  readonly gateway: string;
  /** Name of a rehearsal that does not exist yet. */
  readonly rehearsal: string;
  /** Stops the gateway that serves the stream of the page; it is called once per round. */
  readonly stopGateway: () => Promise<unknown>;
}

/** The first call follows when the page is live, the others after a gateway has stopped. */
const ROUNDS = [
  { path: '/products/mug-blue', title: 'Get Product' },
  { path: '/customers/cus_ada', title: 'Get Customer' },
  { path: '/members/loy_ada/balance', title: 'Get Member Balance' },
] as const;

/** Expects the activity to reconnect to another gateway when its gateway stops, twice, and to list every trace once. */
export async function expectStreamMoves({ tab, gateway, rehearsal, stopGateway }: MovingStream): Promise<void> {
  await using client = clientOf(gateway, rehearsal);
  await client.control('create-rehearsal', { body: { name: rehearsal } });
  await tab.open(`r/${rehearsal}/activity`, gateway);
  await tab.signInIfAsked();
  await tab.isLive();
  await tab.page.evaluate(NOTE_STATES);
  for (const [round, { path, title }] of ROUNDS.entries()) {
    if (round > 0) await stopGateway();
    await client.call('GET', path);
    await tab.row(title).waitFor();
    await tab.isLive();
  }
  expect(await tab.page.evaluate('states.filter((words) => /^Reconnecting since/.test(words)).length')).toBeGreaterThanOrEqual(2);
  const { items } = await client.control('list-traces', { query: { limit: 200 } });
  const links = await tab.page.locator('a[data-row]').evaluateAll((rows) => rows.map((row) => row.getAttribute('href')?.split('/').at(-1)));
  expect(links).toEqual(items.map(({ correlationId }) => correlationId));
  await tab.chooseOfClock('Verify');
  await tab.page.getByText(/^All \d+ invariants hold\.$/).waitFor();
}

/** Runs in the page: keeps every text of the button of the stream. */
const NOTE_STATES = `{
  globalThis.states = [];
  new MutationObserver(() => states.push([...document.querySelectorAll('#console header button.badge')].at(-1)?.textContent ?? '')).observe(
    document.querySelector('#console header'),
    { childList: true, subtree: true, characterData: true },
  );
}`;
