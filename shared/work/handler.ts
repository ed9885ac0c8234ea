import type { z } from 'zod';
import type { IdsOf } from '../catalog/apis.ts';
import type { Application } from '../catalog/applications.ts';
import type { ApiDefinition, InputOf, OutputOf } from '../catalog/define.ts';
import type { InternalIdsOf } from '../catalog/internal-calls.ts';
import type { Problem } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import type { Webhooks } from '../control/webhook-sender.ts';
import type { Breathe } from '../domain/breathe.ts';
import type { EstateEvent } from '../events/envelope.ts';
import type { AnyCollection, Counters } from '../store/collections.ts';
import type { Caller } from '../transport/caller.ts';
import { type DueWork, type ParsedDueItem, parsePayload, type RunningItem } from './due-work.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The tools of a handler: one unit of work, and calls to other applications. */
export interface Scope {
  readonly context: Context;
  readonly work: UnitOfWork;
  readonly call: Caller;
  /** Called often within a long computation, so that the process answers other requests in between. */
  readonly breathe: Breathe;
  /** Signed webhooks of this rehearsal, sent through the gateway. */
  readonly webhooks: Webhooks;
  /** `webhook-id` of a signed request: the same for every attempt of one delivery. */
  readonly webhookId?: string;
  /** The header `If-Match`. Only a façade needs it, to pass it on: reads of the application's own objects compare it. */
  readonly ifMatch?: string;
  /** Warnings of this request, already tagged with correlation id and rehearsal. */
  readonly log: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

/** The result of a handler that changed nothing. An API answers it with 200 and the unchanged object. The journal keeps the reason. */
export class Unchanged<T> {
  readonly output: T;
  /** The reason. Absent for a repeat, which may finish what the first request left. */
  readonly reason: string | undefined;
  constructor(output: T, reason?: string) {
    this.output = output;
    this.reason = reason;
  }
}

/** The answer to a natural repeat. */
export const again = <T>(output: T): Unchanged<T> => new Unchanged(output);

/** The result of an event or a webhook that changes nothing. */
export const unchanged = (reason: string): Unchanged<null> => new Unchanged(null, reason);

/**
 * A handler throws a `Problem` to refuse and discard its changes, and returns one to refuse and keep them.
 * It may run again from the start after a conflict, so everything it decides comes from what it reads.
 */
type Handler<A> = (input: InputOf<A>, scope: Scope) => Promise<OutputOf<A> | Unchanged<OutputOf<A>> | Problem>;

/** An API with the handler that answers it. */
export interface BoundApi<Id extends string> {
  readonly id: Id;
  readonly api: ApiDefinition;
  readonly handler: (input: never, scope: Scope) => Promise<unknown>;
}

/** Binds a handler to its API: `handle(capturePayment)(async (input, { work }) => …)`. Curried, so that literal states do not widen. */
export const handle =
  <A extends ApiDefinition<string, Application, string>>(api: A) =>
  (handler: Handler<A>): BoundApi<A['id']> => ({ id: api.id, api, handler });

/** Returns `unchanged(reason)` for an event that changes nothing. */
export type EventHandler = (event: EstateEvent, scope: Scope) => Promise<Unchanged<null> | undefined>;

type RunDueWork = (item: RunningItem, scope: Scope) => Promise<void>;

export interface BoundDueWork {
  readonly kind: string;
  readonly payload: z.ZodType;
  readonly run: RunDueWork;
}

/** Binds a handler to its due work: `handleDue(giveUpPayment)(async ({ key }, { work }) => …)`. */
export const handleDue =
  <Payload>({ kind, payload }: DueWork<Payload>) =>
  (handler: (item: ParsedDueItem<Payload>, scope: Scope) => Promise<void>): BoundDueWork => ({
    kind,
    payload,
    run: (item, scope) => handler({ ...item, payload: parsePayload(kind, payload, item.payload) }, scope),
  });

/**
 * One application: its collections and counters, and its handlers of APIs, internal calls, events and due work. The records of API
 * handlers are typed over the catalog, so that a missing, superfluous or swapped handler does not compile.
 */
interface ServiceDefinition<App extends Application = Application> {
  readonly application: App;
  readonly collections: readonly AnyCollection[];
  readonly counters: readonly Counters[];
  readonly apis: { readonly [Id in IdsOf<App>]: BoundApi<Id> };
  readonly internal: { readonly [Id in InternalIdsOf<App>]: BoundApi<Id> };
  /** The handlers of the events that the catalog lists for this application, by event name without prefix. */
  readonly events: Readonly<Record<string, EventHandler>>;
  readonly due: readonly BoundDueWork[];
}

/** A service of any application, for code that walks over all of them. */
export interface AnyService {
  readonly application: Application;
  readonly collections: readonly AnyCollection[];
  readonly counters: readonly Counters[];
  readonly apis: Readonly<Record<string, BoundApi<string>>>;
  readonly internal: Readonly<Record<string, BoundApi<string>>>;
  readonly events: Readonly<Record<string, EventHandler>>;
  /** Due work by kind, with its handlers. */
  readonly due: Readonly<Record<string, BoundDueWork>>;
}

export function defineService<const App extends Application>({ due, ...definition }: ServiceDefinition<App>): AnyService {
  return { ...definition, due: Object.fromEntries(due.map((one) => [one.kind, one])) };
}
