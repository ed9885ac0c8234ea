import { randomUUID } from 'node:crypto';
import { createEstateClient } from '../../rehearsal/estate-client.ts';
import { eventually } from '../support/eventually.ts';
import { type PlainClient, plain, type PlainReply as Reply } from '../support/plain-client.ts';

/** Time for which a buyer retries a failing request. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 250;
/** How long the estate may take to come to rest. */
const REST_MS = 60_000;
const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** What a client retries with the same key: the other side is unavailable, or still working. */
const isPassing = ({ status, body }: Reply): boolean => [502, 503, 504].includes(status) || body?.retryable === true;

/** A client that repeats a request until it is answered for good, each time with the same Idempotency-Key. */
export function stubborn(client: PlainClient) {
  return async (method: string, path: string, body?: unknown): Promise<Reply['body']> => {
    const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { reply, failure } = await client.call(method, path, body, { headers }).then(
        (reply) => ({ reply, failure: `${reply.status} ${JSON.stringify(reply.body)}` }),
        (error: unknown) => ({ reply: undefined, failure: String(error) }),
      );
      if (reply && reply.status < 300) return reply.body;
      if (reply && !isPassing(reply)) throw new Error(`${method} ${path}: ${failure}`);
      if (Date.now() > until) throw new Error(`${method} ${path} did not succeed in ${PATIENCE_MS} ms: ${failure}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
}

/** An order from the basket until it has left the warehouse. @returns its id */
export async function buy(client: PlainClient): Promise<string> {
  const ask = stubborn(client);
  const { id: basket } = await ask('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] });
  await ask('POST', `/baskets/${basket}/checkout`, { shippingAddress: ADDRESS });
  const { id: order } = await ask('POST', '/orders', { basketId: basket });
  await ask('POST', '/payments/authorizations', { orderId: order, tender: { type: 'card', token: 'tok_visa' } });
  await ask('POST', `/orders/${order}/confirm`, {});
  const fulfillmentOrder = await fulfillmentOrderOf(client, order);
  const { id: picking } = await ask('POST', '/picking-orders', { fulfillmentOrderId: fulfillmentOrder });
  for (const status of ['started', 'picked', 'packed']) await ask('PUT', `/picking-orders/${picking}/status`, { status });
  await ask('POST', `/fulfillment/orders/${fulfillmentOrder}/dispatch`, {});
  return order;
}

/** Waits for the allocation, because an order may be confirmed while the FMS is away. */
function fulfillmentOrderOf(client: PlainClient, order: string): Promise<string> {
  const ask = stubborn(client);
  return eventually(
    `the order ${order} is allocated`,
    async () => {
      const [first] = (await ask('GET', `/orders/${order}`)).fulfillmentOrders ?? [];
      if (first?.state === 'allocated') return first.id;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return undefined;
    },
    PATIENCE_MS,
  );
}

export interface Rush {
  readonly gateway: string;
  readonly buyers: number;
  /** At the least; they go on until the disturbance is over. */
  readonly ordersEach: number;
  /** Called once, when a quarter of the orders are there. */
  readonly disturb: () => Promise<void>;
}

/** State of a world after a rush, when all work has completed. */
export interface Aftermath {
  /** Orders of which the buyers know. */
  readonly known: readonly string[];
  /** State of each of them, some days later. */
  readonly states: readonly string[];
  /** Orders that there are. */
  readonly existing: number;
  readonly settled: boolean;
  /** Invariants that do not hold, parked work: empty when nothing was lost and nothing happened twice. */
  readonly complaints: readonly string[];
}

/** A rehearsal of its own, with a client of it and one of the estate. */
export async function rehearsalOn(gateway: string) {
  const admin = 'demo-control-token';
  const outside = plain(createEstateClient({ gateway, bearer: '', apiKey: '', admin, rehearsal: 'default' }));
  const { name, credentials } = await outside.control('create-rehearsal');
  const { bearer, apiKey } = credentials;
  const client = plain(createEstateClient({ gateway, bearer, apiKey, admin, rehearsal: name }));
  return {
    name,
    client,
    outside,
    remove: () => outside.control('delete-rehearsal', { params: { name } }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await outside.close();
    },
  };
}

/** Buyers in a rehearsal of their own, in whose midst something goes wrong. */
export async function rush({ gateway, buyers, ordersEach, disturb }: Rush): Promise<Aftermath> {
  await using rehearsal = await rehearsalOn(gateway);
  const { client, outside } = rehearsal;
  const known: string[] = [];
  let disturbance: Promise<void> | undefined;
  let isOver = false;
  const buyer = async (): Promise<void> => {
    for (let bought = 0; bought < ordersEach || !isOver; bought++) {
      known.push(await buy(client));
      if (known.length * 4 >= buyers * ordersEach) {
        disturbance ??= disturb().finally(() => {
          isOver = true;
        });
      }
    }
  };
  await Promise.all(Array.from({ length: buyers }, buyer));
  await disturbance;
  // A broken connection is detected here, before the requests that are made only once.
  await stubborn(outside)('GET', '/readyz');
  await client.control('settle', { body: { timeoutMs: REST_MS } });
  await client.control('advance-clock', { body: { by: 'P3D', timeoutMs: REST_MS } });
  const aftermath = await look(client, known);
  await rehearsal.remove();
  return aftermath;
}

async function look(client: PlainClient, known: readonly string[]): Promise<Aftermath> {
  const ask = stubborn(client);
  const orders = await Promise.all(known.map((id) => ask('GET', `/orders/${id}`)));
  const { items } = await client.control('list-events', { query: { type: 'order-created', limit: 1_000 } });
  const { parked } = await client.control('settle', { body: { timeoutMs: REST_MS } });
  const { settled, waitingFor, invariants } = await client.control('verify');
  const broken = invariants.filter(({ holds }) => !holds).flatMap(({ title, violations }) => [title, ...violations]);
  return {
    known,
    states: orders.map(({ state }) => state),
    existing: new Set(items.map(({ event }) => event['subject'])).size,
    settled,
    complaints: [...waitingFor, ...broken, ...parked.map(({ what, key, error }) => `parked: ${what} ${key}: ${error}`)],
  };
}
