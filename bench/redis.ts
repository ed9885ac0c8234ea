import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { startEstate } from './estate-process.ts';
import { placeOrders } from './order-journey.ts';
import { countCommands, isRedisInstalled, startRedis, sum } from './redis-server.ts';
import { inNewRehearsal } from './rehearsals.ts';
import { median } from './rounds.ts';

const CLIENTS = 4;
const ORDERS = 60;
const WARM_UP = 20;

/** What an order costs Redis. The counts hardly depend on the machine. */
export const redis: Benchmark = {
  name: 'redis',
  title: `Work of Redis per whole order, ${CLIENTS} clients, one process`,
  run: async (settings) => {
    if (isRedisInstalled()) return measure(settings);
    settings.progress('redis is left out: redis-server is not installed');
    return [];
  },
};

async function measure({ rounds, progress, profiles }: Settings): Promise<readonly Figure[]> {
  await using server = await startRedis();
  await using estate = await startEstate({ env: { REDIS_URL: server.url }, profiles });
  const gateway = estate.address('gateway');
  return await inNewRehearsal(gateway, async ({ bearer }) => {
    const place = async (orders: number): Promise<void> => {
      await placeOrders({ url: gateway, bearer, clients: CLIENTS, for: { orders } });
    };
    await place(WARM_UP);
    progress(`redis, ${ORDERS} orders are counted`);
    const before = await server.commands();
    const sent = await countCommands(server.url, () => place(ORDERS));
    const all = ((await server.commands()) - before) / ORDERS;
    const cpuMs: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`redis, CPU, round ${round} of ${rounds}`);
      const started = await server.cpuMs();
      await place(ORDERS);
      cpuMs.push(((await server.cpuMs()) - started) / ORDERS);
    }
    return [
      { what: 'scripts per order', unit: '', figure: sum(sent.scripts) / ORDERS, aim: { of: 'figure', atMost: 120 } },
      { what: 'plain commands per order', unit: '', figure: sum(sent.plain) / ORDERS },
      { what: 'both per order', unit: '', figure: (sum(sent.scripts) + sum(sent.plain)) / ORDERS, aim: { of: 'figure', atMost: 120 } },
      { what: 'commands per order, with those within scripts', unit: '', figure: all },
      { what: 'CPU of Redis per order', unit: 'ms', figure: median(cpuMs) },
      ...perOrder('script', sent.scripts),
      ...perOrder('command', sent.plain),
    ];
  });
}

const perOrder = (kind: string, counts: ReadonlyMap<string, number>): readonly Figure[] =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => ({ what: `${kind} ${name}, per order`, unit: '', figure: count / ORDERS }));
