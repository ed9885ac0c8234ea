import type { Benchmark } from './benchmark.ts';
import { type Child, startEstate } from './child-process.ts';
import { inNewRehearsal, placeOrder } from './order-journey.ts';
import type { JsonCalls } from './servers/count-json.ts';

const COUNT_JSON = new URL('./servers/count-json.ts', import.meta.url).href;
/** Orders before the count: they fill caches and run each handler once. */
const WARM_UP = 5;
const ORDERS = 20;

/** JSON calls in the whole estate for one order, from its basket to its confirmation and the consumption of its events. */
export const json: Benchmark = {
  name: 'json',
  title: 'JSON.parse and JSON.stringify in one process, per order; a count does not depend on the machine',
  run: async () => {
    const { parse, stringify } = await jsonCallsPerOrder();
    return [
      { what: 'JSON.parse per order', unit: 'calls', figure: parse, aim: { of: 'figure', atMost: 120 } },
      { what: 'JSON.stringify per order', unit: 'calls', figure: stringify, aim: { of: 'figure', atMost: 270 } },
    ];
  },
};

export async function jsonCallsPerOrder(): Promise<JsonCalls> {
  await using estate = await startEstate({
    preloads: [COUNT_JSON],
    env: { TRANSPORT: 'process', JOURNAL: 'on', STRICT_RESPONSES: 'false' },
  });
  return await inNewRehearsal(estate.address('gateway'), async ({ client }) => {
    const place = async (orders: number): Promise<void> => {
      for (let order = 0; order < orders; order++) await placeOrder(client);
      await client.control('settle');
    };
    await place(WARM_UP);
    const before = await counted(estate);
    await place(ORDERS);
    const after = await counted(estate);
    return { parse: (after.parse - before.parse) / ORDERS, stringify: (after.stringify - before.stringify) / ORDERS };
  });
}

const counted = async (estate: Child): Promise<JsonCalls> => (await estate.ask({ count: 'json' }, 'jsonCalls')) as JsonCalls;
