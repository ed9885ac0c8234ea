import type { Benchmark, Figure } from './benchmark.ts';
import { type Child, startChild, startEstate } from './child-process.ts';
import {
  completeOrder,
  type MeasuredRound,
  type OwnRehearsal,
  openRehearsal,
  orderFigures,
  REQUESTS_PER_JOURNEY,
  requireHolding,
  stranger,
} from './order-journey.ts';
import { inTurn } from './rounds.ts';

const CLIENTS = [1, 8] as const;

/** Orders from basket to delivery. Each client has a separate rehearsal, because it advances the clock. */
export const journeys: Benchmark = {
  name: 'journeys',
  title: `Orders from basket to delivery, ${REQUESTS_PER_JOURNEY} requests, against as many requests to a node:http echo`,
  run: async (settings) => {
    const { seconds, profiles } = settings;
    await using estate = await startEstate({ profiles });
    await using echo = await startChild('bench/servers/bare-http.ts');
    const gateway = estate.address('gateway');
    const figures: Figure[] = [];
    for (const clients of CLIENTS) {
      const taken = await inTurn(settings, `journeys of ${clients} clients`, {
        ours: () => round({ child: estate, clients, seconds, open: () => openRehearsal(gateway), end: 'completed' }),
        reference: () => round({ child: echo, clients, seconds, open: async () => stranger(echo.address('url')), end: undefined }),
        warmUps: 1,
      });
      figures.push(...orderFigures(taken, clients, 'whole order'));
    }
    return figures;
  },
};

interface JourneyLoad {
  readonly child: Child;
  readonly clients: number;
  readonly seconds: number;
  readonly open: () => Promise<OwnRehearsal>;
  /** Required final state of every order. */
  readonly end: string | undefined;
}

async function round({ child, clients, seconds, open, end }: JourneyLoad): Promise<MeasuredRound> {
  await using opened = new AsyncDisposableStack();
  const own: OwnRehearsal[] = [];
  for (let client = 0; client < clients; client++) own.push(opened.use(await open()));
  const latenciesMs: number[] = [];
  const before = await child.usage();
  const started = performance.now();
  const lane = async ({ client }: OwnRehearsal): Promise<void> => {
    do {
      const from = performance.now();
      const state = await completeOrder(client);
      if (state !== end) throw new Error(`An order ended ${state}, not ${end}.`);
      latenciesMs.push(performance.now() - from);
    } while (performance.now() - started < seconds * 1_000);
  };
  await Promise.all(own.map(lane));
  const took = performance.now() - started;
  const cpuMs = ((await child.usage()).cpuMicros - before.cpuMicros) / 1_000 / latenciesMs.length;
  // The echo has no rehearsals.
  if (end !== undefined) for (const rehearsal of own) await requireHolding(rehearsal);
  return { perSecond: (latenciesMs.length * 1_000) / took, latenciesMs, cpuMs };
}
