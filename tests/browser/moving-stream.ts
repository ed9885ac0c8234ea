import { expect } from '@jest/globals';
import { clientOf } from '../redis/replicas/running-replicas.ts';
import type { consoleTab } from './console-tab.ts';

export interface MovingStream {
  readonly tab: ReturnType<typeof consoleTab>;
  /** Leads to one of several gateways. */
  readonly gateway: string;
  /** A new one. */
  readonly rehearsal: string;
  /** Ends the gateway to which the page's stream leads; each round another one. */
  readonly stopGateway: () => Promise<unknown>;
}

/** One thing that happens after the page is live, and one after each of two gateways has ended. */
const ROUNDS = [
  { path: '/products/mug-blue', title: 'Get Product' },
  { path: '/customers/cus_ada', title: 'Get Customer' },
  { path: '/members/loy_ada/balance', title: 'Get Member Balance' },
] as const;

/** The activity of a rehearsal stays live when its gateway ends, twice: it turns amber, goes on at another gateway, and lists every trace once. */
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
  await tab.page.getByRole('button', { name: 'Verify' }).click();
  await tab.page.getByText(/^All \d+ invariants hold\.$/).waitFor();
}

/** Runs in the page: keeps what the button of the stream has said. */
const NOTE_STATES = `{
  globalThis.states = [];
  new MutationObserver(() => states.push([...document.querySelectorAll('.bar button.badge')].at(-1)?.textContent ?? '')).observe(
    document.querySelector('.bar'),
    { childList: true, subtree: true, characterData: true },
  );
}`;
