import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Application } from '../catalog/applications.ts';
import { Problem } from '../catalog/problems.ts';
import { requestsDryRun } from '../contract/dry-run.ts';
import type { Context } from '../control/context.ts';
import { comparisonWith } from '../control/credentials.ts';
import { DUE } from '../control/journal.ts';
import { endAnyhow, isRead, sendHealth } from '../http/json-answer.ts';
import { queryOf } from '../http/query.ts';
import { ClientGone, readBody, readJson } from '../http/request-body.ts';
import { pathParameters, routeTable } from '../http/route-table.ts';
import type { Logger } from '../process/logger.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';
import { within } from '../process/waiting.ts';
import { type Answer, answerProblem, asProblem, bodySentOf, headersOfAnswer } from '../transport/answer.ts';
import { type Answered, type ArrivingRequest, type Endpoint, NotListening } from '../transport/endpoint.ts';
import { CONTEXT_HEADER, decodeContext, TOKEN_HEADER } from '../transport/estate-headers.ts';
import { DUE_PATH, REPORT_PATH, type ReportedObject } from '../transport/transport.ts';
import type { AnyService } from '../work/handler.ts';
import { newJournalNotes } from '../work/job.ts';
import type { Pipeline } from '../work/pipeline.ts';

interface DispatchOptions {
  readonly service: AnyService;
  readonly pipeline: Pipeline;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly log: Logger;
}

/** @returns undefined when the connection ends without an answer @throws ClientGone */
type Dispatch = (request: ArrivingRequest) => Promise<Answered | undefined>;

/**
 * Passes each request to the pipeline: APIs and internal calls by the route table, and due work. It refuses requests that come
 * neither through the gateway nor from another application of the estate.
 */
export function createDispatch({ service, pipeline, token, log }: DispatchOptions): Dispatch {
  const bounds = [...Object.values(service.apis), ...Object.values(service.internal)];
  const routes = routeTable(bounds.map((bound) => ({ method: bound.api.method, path: bound.api.path, bound })));
  const isToken = comparisonWith(token);

  async function answerApi(request: ArrivingRequest, context: Context, path: string): Promise<Answer | undefined> {
    const started = performance.now();
    const { method, target, headers, hasLeft } = request;
    const route = routes.find(method, path);
    if (!route) throw new Problem('not_found', `${service.application} has nothing at ${method} ${path}.`);
    const params = pathParameters(route, path);
    const query = { ...queryOf(target, path) };
    const body = await request.body();
    const isDryRun = context.dryRun || requestsDryRun(route.bound.api, query);
    return pipeline[isDryRun ? 'dryRun' : 'request']({
      bound: route.bound,
      context: isDryRun ? { ...context, dryRun: true } : context,
      path,
      received: { headers, params, query, body },
      hasLeft,
      notes: newJournalNotes(context),
      hop: { api: route.bound.id, method, path: target, started, answersData: true },
    });
  }

  async function answerDue({ headers, body }: ArrivingRequest, context: Context): Promise<Answer | undefined> {
    const started = performance.now();
    const sent = await readJson(headers, await body());
    const { kind, key, token: lease } = (sent?.value ?? {}) as { kind: string; key: string; token: string };
    return pipeline.due({
      item: { kind, key },
      token: lease,
      context,
      path: DUE_PATH,
      notes: newJournalNotes(context),
      hop: { api: `due:${kind}`, method: DUE, path: key, started, answersData: false },
    });
  }

  async function answerReport({ headers, target, body }: ArrivingRequest, context: Context): Promise<Answer | undefined> {
    const started = performance.now();
    const sent = await readJson(headers, await body(), { isInside: true });
    const reported = (sent?.value ?? {}) as ReportedObject;
    return pipeline.report({
      reported,
      context,
      path: REPORT_PATH,
      notes: { ...newJournalNotes(context), request: reported.data },
      hop: { api: `report:${reported.type}`, method: 'POST', path: target, started, answersData: true },
    });
  }

  function contextOf({ headers, context }: ArrivingRequest): Context {
    const received = context ?? decodeContext(String(headers[CONTEXT_HEADER] ?? ''));
    if (received && isToken(String(headers[TOKEN_HEADER] ?? ''))) return received;
    throw new Problem('forbidden', 'This application is reached through the gateway only.');
  }

  return async (request) => {
    const [path = ''] = request.target.split('?', 1);
    let context: Context | undefined;
    try {
      context = contextOf(request);
      const isDue = path === DUE_PATH && request.method === 'POST';
      const isReport = path === REPORT_PATH && request.method === 'POST';
      const answer = await (isDue
        ? answerDue(request, context)
        : isReport
          ? answerReport(request, context)
          : answerApi(request, context, path));
      return answer && { ids: context, answer };
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      const ids = context ?? { requestId: '', correlationId: String(request.headers['x-correlation-id'] ?? '') };
      return { ids, answer: answerProblem(asProblem(error, log, ids), path) };
    }
  };
}

interface HttpFaceOptions {
  readonly dispatch: Dispatch;
  readonly readiness: () => ReadinessAnswer;
  /** Answers `GET /metrics`. Without it, that path is 404. */
  readonly metrics?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
}

/** The HTTP interface of an application: health, metrics, and the requests that it dispatches. */
export function createHttpFace({ dispatch, readiness, metrics }: HttpFaceOptions): RequestListener {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = request;
    if (isRead(request)) {
      const [path = ''] = target.split('?', 1);
      if (path === '/healthz' || path === '/readyz') return sendHealth(response, path, readiness);
      if (path === '/metrics' && metrics) return metrics(request, response);
    }
    const answered = await dispatch({
      method,
      target,
      headers,
      body: () => readBody(request, response),
      hasLeft: () => response.destroyed && !response.writableFinished,
    });
    if (response.destroyed) return;
    if (answered) send(response, answered);
    else request.socket.destroy();
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!(error instanceof ClientGone)) endAnyhow(response);
    });
  };
}

function send(response: ServerResponse, { ids, answer }: Answered): void {
  response.writeHead(answer.status, headersOfAnswer(answer, ids));
  response.end(bodySentOf(answer));
}

/** A close does not wait longer for running calls. */
const CLOSE_WITHIN_MS = 10_000;

/** The interface of an application for its own process. It gives the same answers as the HTTP interface. */
export function createEndpoint(application: Application, dispatch: Dispatch) {
  /** The running requests, by the function that aborts them. */
  const running = new Map<() => void, Promise<unknown>>();
  let listening = false;

  const take: Endpoint = (request) =>
    new Promise((resolve, reject) => {
      if (!listening) throw new NotListening(`${application} does not listen.`);
      let isBroken = false;
      const breakOff = (): void => {
        isBroken = true;
        resolve(undefined);
      };
      const hasLeft = (): boolean => isBroken || request.hasLeft();
      const answering = dispatch({ ...request, hasLeft }).finally(() => running.delete(breakOff));
      running.set(breakOff, answering);
      answering.then(resolve, reject);
    });

  return {
    take,
    listen(): void {
      listening = true;
    },
    /** Refuses requests from now on, and waits for those that run. */
    async close(): Promise<void> {
      listening = false;
      await within(CLOSE_WITHIN_MS, Promise.allSettled(running.values()));
    },
    /** Aborts every request, as the death of the process would. */
    kill(): void {
      listening = false;
      for (const breakOff of running.keys()) breakOff();
    },
  };
}
