import { Agent, request } from 'undici';
import type { z } from 'zod';
import type { ControlCall, ControlOutput, FrameOf } from '../shared/catalog/simulation/define-operation.ts';
import { type CalledId, controlOperations, type StreamId } from '../shared/catalog/simulation/operations.ts';
import { fillPath } from '../shared/transport/path.ts';
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
  /** Shared connections, which their owner closes. By default a client has its own. */
  readonly agent?: Agent;
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

/** Client of an estate, over its public HTTP only. */
export function createEstateClient(options: EstateClientOptions) {
  const agent = options.agent ?? new Agent({ connections: 256, keepAliveTimeout: 20_000 });
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

  async function send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Reply> {
    const response = await request(`${options.gateway}${path}`, {
      method: method as 'GET',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      dispatcher: agent,
    });
    const text = await response.body.text();
    return { status: response.statusCode, body: text === '' ? undefined : parse(text), headers: response.headers };
  }

  /** A call of a public API. */
  const call = (method: string, path: string, body?: unknown, how: CallOptions = {}): Promise<Reply> =>
    send(method, path, body, placed(how));

  /** An operation of the simulation plane. @throws ControlError when it is refused */
  async function control<Id extends CalledId>(
    id: Id,
    ...[input]: Record<never, never> extends ControlCall<(typeof controlOperations)[Id]>
      ? [input?: ControlCall<(typeof controlOperations)[Id]>]
      : [input: ControlCall<(typeof controlOperations)[Id]>]
  ): Promise<ControlOutput<(typeof controlOperations)[Id]>> {
    const operation = controlOperations[id];
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
    return (reply.body ?? null) as ControlOutput<(typeof controlOperations)[Id]>;
  }

  /** Reads a stream of the simulation plane. Leaving the loop closes it. @throws ControlError when it is refused */
  async function* stream<Id extends StreamId>(
    id: Id,
    input?: ControlCall<(typeof controlOperations)[Id]> & StreamOptions,
  ): AsyncGenerator<FrameOf<(typeof controlOperations)[Id]>, void> {
    const { path, frames } = controlOperations[id];
    const { query = {}, after, signal } = (input ?? {}) as StreamOptions & { query?: Record<string, unknown> };
    const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) };
    const response = await request(`${options.gateway}${filledPath(path, { query })}`, {
      headers: placed({ as: 'admin', headers }),
      dispatcher: agent,
      ...(signal && { signal }),
    });
    if (response.statusCode >= 300) {
      const refusal = parse(await response.body.text()) as { detail?: string } | undefined;
      throw new ControlError(id, response.statusCode, String(refusal?.detail ?? ''));
    }
    for await (const { event, id: place, data } of eventsOf(response.body)) {
      // A newer estate may have frames that this client does not know.
      const schema = (frames as Readonly<Record<string, z.ZodType>>)[event ?? ''];
      if (schema) yield { event, id: place, data: schema.parse(JSON.parse(data)) } as FrameOf<(typeof controlOperations)[Id]>;
    }
  }

  const close = (): Promise<void> => (options.agent ? Promise.resolve() : agent.close());
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

export type EstateClient = ReturnType<typeof createEstateClient>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
