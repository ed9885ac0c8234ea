import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import { startEstate } from './estate-process.ts';
import { type MeasuredRound, measureOrders, orderFigures, ordersInNewRehearsal, REQUESTS_PER_ORDER } from './order-load.ts';
import { inTurn, type Rounds } from './rounds.ts';

const CLIENTS = [1, 20] as const;

export const orders: Benchmark = {
  name: 'orders',
  title: `Whole orders of ${REQUESTS_PER_ORDER} requests, against as many requests to a node:http echo`,
  run: async (settings) => {
    await using estate = await startEstate({ profiles: settings.profiles });
    await using echo = await startChild('bench/servers/bare-http.ts');
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await contest({ settings, clients, estate, echo });
      figures.push(...orderFigures(taken, clients));
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

async function contest({ settings: { seconds, rounds, progress }, clients, estate, echo }: OrderContest): Promise<Rounds<MeasuredRound>> {
  const ours = (): Promise<MeasuredRound> => ordersInNewRehearsal(estate, { clients, seconds });
  const reference = (): Promise<MeasuredRound> =>
    measureOrders(echo, { url: echo.address('url'), bearer: 'nobody', clients, for: { seconds } });
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
