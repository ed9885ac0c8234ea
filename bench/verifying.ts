import type { Benchmark } from './benchmark.ts';
import { startEstate } from './child-process.ts';
import { type OwnRehearsal, openRehearsal, placeOrders } from './order-journey.ts';
import { compare, quantile } from './rounds.ts';

const ORDERS = 600;
const CLIENTS = 16;
const REQUESTS = 200;
const AIM = { of: 'ratio', atMost: 1.5 } as const;

export const verifying: Benchmark = {
  name: 'verifying',
  title: `A request while ${CLIENTS} clients verify another rehearsal with ${ORDERS} orders, against a request while nobody does`,
  run: async ({ profiles, progress, rounds }) => {
    await using estate = await startEstate({ profiles });
    const url = estate.address('gateway');
    await using large = await openRehearsal(url);
    await using other = await openRehearsal(url);
    progress(`verifying: ${ORDERS} orders are placed`);
    await placeOrders({ url, bearer: large.bearer, clients: 8, for: { orders: ORDERS } });
    await requests(other);
    const [ours, reference]: [number[], number[]] = [[], []];
    let verifications = 0;
    for (let round = 1; round <= rounds; round++) {
      progress(`verifying: round ${round} of ${rounds}`);
      reference.push(await requests(other));
      const stop = new AbortController();
      const verifiers = Array.from({ length: CLIENTS }, async () => {
        while (!stop.signal.aborted) {
          const { holds } = await large.client.control('verify');
          if (!holds) throw new Error('The invariants do not hold.');
          verifications += 1;
        }
      });
      ours.push(await requests(other));
      stop.abort();
      await Promise.all(verifiers);
    }
    return [
      { what: 'time of a request, p50', unit: 'ms', ...compare({ ours, reference }, (ms) => ms), aim: AIM },
      { what: 'answers of verify', unit: '', figure: verifications },
    ];
  },
};

/** @returns the median time of a request, in ms */
async function requests({ client }: OwnRehearsal): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const started = performance.now();
    await client.call('GET', '/customers/cus_ada');
    times.push(performance.now() - started);
  }
  return quantile(times, 0.5);
}
