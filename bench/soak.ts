import { setTimeout as sleep } from 'node:timers/promises';
import { runScenario } from '../rehearsal/runner.ts';
import type { Scenario } from '../rehearsal/scenario.ts';
import { scenarios } from '../rehearsal/scenarios.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startEstate } from './child-process.ts';
import { ADMIN, completeOrder, openRehearsal, requireHolding } from './order-journey.ts';
import { median } from './rounds.ts';

/** Wall time after which an unused rehearsal expires. */
const IDLE_EXPIRY = 'PT2M';
/** Work arrives at a fixed rate that does not depend on the machine's speed, so that the number of rehearsals stays constant. */
const SCENARIO_EVERY_MS = 2_000;
const ORDER_EVERY_MS = 2_000;
/** Orders from basket to delivery in one rehearsal, before a new one replaces it. */
const ORDERS_PER_REHEARSAL = 25;
/** Limit of concurrent work. At the limit no work starts, so a slow machine runs fewer scenarios and has no growing queue. */
const MOST_AT_WORK = 8;
const SAMPLE_MS = 5_000;
const MEBIBYTE = 1_048_576;

interface Tally {
  scenarios: number;
  orders: number;
  rehearsals: number;
  verified: number;
  readonly failures: string[];
}

interface Sample {
  readonly rssBytes: number;
  readonly rehearsals: number;
}

/** An hour of everyday use: `npm run bench -- soak --seconds 3600`. */
export const soak: Benchmark = {
  name: 'soak',
  title: `Mixed load in rehearsals that come and go and expire after ${IDLE_EXPIRY}: the last quarter against the second`,
  onlyByName: true,
  run: async (settings) => {
    // Scenarios inject faults, and the applications log warnings about them.
    const env = { REHEARSAL_IDLE_EXPIRY: IDLE_EXPIRY, LOG_LEVEL: 'error' };
    await using estate = await startEstate({ profiles: settings.profiles, env });
    const tally: Tally = { scenarios: 0, orders: 0, rehearsals: 0, verified: 0, failures: [] };
    const samples = await underLoad({ estate, settings, tally });
    return figuresOf(tally, samples);
  },
};

interface Load {
  readonly estate: Child;
  readonly settings: Settings;
  readonly tally: Tally;
}

async function underLoad({ estate, settings, tally }: Load): Promise<readonly Sample[]> {
  const gateway = estate.address('gateway');
  const until = performance.now() + settings.seconds * 1_000;
  const samples: Sample[] = [];
  const noting = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      const failure = error instanceof Error ? error.message : String(error);
      tally.failures.push(failure);
      settings.progress(failure);
    });
  const sampling = async (): Promise<void> => {
    await using own = await openRehearsal(gateway, { leaves: true });
    while (performance.now() < until) {
      const { items } = await own.client.control('list-rehearsals');
      samples.push({ rssBytes: (await estate.usage()).rssBytes, rehearsals: items.length });
      settings.progress(`soak: ${progressOf(tally, samples)}`);
      await sleep(SAMPLE_MS);
    }
  };
  await Promise.all([
    sampling(),
    arrivals(until, SCENARIO_EVERY_MS, (turn) => noting(playScenario({ gateway, tally, turn, scenario: scenarioAt(turn) }))),
    arrivals(until, ORDER_EVERY_MS * ORDERS_PER_REHEARSAL, () => noting(deliverOrders({ gateway, tally, until }))),
  ]);
  return samples;
}

/** Starts work at a fixed interval until an instant, and waits for all of it. */
async function arrivals(until: number, everyMs: number, start: (turn: number) => Promise<void>): Promise<void> {
  const atWork = new Set<Promise<void>>();
  const began = performance.now();
  for (let turn = 0; performance.now() < until; turn++) {
    const work = start(turn).finally(() => atWork.delete(work));
    atWork.add(work);
    await sleep(Math.max(0, began + (turn + 1) * everyMs - performance.now()));
    while (atWork.size >= MOST_AT_WORK) await Promise.race(atWork);
  }
  await Promise.all(atWork);
}

function scenarioAt(turn: number): Scenario {
  const scenario = scenarios[turn % scenarios.length];
  if (!scenario) throw new Error('There are no scenarios.');
  return scenario;
}

interface Play {
  readonly gateway: string;
  readonly tally: Tally;
  readonly turn: number;
  readonly scenario: Scenario;
}

/** Leaves every second rehearsal to expire. */
async function playScenario({ gateway, tally, turn, scenario }: Play): Promise<void> {
  tally.rehearsals += 1;
  await runScenario(scenario, {
    gateway,
    bearer: 'demo-integration-token',
    apiKey: 'demo-carrier-key',
    admin: ADMIN,
    leavesRehearsal: turn % 2 === 0,
    report: {
      begin: () => {},
      step: () => {},
      note: () => {},
      invariants: () => {},
      end: (_scenario, failure) => {
        if (failure !== undefined) throw new Error(`${scenario.name}: ${failure}`);
      },
    },
  });
  tally.scenarios += 1;
  tally.verified += 1;
}

interface Deliveries {
  readonly gateway: string;
  readonly tally: Tally;
  readonly until: number;
}

/** Delivers orders in one rehearsal, verifies it and leaves it to expire. */
async function deliverOrders({ gateway, tally, until }: Deliveries): Promise<void> {
  tally.rehearsals += 1;
  await using own = await openRehearsal(gateway, { leaves: true });
  for (let order = 0; order < ORDERS_PER_REHEARSAL && performance.now() < until; order++) {
    const state = await completeOrder(own.client);
    if (state !== 'completed') throw new Error(`An order ended ${state}, not completed.`);
    tally.orders += 1;
    await sleep(ORDER_EVERY_MS);
  }
  await requireHolding(own);
  tally.verified += 1;
}

function progressOf({ scenarios: played, orders, failures }: Tally, samples: readonly Sample[]): string {
  const last = samples.at(-1);
  const memory = Math.round((last?.rssBytes ?? 0) / MEBIBYTE);
  return `${played} scenarios, ${orders} orders, ${last?.rehearsals ?? 0} rehearsals, ${memory} MiB, ${failures.length} failures`;
}

function figuresOf(tally: Tally, samples: readonly Sample[]): readonly Figure[] {
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(3 * quarter);
  const against = (of: (sample: Sample) => number): Pick<Figure, 'figure' | 'reference' | 'ratio'> => {
    const [figure, reference] = [median(last.map(of)), median(second.map(of))];
    const ratio = figure / reference;
    return { figure, reference, ratio: { median: ratio, lowest: ratio, highest: ratio } };
  };
  return [
    { what: 'resident memory', unit: 'MiB', ...against(({ rssBytes }) => rssBytes / MEBIBYTE), aim: { of: 'ratio', atMost: 1.1 } },
    { what: 'rehearsals that exist', unit: '', ...against(({ rehearsals }) => rehearsals) },
    { what: 'rehearsals opened', unit: '', figure: tally.rehearsals },
    { what: 'rehearsals verified', unit: '', figure: tally.verified, aim: { of: 'figure', atLeast: tally.rehearsals } },
    { what: 'scenarios', unit: '', figure: tally.scenarios },
    { what: 'orders delivered', unit: '', figure: tally.orders },
    { what: 'failures', unit: '', figure: tally.failures.length, aim: { of: 'figure', atMost: 0 } },
  ];
}
