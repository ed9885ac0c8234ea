import { getHeapSnapshot, queryObjects } from 'node:v8';
import { Redis } from 'ioredis';
import { Agent } from 'undici';
import { readConfiguration } from '../../estate/configuration.ts';
import { startEstate } from '../../estate/estate.ts';
import { callOfApi, clientOnAgent, type Sections } from '../../rehearsal/estate-client.ts';
import { patiently } from '../../rehearsal/runner.ts';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { eventually } from '../support/eventually.ts';
import { plain } from '../support/plain-client.ts';
import { ADDRESS } from '../support/steps/order.ts';

/** A process with a whole estate that uses and leaves many rehearsals, and reports what is left. Started with --expose-gc, with nothing else on its heap. */
export interface Assignment {
  /** Without it state is in memory. */
  readonly redisPort?: number;
  readonly rehearsals: number;
  /** How the rehearsals end. */
  readonly ending: 'deleted' | 'expired';
}

/** Resources of a process and its store at a moment. */
export interface Held {
  readonly heapBytes: number;
  readonly maps: number;
  readonly timers: number;
  /** Every key in Redis, except the temporary keys of the sweep. */
  readonly keys: readonly string[];
}

export interface Findings {
  readonly before: Held;
  readonly after: Held;
  /** Names of ended rehearsals that are still on the heap. */
  readonly remembered: readonly string[];
}

/** Wall time after which a world that is over is dropped. */
const DROP_AFTER_MS = 50;
const AT_ONCE = 5;
const CONNECTIONS = 32;
/** Number of rehearsals after which one-time allocations, such as connections and compiled code, have happened. */
const WARMING_UP = 15;
/** Longer than any pause between two calls to a rehearsal on a busy machine. */
const IDLE_EXPIRY = 'PT40S';
const ENDS_WITHIN_MS = 120_000;
/** A connection refers to its last request until it is closed, 65 s after it. */
const FORGOTTEN_WITHIN_MS = 150_000;
/** Longer than the life of short-lived caches of a world. */
const LIVES_MS = 6_000;
const BASKET = { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 1 }] };

const { redisPort, rehearsals, ending } = JSON.parse(process.argv[2] ?? '{}') as Assignment;
const admin = redisPort === undefined ? undefined : new Redis(redisPort);
const adapter =
  redisPort === undefined
    ? createMemoryStore({ dropAfterMs: DROP_AFTER_MS })
    : await createRedisStore({ url: `redis://127.0.0.1:${redisPort}`, dropAfterMs: DROP_AFTER_MS });
const limits = { RATE_LIMIT_PER_ADDRESS: '10000000', RATE_LIMIT_PER_KEY: '10000000' };
const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
const { gateway, ready } = await startEstate(readConfiguration({ ...ports, ...limits }), createLogger('error'), adapter);
await ready;
let agent = new Agent({ connections: CONNECTIONS });
const access = { gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: 'demo-control-token' };
const clientOf = (rehearsal: string) => plain(clientOnAgent({ ...access, rehearsal }, agent));
const anybody = () => clientOf('default');

async function placeAnOrder(rehearsal: string, name: string): Promise<void> {
  const client = clientOf(rehearsal);
  const call = async (id: ApiId, input: Sections) => {
    const { method, path, body } = callOfApi(id, input);
    const reply = await client.call(method, path, body, { headers: { 'idempotency-key': `${name} ${id}` } });
    if (reply.status >= 300) throw new Error(`${id}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const { id } = await call('create-basket-api', { body: { ...BASKET, customerId: 'cus_ada' } });
  const { orderId } = await call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, placeOrder: true } });
  await call('authorize-payment-api', { body: { tender: { type: 'card', token: 'tok_visa' }, orderId } });
  await call('confirm-order-api', { params: { id: orderId } });
}

async function useAndLeave(name: string): Promise<void> {
  await anybody().control('create-rehearsal', { body: { name, ...(ending === 'expired' && { idleExpiry: IDLE_EXPIRY }) } });
  const { call, control } = clientOf(name);
  const body = { match: { application: 'crm' }, fault: { kind: 'latency', ms: 1 } } as const;
  await control('put-fault', { params: { name: 'slow' }, body });
  await placeAnOrder(name, name);
  await control('advance-clock', { body: { by: 'PT1H' } });
  await patiently(() => control('reset-rehearsal'));
  await call('create-basket-api', { body: BASKET });
  await control('wait-for-events', { body: { type: 'basket-created', timeoutMs: 5_000 } });
  if (ending === 'deleted') await patiently(() => anybody().control('delete-rehearsal', { params: { name } }));
}

async function useAndLeaveMany(names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += AT_ONCE) await Promise.all(names.slice(from, from + AT_ONCE).map(useAndLeave));
  await eventually('they have ended', async () => (await anybody().control('list-rehearsals')).items.length === 1, ENDS_WITHIN_MS);
}

const keysNow = async (): Promise<readonly string[]> =>
  admin ? (await admin.keys('*')).filter((key) => !/:(op:[^:]+|sweep)$/.test(key)).sort() : [];

const countOf = (of: abstract new (...args: never[]) => object): number => Number(queryObjects(of, { format: 'count' }));
const Timer = clearedTimer().constructor as typeof Object;

function clearedTimer(): NodeJS.Timeout {
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  return timer;
}

async function heldNow(): Promise<Held> {
  (globalThis as { gc?: () => void }).gc?.();
  const counts = { maps: countOf(Map), timers: countOf(Timer) };
  return { ...counts, heapBytes: process.memoryUsage().heapUsed, keys: await keysNow() };
}

/** Waits until the process is idle. Polls rarely, because counting objects on a heap takes seconds. */
async function heldOnce(isAtRest: (held: Held) => boolean): Promise<Held> {
  const until = Date.now() + FORGOTTEN_WITHIN_MS;
  for (;;) {
    const held = await heldNow();
    if (isAtRest(held) || Date.now() > until) return held;
    await new Promise((resolve) => setTimeout(resolve, LIVES_MS));
  }
}

async function namesOnHeap(pattern: RegExp): Promise<readonly string[]> {
  const found = new Set<string>();
  let rest = '';
  for await (const chunk of getHeapSnapshot()) {
    const text = rest + String(chunk);
    for (const [name] of text.matchAll(pattern)) found.add(name);
    rest = text.slice(-64);
  }
  return [...found];
}

const namesOf = (what: string, count: number): string[] => Array.from({ length: count }, (_, n) => `left-${what}-${n}-rehearsal`);

await useAndLeaveMany(namesOf('first', WARMING_UP));
const bare = (keys: readonly string[]): boolean => keys.every((key) => !key.includes('left-'));
let least = Number.POSITIVE_INFINITY;
const before = await heldOnce(({ timers, keys }) => {
  const isFalling = timers < least;
  least = Math.min(least, timers);
  return !isFalling && bare(keys);
});
// Counting blocks this process for seconds. The idle connections expire in this time, and a request on one of them would break.
await agent.close();
agent = new Agent({ connections: CONNECTIONS });
await useAndLeaveMany(namesOf('then', rehearsals));
const after = await heldOnce(({ timers, maps, keys }) => timers <= before.timers && maps <= before.maps && bare(keys));

// A connection keeps its last request. A closed connection may break one.
await Promise.allSettled(Array.from({ length: CONNECTIONS }, (_, n) => placeAnOrder('default', `last-${n}`)));
const remembered = await namesOnHeap(/left-then-\d+-rehearsal/g);
process.send?.({ before, after, remembered } satisfies Findings);

process.exit(0);
