import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { Problem } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import { comparisonWith } from '../control/credentials.ts';
import { DUE } from '../control/journal.ts';
import { readJson } from '../http/json-body.ts';
import { endAnyhow } from '../http/last-resort.ts';
import { ClientGone, readBody } from '../http/request-body.ts';
import type { Logger } from '../process/logger.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';
import { type Answer, answerProblem, asProblem } from '../transport/answer.ts';
import { CONTEXT_HEADER, decodeContext, TOKEN_HEADER } from '../transport/estate-headers.ts';
import { expressPath } from '../transport/path.ts';
import { DUE_PATH } from '../transport/transport.ts';
import type { AnyService, BoundApi } from '../work/handler.ts';
import { newJournalNotes } from '../work/job.ts';
import type { Pipeline } from '../work/pipeline.ts';

export interface BindingOptions {
  readonly service: AnyService;
  readonly pipeline: Pipeline;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly log: Logger;
  /** Answers `GET /metrics`; without it there is nothing at that path. */
  readonly metrics?: RequestHandler | undefined;
  readonly readiness: () => ReadinessAnswer;
}

/** The HTTP face of an application: health, its APIs, its internal calls, its due work; everything else is 404. */
export function bindService({ service, pipeline, token, log, metrics, readiness }: BindingOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', (_request, response) => {
    const { status, body } = readiness();
    response.status(status).json(body);
  });
  if (metrics) app.get('/metrics', metrics);
  app.use(insideOnly(token));
  for (const bound of [...Object.values(service.apis), ...Object.values(service.internal)]) {
    const route = app.route(expressPath(bound.api.path));
    const method = bound.api.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
    route[method]((request: Request, response: Response) => answerApi(pipeline, bound, { request, response }));
  }
  app.post(DUE_PATH, (request, response) => answerDue(pipeline, { request, response }));
  app.use((request: Request) => {
    throw new Problem('not_found', `${service.application} has nothing at ${request.method} ${request.path}.`);
  });
  app.use(problemMiddleware(log));
  return app;
}

const CONTEXT = Symbol('context');
type WithContext = Request & { [CONTEXT]?: Context };

/** Refuses requests that come neither through the gateway nor from another application of the estate. */
function insideOnly(token: string) {
  const isToken = comparisonWith(token);
  return (request: WithContext, _response: Response, next: NextFunction): void => {
    const context = decodeContext(request.get(CONTEXT_HEADER) ?? '');
    if (!isToken(request.get(TOKEN_HEADER) ?? '') || !context) {
      throw new Problem('forbidden', 'This application is reached through the gateway only.');
    }
    request[CONTEXT] = context;
    next();
  };
}

function contextOf(request: WithContext): Context {
  const context = request[CONTEXT];
  if (!context) throw new Error('insideOnly runs first.');
  return context;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

async function answerApi(pipeline: Pipeline, bound: BoundApi<string>, { request, response }: Exchange): Promise<void> {
  const started = performance.now();
  const body = await readBody(request, response);
  const context = contextOf(request);
  const { method, path, originalUrl, headers, params, query } = request;
  const answer = await pipeline.request({
    bound,
    context,
    path,
    received: { headers, params, query, body },
    hasLeft: () => response.destroyed && !response.writableFinished,
    notes: newJournalNotes(context),
    hop: { api: bound.id, method, path: originalUrl, started, answersData: true },
  });
  if (answer) send(response, context, answer);
  else request.socket.destroy();
}

async function answerDue(pipeline: Pipeline, { request, response }: Exchange): Promise<void> {
  const started = performance.now();
  const context = contextOf(request);
  const sent = await readJson(request.headers, await readBody(request, response));
  const { kind, key, token } = (sent?.value ?? {}) as { kind: string; key: string; token: string };
  const answer = await pipeline.due({
    item: { kind, key },
    token,
    context,
    path: request.path,
    notes: newJournalNotes(context),
    hop: { api: `due:${kind}`, method: DUE, path: key, started, answersData: false },
  });
  if (answer) send(response, context, answer);
}

function send(response: Response, { correlationId, requestId }: Pick<Context, 'correlationId' | 'requestId'>, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body, contentType, etag, retryAfter, replayed } = answer;
  // In one call: Express would look each header up again.
  response.writeHead(status, {
    'X-Correlation-Id': correlationId,
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    ...(etag !== undefined && { ETag: etag }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    // The gateway checks credentials; an application itself refuses only signatures.
    ...(status === 401 && { 'WWW-Authenticate': 'StandardWebhooks realm="unified-commerce"' }),
    ...(replayed === true && { 'Idempotent-Replayed': 'true' }),
    ...(status !== 204 && { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) }),
  });
  response.end(status === 204 ? undefined : body);
}

/** Answers requests that are refused outside the pipeline. */
function problemMiddleware(log: Logger): ErrorRequestHandler {
  return (error: unknown, request: WithContext, response: Response, _next: NextFunction) => {
    if (error instanceof ClientGone) return;
    const context = request[CONTEXT];
    const ids = { correlationId: context?.correlationId ?? request.get('x-correlation-id') ?? '', requestId: context?.requestId ?? '' };
    const problem = asProblem(error, log, ids);
    // Half an answer cannot be taken back: its reader must see that it broke off.
    if (response.headersSent) endAnyhow(response);
    else send(response, ids, answerProblem(problem, request.path));
  };
}
