import { Agent, type Dispatcher, errors, request } from 'undici';
import type { z } from 'zod';
import { apis } from '../shared/catalog/apis.ts';
import { STREAM_CURSOR } from '../shared/catalog/control/operations/stream.ts';
import { controlOperations } from '../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import type { Ms } from '../shared/domain/time.ts';
import { BodyTooLong, bytesWithin } from '../shared/process/bounded-body.ts';
import { GIVEN_BYTES } from '../shared/process/bounded-file.ts';
import { connectionTrouble } from '../shared/process/connection-trouble.ts';
import { fillPath, queryString, requireWrittenPath } from '../shared/transport/path.ts';
import type {
  ApiInput,
  ApiOutput,
  ApiRoute,
  CalledId,
  OperationInput,
  OperationOutput,
  StreamFrame,
  StreamId,
  StreamInput,
  TypedApiId,
} from './call-types.ts';
import { eventsOf } from './event-stream.ts';
import type { Method, ProblemBody, Reply, ResponseOf, Tried } from './reply.ts';

/** Address and credentials of a client. */
export interface EstateClientOptions {
  /** Address of the gateway, without a trailing slash. */
  readonly gateway: string;
  readonly bearer: string;
  readonly apiKey: string;
  /** Credential of the control plane. */
  readonly admin: string;
  /** Rehearsal of control operations, and of plain calls whose bearer is not bound to a rehearsal. */
  readonly rehearsal?: string;
  /** The client of OAuth that fetches access tokens, for calls as `access-token`. */
  readonly oauthClient?: { readonly id: string; readonly secret: string };
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `access-token` sends a token of POST /oauth/token, which the client keeps until a call is refused because the token has ended. `none` omits
   * all credentials.
   */
  readonly as?: 'bearer' | 'access-token' | 'api-key' | 'admin' | 'none';
}

/** The start and the end of reading a stream. */
interface StreamOptions {
  /** Id of the last frame that was read. Default: now. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** The control plane refused the operation or could not be reached. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;
  /** The detail of the estate's problem. */
  readonly detail: string;
  constructor(operation: string, status: number, detail: string) {
    super(`${operation}: ${status} ${detail}`);
    this.status = status;
    this.detail = detail;
  }
}

/** Input that is optional when it has no required members. */
export type Optionally<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input];

/** The input of an API, and whether the call is a dry run. Reads have no dry run. */
export type CallInput<Id extends TypedApiId, Dry> = Optionally<
  ApiInput<Id> & {
    /** `true` checks whether the call is possible, and changes nothing. */
    readonly dryRun?: Dry & (ApiRoute<Id> extends `GET ${string}` ? false : boolean);
  }
>;
/** The arguments of a call after the first: the input of an API, or the path, body and options of a plain call. */
type CallRest<To extends TypedApiId | Method, Path extends string, Dry> = To extends TypedApiId
  ? CallInput<To, Dry>
  : [path: Path, body?: unknown, how?: CallOptions];
/** The response of the called API; unknown when the path matches no API. */
export type CallOutput<To extends TypedApiId | Method, Path extends string, Dry = false> = To extends TypedApiId
  ? Tried<ApiOutput<To>, Dry>
  : ResponseOf<`${To} ${Path}`>;

/** Client of an estate, over its public HTTP only. */
export interface EstateClient extends AsyncDisposable {
  /**
   * Calls an API by its id, `call('create-basket-api', { body })`, or by method and path, `call('POST', '/baskets', body)`, which takes any body.
   * With `dryRun: true` it checks whether the call is possible, and changes nothing.
   * Returns refusals as replies with `ok: false`. @throws ConnectionError when no reply comes, PathRefused for a path with `.` or `..`
   */
  readonly call: <const To extends TypedApiId | Method, const Path extends string = string, const Dry extends boolean = false>(
    to: To,
    ...rest: CallRest<To, Path, Dry>
  ) => Promise<Reply<CallOutput<To, Path, Dry>>>;
  /** An operation of the control plane. @throws ControlError when it is refused */
  readonly control: <Id extends CalledId>(id: Id, ...input: Optionally<OperationInput<Id>>) => Promise<OperationOutput<Id>>;
  /** Reads a stream of the control plane. Leaving the loop closes it. @throws ControlError when it is refused */
  readonly stream: <Id extends StreamId>(id: Id, input?: StreamInput<Id> & StreamOptions) => AsyncGenerator<StreamFrame<Id>, void>;
  readonly close: () => Promise<void>;
}

/** @internal */
export const createAgent = (): Agent => new Agent({ connections: 256, keepAliveTimeout: 20_000 });

/** A client with its own connections. */
export function createEstateClient(options: EstateClientOptions): EstateClient {
  const agent = createAgent();
  return clientOnConnections(requireOptions(options), agent, () => agent.close());
}

/** @internal A client on shared connections. The caller closes them. Not declared in the package. */
export const clientOnAgent = (options: EstateClientOptions & Ending, agent: Agent): EstateClient =>
  clientOnConnections(options, agent, () => Promise.resolve());

interface Ending {
  /** Aborting it ends the calls of the client, and with them what the estate does for them alone, such as a wait. */
  readonly signal?: AbortSignal;
  /** Wall time that the body of an answer may take. */
  readonly bodyMs?: Ms;
}

/** An estate disconnects clients that read an answer for longer than this wall time. */
const LONGEST_BODY_MS: Ms = 120_000;

/** @throws TypeError that names missing options, for callers without types */
function requireOptions(options: EstateClientOptions): EstateClientOptions {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const missing = ['gateway', 'bearer', 'apiKey', 'admin'].filter((name) => typeof given[name] !== 'string');
  if (missing.length === 0) return options;
  throw new TypeError(`A client needs ${missing.join(', ')}, each as text: an address such as http://127.0.0.1:8080, and credentials.`);
}

function clientOnConnections(options: EstateClientOptions & Ending, agent: Agent, close: () => Promise<void>): EstateClient {
  let accessToken: Promise<string> | undefined;

  async function credential(as: CallOptions['as']): Promise<Record<string, string>> {
    if (as === 'none') return {};
    if (as === 'api-key') return { 'x-api-key': options.apiKey };
    if (as === 'access-token') {
      accessToken ??= fetchToken();
      accessToken.catch(() => (accessToken = undefined));
      return { authorization: `Bearer ${await accessToken}` };
    }
    return { authorization: `Bearer ${as === 'admin' ? options.admin : options.bearer}` };
  }
  const bound = options.bearer.startsWith('reh_');

  const placed = async ({ headers = {}, as = 'bearer' }: CallOptions): Promise<Record<string, string>> => ({
    ...(await credential(as)),
    ...(options.rehearsal !== undefined && (!bound || as === 'none' || as === 'admin') && { 'x-rehearsal': options.rehearsal }),
    ...headers,
  });

  const explain = (error: unknown): never => explainConnection(options.gateway, error);
  const reach = (url: string, how: Parameters<typeof request>[1]) => request(url, { ...how, dispatcher: agent }).catch(explain);
  const whileAlive = watched(options.gateway, options.signal);
  /** The status, the headers and the whole text of an answer. */
  const exchange = (url: string, how: Parameters<typeof request>[1]) =>
    whileAlive(async (signal) => {
      const response = await reach(url, { ...how, signal });
      return { ...response, text: await textOf(response.body) };
    });
  /** The pauses between two chunks have a separate limit, so only this one ends a body that trickles. */
  const textOf = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
    const late = setTimeout(() => body.destroy(new errors.BodyTimeoutError()), options.bodyMs ?? LONGEST_BODY_MS);
    const bytes = await bytesWithin(body, GIVEN_BYTES)
      .catch(explain)
      .finally(() => clearTimeout(late));
    return bytes.toString();
  };

  async function send(method: string, path: string, body?: unknown, how: CallOptions = {}): Promise<Reply> {
    requireWrittenPath(path);
    const headers = await placed(how);
    const { text, ...response } = await exchange(`${options.gateway}${path}`, {
      method: method as 'GET',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (how.as === 'access-token' && isOfEndedToken(response.headers)) accessToken = undefined;
    const reply = { status: response.statusCode, body: text === '' ? undefined : parse(text), headers: response.headers };
    return isSuccess(reply.status) ? { ok: true, ...reply } : { ok: false, ...reply, body: reply.body as ProblemBody };
  }

  /** @throws TypeError without a client of OAuth, ControlError when it is refused */
  async function fetchToken(): Promise<string> {
    const { oauthClient, rehearsal, gateway } = options;
    if (oauthClient === undefined) throw new TypeError('A call as access-token needs the option oauthClient: { id, secret }.');
    const { id, secret } = oauthClient;
    const isBound = id.startsWith('reh_');
    const { text, statusCode } = await exchange(`${gateway}/oauth/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(rehearsal !== undefined && !isBound && { 'x-rehearsal': rehearsal }),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString(),
    });
    const answer = parse(text) as { readonly access_token?: string; readonly error_description?: string } | undefined;
    if (answer?.access_token !== undefined) return answer.access_token;
    throw new ControlError('POST /oauth/token', statusCode, answer?.error_description ?? '');
  }

  async function call(to: string, ...rest: readonly unknown[]): Promise<Reply> {
    const [path] = rest;
    if (typeof path === 'string') return send(to, path, rest[1], rest[2] as CallOptions | undefined);
    const named = callOfApi(to, path as Sections | undefined);
    return send(named.method, named.path, named.body, named.how);
  }

  async function control<Id extends CalledId>(id: Id, ...[input]: Optionally<OperationInput<Id>>): Promise<OperationOutput<Id>> {
    const { method, path } = requireOperation(id);
    const sections = (input ?? {}) as Sections;
    const body = method === 'GET' || method === 'DELETE' ? undefined : (sections.body ?? {});
    const reply = await send(method, filledPath(path, sections), body, { as: 'admin' });
    if (!reply.ok) throw new ControlError(id, reply.status, detailOf(reply.body));
    return (reply.body ?? null) as OperationOutput<Id>;
  }

  async function* stream<Id extends StreamId>(id: Id, input?: StreamInput<Id> & StreamOptions): AsyncGenerator<StreamFrame<Id>, void> {
    const { path, frames } = requireOperation(id);
    const { query = {}, after, signal } = (input ?? {}) as StreamOptions & { query?: Record<string, unknown> };
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) };
    const sent = await placed({ as: 'admin', headers });
    const response = await whileAlive(
      (alive) => reach(`${options.gateway}${filledPath(path, { query })}`, { headers: sent, signal: alive }),
      signal,
    );
    if (!isSuccess(response.statusCode)) throw new ControlError(id, response.statusCode, detailOf(parse(await textOf(response.body))));
    for await (const { event, id: place, data } of explained(options.gateway, eventsOf(response.body))) {
      // Skip unknown frames of a newer estate.
      const schema = (frames as Readonly<Record<string, z.ZodType>>)[event ?? ''];
      if (!schema) continue;
      const read = schema.safeParse(parse(data));
      if (!read.success || !STREAM_CURSOR.test(place ?? 'h0.e0'))
        throw new ForeignAnswer(options.gateway, 'its stream has an unexpected frame');
      yield { event, id: place, data: read.data } as StreamFrame<Id>;
    }
  }

  return { call: call as EstateClient['call'], control, stream, close, [Symbol.asyncDispose]: close };
}

/** Wall time without an answer after which a client requests a sign of life, and the wall time that the server gets for it. */
const SILENCE_MS: Ms = 2_000;
const SIGN_MS: Ms = 10_000;

type Watched = <T>(call: (alive: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * The patience of a client. An estate answers /healthz during its longest operations, so a call takes any time while /healthz is answered.
 * A server that accepts connections and answers nothing ends the call.
 */
function watched(gateway: string, ending: AbortSignal | undefined): Watched {
  let sign: Promise<boolean> | undefined;

  /** @returns whether a server that is there has answered. Calls that wait together share one request, on a separate connection. */
  async function answers(): Promise<boolean> {
    const agent = new Agent();
    try {
      const { body } = await request(`${gateway}/healthz`, { dispatcher: agent, signal: AbortSignal.timeout(SIGN_MS) });
      await bytesWithin(body, GIVEN_BYTES);
      return true;
    } catch (error) {
      // An error of the connection is an answer: the call gets one, too.
      return !(error instanceof DOMException);
    } finally {
      void agent.destroy();
    }
  }

  return async (call, signal) => {
    const silent = new AbortController();
    let isOver = false;
    const requestSign = async (): Promise<void> => {
      sign ??= answers().finally(() => {
        sign = undefined;
      });
      const isAlive = await sign;
      if (isOver) return;
      if (isAlive) timer = later();
      else silent.abort(new errors.HeadersTimeoutError());
    };
    const later = (): NodeJS.Timeout => setTimeout(() => void requestSign(), SILENCE_MS).unref();
    let timer = later();
    try {
      return await call(AbortSignal.any([silent.signal, ending, signal].filter((one) => one !== undefined)));
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };
}

/** RFC 6750 §3.1. */
const isOfEndedToken = ({ 'www-authenticate': challenge = '' }: Reply['headers']): boolean => challenge.includes('error="invalid_token"');

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The server may not be an estate. */
const detailOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string' ? body.detail : '';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The estate did not answer: nothing listens at its address, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The code of Node or its HTTP client. */
  readonly code: string;
  constructor(sentence: string, code: string, cause: unknown) {
    super(sentence, { cause });
    this.code = code;
  }
}

/** @internal The server answers as no estate does. A repeat does not help. Not declared in the package. */
export class ForeignAnswer extends ConnectionError {
  readonly reason: string;
  constructor(gateway: string, reason: string) {
    super(`The server at ${gateway} is not an estate of this version: ${reason}.`, 'ERR_FOREIGN_ANSWER', undefined);
    this.reason = reason;
  }
}

/** @throws ConnectionError for an error of the connection, and any other error unchanged */
function explainConnection(gateway: string, error: unknown): never {
  if (error instanceof BodyTooLong) throw new ForeignAnswer(gateway, error.message);
  const trouble = connectionTrouble(error);
  if (trouble === undefined) throw error;
  const remedy = trouble.isBroken ? '' : ' Start an estate, or correct the address.';
  throw new ConnectionError(`No answer came from the estate at ${gateway}: ${trouble.words}.${remedy}`, trouble.code, error);
}

/** The events of a body. @throws ConnectionError when they end early, or are too long */
async function* explained<T>(gateway: string, events: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* events;
  } catch (error) {
    explainConnection(gateway, error);
  }
}

/** The sections of a call's input. */
export interface Sections {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dryRun?: boolean | undefined;
}

interface PlainCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly how: { readonly headers: Readonly<Record<string, string>>; readonly as: 'bearer' | 'api-key' | 'none' };
}

/** The call of an API by its id, as the catalog declares it. @throws TypeError for an unknown API */
export function callOfApi(id: string, { body, headers = {}, params, query, dryRun }: Sections = {}): PlainCall {
  const { method, path, auth } = requireApi(id);
  return {
    method,
    path: filledPath(path, { params, query: dryRun ? { ...query, dryRun } : query }),
    body: method === 'GET' ? undefined : (body ?? {}),
    how: { headers, as: auth === 'signature' ? 'none' : auth },
  };
}

/** A path of the catalog with its parameters filled in and the query appended. @throws PathRefused */
export const filledPath = (path: string, { params = {}, query }: Sections): string => `${fillPath(path, params)}${queryString(query)}`;

function requireApi(id: string): ApiDefinition {
  const all: Readonly<Record<string, ApiDefinition>> = apis;
  const api = Object.hasOwn(all, id) ? all[id] : undefined;
  if (api !== undefined) return api;
  throw new TypeError(unknownWord('API', String(id), Object.keys(all), 'docs/reference/apis.md'));
}

/** The operation of an id. @throws TypeError for an unknown id, from callers without types */
function requireOperation<Id extends CalledId | StreamId>(id: Id): (typeof controlOperations)[Id] {
  if (Object.hasOwn(controlOperations, id)) return controlOperations[id];
  throw new TypeError(unknownWord('operation', String(id), Object.keys(controlOperations), 'docs/reference/control-plane.md'));
}
