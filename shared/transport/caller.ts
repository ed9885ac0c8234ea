import { type Agent, request } from 'undici';
import type { Application } from '../catalog/applications.ts';
import { type ApiDefinition, type CallOf, isMutating, type OutputOf } from '../catalog/define.ts';
import { mayCall } from '../catalog/flows.ts';
import { Problem, type ProblemCode, problems } from '../catalog/problems.ts';
import { digest } from '../domain/ids.ts';
import { type MadeCall, type Observer, type SpanStart, UNOBSERVED } from '../observability/observer.ts';
import { withTimeLimit } from '../process/waiting.ts';
import type { Context } from '../simulation/context.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from './estate-headers.ts';
import { fillPath } from './path.ts';

export interface CallOptions {
  /**
   * Tells calls of the same API within one request apart, and attempts of one call: the idempotency key is derived from the
   * parent's key and this label. Raise the attempt only after a definite answer; after an unknown outcome send the same again.
   */
  readonly step?: string;
  /**
   * What the call is for, when several requests and due work may carry it on: the key is then derived from this instead of the
   * request, so that each of them repeats the same call. Name the object of the intent, and raise the attempt in `step`.
   */
  readonly intent?: string;
  /** Wall time; never beyond the deadline of the request. */
  readonly timeoutMs?: number;
}

/** Calls an API of another application, as declared in the catalog. @throws Problem what the other answered, or `dependency_*` */
export type Caller = <A extends ApiDefinition<string, Application, string>>(
  api: A,
  input: CallOf<A>,
  options?: CallOptions,
) => Promise<OutputOf<A>>;

export interface ClientOptions {
  readonly application: Application;
  readonly addressOf: (application: Application) => string;
  readonly token: string;
  readonly agent: Agent;
  readonly observer?: Observer | undefined;
}

export interface CallScope {
  readonly context: Context;
  /** From it the keys of calls are derived. */
  readonly key: string;
  /** Notes the request id of a call, for the journal. */
  readonly called: (requestId: string) => void;
  /** Asked before each call. @throws CallerLeft */
  readonly beforeCall?: ((changesSomething: boolean) => void) | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Time left for the caller itself to answer after a call ran out of time. */
const MARGIN_MS = 250;

/** Answers of another application that are passed on as they are: they are about what the original caller sent. */
const PASSED_ON: ReadonlySet<number> = new Set([402, 404, 409, 412]);

/** The typed client of one application for one unit of work. */
export function createCaller(options: ClientOptions, scope: CallScope): Caller {
  let calls = 0;
  return async (api, input, { step = '', intent, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) => {
    const { application, addressOf, token, agent, observer = UNOBSERVED } = options;
    const { context, key } = scope;
    if (!mayCall(application, api.id)) throw new Error(`${application} calls ${api.id}, which flows.ts does not list.`);
    if (context.chain.includes(api.application) || api.application === application) {
      throw new Error(`${application} calls ${api.application} back within one request (${[...context.chain, application].join(' → ')}).`);
    }
    const sections = input as { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
    const path = fillPath(api.path, sections.params ?? {});
    scope.beforeCall?.(isMutating(api as unknown as ApiDefinition));
    const requestId = `${context.requestId}.${++calls}`;
    scope.called(requestId);
    const left = context.deadline - Date.now() - MARGIN_MS;
    if (left <= 0) throw timedOut(api.application);
    const started = performance.now();
    const url = `${addressOf(api.application)}${path}${queryString(sections.query)}`;
    const span = observer.tracer?.start(clientSpan(api as unknown as ApiDefinition, url, context));
    const traceparent = span?.traceparent ?? context.traceparent;
    const told = (status: number, failure?: MadeCall['failure']): void => {
      observer.called({ api: api.id, status, failure, ms: performance.now() - started });
      span?.end(
        failure ?? (status >= 400 ? String(status) : undefined),
        status === 0 ? undefined : { 'http.response.status_code': status },
      );
    };
    const parent = intent === undefined ? key : digest(context.world, application, 'intent', intent);
    const headers: Record<string, string> = {
      [CONTEXT_HEADER]: encodeContext({
        ...context,
        requestId,
        parentId: context.requestId,
        traceparent,
        chain: [...context.chain, application],
      }),
      [TOKEN_HEADER]: token,
      'x-correlation-id': context.correlationId,
      ...(traceparent !== undefined && { traceparent }),
      ...(isMutating(api as unknown as ApiDefinition) && { 'idempotency-key': `call-${digest(parent, api.id, path, step)}` }),
      ...(api.method !== 'GET' && { 'content-type': 'application/json' }),
    };
    const timeout = Math.min(timeoutMs, left);
    const answer = await send(url, timeout, {
      method: api.method,
      headers,
      ...(api.method !== 'GET' && { body: JSON.stringify(sections.body ?? {}) }),
      dispatcher: agent,
    }).catch((error: unknown) => {
      const problem = failed(api.application, error);
      told(0, FAILURES[problem.code] ?? 'broken off');
      throw problem;
    });
    told(answer.status);
    return read(api.application, answer) as OutputOf<typeof api>;
  };
}

const FAILURES: Readonly<Partial<Record<ProblemCode, MadeCall['failure']>>> = {
  dependency_timeout: 'timeout',
  dependency_unavailable: 'unreachable',
};

function clientSpan({ id, method, path }: ApiDefinition, url: string, { traceparent, correlationId }: Context): SpanStart {
  const { hostname, port } = new URL(url);
  return {
    kind: 'client',
    name: `${method} ${path}`,
    parent: traceparent,
    attributes: {
      'http.request.method': method,
      'url.full': url,
      'url.template': path,
      'server.address': hostname,
      'server.port': Number(port) || 80,
      'uc.api': id,
      'uc.correlation_id': correlationId,
    },
  };
}

async function send(
  url: string,
  timeoutMs: number,
  options: Omit<NonNullable<Parameters<typeof request>[1]>, 'signal'>,
): Promise<{ status: number; text: string; retryAfter: string | undefined }> {
  return withTimeLimit(timeoutMs, async (signal) => {
    const response = await request(url, { ...options, signal });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      text: await response.body.text(),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  });
}

function read(
  dependency: Application,
  { status, text, retryAfter }: { status: number; text: string; retryAfter: string | undefined },
): unknown {
  const body = parse(text);
  if (status < 300) return body;
  const { code, detail } = (body ?? {}) as { code?: unknown; detail?: unknown };
  const text_ = typeof detail === 'string' ? detail : `${dependency} answered ${status}.`;
  if (PASSED_ON.has(status) && isCode(code)) {
    const {
      type: _type,
      title: _title,
      status: _status,
      detail: _detail,
      instance: _instance,
      code: _code,
      ...context
    } = body as Record<string, unknown>;
    throw new Problem(code, text_, context);
  }
  if (status === 504) throw new Problem('dependency_timeout', text_, { dependency: named(body) ?? dependency });
  if (status === 503) {
    throw new Problem('dependency_unavailable', text_, { dependency: named(body) ?? dependency, retryAfter: Number(retryAfter ?? 1) || 1 });
  }
  throw new Problem('dependency_error', `${dependency} answered ${status}: ${text_}`, { dependency: named(body) ?? dependency });
}

const named = (body: unknown): string | undefined => {
  const dependency = (body as { dependency?: unknown } | undefined)?.dependency;
  return typeof dependency === 'string' ? dependency : undefined;
};

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && Object.hasOwn(problems, code);

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const timedOut = (dependency: Application): Problem =>
  new Problem('dependency_timeout', `${dependency} did not answer in time; whether it did the work is unknown.`, { dependency });

/** Refused connections did nothing; anything else may have done its work, and only the answer is missing. */
function failed(dependency: Application, error: unknown): Problem {
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return timedOut(dependency);
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new Problem('dependency_unavailable', `${dependency} cannot be reached.`, { dependency, retryAfter: 1 });
  }
  return new Problem('dependency_error', `${dependency} broke off without an answer; whether it did the work is unknown.`, { dependency });
}

function queryString(query: Readonly<Record<string, unknown>> | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
