import type { Application } from '../catalog/applications.ts';
import { type ApiDefinition, type CallOf, changesSomething, type OutputOf } from '../catalog/define.ts';
import { mayCall } from '../catalog/flows.ts';
import { Problem, type ProblemCode } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import { digest } from '../domain/ids.ts';
import { idSource } from '../domain/world.ts';
import { type MadeCall, type Observer, UNOBSERVED } from '../observability/observer.ts';
import { clientSpan } from '../observability/spans.ts';
import { readReply } from './answer.ts';
import { fillPath, queryString } from './path.ts';
import { type Transport, timedOut } from './transport.ts';

export interface CallOptions {
  /**
   * Distinguishes calls of the same API within one request, and attempts of one call: the idempotency key is derived from the parent's
   * key and this label. Raise the attempt only after a definite answer; after an unknown outcome send the same again.
   */
  readonly step?: string;
  /** The object of a call that several requests and due work make: the key derives from it. Raise the attempt in `step`. */
  readonly intent?: string;
  /** Wall time; never beyond the deadline of the request. */
  readonly timeoutMs?: number;
  /** What follows does not depend on the effect of this call: a dry run continues with its answer. */
  readonly isSeparate?: true;
  /** Members of the answer of this request that do not depend on this call: a dry run that ends here has them. */
  readonly foreseen?: Readonly<Record<string, unknown>>;
  /** The header `If-Match`: the other application answers 412 when the object has none of its versions. */
  readonly ifMatch?: string | undefined;
}

/**
 * Calls an API of another application, as the catalog declares it.
 * @throws Problem the problem that the other application answered, or `dependency_*`
 */
export type Caller = <A extends ApiDefinition<string, Application, string>>(
  api: A,
  input: CallOf<A>,
  options?: CallOptions,
) => Promise<OutputOf<A>>;

interface CallerOptions {
  readonly application: Application;
  readonly transport: Transport;
  readonly observer?: Observer | undefined;
}

export interface CallScope {
  readonly context: Context;
  /** The idempotency keys of calls are derived from it. */
  readonly key: string;
  /** The hop that makes the calls, and the request ids of its calls for the journal. */
  readonly notes: { readonly hopId: string; readonly calls: string[] };
  /** Runs before each call. @throws CallerLeft */
  readonly beforeCall?: ((changesSomething: boolean) => void) | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** Time that the caller needs for its own answer after a call has timed out. */
const MARGIN_MS = 250;

/** The typed calls of one application in one unit of work. */
export function createCaller({ application, transport, observer = UNOBSERVED }: CallerOptions, scope: CallScope): Caller {
  const { context, notes } = scope;
  return async (api, input, { step = '', intent, timeoutMs = DEFAULT_TIMEOUT_MS, ifMatch } = {}) => {
    refuseUnlisted(application, api, context.chain);
    const { params = {}, query, body } = input as { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
    const path = fillPath(api.path, params);
    const isChange = changesSomething(api);
    scope.beforeCall?.(isChange);
    const left = context.deadline - Date.now() - MARGIN_MS;
    if (left <= 0) throw timedOut(api.application);
    // A handler that runs again makes its calls again, each with a new id.
    const requestId = `${context.requestId}.${notes.calls.length + 1}`;
    notes.calls.push(requestId);

    const target = `${path}${queryString(query)}`;
    const observed = observeCall(observer, { api, url: transport.urlOf(api.application, target), context });
    const { traceparent } = observed;
    const parent = (): string => (intent === undefined ? scope.key : digest(idSource(context), application, 'intent', intent));
    const call = transport.send({
      application: api.application,
      method: api.method,
      path: target,
      context: { ...context, requestId, parentId: notes.hopId, traceparent, chain: [...context.chain, application] },
      idempotencyKey: isChange ? `call-${digest(parent(), api.id, path, step)}` : undefined,
      ifMatch,
      body: api.method === 'GET' ? undefined : JSON.stringify(body ?? {}),
      timeoutMs: Math.min(timeoutMs, left),
    });
    const reply = await call.catch((error: unknown) => {
      observed.failed(error);
      throw error;
    });
    observed.answered(reply.status);
    return readReply(api.application, reply) as OutputOf<typeof api>;
  };
}

function refuseUnlisted(application: Application, api: ApiDefinition, chain: readonly string[]): void {
  if (!mayCall(application, api.id)) throw new Error(`${application} calls ${api.id}, which flows.ts does not list.`);
  if (chain.includes(api.application) || api.application === application) {
    throw new Error(`${application} calls ${api.application} back within one request (${[...chain, application].join(' → ')}).`);
  }
}

interface ObservableCall {
  readonly api: ApiDefinition;
  readonly url: string;
  /** The context of the caller. */
  readonly context: Context;
}

const FAILURES: Readonly<Partial<Record<ProblemCode, MadeCall['failure']>>> = {
  dependency_timeout: 'timeout',
  dependency_unavailable: 'unreachable',
};

/** Begins the span of a call that is sent now. @returns its traceparent, and what to call when the call has ended */
function observeCall(observer: Observer, call: ObservableCall) {
  const started = performance.now();
  const span = observer.tracer?.start(clientSpan(call.api, call.url, call.context));

  const report = (status: number, failure?: MadeCall['failure']): void =>
    observer.called({ api: call.api.id, status, failure, ms: performance.now() - started });

  return {
    traceparent: span?.traceparent ?? call.context.traceparent,
    answered(status: number): void {
      report(status);
      span?.end(status >= 400 ? String(status) : undefined, { 'http.response.status_code': status });
    },
    failed(error: unknown): void {
      const failure = (error instanceof Problem && FAILURES[error.code]) || 'broken off';
      report(0, failure);
      span?.end(failure);
    },
  };
}
