import { controlOperations } from '../shared/catalog/control/operations.ts';
import { shortened } from '../shared/domain/text.ts';
import type { Benchmark, Figure } from './benchmark.ts';
import { startEstate } from './child-process.ts';
import { ADMIN, type OwnRehearsal, openRehearsal, placeOrders } from './order-journey.ts';
import { compare, quantile } from './rounds.ts';

const ORDERS = 250;
/** Orders whose hops fit in the journal, which a story needs. */
const ORDERS_OF_STORY = 100;
/** Requests of the other client per round and operation. */
const REQUESTS = 40;
const WARM_UP = 300;
const LONGEST_SHOWN = 60;
const AIM = { of: 'ratio', atMost: 3 } as const;

/** Operations that hold their answer open, need a query, or are measured with another rehearsal. */
const LEFT_OUT: ReadonlySet<string> = new Set(['read-stream', 'search', 'compare-worlds', 'read-story']);

export const controlPlane: Benchmark = {
  name: 'control',
  title: `A request while another client repeats an operation of the control plane on ${ORDERS} orders, against a request while nobody does`,
  run: async ({ profiles, progress, rounds }) => {
    await using estate = await startEstate({ profiles });
    const url = estate.address('gateway');
    await using large = await openRehearsal(url);
    await using other = await openRehearsal(url);
    progress(`control: ${ORDERS} orders are placed`);
    await placeOrders({ url, bearer: large.bearer, clients: 4, for: { orders: ORDERS } });
    await large.client.control('settle', { body: { timeoutMs: 60_000 } });
    await using recorded = await openRehearsal(url);
    await placeOrders({ url, bearer: recorded.bearer, clients: 4, for: { orders: ORDERS_OF_STORY } });
    await timesOf(other, WARM_UP);
    const figures: Figure[] = [];
    for (const operation of [...(await readsOf(large)), ...othersOf({ url, large, other, recorded })]) {
      progress(`control: ${operation.name}`);
      const [ours, reference]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        reference.push(quantile(await timesOf(other, REQUESTS), 0.95));
        ours.push(quantile(await during(operation.run, () => timesOf(other, REQUESTS)), 0.95));
      }
      figures.push({
        what: `p95 beside ${shortened(operation.name, LONGEST_SHOWN)}`,
        unit: 'ms',
        ...compare({ ours, reference }, (ms) => ms),
        aim: AIM,
      });
    }
    return figures;
  },
};

/** @returns the times of the requests, in ms */
export async function timesOf({ client }: OwnRehearsal, requests: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < requests; n++) {
    const started = performance.now();
    await client.call('GET', '/customers/cus_ada');
    times.push(performance.now() - started);
  }
  return times;
}

interface Operation {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

const readsOf = async (large: OwnRehearsal): Promise<readonly Operation[]> => (await pathsOf(large)).map((path) => readOf(large, path));

const readOf = ({ client }: OwnRehearsal, path: string): Operation => ({
  name: `GET ${path}`,
  run: () => client.call('GET', path, undefined, { as: 'admin' }),
});

interface Rehearsals {
  readonly url: string;
  readonly large: OwnRehearsal;
  readonly other: OwnRehearsal;
  readonly recorded: OwnRehearsal;
}

/** Operations that change something, or whose answer is not one JSON document of the large rehearsal. */
function othersOf({ url, large, other, recorded }: Rehearsals): readonly Operation[] {
  const post = (path: string, body: unknown): Operation => ({
    name: `POST ${path}`,
    run: () => large.client.call('POST', path, body, { as: 'admin' }),
  });
  const headers = { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': large.name };
  return [
    readOf(recorded, '/_control/story'),
    readOf(large, `/_control/diff?from=rehearsal:${large.name}&to=rehearsal:${other.name}`),
    post('/_control/journal/verify', { strict: true, sequence: [{ what: 'call', name: 'create-basket-api', status: 599 }] }),
    post('/_control/clock/advance', { by: 'PT1S' }),
    { name: 'the beginning of GET /_control/stream', run: () => beginningOf(`${url}/_control/stream`, headers) },
    { name: 'tools/list at POST /mcp', run: () => listTools(`${url}/mcp`) },
  ];
}

/** Reads the first frames of a stream, and leaves. */
async function beginningOf(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const { body } = await fetch(url, { headers });
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

async function listTools(url: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${ADMIN}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  if (!answer.ok) throw new Error(`POST /mcp answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** The operations that read, with the ids of a large rehearsal, and the dearest queries of their lists. */
async function pathsOf({ client }: OwnRehearsal): Promise<readonly string[]> {
  const idOf = async (path: string, member: string): Promise<string> => {
    const { body } = await client.call('GET', path, undefined, { as: 'admin' });
    return String((body as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items[0]?.[member]);
  };
  const order = await idOf('/_control/objects/order', 'id');
  const hop = await idOf('/_control/journal', 'requestId');
  const plain = Object.values(controlOperations)
    .filter(({ id, method, path }) => method === 'GET' && !path.includes('{') && !LEFT_OUT.has(id))
    .map(({ path }) => path);
  const queried = [
    `/_control/search?q=${order}`,
    '/_control/search?q=nothing-has-it',
    ...['order', 'payment', 'reservation', 'basket'].map((type) => `/_control/objects/${type}?limit=200`),
    `/_control/objects/order/${order}`,
    `/_control/objects/order/${order}/related`,
    '/_control/objects/customer/cus_ada/related',
    `/_control/explanations/order/${order}`,
    `/_control/explanations/order/${'x'.repeat(8_000)}`,
    '/_control/events?limit=1000',
    `/_control/events?subject=order/${order}`,
    '/_control/journal?limit=1000',
    `/_control/journal/${hop}`,
    '/_control/traces?limit=200',
    '/_control/traces?q=nothing-has-it',
  ];
  return [...plain, ...queried];
}

/** Repeats an operation while the other client works. */
async function during<T>(run: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const repeating = (async () => {
    while (!isOver) await run();
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await repeating;
  }
}
