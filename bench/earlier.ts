import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { buildEdition, type ComposeEstate, currentEdition, startCompose, whyNoCompose } from './compose-estate.ts';
import { placeOrders } from './order-load.ts';
import { inNewRehearsal } from './rehearsals.ts';
import { compare, inTurn } from './rounds.ts';

const CLIENTS = 4;
/** Orders after which V8 has compiled the code of an order. */
const WARM_UP_ORDERS = 300;
const ORDERS = 60;

/** CPU time of an order in containers, against an earlier commit of the project. The two estates run side by side and take turns. */
export const earlier: Benchmark = {
  name: 'earlier',
  title: 'Orders in containers, against an earlier commit',
  onlyByName: true,
  run: async (settings) => {
    const folder = process.env['EARLIER'];
    const why = await whyNoCompose();
    if (why !== undefined || !folder) {
      settings.progress(`earlier is left out: ${why ?? 'EARLIER must name a folder with a checkout of an earlier commit'}`);
      return [];
    }
    settings.progress('earlier: docker compose up --wait, for both commits');
    await using current = await startCompose(await currentEdition());
    await using before = await startCompose(await buildEdition(folder, 'unified-commerce-estate:earlier'));
    return await contest(settings, current, before);
  },
};

async function contest(settings: Settings, current: ComposeEstate, before: ComposeEstate): Promise<readonly Figure[]> {
  for (const estate of [current, before]) {
    settings.progress(`earlier, ${WARM_UP_ORDERS} orders warm up ${estate.image}`);
    await ordersAt(estate, WARM_UP_ORDERS);
  }
  const taken = await inTurn(settings, 'earlier', { ours: () => ordersAt(current, ORDERS), reference: () => ordersAt(before, ORDERS) });
  return [
    { what: 'CPU per order, without Redis and Kafka', unit: 'ms', ...compare(taken, (cpuMs) => cpuMs), aim: { of: 'ratio', atMost: 0.75 } },
  ];
}

/** @returns milliseconds of CPU time per order. They include the background work of the containers. */
async function ordersAt(estate: ComposeEstate, orders: number): Promise<number> {
  return await inNewRehearsal(estate.gateway, async ({ bearer }) => {
    const before = await estate.cpuMs();
    await placeOrders({ url: estate.gateway, bearer, clients: CLIENTS, for: { orders } });
    return ((await estate.cpuMs()) - before) / orders;
  });
}
