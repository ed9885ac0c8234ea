import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type ApiId, apis } from '../../../shared/catalog/apis.ts';
import { type ApiDefinition, type CallOf, isMutating } from '../../../shared/catalog/define.ts';
import type { TestRehearsal } from '../../support/estate.ts';
import type { PlainReply as Reply } from '../../support/plain-client.ts';

/** Objects created so far in a history. */
export interface Things {
  readonly baskets: string[];
  readonly orders: string[];
  /** Orders seen completed or cancelled: no further request is sent for them. */
  readonly over: Set<string>;
  readonly payments: string[];
  readonly holds: string[];
  readonly fulfillmentOrders: string[];
  readonly pickings: { readonly id: string; readonly lines: readonly { readonly orderLineId: string; readonly qty: number }[] }[];
  readonly parcels: string[];
  /** Checkouts at the till, with the outstanding amount that the till last answered. */
  readonly transactions: { readonly id: string; left: number }[];
  readonly returns: string[];
  readonly customers: string[];
  readonly accounts: string[];
  readonly redemptions: { readonly id: string; readonly value: number; readonly orderId?: string | undefined }[];
}

const nothingYet = (): Things => ({
  ...{ over: new Set<string>() },
  ...{ baskets: [], orders: [], payments: [], holds: [], fulfillmentOrders: [], pickings: [], parcels: [], transactions: [], returns: [] },
  ...{ customers: ['cus_ada', 'cus_ben'], accounts: ['loy_ada'], redemptions: [] },
});

/** A rehearsal in which a history happens. */
export interface Scene {
  readonly rehearsal: TestRehearsal;
  readonly things: Things;
  /** A call of a public API by a user. Every answer must be one that a user can handle. */
  ask<Id extends ApiId>(id: Id, call: CallOf<(typeof apis)[Id]>): Promise<Reply>;
  /** Commands of the outside world and of the control plane. */
  play(method: 'POST' | 'PUT', path: string, body?: object): Promise<Reply>;
  /** From now on an application may be unavailable, by an act of the history. */
  expectTrouble(): void;
  isTroubled(): boolean;
  /** The same scene, with every request sent twice concurrently under one idempotency key. */
  readonly twice: Scene;
}

/** Successful calls of each public API, over all histories of a run. */
export const succeeded = new Map<string, number>();

export function newScene(rehearsal: TestRehearsal): Scene {
  let trouble = false;
  const sound = (reply: Reply, what: string): Reply => {
    const broken = reply.status === 500 || (!trouble && UNREACHABLE.has(reply.body?.code));
    if (broken) throw new Error(`${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply;
  };
  const things = nothingYet();
  const sceneOf = (send: (api: ApiDefinition, path: string, body: unknown) => Promise<Reply>): Omit<Scene, 'twice'> => ({
    rehearsal,
    things,
    ask: async (id, call) => {
      const { params = {}, query, body } = call as { params?: Record<string, string>; query?: object; body?: unknown };
      const api: ApiDefinition = apis[id];
      const path = api.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const search =
        query === undefined
          ? ''
          : `?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
      const reply = sound(await send(api, `${path}${search}`, body), `${api.method} ${path}${search} ${JSON.stringify(body)}`);
      if (reply.status < 300) succeeded.set(id, (succeeded.get(id) ?? 0) + 1);
      return reply;
    },
    play: async (method, path, body = {}) =>
      sound(
        await rehearsal.client.call(method, `/_control/${path}`, body, { as: 'admin' }),
        `${method} /_control/${path} ${JSON.stringify(body)}`,
      ),
    isTroubled: () => trouble,
    expectTrouble: () => {
      trouble = true;
    },
  });
  const once = (api: ApiDefinition, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    rehearsal.call(api.method, path, body, { as: api.auth === 'api-key' ? 'api-key' : 'bearer', headers });
  const twice = { ...sceneOf((api, path, body) => sendTwice(api, (headers) => once(api, path, body, headers))) };
  return {
    ...sceneOf(once),
    twice: {
      ...twice,
      get twice(): Scene {
        return this;
      },
    },
  };
}

const UNREACHABLE: ReadonlySet<string> = new Set(['dependency_unavailable', 'dependency_error']);

async function sendTwice(api: ApiDefinition, send: (headers: Record<string, string>) => Promise<Reply>): Promise<Reply> {
  if (!isMutating(api)) return send({});
  const headers = { 'idempotency-key': randomUUID() };
  const [one, other] = await Promise.all([send(headers), send(headers)]);
  const [first, second] = one.status < 300 ? [one, other] : [other, one];
  if (second.status < 300 && !(first.status === second.status && isDeepStrictEqual(first.body, second.body))) {
    throw new Error(`${api.id}: two answers under one key: ${JSON.stringify(first.body)} and ${JSON.stringify(second.body)}`);
  }
  return first;
}

/** An act: its arbitrary input, and its execution. */
export interface Kind {
  readonly given: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  perform(scene: Scene, given: object): Promise<unknown>;
}

type Values<Given> = { readonly [K in keyof Given]: Given[K] extends fc.Arbitrary<infer V> ? V : never };

export const kind = <const Given extends Record<string, fc.Arbitrary<unknown>>>(
  given: Given,
  perform: (scene: Scene, given: Values<Given>) => Promise<unknown>,
): Kind => ({ given, perform: (scene, values) => perform(scene, values as Values<Given>) });

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
