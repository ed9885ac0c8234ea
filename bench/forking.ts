import type { Benchmark } from './benchmark.ts';
import { startEstate } from './child-process.ts';
import { type OwnRehearsal, openRehearsal, placeOrders } from './order-journey.ts';
import { compare } from './rounds.ts';

const ORDERS = 1_000;
const CLIENTS = 8;
const SNAPSHOT = 'many-orders';
const AIM = { of: 'figure', atMost: 1_000 } as const;

type Origin = { readonly rehearsal: string } | { readonly snapshot: string };

export const forking: Benchmark = {
  name: 'forking',
  title: `A new rehearsal that continues one with ${ORDERS} orders, against a freshly seeded rehearsal`,
  run: async ({ profiles, progress, rounds }) => {
    await using estate = await startEstate({ profiles });
    const url = estate.address('gateway');
    await using large = await openRehearsal(url);
    progress(`forking: ${ORDERS} orders are placed`);
    await placeOrders({ url, bearer: large.bearer, clients: CLIENTS, for: { orders: ORDERS } });
    await large.client.control('settle', { body: { timeoutMs: 60_000 } });
    const { bytes, objects } = await large.client.control('save-snapshot', { params: { name: SNAPSHOT } });
    const forks: number[] = [];
    const openings: number[] = [];
    const seedings: number[] = [];
    // The first round warms the process up.
    for (let round = 0; round <= rounds; round++) {
      progress(`forking: round ${round} of ${rounds}`);
      seedings.push(await creation(large));
      forks.push(await creation(large, { rehearsal: large.name }));
      openings.push(await creation(large, { snapshot: SNAPSHOT }));
    }
    const reference = seedings.slice(1);
    return [
      { what: 'fork', unit: 'ms', ...compare({ ours: forks.slice(1), reference }, (ms) => ms), aim: AIM },
      { what: 'opening a snapshot', unit: 'ms', ...compare({ ours: openings.slice(1), reference }, (ms) => ms) },
      { what: 'objects of the world', unit: '', figure: objects },
      { what: 'size of the file', unit: 'bytes', figure: bytes },
    ];
  },
};

/** @returns the time of creating a rehearsal, in ms */
async function creation({ client }: OwnRehearsal, from?: Origin): Promise<number> {
  const started = performance.now();
  const { name } = await client.control('create-rehearsal', { body: { from } });
  const taken = performance.now() - started;
  await client.control('delete-rehearsal', { params: { name } });
  return taken;
}
