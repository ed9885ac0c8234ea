import { setTimeout as sleep } from 'node:timers/promises';
import type { EstateClient } from '../rehearsal/estate-client.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild } from './child-process.ts';
import type { Growth } from './growth/grown-world.ts';
import { type OwnRehearsal, openRehearsal, placeOrder } from './order-journey.ts';
import { type BenchRedis, isRedisInstalled, startRedis } from './redis.ts';
import { compare, median } from './rounds.ts';

/** A common operation. Its answer does not depend on the size of the rehearsal. */
interface Operation {
  readonly what: string;
  readonly ask: (client: EstateClient, story: Story) => Promise<unknown>;
}

/** The order whose events and hops are requested. */
export interface Story {
  readonly rehearsal: string;
  readonly order: string;
  readonly correlationId: string;
  /** Id of the event of its confirmation. */
  readonly event: string;
}

/** Minimum content of the small rehearsal: the orders that a search by time reads, and one page of events of each type. */
export const SMALL: Growth = { objects: 120, events: 500, hops: 0 };
/** Number of the first further copy. */
export const BEYOND_SMALL = SMALL.events + 1;

async function get(client: EstateClient, path: string): Promise<unknown> {
  const reply = await client.call('GET', path);
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const events = (client: EstateClient, query: Readonly<Record<string, string | number>>) =>
  client.control('list-events', { query: { limit: 10, ...query } });

let registered = 0;

/** Operations without hops come first, because later hops evict the order's hops from the journal. */
export const operations: readonly Operation[] = [
  { what: 'events: the first', ask: (client) => events(client, {}) },
  { what: 'events of a story', ask: (client, { correlationId }) => events(client, { correlationId }) },
  { what: 'events of an object', ask: (client, { order }) => events(client, { subject: `order/${order}`, ext: 'true' }) },
  { what: 'events of a type', ask: (client) => events(client, { type: 'order-created' }) },
  {
    what: 'wait for an event',
    ask: (client, { order }) =>
      client.control('wait-for-events', { body: { type: 'order-confirmed', subject: `order/${order}`, timeoutMs: 5_000 } }),
  },
  {
    what: 'journal of a story',
    ask: (client, { correlationId }) => client.control('read-journal', { query: { correlationId, limit: 100 } }),
  },
  { what: 'journal: the newest', ask: (client) => client.control('read-journal', { query: { limit: 10 } }) },
  { what: 'settle', ask: (client) => client.control('settle') },
  { what: 'one object of any type', ask: (client, { order }) => client.control('read-object', { params: { type: 'order', id: order } }) },
  { what: 'why an order', ask: (client, { order }) => client.control('explain-object', { params: { type: 'order', id: order } }) },
  { what: 'an inventory item', ask: (client) => client.control('read-object', { params: { type: 'inventory-item', id: 'mug-blue' } }) },
  { what: 'contents of a rehearsal', ask: (client, { rehearsal }) => client.control('read-rehearsal', { params: { name: rehearsal } }) },
  { what: 'one event', ask: (client, { event }) => client.control('read-event', { params: { id: event } }) },
  { what: 'topology', ask: (client) => client.control('read-topology') },
  { what: 'types of objects', ask: (client) => client.control('list-object-types') },
  { what: 'the newest orders', ask: (client) => client.control('list-objects', { params: { type: 'order' }, query: { limit: 5 } }) },
  {
    what: 'the newest customers in a state',
    ask: (client) => client.control('list-objects', { params: { type: 'customer' }, query: { state: 'active', limit: 3 } }),
  },
  { what: 'one customer', ask: (client) => get(client, '/customers/cus_ada') },
  { what: 'a page of customers', ask: (client) => get(client, '/customers?limit=5') },
  { what: 'customers by e-mail', ask: (client) => get(client, '/customers?email=clara%40people.example') },
  { what: 'customers by part of a name', ask: (client) => get(client, '/customers?q=clara') },
  { what: 'everything of a customer', ask: (client) => get(client, '/customers/cus_ada/360') },
  { what: 'one order', ask: (client, { order }) => get(client, `/orders/${order}`) },
  { what: 'a page of orders', ask: (client) => get(client, '/orders?limit=5') },
  { what: 'a page of orders of a customer', ask: (client) => get(client, '/orders?customerId=cus_ada&limit=5') },
  { what: 'a page of orders in a state', ask: (client) => get(client, '/orders?state=confirmed&limit=5') },
  { what: 'orders since an instant', ask: (client) => get(client, '/orders?placedAfter=2200-01-01T00:00:00Z&limit=5') },
  { what: 'an order by its reference', ask: (client) => get(client, '/orders?referenceSource=shop&referenceId=1') },
  { what: 'one product', ask: (client) => get(client, '/products/prd_mug-blue') },
  { what: 'stock of a SKU', ask: (client) => get(client, '/inventory/items/mug-blue') },
  {
    what: 'register a customer',
    ask: async (client) => {
      registered += 1;
      const email = `somebody-${registered}-${process.pid}@people.example`;
      const reply = await client.call('POST', '/customers', { firstName: 'Some', lastName: 'Body', email });
      if (reply.status !== 201) throw new Error(`POST /customers: ${reply.status} ${JSON.stringify(reply.body)}`);
    },
  },
  { what: 'place an order', ask: (client) => placeOrder(client) },
];

export async function playStory(client: EstateClient): Promise<Story> {
  const order = await placeOrder(client);
  await client.control('settle');
  const { items } = await client.control('list-events', { query: { type: 'order-confirmed', subject: `order/${order}` } });
  const { id, rehearsal, correlationid } = items[0]?.event ?? {};
  return { rehearsal: String(rehearsal), order, correlationId: String(correlationid), event: String(id) };
}

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
  await playStory(client);
  const { items } = await client.control('list-rehearsals');
  const world = items.find((one) => one.name === name)?.world;
  await estate.ask({ grow: { world, growth: SMALL, first: 1 } }, 'grown');
  if (more) await estate.ask({ grow: { world, growth: more, first: BEYOND_SMALL } }, 'grown');
  return playStory(client);
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
