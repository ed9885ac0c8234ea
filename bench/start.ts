import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild, startEstate } from './child-process.ts';
import { inNewRehearsal, placeOrders } from './order-journey.ts';
import { compare, inTurn } from './rounds.ts';

const ORDERS = 500;
const CLIENTS = 20;
const MEBIBYTE = 1_048_576;

export const start: Benchmark = {
  name: 'start',
  title: 'Start and memory of the whole estate, against Express with one route',
  run: async (settings) => [...(await starts(settings)), ...(await memory(settings))],
};

async function starts(settings: Settings): Promise<readonly Figure[]> {
  const taken = await inTurn(settings, 'start', {
    ours: () => startMs(() => startEstate({ reportsUsage: false }), 'gateway'),
    reference: () => startMs(() => startChild('bench/servers/bare-express.ts', { reportsUsage: false }), 'url'),
  });
  return [{ what: 'start to ready', unit: 'ms', ...compare(taken, (ms) => ms), aim: { of: 'figure', atMost: 1_500 } }];
}

/** Time from the start of the process until `/readyz` answers 200. */
async function startMs(begin: () => Promise<Child>, name: string): Promise<number> {
  const started = performance.now();
  await using child = await begin();
  const { status } = await fetch(`${child.address(name)}/readyz`);
  const took = performance.now() - started;
  if (status !== 200) throw new Error(`/readyz answered ${status}.`);
  return took;
}

async function memory({ progress, profiles }: Settings): Promise<readonly Figure[]> {
  progress(`memory, with ${ORDERS} orders`);
  await using estate = await startEstate({ profiles });
  await using bare = await startChild('bench/servers/bare-express.ts');
  const gateway = estate.address('gateway');
  const atStart = await estate.usage();
  const reference = (await bare.usage()).rssBytes / MEBIBYTE;
  const afterwards = await inNewRehearsal(gateway, async ({ bearer }) => {
    await placeOrders({ url: gateway, bearer, clients: CLIENTS, for: { orders: ORDERS } });
    return estate.usage();
  });
  const figure = (what: string, bytes: number, atMost: number): Figure => ({
    what,
    unit: 'MiB',
    figure: bytes / MEBIBYTE,
    reference,
    aim: { of: 'figure', atMost },
  });
  return [
    figure('memory (RSS) after the start', atStart.rssBytes, 250),
    figure(`memory (RSS) after ${ORDERS} orders`, afterwards.rssBytes, 270),
  ];
}
