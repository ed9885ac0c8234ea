import { createEstateClient } from '../rehearsal/estate-client.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import { startEstate } from './estate-process.ts';
import { type OrderRound, placeOrders, REQUESTS_PER_ORDER } from './order-load.ts';
import { compare, inTurn, quantile, type Rounds } from './rounds.ts';

const CLIENTS = [1, 20] as const;

/** Whole orders through the gateway of the whole estate, against as many requests that a bare server echoes. */
export const orders: Benchmark = {
  name: 'orders',
  title: `Whole orders of ${REQUESTS_PER_ORDER} requests, against as many requests to a node:http echo`,
  run: async (settings) => {
    await using estate = await startEstate({ profiles: settings.profiles });
    await using echo = await startChild('bench/servers/bare-http.ts');
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await contest({ settings, clients, estate, echo });
      figures.push(...figuresOf(taken, clients));
    }
    return figures;
  },
};

interface OrderContest {
  readonly settings: Settings;
  readonly clients: number;
  readonly estate: Child;
  readonly echo: Child;
}

/** Result of a round, and the CPU time of the process per order. */
type LoadedRound = OrderRound & { readonly cpuMs: number };

async function contest({ settings: { seconds, rounds, progress }, clients, estate, echo }: OrderContest): Promise<Rounds<LoadedRound>> {
  const gateway = estate.address('gateway');
  const round = (child: Child, url: string, bearer: string): Promise<LoadedRound> =>
    withCpu(child, () => placeOrders({ url, bearer, clients, for: { seconds } }));
  const ours = (): Promise<LoadedRound> => inNewRehearsal(gateway, (bearer) => round(estate, gateway, bearer));
  const reference = (): Promise<LoadedRound> => round(echo, echo.address('url'), 'nobody');
  for (const warmUp of [ours, reference]) await warmUp();
  return inTurn({
    rounds,
    ours: (number) => {
      progress(`orders of ${clients} clients, round ${number} of ${rounds}`);
      return ours();
    },
    reference,
  });
}

async function withCpu(child: Child, load: () => Promise<OrderRound>): Promise<LoadedRound> {
  const before = await child.usage();
  const round = await load();
  const after = await child.usage();
  return { ...round, cpuMs: (after.cpuMicros - before.cpuMicros) / 1_000 / round.latenciesMs.length };
}

function figuresOf(taken: Rounds<LoadedRound>, clients: number): readonly Figure[] {
  const of = clients === 1 ? '1 client' : `${clients} clients`;
  const latency = (at: number): { figure: number; reference: number } => ({
    figure: quantile(
      taken.ours.flatMap(({ latenciesMs }) => latenciesMs),
      at,
    ),
    reference: quantile(
      taken.reference.flatMap(({ latenciesMs }) => latenciesMs),
      at,
    ),
  });
  return [
    { what: `orders, ${of}`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond) },
    { what: `CPU per order, ${of}`, unit: 'ms', ...compare(taken, ({ cpuMs }) => cpuMs) },
    { what: `time of an order, ${of}, p50`, unit: 'ms', ...latency(0.5) },
    { what: `time of an order, ${of}, p99`, unit: 'ms', ...latency(0.99) },
  ];
}

/** Each round uses a new rehearsal with full stock and deletes it afterwards. */
export async function inNewRehearsal<Result>(gateway: string, act: (bearer: string, name: string) => Promise<Result>): Promise<Result> {
  const client = createEstateClient({ gateway, bearer: '', apiKey: '', admin: 'demo-sim-admin', rehearsal: 'default' });
  const { name, credentials } = await client.control('create-rehearsal');
  try {
    return await act(credentials.bearer, name);
  } finally {
    await client.control('delete-rehearsal', { params: { name } });
    await client.close();
  }
}
