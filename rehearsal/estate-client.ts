import { Agent, request } from 'undici';
import type { z } from 'zod';
import { controlOperations } from '../shared/catalog/simulation/operations.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import { fillPath } from '../shared/transport/path.ts';
import type { CalledId, OperationInput, OperationOutput, StreamFrame, StreamId, StreamInput } from './call-types.ts';
import { explainConnection, explainedChunks } from './connection-error.ts';
import { eventsOf } from './event-stream.ts';

/** Address and credentials of a client. */
export interface EstateClientOptions {
  /** Address of the gateway, without a trailing slash. */
  readonly gateway: string;
  readonly bearer: string;
  readonly apiKey: string;
  /** Credential of the simulation plane. */
  readonly admin: string;
  /** Rehearsal of control operations, and of plain calls whose bearer is not bound to a rehearsal. */
  readonly rehearsal?: string;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a reply is untyped JSON; its reader knows the request
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** `none` omits all credentials. */
  readonly as?: 'bearer' | 'api-key' | 'admin' | 'none';
}

/** A stream is read from here on, and until the signal. */
export interface StreamOptions {
  /** Id of the last frame that was read. Default: now. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** The control plane refused the operation or could not be reached. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;
  constructor(operation: string, status: number, detail: string) {
    super(`${operation}: ${status} ${detail}`);
    this.status = status;
  }
}

/** Input that is optional when it has no required members. */
export type Optionally<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input];

/** Client of an estate, over its public HTTP only. */
export interface EstateClient extends AsyncDisposable {
  /** A call of a public API. It returns errors as replies. */
  readonly call: (method: string, path: string, body?: unknown, how?: CallOptions) => Promise<Reply>;
  /** An operation of the simulation plane. @throws ControlError when it is refused */
  readonly control: <Id extends CalledId>(id: Id, ...input: Optionally<OperationInput<Id>>) => Promise<OperationOutput<Id>>;
  /** Reads a stream of the simulation plane. Leaving the loop closes it. @throws ControlError when it is refused */
  readonly stream: <Id extends StreamId>(id: Id, input?: StreamInput<Id> & StreamOptions) => AsyncGenerator<StreamFrame<Id>, void>;
  readonly close: () => Promise<void>;
}

/** A client with connections of its own. */
export function createEstateClient(options: EstateClientOptions): EstateClient {
  const agent = new Agent({ connections: 256, keepAliveTimeout: 20_000 });
  return clientOnConnections(requireOptions(options), agent, () => agent.close());
}

/** @internal A client on shared connections, which their owner closes. Not declared in the package. */
export const clientOnAgent = (options: EstateClientOptions, agent: Agent): EstateClient =>
  clientOnConnections(options, agent, () => Promise.resolve());

/** @throws TypeError that names what a caller without types has left out */
function requireOptions(options: EstateClientOptions): EstateClientOptions {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const missing = ['gateway', 'bearer', 'apiKey', 'admin'].filter((name) => typeof given[name] !== 'string');
  if (missing.length === 0) return options;
  throw new TypeError(`A client needs ${missing.join(', ')}, each as text: an address such as http://127.0.0.1:8080, and credentials.`);
}

function clientOnConnections(options: EstateClientOptions, agent: Agent, close: () => Promise<void>): EstateClient {
  const credential = (as: CallOptions['as']): Record<string, string> => {
    if (as === 'none') return {};
    if (as === 'api-key') return { 'x-api-key': options.apiKey };
    return { authorization: `Bearer ${as === 'admin' ? options.admin : options.bearer}` };
  };
  const bound = options.bearer.startsWith('reh_');

  const placed = ({ headers = {}, as = 'bearer' }: CallOptions): Record<string, string> => ({
    ...credential(as),
    ...(options.rehearsal !== undefined && (!bound || as === 'none' || as === 'admin') && { 'x-rehearsal': options.rehearsal }),
    ...headers,
  });

  const explain = (error: unknown): never => explainConnection(options.gateway, error);
  const reach = (url: string, how: Parameters<typeof request>[1]) => request(url, { ...how, dispatcher: agent }).catch(explain);

  async function send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply> {
    const response = await reach(`${options.gateway}${path}`, {
      method: method as 'GET',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text().catch(explain);
    return { status: response.statusCode, body: text === '' ? undefined : parse(text), headers: response.headers };
  }

  const call: EstateClient['call'] = (method, path, body, how = {}) => send(method, path, body, placed(how));

  async function control<Id extends CalledId>(id: Id, ...[input]: Optionally<OperationInput<Id>>): Promise<OperationOutput<Id>> {
    const operation = controlOperations[requireId(id)];
    const {
      params = {},
      query = {},
      body,
    } = (input ?? {}) as { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
    const reply = await call(
      operation.method,
      filledPath(operation.path, { params, query }),
      operation.method === 'GET' || operation.method === 'DELETE' ? undefined : (body ?? {}),
      { as: 'admin' },
    );
    if (reply.status >= 300) throw new ControlError(id, reply.status, String(reply.body?.detail ?? ''));
    return (reply.body ?? null) as OperationOutput<Id>;
  }

  async function* stream<Id extends StreamId>(id: Id, input?: StreamInput<Id> & StreamOptions): AsyncGenerator<StreamFrame<Id>, void> {
    const { path, frames } = controlOperations[requireId(id)];
    const { query = {}, after, signal } = (input ?? {}) as StreamOptions & { query?: Record<string, unknown> };
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) };
    const response = await reach(`${options.gateway}${filledPath(path, { query })}`, {
      headers: placed({ as: 'admin', headers }),
      ...(signal && { signal }),
    });
    if (response.statusCode >= 300) {
      const refusal = parse(await response.body.text()) as { detail?: string } | undefined;
      throw new ControlError(id, response.statusCode, String(refusal?.detail ?? ''));
    }
    for await (const { event, id: place, data } of eventsOf(explainedChunks(options.gateway, response.body))) {
      // A newer estate may have frames that this client does not know.
      const schema = (frames as Readonly<Record<string, z.ZodType>>)[event ?? ''];
      if (schema) yield { event, id: place, data: schema.parse(JSON.parse(data)) } as StreamFrame<Id>;
    }
  }

  return { call, control, stream, close, [Symbol.asyncDispose]: close };
}

/** A path of the catalog with its parameters filled in and the query appended. */
export function filledPath(
  path: string,
  { params = {}, query = {} }: { readonly params?: Readonly<Record<string, string>>; readonly query?: Readonly<Record<string, unknown>> },
): string {
  const filled = fillPath(path, params);
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]));
  return entries.length === 0 ? filled : `${filled}?${search}`;
}

/** @throws TypeError when a caller without types asks for an operation that does not exist */
function requireId<Id extends CalledId | StreamId>(id: Id): Id {
  if (Object.hasOwn(controlOperations, id)) return id;
  const names = Object.keys(controlOperations);
  throw new TypeError(unknownWord('operation', String(id), names, 'docs/reference/simulation-plane.md'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
