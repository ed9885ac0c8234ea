import { z } from 'zod';
import type { Application, Domain } from './applications.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { ProblemCode } from './problems.ts';

/** The names in braces of a path: `/a/{id}/b/{sku}` gives `'id' | 'sku'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type ApiType = 'query' | 'command' | 'action';
/** `signature`: a signed webhook; the rehearsal's webhook secret signs it, and no other credential is looked at. */
export type AuthScheme = 'bearer' | 'api-key' | 'signature' | 'none';
/** What a success is answered with. Where it is not JSON, the handler answers the bytes as base64. */
export type MediaType = 'application/json' | 'application/pdf';

/**
 * A business object: its published shape, its life cycle when it has one, and its owner.
 * Every committed change of an object has an event on the topic of its domain.
 */
export interface ObjectDefinition<Schema extends z.ZodObject = z.ZodObject, State extends string = string, Verb extends string = string> {
  /** As the source document spells it: `fulfillment-order`. */
  readonly type: string;
  readonly domain: Domain;
  readonly owner: Application;
  readonly meaning: string;
  /** The published shape: what APIs answer and events carry. */
  readonly schema: Schema;
  /** Undefined for objects without listed states. */
  readonly lifeCycle?: LifeCycle<State, Verb>;
  /** Who consumes its additional event `ext.<type>-changed`. */
  readonly changeSubscribers?: readonly Subscription[];
}

export function defineObject<const Schema extends z.ZodObject, State extends string = never, Verb extends string = never>(
  definition: ObjectDefinition<Schema, State, Verb>,
): ObjectDefinition<Schema, State, Verb> {
  return definition;
}

export type ObjectOf<D> = D extends ObjectDefinition<infer Schema, string, string> ? z.output<Schema> : never;

/** One event of the source document. The additional `ext.<object>-changed` are derived, one per object. */
export interface EventDefinition {
  /** As the source document spells it: `payment-authorized`. */
  readonly name: string;
  readonly classification: 'created' | 'updated' | 'transitioned';
  /** Type of the object it carries. */
  readonly object: string;
  readonly meaning: string;
  readonly subscribers?: readonly Subscription[];
}

export const defineEvent = (event: EventDefinition): EventDefinition => event;

/**
 * `each` reacts to every event once (an effect keyed by a unique value); `latest` copies state and skips versions that are older
 * than the newest seen of that aggregate.
 */
export interface Subscription {
  readonly application: Application;
  readonly mode: 'each' | 'latest';
  readonly purpose: string;
}

/** An API: written once, and everything else comes from it: route, validation, client, gateway route, OpenAPI, tables, tests. */
export interface ApiDefinition<
  Id extends string = string,
  App extends Application = Application,
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  ServiceRequest extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly id: Id;
  readonly name: string;
  readonly summary: string;
  readonly domain: Domain;
  readonly type: ApiType;
  readonly application: App;
  /** `internal` APIs are called by services only; the gateway has no route for them. */
  readonly audience: 'public' | 'internal';
  readonly auth: AuthScheme;
  readonly method: Method;
  readonly path: Path;
  readonly query: Query;
  readonly request: Request;
  /** What services may send in addition to what callers from outside may. */
  readonly serviceRequest: ServiceRequest;
  readonly response: Response;
  /** Status of a success that is not a natural repeat; a repeat is answered with 200. */
  readonly status: 200 | 201 | 204;
  /** Names of the source document's events that this API causes, whoever owns the object. */
  readonly emits: readonly string[];
  /** Besides those that every API of its kind may answer. */
  readonly problems: readonly ProblemCode[];
  /** Internal calls: which applications call it. */
  readonly callers: readonly Application[];
  /** Whether the source document shows the shapes, or they are our choice. */
  readonly shapes: 'source' | 'our choice';
  /** Not among the APIs that the source document counts: something they need that it leaves open. */
  readonly addition: boolean;
  readonly produces: MediaType;
}

type NoQuery = z.ZodObject<Record<never, never>, z.core.$strict>;
type NoBody = z.ZodObject<Record<never, never>, z.core.$strict>;

interface PublicInput<Id, App, Path, Query, Request, ServiceRequest, Response> {
  readonly id: Id;
  readonly name: string;
  readonly summary: string;
  readonly domain: Domain;
  readonly type: ApiType;
  readonly application: App;
  readonly auth: AuthScheme;
  readonly method: Method;
  readonly path: Path;
  readonly query?: Query;
  readonly request?: Request;
  readonly serviceRequest?: ServiceRequest;
  readonly response: Response;
  readonly status?: 200 | 201 | 204;
  readonly emits?: readonly string[];
  readonly problems?: readonly ProblemCode[];
  readonly shapes?: 'our choice';
  readonly addition?: true;
  readonly produces?: MediaType;
}

/** Declares a public API: one of the 43, or an addition. Request schemas are strict; `request` omitted means an empty body. */
export function defineApi<
  const Id extends string,
  const App extends Application,
  const Path extends string,
  Response extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Request extends z.ZodType = NoBody,
  ServiceRequest extends z.ZodType = Request,
>(
  input: PublicInput<Id, App, Path, Query, Request, ServiceRequest, Response>,
): ApiDefinition<Id, App, Path, Query, Request, ServiceRequest, Response> {
  return complete({ ...input, audience: 'public', callers: [] });
}

/** Declares a call between services: same rails, no route at the gateway. */
export function defineInternalCall<
  const Id extends string,
  const App extends Application,
  const Path extends `/internal/${string}`,
  Response extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Request extends z.ZodType = NoBody,
>(
  input: Omit<
    PublicInput<Id, App, Path, Query, Request, Request, Response>,
    'auth' | 'serviceRequest' | 'shapes' | 'status' | 'addition' | 'produces'
  > & {
    readonly callers: readonly Application[];
  },
): ApiDefinition<Id, App, Path, Query, Request, Request, Response> {
  return complete({ ...input, audience: 'internal', auth: 'none' });
}

function complete<
  Id extends string,
  App extends Application,
  Path extends string,
  Query extends z.ZodObject,
  Request extends z.ZodType,
  ServiceRequest extends z.ZodType,
  Response extends z.ZodType,
>(
  input: PublicInput<Id, App, Path, Query, Request, ServiceRequest, Response> & {
    readonly audience: 'public' | 'internal';
    readonly callers: readonly Application[];
  },
): ApiDefinition<Id, App, Path, Query, Request, ServiceRequest, Response> {
  const request = input.request ?? (z.strictObject({}) as unknown as Request);
  return {
    ...input,
    query: input.query ?? (z.strictObject({}) as unknown as Query),
    request,
    serviceRequest: input.serviceRequest ?? (request as unknown as ServiceRequest),
    status: input.status ?? 200,
    emits: input.emits ?? [],
    problems: input.problems ?? [],
    shapes: input.shapes ?? 'source',
    addition: input.addition ?? false,
    produces: input.produces ?? 'application/json',
  };
}

/** What a handler is given: path parameters, parsed query, parsed body (with the members that only services send, when the caller is one). */
export type InputOf<A> =
  A extends ApiDefinition<string, Application, infer Path, infer Query, z.ZodType, infer Body, z.ZodType>
    ? { readonly params: Readonly<Record<PathParameter<Path>, string>>; readonly query: z.output<Query>; readonly body: z.output<Body> }
    : never;

/** What a caller gives: bodies and queries before defaults are filled in; params, query and body may be left out where they are empty. */
export type CallOf<A> =
  A extends ApiDefinition<string, Application, infer Path, infer Query, z.ZodType, infer Body, z.ZodType>
    ? Section<'params', Readonly<Record<PathParameter<Path>, string>>> & Section<'query', z.input<Query>> & Section<'body', z.input<Body>>
    : never;

type Section<Name extends string, T> = Record<never, never> extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };

export type OutputOf<A> =
  A extends ApiDefinition<string, Application, string, z.ZodObject, z.ZodType, z.ZodType, infer Response> ? z.output<Response> : never;

/** The path parameter that names the rehearsal, for callers that can send no header: a browser that opens a link. */
const REHEARSAL_PARAMETER = '{rehearsal}';

/** Whether the path itself names the rehearsal; the header and the default do not count then, and none is created. */
export const namesRehearsal = ({ path }: Pick<ApiDefinition, 'path'>): boolean => path.split('/').includes(REHEARSAL_PARAMETER);

/** A call that changes something and therefore takes idempotency claims; a query sent by POST does not. */
export const isMutating = (api: ApiDefinition): boolean => api.type !== 'query' && api.method !== 'GET';
