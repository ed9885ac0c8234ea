import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import { startEstate } from './estate-process.ts';
import { completeOrder, REQUESTS_PER_JOURNEY } from './order-journey.ts';
import { latencyOf } from './order-load.ts';
import { type OwnRehearsal, openRehearsal, requireHolding, stranger } from './rehearsals.ts';
import { compare, inTurn, type Rounds } from './rounds.ts';

const CLIENTS = [1, 8] as const;

/** Orders from the basket to the door, each client in a separate rehearsal, because each moves its clock. */
export const journeys: Benchmark = {
  name: 'journeys',
  title: `Orders from basket to delivery, ${REQUESTS_PER_JOURNEY} requests, against as many requests to a node:http echo`,
  run: async (settings) => {
    await using estate = await startEstate({ profiles: settings.profiles });
    await using echo = await startChild('bench/servers/bare-http.ts');
    const figures: Figure[] = [];
    for (const clients of CLIENTS) figures.push(...figuresOf(await contest({ settings, clients, estate, echo }), clients));
    return figures;
  },
};

interface JourneyContest {
  readonly settings: Settings;
  readonly clients: number;
  readonly estate: Child;
  readonly echo: Child;
}

interface JourneyRound {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  /** CPU time of the process per order. */
  readonly cpuMs: number;
}

async function contest({ settings, clients, estate, echo }: JourneyContest): Promise<Rounds<JourneyRound>> {
  const { seconds, rounds, progress } = settings;
  const gateway = estate.address('gateway');
  const ours = (): Promise<JourneyRound> =>
    round({ child: estate, clients, seconds, open: () => openRehearsal(gateway), end: 'completed' });
  const reference = (): Promise<JourneyRound> =>
    round({ child: echo, clients, seconds, open: async () => stranger(echo.address('url')), end: undefined });
  for (const warmUp of [ours, reference]) await warmUp();
  return inTurn({
    rounds,
    ours: (number) => {
      progress(`journeys of ${clients} clients, round ${number} of ${rounds}`);
      return ours();
    },
    reference,
  });
}

interface JourneyLoad {
  readonly child: Child;
  readonly clients: number;
  readonly seconds: number;
  readonly open: () => Promise<OwnRehearsal>;
  /** Required final state of every order. */
  readonly end: string | undefined;
}

async function round({ child, clients, seconds, open, end }: JourneyLoad): Promise<JourneyRound> {
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

function figuresOf(taken: Rounds<JourneyRound>, clients: number): readonly Figure[] {
  const of = clients === 1 ? '1 client' : `${clients} clients`;
  const latency = (at: number) => ({ figure: latencyOf(taken.ours, at), reference: latencyOf(taken.reference, at) });
  return [
    { what: `whole orders, ${of}`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond) },
    { what: `CPU per whole order, ${of}`, unit: 'ms', ...compare(taken, ({ cpuMs }) => cpuMs) },
    { what: `time of a whole order, ${of}, p50`, unit: 'ms', ...latency(0.5) },
    { what: `time of a whole order, ${of}, p99`, unit: 'ms', ...latency(0.99) },
  ];
}
