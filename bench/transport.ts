import type { Benchmark, Figure, Settings } from './benchmark.ts';
import type { Child } from './child-process.ts';
import { startEstate } from './estate-process.ts';
import { type MeasuredRound, orderFigures, ordersInNewRehearsal } from './order-load.ts';
import { inTurn, type Rounds } from './rounds.ts';

const CLIENTS = [1, 20] as const;

export const transport: Benchmark = {
  name: 'transport',
  title: 'Whole orders with calls in process, against calls over HTTP',
  run: async (settings) => {
    await using inProcess = await startEstate({ env: { TRANSPORT: 'process' }, profiles: settings.profiles });
    await using overHttp = await startEstate({ env: { TRANSPORT: 'http' }, profiles: settings.profiles });
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await contest(settings, clients, inProcess, overHttp);
      figures.push(...orderFigures(taken, clients).map(withAim));
    }
    return figures;
  },
};

async function contest(
  { seconds, rounds, progress }: Settings,
  clients: number,
  inProcess: Child,
  overHttp: Child,
): Promise<Rounds<MeasuredRound>> {
  const round = (estate: Child): Promise<MeasuredRound> => ordersInNewRehearsal(estate, { clients, seconds });
  for (const estate of [inProcess, overHttp]) await round(estate);
  return inTurn({
    rounds,
    ours: (number) => {
      progress(`transport, ${clients} clients, round ${number} of ${rounds}`);
      return round(inProcess);
    },
    reference: () => round(overHttp),
  });
}

const withAim = (figure: Figure): Figure => (figure.what.startsWith('CPU') ? { ...figure, aim: { of: 'ratio', atMost: 0.6 } } : figure);
