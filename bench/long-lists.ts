import type { Aim, Benchmark, Figure } from './benchmark.ts';
import { startEstate } from './child-process.ts';
import { type OwnRehearsal, openRehearsal } from './order-journey.ts';
import { compare, median } from './rounds.ts';

const MEMBER = 'loy_ada';
const GRANTS = 1_000;
const REFUNDS = 100;
/** Calls at the beginning and at the end whose median is compared. */
const SAMPLE = 50;
const REFUND_SAMPLE = 20;
const AIM = { of: 'ratio', atMost: 1.25 } as const;

/** The cost of a grant does not grow with the number of earlier grants. Refunds are part of their payment, so the limit of refunds bounds their cost. */
export const longLists: Benchmark = {
  name: 'long-lists',
  title: `The ${GRANTS}th Issue Loyalty Points to one account against the first, and the ${REFUNDS}th Refund Payment of one payment`,
  run: async ({ profiles, progress, rounds }) => {
    await using estate = await startEstate({ profiles });
    const series = async (what: string, run: (own: OwnRehearsal) => Promise<Series>, aim?: Aim): Promise<Figure> => {
      const found: Series[] = [];
      // The first series is not counted: it warms the process up.
      for (let round = 0; round <= rounds; round++) {
        progress(`long lists: ${what}, round ${round} of ${rounds}`);
        await using own = await openRehearsal(estate.address('gateway'));
        found.push(await run(own));
      }
      const [, ...counted] = found;
      const taken = { ours: counted.map(({ last }) => last), reference: counted.map(({ first }) => first) };
      return { what, unit: 'ms', ...compare(taken, (ms) => ms), ...(aim && { aim }) };
    };
    return [await series(`${GRANTS}th grant of points`, grants, AIM), await series(`${REFUNDS}th refund`, refunds)];
  },
};

/** Median times of the first and the last calls, in ms. */
interface Series {
  readonly first: number;
  readonly last: number;
}

async function timed(calls: number, sample: number, call: (n: number) => Promise<{ readonly ok: boolean }>): Promise<Series> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const started = performance.now();
    const { ok } = await call(n);
    if (!ok) throw new Error(`Call ${n + 1} was refused.`);
    times.push(performance.now() - started);
  }
  return { first: median(times.slice(0, sample)), last: median(times.slice(-sample)) };
}

const grants = ({ client }: OwnRehearsal): Promise<Series> =>
  timed(GRANTS, SAMPLE, () => client.call('POST', `/loyalty/accounts/${MEMBER}/points`, { points: 1, reason: 'goodwill' }));

async function refunds({ client }: OwnRehearsal): Promise<Series> {
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const sale = await client.call('POST', '/transactions', { storeId: 'store-01', laneId: 'lane-1', lines });
  const { id, totals } = sale.body as { id: string; totals: { total: { amount: number; currency: string } } };
  const paid = await client.call('POST', `/transactions/${id}/payment`, { tender: { type: 'cash' }, amount: totals.total });
  const { id: payment } = paid.body as { id: string };
  await client.control('settle');
  const amount = { amount: 1, currency: totals.total.currency };
  return timed(REFUNDS, REFUND_SAMPLE, () => client.call('POST', `/payments/${payment}/refunds`, { amount }));
}
