import { Client } from 'undici';
import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';
import type { Figure } from './benchmark.ts';
import type { Child } from './child-process.ts';
import { compare, quantile, type Rounds } from './rounds.ts';

export const ADMIN = 'demo-control-token';

/** A client with its own rehearsal, which starts with full stock and is deleted with the client. */
export interface OwnRehearsal extends AsyncDisposable {
  readonly client: EstateClient;
  readonly name: string;
  /** Credential bound to the rehearsal. */
  readonly bearer: string;
}

/** @param leaves whether the rehearsal is kept when the client is disposed of */
export async function openRehearsal(gateway: string, { leaves = false }: { readonly leaves?: boolean } = {}): Promise<OwnRehearsal> {
  const admin = createEstateClient({ gateway, bearer: '', apiKey: '', admin: ADMIN, rehearsal: 'default' });
  const { name, credentials } = await admin.control('create-rehearsal');
  const { bearer, apiKey } = credentials;
  const client = createEstateClient({ gateway, bearer, apiKey, admin: ADMIN, rehearsal: name });
  return {
    ...{ client, name, bearer },
    async [Symbol.asyncDispose]() {
      if (!leaves) await admin.control('delete-rehearsal', { params: { name } });
      await Promise.all([client.close(), admin.close()]);
    },
  };
}

/** Each round uses a new rehearsal with full stock. Its invariants must hold at the end; then it is deleted. */
export async function inNewRehearsal<Result>(gateway: string, act: (rehearsal: OwnRehearsal) => Promise<Result>): Promise<Result> {
  await using rehearsal = await openRehearsal(gateway);
  const result = await act(rehearsal);
  await requireHolding(rehearsal);
  return result;
}

/** Wall time that unfinished work after a round may take on a busy machine. */
const SETTLE_MS = 120_000;

/** Verifies the rehearsal of a round, since figures of wrong results are worthless. @throws Error with the violated invariants */
export async function requireHolding({ client, name }: OwnRehearsal): Promise<void> {
  await client.control('settle', { body: { timeoutMs: SETTLE_MS } });
  const { holds, settled, waitingFor, invariants } = await client.control('verify');
  const broken = [...waitingFor, ...invariants.flatMap(({ violations }) => violations)].slice(0, 5);
  if (!holds || !settled) throw new Error(`The rehearsal ${name} violates invariants: ${broken.join('; ')}`);
}

/** A client of a server without rehearsals. */
export function stranger(url: string): OwnRehearsal {
  const client = createEstateClient({ gateway: url, bearer: 'nobody', apiKey: 'nobody', admin: 'nobody' });
  return { client, name: '', bearer: 'nobody', [Symbol.asyncDispose]: () => client.close() };
}

/** Requests from the first basket to the delivered order. */
export const REQUESTS_PER_JOURNEY = 16;

const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

type As = 'bearer' | 'api-key' | 'admin';

/** One request of the journey; it must succeed. */
type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, as?: As) => Promise<Answer>;

/** Members that the journey reads from an answer. An echo has none of them. */
interface Answer {
  readonly id?: string;
  readonly state?: string;
  readonly fulfillmentOrders?: readonly { readonly id: string }[];
  readonly shipments?: readonly { readonly id: string }[];
}

const STAND_IN = 'an-id-of-the-echo';

function asking(client: EstateClient): Ask {
  return async (method, path, body, as = 'bearer') => {
    const reply = await client.call(method, path, body, { as });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Answer;
  };
}

/** Basket, line, checkout, order, authorisation, confirmation. @returns the order's id */
export async function placeOrder(client: EstateClient): Promise<string> {
  const ask = asking(client);
  const { id: basket = STAND_IN } = await ask('POST', '/baskets', { channel: 'web', customerId: 'cus_ada' });
  await ask('POST', `/baskets/${basket}/lines`, { sku: 'mug-blue', qty: 1 });
  await ask('POST', `/baskets/${basket}/checkout`, { shippingAddress: ADDRESS });
  const { id: order = STAND_IN } = await ask('POST', '/orders', { basketId: basket });
  await ask('POST', '/payments/authorizations', { orderId: order, tender: { type: 'card', token: 'tok_visa' } });
  await ask('POST', `/orders/${order}/confirm`, {});
  return order;
}

/** From basket to delivery, two days later. @returns the final state of the order; undefined for an echo */
export async function completeOrder(client: EstateClient): Promise<string | undefined> {
  const ask = asking(client);
  const order = await placeOrder(client);
  const { fulfillmentOrders } = await ask('GET', `/orders/${order}`);
  const fulfilment = fulfillmentOrders?.[0]?.id ?? STAND_IN;
  const { id: picking = STAND_IN } = await ask('POST', '/picking-orders', { fulfillmentOrderId: fulfilment });
  for (const status of ['started', 'picked', 'packed']) await ask('PUT', `/picking-orders/${picking}/status`, { status });
  const { shipments } = await ask('POST', `/fulfillment/orders/${fulfilment}/dispatch`, {});
  const parcel = shipments?.[0]?.id ?? STAND_IN;
  await ask('POST', `/shipments/${parcel}/label`, {}, 'api-key');
  await ask('GET', `/shipments/${parcel}/tracking`, undefined, 'api-key');
  await ask('POST', '/_control/clock/advance', { by: 'P2D' }, 'admin');
  const { state } = await ask('GET', `/orders/${order}`);
  return state;
}

export const REQUESTS_PER_ORDER = 6;

export interface OrderLoad {
  readonly url: string;
  readonly bearer: string;
  readonly clients: number;
  /** SKUs to buy, in turn; a single default SKU when omitted. */
  readonly skus?: readonly string[];
  readonly for: { readonly seconds: number } | { readonly orders: number };
}

export interface OrderRound {
  readonly perSecond: number;
  /** Wall time of each whole order. */
  readonly latenciesMs: readonly number[];
}

/** Clients that each place whole orders one after the other: basket, line, checkout, order, authorise, confirm. */
export async function placeOrders({ url, bearer, clients, skus = ['mug-blue'], for: whole }: OrderLoad): Promise<OrderRound> {
  const latenciesMs: number[] = [];
  const began = performance.now();
  let begun = 0;
  let failed = false;
  const mayBegin = (): boolean => !failed && ('orders' in whole ? begun < whole.orders : performance.now() - began < whole.seconds * 1_000);
  const lane = async (): Promise<void> => {
    const connection = new Client(url, TIMES);
    try {
      while (mayBegin()) {
        const sku = skus[begun++ % skus.length];
        const started = performance.now();
        await wholeOrder((path, body) => post(connection, { path, bearer, body }), sku);
        latenciesMs.push(performance.now() - started);
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      await connection.destroy();
    }
  };
  await Promise.all(Array.from({ length: clients }, lane));
  return { perSecond: (latenciesMs.length * 1_000) / (performance.now() - began), latenciesMs };
}

/** The gateway's own limit is shorter, so that a run ends with the answer of the gateway. */
const TIMES = { headersTimeout: 60_000, bodyTimeout: 60_000 };

/** Sends a request. @returns the id in the answer, or a stand-in when the answer has none, as in an echo */
type Post = (path: string, body: unknown) => Promise<string>;

async function wholeOrder(send: Post, sku: string | undefined): Promise<void> {
  const basket = await send('/baskets', { channel: 'web', customerId: 'cus_ada' });
  await send(`/baskets/${basket}/lines`, { sku, qty: 1 });
  await send(`/baskets/${basket}/checkout`, { shippingAddress: ADDRESS });
  const order = await send('/orders', { basketId: basket });
  await send('/payments/authorizations', { orderId: order, tender: { type: 'card', token: 'tok_visa' } });
  await send(`/orders/${order}/confirm`, {});
}

interface Posted {
  readonly path: string;
  readonly bearer: string;
  readonly body: unknown;
}

/** A connection that the server ends between two requests is opened again; no request of an order is skipped. */
async function post(connection: Client, { path, bearer, body }: Posted): Promise<string> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const answer = await connection.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  // A rate of failures is meaningless.
  if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${text}`);
  return (JSON.parse(text) as { readonly id?: string }).id ?? STAND_IN;
}

export type MeasuredRound = OrderRound & { readonly cpuMs: number };

export async function measureOrders(child: Child, load: OrderLoad): Promise<MeasuredRound> {
  const before = await child.usage();
  const round = await placeOrders(load);
  const after = await child.usage();
  return { ...round, cpuMs: (after.cpuMicros - before.cpuMicros) / 1_000 / round.latenciesMs.length };
}

export function ordersInNewRehearsal(
  estate: Child,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<MeasuredRound> {
  const url = estate.address('gateway');
  return inNewRehearsal(url, ({ bearer }) => measureOrders(estate, { url, bearer, clients, for: { seconds } }));
}

/** @param whole names what is counted: `order`, or `whole order` up to its delivery */
export function orderFigures(taken: Rounds<MeasuredRound>, clients: number, whole = 'order'): readonly Figure[] {
  const of = clients === 1 ? '1 client' : `${clients} clients`;
  const article = whole === 'order' ? 'an' : 'a';
  const latency = (at: number) => ({ figure: latencyOf(taken.ours, at), reference: latencyOf(taken.reference, at) });
  return [
    { what: `${whole}s, ${of}`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond) },
    { what: `CPU per ${whole}, ${of}`, unit: 'ms', ...compare(taken, ({ cpuMs }) => cpuMs) },
    { what: `time of ${article} ${whole}, ${of}, p50`, unit: 'ms', ...latency(0.5) },
    { what: `time of ${article} ${whole}, ${of}, p99`, unit: 'ms', ...latency(0.99) },
  ];
}

/** @param at between 0 and 1. @returns milliseconds, over all rounds */
export const latencyOf = (rounds: readonly Pick<OrderRound, 'latenciesMs'>[], at: number): number =>
  quantile(
    rounds.flatMap(({ latenciesMs }) => latenciesMs),
    at,
  );
