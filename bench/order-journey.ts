import type autocannon from 'autocannon';
import { createEstateClient, type EstateClient } from '../rehearsal/estate-client.ts';
import type { Figure } from './benchmark.ts';
import type { Child } from './child-process.ts';
import { cannon } from './load.ts';
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

interface OrderContext {
  started?: number;
  basket?: string;
  order?: string;
}

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
  let seconds = 0;
  for (const slice of slicesOf(whole, clients)) {
    const { duration } = await cannon({
      url,
      connections: clients,
      ...slice,
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      requests: wholeOrder(skus, (context) => latenciesMs.push(performance.now() - (context.started ?? Number.NaN))),
    });
    seconds += duration;
  }
  return { perSecond: latenciesMs.length / seconds, latenciesMs };
}

/** The duration of a slice, which opens new connections. Autocannon skips a request when the gateway ends a connection, after ten seconds. */
const MOST_SECONDS = 5;
const ORDERS_OF_A_CLIENT = 3;

type Slice = { readonly amount: number } | { readonly duration: number };

function slicesOf(whole: OrderLoad['for'], clients: number): readonly Slice[] {
  if ('seconds' in whole) return slices(whole.seconds, MOST_SECONDS).map((duration) => ({ duration }));
  return slices(whole.orders, clients * ORDERS_OF_A_CLIENT).map((orders) => ({ amount: orders * REQUESTS_PER_ORDER }));
}

const slices = (sum: number, most: number): readonly number[] =>
  Array.from({ length: Math.ceil(sum / most) }, (_, number) => Math.min(most, sum - number * most));

function wholeOrder(skus: readonly string[], done: (context: OrderContext) => void): autocannon.Request[] {
  let turn = 0;
  return [
    step({
      path: (context) => {
        context.started = performance.now();
        return '/baskets';
      },
      body: () => ({ channel: 'web', customerId: 'cus_ada' }),
      keep: (context, id) => {
        context.basket = id;
      },
    }),
    step({ path: ({ basket }) => `/baskets/${basket}/lines`, body: () => ({ sku: skus[turn++ % skus.length], qty: 1 }) }),
    step({ path: ({ basket }) => `/baskets/${basket}/checkout`, body: () => ({ shippingAddress: ADDRESS }) }),
    step({
      path: () => '/orders',
      body: ({ basket }) => ({ basketId: basket }),
      keep: (context, id) => {
        context.order = id;
      },
    }),
    step({
      path: () => '/payments/authorizations',
      body: ({ order }) => ({ orderId: order, tender: { type: 'card', token: 'tok_visa' } }),
    }),
    step({ path: ({ order }) => `/orders/${order}/confirm`, body: () => ({}), keep: done }),
  ];
}

interface OrderStep {
  readonly path: (context: OrderContext) => string;
  readonly body: (context: OrderContext) => unknown;
  /** @returns the answer's id, or the given one when the answer has none, as in an echo */
  readonly keep?: (context: OrderContext, id: string) => void;
}

function step({ path, body, keep }: OrderStep): autocannon.Request {
  return {
    setupRequest: (request, context) => ({ ...request, path: path(context), body: JSON.stringify(body(context)) }),
    onResponse: (_status, answer, context) => keep?.(context, (JSON.parse(answer) as { readonly id?: string }).id ?? 'an-id-of-the-echo'),
  };
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
