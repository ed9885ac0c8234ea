import { z } from 'zod';
import { type Application, applications, type Domain } from './applications.ts';
import type { ProblemCode } from './problems.ts';

/** The names in braces of a path: `/a/{id}/b/{sku}` gives `'id' | 'sku'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type ApiType = 'query' | 'command' | 'action';
/** `signature`: a webhook, signed with the webhook secret of the rehearsal; other credentials are ignored. */
export type AuthScheme = 'bearer' | 'api-key' | 'signature' | 'none';
/** Media type of a success. A handler answers other types than JSON as base64. */
type MediaType = 'application/json' | 'application/pdf' | 'image/png';

/** An API, declared once. Routes, validation, clients, OpenAPI, tables and tests derive from it. */
export interface ApiDefinition<
  Id extends string = string,
  App extends Application = Application,
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  ServiceRequest extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Verb extends Method = Method,
> {
  readonly id: Id;
  readonly name: string;
  readonly summary: string;
  readonly domain: Domain;
  readonly type: ApiType;
  readonly application: App;
  /** The gateway has no route for `internal` APIs; only applications call them. */
  readonly audience: 'public' | 'internal';
  readonly auth: AuthScheme;
  readonly method: Verb;
  readonly path: Path;
  readonly query: Query;
  readonly request: Request;
  /** The body that other applications may send: the members of `request`, and members for applications only. */
  readonly serviceRequest: ServiceRequest;
  readonly response: Response;
  /** Status of the first success. A natural repeat is answered with 200. */
  readonly status: 200 | 201 | 204;
  /** Events of the source document that a call causes, including events of objects with other owners. Names without prefix. */
  readonly emits: readonly string[];
  /** Problems of this API, without those that every API of its kind may answer. */
  readonly problems: readonly ProblemCode[];
  /** The applications that call an internal API. */
  readonly callers: readonly Application[];
  /** Whether the source document shows the shapes, or they are our choice. */
  readonly shapes: 'source' | 'our choice';
  /** The source document does not list this API, but its own APIs need it. */
  readonly addition: boolean;
  readonly produces: MediaType;
  /** Name under which clients save a document: `label.pdf`. */
  readonly fileName: string | undefined;
  /** Stores nothing. Clients may send an idempotency key; applications send none, because a repeat may be recomputed. */
  readonly storesNothing: boolean;
  /** Member of the body that names the object of `If-Match`, if the path has no `{id}`. */
  readonly ifMatchOn: string | undefined;
}

type Empty = z.ZodObject<Record<never, never>, z.core.$strict>;

/** Members that are the same for most APIs, so that a declaration may leave them out. */
type Usual = Pick<
  ApiDefinition,
  'type' | 'auth' | 'method' | 'status' | 'emits' | 'problems' | 'addition' | 'produces' | 'fileName' | 'storesNothing' | 'ifMatchOn'
>;

/** Default name: the words of the id. Default domain: the domain of the application. */
interface PublicInput<Id, App, Path, Query, Request, ServiceRequest, Response, Verb extends Method = Method>
  extends Partial<Pick<ApiDefinition, 'name' | 'domain' | 'shapes'>>,
    Partial<Omit<Usual, 'method'>> {
  readonly method?: Verb;
  readonly id: Id;
  readonly summary: string;
  readonly application: App;
  readonly path: Path;
  readonly query?: Query;
  readonly request?: Request;
  readonly serviceRequest?: ServiceRequest;
  readonly response: Response;
}

type InternalInput<Id, App, Path, Query, Request, Response> = Omit<
  PublicInput<Id, App, Path, Query, Request, Request, Response>,
  'auth' | 'serviceRequest' | 'shapes' | 'status' | 'produces' | 'fileName' | 'storesNothing'
> & { readonly callers: readonly Application[] };

type AnyPublicInput = PublicInput<string, Application, string, z.ZodObject, z.ZodType, z.ZodType, z.ZodType>;

/**
 * Declares a public API: one of the source document, or an addition. Request schemas are strict. Without `query` or `request` none is
 * accepted; without `serviceRequest` applications send what clients send.
 */
export function defineApi<
  const Id extends string,
  const App extends Application,
  const Path extends string,
  Response extends z.ZodType,
  Query extends z.ZodObject = Empty,
  Request extends z.ZodType = Empty,
  ServiceRequest extends z.ZodType = Request,
  const Verb extends Method = 'GET',
>(
  input: PublicInput<Id, App, Path, Query, Request, ServiceRequest, Response, Verb>,
): ApiDefinition<Id, App, Path, Query, Request, ServiceRequest, Response, Verb>;
export function defineApi(input: AnyPublicInput): ApiDefinition {
  return withDefaults(input, 'public', []);
}

/** Declares a call between applications. It works like a public API, but has no route at the gateway. */
export function defineInternalCall<
  const Id extends string,
  const App extends Application,
  const Path extends `/internal/${string}`,
  Response extends z.ZodType,
  Query extends z.ZodObject = Empty,
  Request extends z.ZodType = Empty,
>(input: InternalInput<Id, App, Path, Query, Request, Response>): ApiDefinition<Id, App, Path, Query, Request, Request, Response>;
export function defineInternalCall(input: InternalInput<string, Application, string, z.ZodObject, z.ZodType, z.ZodType>): ApiDefinition {
  return withDefaults({ ...input, auth: 'none' }, 'internal', input.callers);
}

const usual: Usual = {
  type: 'query',
  auth: 'bearer',
  method: 'GET',
  status: 200,
  emits: [],
  problems: [],
  addition: false,
  produces: 'application/json',
  fileName: undefined,
  storesNothing: false,
  ifMatchOn: undefined,
};

function withDefaults(input: AnyPublicInput, audience: ApiDefinition['audience'], callers: readonly Application[]): ApiDefinition {
  const { id, application, query = z.strictObject({}), request = z.strictObject({}), serviceRequest = request } = input;
  if (input.method && input.method !== 'GET' && !input.type) throw new Error(`${id} is a ${input.method}: declare its type.`);
  const { domain } = applications[application];
  const shapes = input.addition ? 'our choice' : 'source';
  return { ...usual, name: nameOf(id), domain, shapes, ...input, query, request, serviceRequest, audience, callers };
}

/** `capture-payment-api` is `Capture Payment`. */
const nameOf = (id: string): string =>
  id
    .replace(/-api$/, '')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Input of a handler: path parameters, parsed query, parsed body. The body has the members for applications when one is the caller. */
export type InputOf<A> =
  A extends ApiDefinition<string, Application, infer Path, infer Query, z.ZodType, infer Body, z.ZodType>
    ? { readonly params: Readonly<Record<PathParameter<Path>, string>>; readonly query: z.output<Query>; readonly body: z.output<Body> }
    : never;

/** Input of a call: bodies and queries before defaults are filled in. Empty params, query and body may be omitted. */
export type CallOf<A> =
  A extends ApiDefinition<string, Application, infer Path, infer Query, z.ZodType, infer Body, z.ZodType>
    ? Section<'params', Readonly<Record<PathParameter<Path>, string>>> & Section<'query', z.input<Query>> & Section<'body', z.input<Body>>
    : never;

/** A part of an input, optional if it may be empty. */
export type Section<Name extends string, T> = Record<never, never> extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };

export type OutputOf<A> =
  A extends ApiDefinition<string, Application, string, z.ZodObject, z.ZodType, z.ZodType, infer Response> ? z.output<Response> : never;

/** The query parameter that names the rehearsal, for callers that cannot send a header, such as a browser that opens a link. */
const REHEARSAL_PARAMETER = '{rehearsal}';

/** Whether the path names the rehearsal. If so, neither header nor default apply, and no rehearsal is created. */
export const namesRehearsal = ({ path }: Pick<ApiDefinition, 'path'>): boolean => path.split('/').includes(REHEARSAL_PARAMETER);

/** Whether a call changes state and therefore accepts an `Idempotency-Key`. A query sent by POST does not. */
export const isMutating = (api: ApiDefinition): boolean => api.type !== 'query' && api.method !== 'GET';

/** Whether a call between applications serves a journey that is an addition. A real system need not answer it. */
export const servesAddition = ({ audience, addition }: Pick<ApiDefinition, 'audience' | 'addition'>): boolean =>
  audience === 'internal' && addition;

/** Whether a call may change the world. Such an API has a dry run. */
export const changesSomething = (api: ApiDefinition): boolean => isMutating(api) && !api.storesNothing;
