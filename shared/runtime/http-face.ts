import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { ApiDefinition } from '../catalog/define.ts';
import { IdempotencyKey, IfMatch } from '../catalog/headers.ts';
import { Problem, type ProblemCode, problems } from '../catalog/problems.ts';
import { refuseSecrets } from '../contract/secrets.ts';
import { parseParams, parsePart } from '../contract/validation.ts';
import { rehearsalOf } from '../domain/world.ts';
import { type JsonBody, readJson } from '../http/json-body.ts';
import { endAnyhow } from '../http/last-resort.ts';
import { ClientGone, readBody } from '../http/request-body.ts';
import { type Ids, type Observer, type SpanStart, traceIds, UNOBSERVED } from '../observability/observer.ts';
import { withoutFailing } from '../process/harmless.ts';
import type { Logger } from '../process/logger.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';
import { type Context, OUTSIDE_WORLD, SIGNER } from '../simulation/context.ts';
import { isSameSecret } from '../simulation/credentials.ts';
import { type ActiveFault, createFaults, type Faults, pause, waitAtBarrier } from '../simulation/faults.ts';
import { journalHop } from '../simulation/journal.ts';
import { refuseWebhook } from '../simulation/webhook-signature.ts';
import type { Directory } from '../store/ports/directory.ts';
import type { Simulation } from '../store/ports/estate-store.ts';
import { type Answer, answerProblem } from '../transport/answer.ts';
import { CONTEXT_HEADER, decodeContext, TOKEN_HEADER } from '../transport/estate-headers.ts';
import { expressPath } from '../transport/path.ts';
import type { AnyService, Bound } from '../work/handler.ts';
import type { Pipeline } from '../work/pipeline.ts';
import { CallerLeft } from '../work/unit/interruptions.ts';

export interface BindingOptions {
  readonly service: AnyService;
  readonly pipeline: Pipeline;
  readonly simulation: Simulation;
  readonly directory: Directory;
  readonly token: string;
  readonly log: Logger;
  readonly observer?: Observer | undefined;
  /** Answers `GET /metrics`; without it there is nothing there. */
  readonly metrics?: RequestHandler | undefined;
  readonly readiness: () => ReadinessAnswer;
  /** Ends what a fault makes wait. */
  readonly stopping: AbortSignal;
}

/** The HTTP face of an application: health, its APIs, its internal calls, its due work; everything else is 404. */
export function bindService(options: BindingOptions): Express {
  const { service } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', (_request, response) => {
    const { status, body } = options.readiness();
    response.status(status).json(body);
  });
  if (options.metrics) app.get('/metrics', options.metrics);
  app.use(insideOnly(options.token));
  const faults = createFaults(options.simulation);
  for (const bound of [...Object.values(service.apis), ...Object.values(service.internal)]) {
    const route = app.route(expressPath(bound.api.path));
    const method = bound.api.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
    route[method]((request: Request, response: Response) => answerApi({ options, faults, bound, request, response }));
  }
  app.post('/_work/due', (request, response) => answerDue(options, request, response));
  app.use((request: Request) => {
    throw new Problem('not_found', `${service.application} has nothing at ${request.method} ${request.path}.`);
  });
  app.use(problemMiddleware(options.log));
  return app;
}

const CONTEXT = Symbol('context');
type WithContext = Request & { [CONTEXT]?: Context };

/** Services refuse what does not come through the gateway or from another application of the estate. */
function insideOnly(token: string) {
  return (request: WithContext, _response: Response, next: NextFunction): void => {
    const context = decodeContext(request.get(CONTEXT_HEADER) ?? '');
    if (!isSameSecret(request.get(TOKEN_HEADER) ?? '', token) || !context) {
      throw new Problem('forbidden', 'This application is reached through the gateway only.');
    }
    request[CONTEXT] = context;
    next();
  };
}

const contextOf = (request: WithContext): Context => {
  const context = request[CONTEXT];
  if (!context) throw new Error('insideOnly runs first.');
  return context;
};

interface ApiCall {
  readonly options: BindingOptions;
  readonly faults: Faults;
  readonly bound: Bound<string>;
  readonly request: Request;
  readonly response: Response;
}

async function answerApi({ options, faults, bound, request, response }: ApiCall): Promise<void> {
  const started = performance.now();
  const { application } = options.service;
  const bytes = await readBody(request, response);
  const { observer = UNOBSERVED } = options;
  const asked = contextOf(request);
  const span = observer.tracer?.start(serverSpan(bound, asked));
  let context = span ? { ...asked, traceparent: span.traceparent } : asked;
  const calls: string[] = [];
  const left = leaving(response);
  // Nobody rehearses a person of the outside world who cannot be reached.
  const isOutside = context.principal === OUTSIDE_WORLD && context.chain.length === 0;
  const struck = isOutside ? [] : await faults.all(context.world, context.faults, { application, api: bound.id });
  let answer: Answer | undefined;
  let body: JsonBody | undefined;
  try {
    await strikeBefore(options, context, struck);
    body = await readJson(request.headers, bytes, { isInside: context.chain.length > 0 });
    if (bound.api.auth === 'signature') {
      await checkSignature(options.directory, context, request, body);
      context = { ...context, principal: SIGNER };
    }
    answer = await options.pipeline.request({
      bound,
      input: readInput(bound.api, request, context, body),
      context,
      path: request.path,
      calls,
      left,
      idempotencyKey: idempotencyKey(request),
      ifMatch: ifMatch(request),
      webhookId: bound.api.auth === 'signature' ? request.get('webhook-id') : undefined,
    });
    const lost = struck.find(({ fault }) => fault.kind === 'lost-response');
    if (lost) answer = loseAnswer(lost, application, request.path);
  } catch (error) {
    answer =
      error instanceof Dropped || error instanceof CallerLeft
        ? undefined
        : answerProblem(asProblem(error, options.log, context), request.path);
  } finally {
    const ms = performance.now() - started;
    const status = answer?.status ?? 0;
    withoutFailing(options.log, 'observing a request', () => {
      observer.answered({ ids: context, api: bound.id, method: request.method, route: bound.api.path, status, ms });
      span?.end(status >= 500 || status === 0 ? String(status) : undefined, { 'http.response.status_code': status });
    });
    journalHop(options, {
      ids: context,
      world: context.world,
      now: context.now,
      principal: context.principal,
      application,
      api: bound.id,
      method: request.method,
      path: request.originalUrl,
      status,
      ms,
      calls,
      faults: struck.map(({ name }) => name),
      request: body?.value,
      response: typeof answer?.body === 'string' ? answer.body : undefined,
    });
  }
  if (answer) send(response, context, answer);
  else request.socket.destroy();
}

/** Aborted when the connection ends before the answer is out. */
function leaving(response: Response): AbortSignal {
  const leaving = new AbortController();
  if (response.destroyed) leaving.abort();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  return leaving.signal;
}

function serverSpan({ api }: Bound<string>, { traceparent, correlationId, requestId, world }: Context): SpanStart {
  return {
    kind: 'server',
    name: `${api.method} ${api.path}`,
    parent: traceparent,
    attributes: {
      'http.request.method': api.method,
      'http.route': api.path,
      'url.scheme': 'http',
      'uc.api': api.id,
      'uc.correlation_id': correlationId,
      'uc.request_id': requestId,
      'uc.rehearsal': rehearsalOf(world),
    },
  };
}

/** @throws Problem unauthenticated unless the rehearsal's webhook secret signed this body, lately by the rehearsal's clock */
async function checkSignature(directory: Directory, context: Context, request: Request, body: JsonBody | undefined): Promise<void> {
  const secret = (await directory.current(context.world))?.credentials.webhookSecret ?? '';
  const refusal = refuseWebhook(secret, {
    id: request.get('webhook-id'),
    timestamp: request.get('webhook-timestamp'),
    signatures: request.get('webhook-signature'),
    body: body?.text ?? '',
    now: context.now,
  });
  if (refusal !== undefined) throw new Problem('unauthenticated', `The webhook is refused: ${refusal}`);
}

function readInput(api: ApiDefinition, request: Request, context: Context, sent: JsonBody | undefined) {
  const fromService = context.chain.length > 0;
  const params = parseParams(request.params);
  const query = parsePart(api.query, request.query, 'query');
  if (!fromService && sent) refuseSecrets(sent.value);
  const body = api.method === 'GET' ? {} : parsePart(fromService ? api.serviceRequest : api.request, sent ? sent.value : {}, 'body');
  return { params, query, body };
}

/** The quotes are not part of it. */
function idempotencyKey(request: Request): string | undefined {
  const header = request.get('idempotency-key');
  if (header === undefined) return undefined;
  if (IdempotencyKey.safeParse(header).success) return header.replace(/^"(.*)"$/, '$1');
  throw headerProblem('Idempotency-Key', 'An Idempotency-Key has 1 to 255 characters.');
}

function ifMatch(request: Request): number | undefined {
  const header = request.get('if-match');
  if (header === undefined || header === '*') return undefined;
  if (IfMatch.safeParse(header).success) return Number(header.slice(1, -1));
  throw headerProblem('If-Match', 'If-Match takes the ETag of the object as it was read: "<version>".');
}

const headerProblem = (name: string, detail: string): Problem =>
  new Problem('malformed_request', detail, { errors: [{ pointer: name, code: 'invalid_header', detail }] });

async function strikeBefore(options: BindingOptions, { world }: Context, faults: readonly ActiveFault[]): Promise<void> {
  const { service, simulation, stopping } = options;
  const { application } = service;
  for (const { name, fault } of faults) {
    if (fault.kind === 'latency') await pause(fault.ms, stopping);
    else if (fault.kind === 'outage') {
      throw new Problem('dependency_unavailable', `${application} cannot be reached (fault ${name}).`, {
        dependency: application,
        retryAfter: 1,
      });
    } else if (fault.kind === 'drop') throw new Dropped();
    else if (fault.kind === 'status') throw new InjectedStatus(fault.status, fault.code, name);
    else if (fault.kind === 'barrier' && !(await waitAtBarrier(simulation, { world, name, parties: fault.parties, stopping }))) {
      throw new Problem('dependency_timeout', `The barrier ${name} gave up: fewer than ${fault.parties} requests came in time.`, {
        dependency: application,
      });
    }
  }
}

/** A fault that breaks the connection instead of answering. */
class Dropped extends Error {}

/** A fault that answers with any status, also one that no problem code has. */
class InjectedStatus extends Problem {
  readonly #status: number;
  constructor(status: number, code: string | undefined, fault: string) {
    const known = code !== undefined && Object.hasOwn(problems, code) ? (code as ProblemCode) : undefined;
    super(known ?? nearestCode(status), `Injected by the fault ${fault}.`, { fault });
    this.#status = status;
  }
  override get status(): number {
    return this.#status;
  }
}

function nearestCode(status: number): ProblemCode {
  const codes = Object.keys(problems) as ProblemCode[];
  return codes.find((code) => problems[code].status === status) ?? (status >= 500 ? 'internal_error' : 'malformed_request');
}

function loseAnswer({ name, fault }: ActiveFault, application: string, path: string): Answer | undefined {
  if (fault.kind === 'lost-response' && fault.as === 'reset') return undefined;
  const problem = new Problem('dependency_timeout', `${application} did its work; the answer was lost (fault ${name}).`, {
    dependency: application,
  });
  return answerProblem(problem, path);
}

export function send(response: Response, context: Pick<Context, 'correlationId' | 'requestId'>, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.status(answer.status);
  response.set('X-Correlation-Id', context.correlationId);
  response.set('X-Request-Id', context.requestId);
  response.set('Cache-Control', 'no-store');
  if (answer.etag !== undefined) response.set('ETag', answer.etag);
  if (answer.retryAfter !== undefined) response.set('Retry-After', String(answer.retryAfter));
  // Credentials are the gateway's business; what an application itself does not accept is a signature.
  if (answer.status === 401) response.set('WWW-Authenticate', 'StandardWebhooks realm="unified-commerce"');
  if (answer.replayed === true) response.set('Idempotent-Replayed', 'true');
  if (answer.status === 204) {
    response.end();
    return;
  }
  response.set('Content-Type', answer.contentType);
  response.end(answer.body);
}

async function answerDue(options: BindingOptions, request: Request, response: Response): Promise<void> {
  const started = performance.now();
  const context = contextOf(request);
  const sent = await readJson(request.headers, await readBody(request, response));
  const { kind, key, token } = (sent?.value ?? {}) as { kind: string; key: string; token: string };
  const calls: string[] = [];
  const faults: string[] = [];
  let answer: Answer = { status: 200, body: '{"done":true}', contentType: 'application/json; charset=utf-8' };
  try {
    await options.pipeline.dueWork({ item: { kind, key }, token, context, calls, faults });
  } catch (error) {
    answer = answerProblem(asProblem(error, options.log, context), request.path);
  }
  const ms = performance.now() - started;
  const observed = { api: 'due-work', method: request.method, route: request.path, status: answer.status, ms };
  withoutFailing(options.log, 'observing due work', () => options.observer?.answered({ ids: context, ...observed }));
  journalHop(options, {
    ids: context,
    world: context.world,
    now: context.now,
    principal: context.principal,
    application: options.service.application,
    api: `due:${kind}`,
    method: 'DUE',
    path: key,
    status: answer.status,
    ms,
    calls,
    faults,
    ...(answer.status >= 400 && { response: String(answer.body) }),
  });
  send(response, context, answer);
}

/** What Express throws, and what nobody foresaw, in the codes of the estate. */
export function asProblem(error: unknown, log: Logger, context: Partial<Ids>): Problem {
  if (error instanceof Problem) return error;
  const { status, name } = (error ?? {}) as { status?: number; name?: string };
  if (name === 'WorldGone') return new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted meanwhile.');
  if (status !== undefined && status >= 400 && status < 500) return new Problem('malformed_request', 'The request cannot be read.');
  const { requestId, correlationId, world, traceparent } = context;
  log.error({ err: error, requestId, correlationId, world, ...traceIds(traceparent) }, 'unexpected error');
  return new Problem('internal_error', 'Something went wrong in the estate itself; its log has the details under the correlation id.');
}

export function problemMiddleware(log: Logger): ErrorRequestHandler {
  return (error: unknown, request: WithContext, response: Response, _next: NextFunction) => {
    if (error instanceof ClientGone) return;
    const context = request[CONTEXT];
    const ids = { correlationId: context?.correlationId ?? request.get('x-correlation-id') ?? '', requestId: context?.requestId ?? '' };
    const problem = asProblem(error, log, ids);
    // Half an answer cannot be taken back: who reads it must see that it broke off.
    if (response.headersSent) endAnyhow(response);
    else send(response, ids, answerProblem(problem, request.path));
  };
}
