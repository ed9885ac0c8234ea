import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type ApiId, apis } from '../../../shared/catalog/apis.ts';
import { type CallOf, changesSomething, isMutating } from '../../../shared/catalog/define.ts';
import { DRY, disagreement } from '../../support/dry-run.ts';
import type { TestRehearsal } from '../../support/estate.ts';
import { inCurrency } from '../../support/own-retailer.ts';
import type { PlainReply as Reply } from '../../support/plain-client.ts';

/** The objects of a history before its first act. */
const nothingYet = () => ({
  baskets: [] as string[],
  orders: [] as string[],
  /** Orders that were completed or cancelled. No further request is sent for them. */
  over: new Set<string>(),
  payments: [] as string[],
  holds: [] as string[],
  fulfillmentOrders: [] as string[],
  pickings: [] as { readonly id: string; readonly lines: readonly { readonly orderLineId: string; readonly qty: number }[] }[],
  parcels: [] as string[],
  /** Checkouts at the till, with the outstanding amount that the till last answered. */
  transactions: [] as { readonly id: string; left: number; opening?: number }[],
  returns: [] as string[],
  customers: ['cus_ada', 'cus_ben'],
  accounts: ['loy_ada'],
  redemptions: [] as { readonly id: string; readonly value: number; readonly orderId?: string | undefined }[],
});
export type Things = ReturnType<typeof nothingYet>;

/** A history that is performed in two rehearsals: one request at a time, each with a key, so that both make the same ids. */
export interface Repeated {
  readonly things: Things;
  /** Each answer, in order. */
  readonly answers: unknown[];
}

export interface RunningHistory {
  readonly rehearsal: TestRehearsal;
  readonly things: Things;
  /** A call of a public API by a user. Every answer must be one that a user can handle. */
  ask<Id extends ApiId>(id: Id, call: CallOf<(typeof apis)[Id]>): Promise<Reply>;
  /** Commands of the outside world and of the control plane. */
  play(method: 'POST' | 'PUT', path: string, body?: object): Promise<Reply>;
  /** From now on an application may be unavailable, by an act of the history. */
  expectTrouble(): void;
  isTroubled(): boolean;
  /** The same history, with every request sent twice concurrently under one idempotency key. */
  readonly twice: RunningHistory;
}

/** Successful calls of each public API, over all histories of a run. */
export const succeeded = new Map<string, number>();

type Send = (id: ApiId, call: object) => Promise<Reply>;

/** Requests of histories that agreed with their dry runs, over all histories of a run. */
export const agreed = new Map<string, number>();

interface Manner {
  readonly repeated?: Repeated;
  /** Whether each request that changes something is run dry first. Nothing else may happen at the same time. */
  readonly dryFirst?: boolean;
}

/** @param currency of the rehearsal; the amounts of a history are in EUR, and keep their number of minor units */
export function begin(rehearsal: TestRehearsal, currency = 'EUR', { repeated, dryFirst = false }: Manner = {}): RunningHistory {
  let trouble = false;
  const sound = (reply: Reply, ...sent: unknown[]): Reply => {
    const broken = reply.status === 500 || (!trouble && UNREACHABLE.has(reply.body?.code));
    if (broken) throw new Error(`${JSON.stringify(sent)}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  };
  const asking =
    (send: Send): RunningHistory['ask'] =>
    async (id, call) => {
      const reply = sound(await send(id, call), id, call);
      if (reply.status < 300) succeeded.set(id, (succeeded.get(id) ?? 0) + 1);
      return reply;
    };
  const plainly: Send = (id, call) => rehearsal.call(id, JSON.parse(inCurrency(JSON.stringify(call), currency)) as object);
  const agreeing: Send = async (id, call) => {
    if (!changesSomething(apis[id])) return plainly(id, call);
    await rehearsal.settle();
    const dry = await plainly(id, { ...call, query: DRY });
    const real = await plainly(id, call);
    const difference = disagreement(dry, real);
    if (difference !== undefined) throw new Error(`${id} ${JSON.stringify(call)} differs from its dry run:\n${difference}`);
    agreed.set(id, (agreed.get(id) ?? 0) + 1);
    return real;
  };
  const repeatedly: Send = async (id, call) => {
    const headers = isMutating(apis[id]) ? { 'idempotency-key': `key-${repeated?.answers.length}` } : {};
    const reply = await plainly(id, { ...call, headers });
    return id === 'label-document' || id === 'collection-code' ? reply : answered([id, call], reply);
  };
  const answered = async (sent: unknown, reply: Reply): Promise<Reply> => {
    if (!repeated) return reply;
    // Links have a signature for this rehearsal.
    const text = JSON.stringify({ sent, status: reply.status, body: reply.body }).replaceAll(LINK, '$1');
    repeated.answers.push(JSON.parse(text));
    await rehearsal.settle();
    return reply;
  };
  const once = repeated ? repeatedly : dryFirst ? agreeing : plainly;
  const common = {
    rehearsal,
    things: repeated?.things ?? nothingYet(),
    play: async (method: string, path: string, body: object = {}) =>
      sound(await answered([path, body], await rehearsal.call(method, `/_control/${path}`, body, { as: 'admin' })), method, path, body),
    isTroubled: () => trouble,
    expectTrouble: () => {
      trouble = true;
    },
  };
  const twice: RunningHistory = {
    ...common,
    ask: asking((id, call) => sendTwice(id, (headers) => once(id, { ...call, headers }))),
    get twice() {
      return twice;
    },
  };
  return { ...common, ask: asking(once), twice };
}

const LINK = /(\/labels|\/payment-actions|\/collection-codes)\/[^"]+/g;

const UNREACHABLE: ReadonlySet<string> = new Set(['dependency_unavailable', 'dependency_error']);

async function sendTwice(id: ApiId, send: (headers: Record<string, string>) => Promise<Reply>): Promise<Reply> {
  if (!isMutating(apis[id])) return send({});
  const headers = { 'idempotency-key': randomUUID() };
  const [one, other] = await Promise.all([send(headers), send(headers)]);
  const [first, second] = one.status < 300 ? [one, other] : [other, one];
  if (second.status < 300 && !(first.status === second.status && isDeepStrictEqual(first.body, second.body))) {
    throw new Error(`${id}: two answers under one key: ${JSON.stringify(first.body)} and ${JSON.stringify(second.body)}`);
  }
  return first;
}

/** An act: its arbitrary input, and its execution. */
export interface Kind {
  readonly given: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  perform(history: RunningHistory, given: object): Promise<unknown>;
}

type Values<Given> = { readonly [K in keyof Given]: Given[K] extends fc.Arbitrary<infer V> ? V : never };

export const kind = <const Given extends Record<string, fc.Arbitrary<unknown>>>(
  given: Given,
  perform: (history: RunningHistory, given: Values<Given>) => Promise<unknown>,
): Kind => ({ given, perform: (history, values) => perform(history, values as Values<Given>) });

/** The index of an existing object: modulo their number, from the newest backwards when negative. */
export const of = fc.integer({ min: -3, max: 3 });

/** Performs an act on one of several objects, if there are any. */
export async function about<T>(list: readonly T[], at: number, then: (thing: T) => Promise<unknown>): Promise<void> {
  const thing = list.at(at % Math.max(1, list.length));
  if (thing !== undefined) await then(thing);
}

export function note(list: string[], { status, body }: Reply): void {
  if (status < 300 && typeof body?.id === 'string' && !list.includes(body.id)) list.push(body.id);
}

/** A declined payment has its id in the problem. */
export function notePayment({ payments }: Things, reply: Reply): void {
  note(payments, reply);
  if (reply.status === 402) payments.push(reply.body.paymentId);
}

export const eur = (amount: number) => ({ amount, currency: 'EUR' as const });
export const sku = fc.constantFrom('mug-blue', 'mug-blue', 'lamp-last-one', 'desk-two-nodes', 'wine-red');
export const qty = fc.integer({ min: 1, max: 3 });
export const orNot = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
