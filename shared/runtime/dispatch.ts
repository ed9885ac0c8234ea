import { parse as parseQuery } from 'node:querystring';
import { Problem } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';
import { comparisonWith } from '../control/credentials.ts';
import { DUE } from '../control/journal.ts';
import { readJson } from '../http/json-body.ts';
import { ClientGone } from '../http/request-body.ts';
import { pathParameters, routeTable } from '../http/route-table.ts';
import type { Logger } from '../process/logger.ts';
import { type Answer, answerProblem, asProblem } from '../transport/answer.ts';
import type { Answered, ArrivingRequest } from '../transport/endpoint.ts';
import { CONTEXT_HEADER, decodeContext, TOKEN_HEADER } from '../transport/estate-headers.ts';
import { DUE_PATH } from '../transport/transport.ts';
import type { AnyService } from '../work/handler.ts';
import { newJournalNotes } from '../work/job.ts';
import type { Pipeline } from '../work/pipeline.ts';

export interface DispatchOptions {
  readonly service: AnyService;
  readonly pipeline: Pipeline;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly log: Logger;
}

/** @returns undefined when the connection ends without an answer @throws ClientGone */
export type Dispatch = (request: ArrivingRequest) => Promise<Answered | undefined>;

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
    const query = { ...parseQuery(target.slice(path.length + 1)) };
    const body = await request.body();
    return pipeline.request({
      bound: route.bound,
      context,
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

  function contextOf({ headers }: ArrivingRequest): Context {
    const context = decodeContext(String(headers[CONTEXT_HEADER] ?? ''));
    if (context && isToken(String(headers[TOKEN_HEADER] ?? ''))) return context;
    throw new Problem('forbidden', 'This application is reached through the gateway only.');
  }

  return async (request) => {
    const [path = ''] = request.target.split('?', 1);
    let context: Context | undefined;
    try {
      context = contextOf(request);
      const isDue = path === DUE_PATH && request.method === 'POST';
      const answer = await (isDue ? answerDue(request, context) : answerApi(request, context, path));
      return answer && { ids: context, answer };
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      const ids = context ?? { requestId: '', correlationId: String(request.headers['x-correlation-id'] ?? '') };
      return { ids, answer: answerProblem(asProblem(error, log, ids), path) };
    }
  };
}
