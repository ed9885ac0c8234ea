import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import type { Growth } from './growth/grown-world.ts';
import { BEYOND_SMALL, type Operation, operations, SMALL, type Story, tellStory } from './growth/operations.ts';
import { type BenchRedis, isRedisInstalled, startRedis } from './redis.ts';
import { type OwnRehearsal, openRehearsal } from './rehearsals.ts';
import { compare, median } from './rounds.ts';

const GROWTH: Growth = { objects: 20_000, events: 20_000, hops: 5_000 };
const IDLE_WORLDS = 500;
/** Repetitions of an operation per round; fewer when its first answer takes long. */
const REQUESTS = 50;
const ROUND_MS = 1_000;
const IDLE_ROUNDS = 3;
/** Time for the background work after rehearsals are created. */
const QUIET_MS = 5_000;
const TOGETHER = 4;
const AIM = { of: 'ratio', atMost: 1.2 } as const;

/** Checks that the cost of a request does not depend on the size of its rehearsal, and that idle rehearsals cost nothing. */
export const growth: Benchmark = {
  name: 'growth',
  title: `A rehearsal with ${GROWTH.objects} objects of each kind and ${GROWTH.events} events against an empty one; ${IDLE_WORLDS} idle rehearsals against none`,
  run: async (settings) => {
    const figures = [...(await figuresOf(settings, 'memory'))];
    if (isRedisInstalled()) {
      await using redis = await startRedis();
      figures.push(...(await figuresOf(settings, 'Redis', redis)));
    }
    return figures;
  },
};

async function figuresOf(settings: Settings, store: string, redis?: BenchRedis): Promise<readonly Figure[]> {
  const env = {
    ...{ GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0', LOG_LEVEL: 'error' },
    MAX_REHEARSALS: String(2 * IDLE_WORLDS),
    ...(redis && { REDIS_URL: redis.url }),
  };
  const { profiles, progress, rounds } = settings;
  await using estate = await startChild('bench/servers/growing-estate.ts', { env, profiles });
  const idleBefore = await idling(estate, redis);
  progress(`growth, ${store}: ${IDLE_WORLDS} rehearsals are created`);
  await openIdle(estate);
  await sleep(QUIET_MS);
  const figures = [...idleFigures(store, await idling(estate, redis), idleBefore)];
  // The idle rehearsals are open during both measurements.
  await using empty = await openRehearsal(estate.address('gateway'));
  await using grown = await openRehearsal(estate.address('gateway'));
  progress(`growth, ${store}: a rehearsal is filled`);
  const stories = { empty: await prepare(estate, empty), grown: await prepare(estate, grown, GROWTH) };
  for (const operation of operations) {
    progress(`growth, ${store}: ${operation.what}`);
    const requests = await requestsFor(operation, empty, stories.empty);
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push(
        await inPairs(requests, { ours: timed(operation, grown, stories.grown), reference: timed(operation, empty, stories.empty) }),
      );
    }
    const taken = { ours: pairs.map(({ ours }) => ours), reference: pairs.map(({ reference }) => reference) };
    figures.push({ what: `${operation.what}, ${store}`, unit: 'ms', ...compare(taken, (ms) => ms), aim: AIM });
  }

  return figures;
}

/** Fills a rehearsal. @returns its newest order, which the operations request */
async function prepare(estate: Child, { client, name }: OwnRehearsal, more?: Growth): Promise<Story> {
  await client.control('set-clock', { body: { flowing: false } });
  await tellStory(client);
  const { items } = await client.control('list-rehearsals');
  const world = items.find((one) => one.name === name)?.world;
  await estate.ask({ grow: { world, growth: SMALL, first: 1 } }, 'grown');
  if (more) await estate.ask({ grow: { world, growth: more, first: BEYOND_SMALL } }, 'grown');
  return tellStory(client);
}

async function requestsFor({ ask }: Operation, { client }: OwnRehearsal, story: Story): Promise<number> {
  await ask(client, story);
  const started = performance.now();
  await ask(client, story);
  return Math.max(5, Math.min(REQUESTS, Math.floor(ROUND_MS / (performance.now() - started))));
}

const timed =
  ({ ask }: Operation, { client }: OwnRehearsal, story: Story) =>
  async (): Promise<number> => {
    const started = performance.now();
    await ask(client, story);
    return performance.now() - started;
  };

interface Pair<T> {
  readonly ours: T;
  readonly reference: T;
}

/** Alternates requests, so that other load on the machine affects both sides equally. @returns the median time of each */
async function inPairs(requests: number, { ours, reference }: Pair<() => Promise<number>>): Promise<Pair<number>> {
  const times: Pair<number[]> = { ours: [], reference: [] };
  for (let n = 0; n < requests; n++) {
    times.ours.push(await ours());
    times.reference.push(await reference());
  }
  return { ours: median(times.ours), reference: median(times.reference) };
}

interface Idling {
  readonly cpuMs: number;
  readonly commands: number;
}

/** Cost per second of an estate without requests. */
async function idling(estate: Child, redis?: BenchRedis): Promise<readonly Idling[]> {
  const found: Idling[] = [];
  for (let round = 0; round < IDLE_ROUNDS; round++) {
    const [before, commandsBefore, started] = [await estate.usage(), (await redis?.commands()) ?? 0, performance.now()];
    await sleep(3_000);
    const [after, commands, seconds] = [await estate.usage(), (await redis?.commands()) ?? 0, (performance.now() - started) / 1_000];
    found.push({ cpuMs: (after.cpuMicros - before.cpuMicros) / 1_000 / seconds, commands: (commands - commandsBefore) / seconds });
  }
  return found;
}

function idleFigures(store: string, ours: readonly Idling[], reference: readonly Idling[]): readonly Figure[] {
  const cpu = { what: `CPU per idle second, ${store}`, unit: 'ms', ...compare({ ours, reference }, ({ cpuMs }) => cpuMs) };
  if (reference.every(({ commands }) => commands === 0)) return [cpu];
  const commands = compare({ ours, reference }, (one) => one.commands);
  return [cpu, { what: 'commands of an idle second, Redis', unit: '/s', ...commands, aim: AIM }];
}

/** The rehearsals stay open until the estate ends. */
async function openIdle(estate: Child): Promise<void> {
  let left = IDLE_WORLDS;
  const lane = async (): Promise<void> => {
    for (; left > 0; left--) await (await openRehearsal(estate.address('gateway'))).client.close();
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
}
