import type { Request, Response, Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import type { Observability } from '../shared/observability/observability.ts';
import type { Connections } from '../shared/process/connections.ts';
import { readinessAnswer, type State } from '../shared/process/readiness.ts';
import { requireOwnHost } from './path-safety.ts';
import { methodNotAllowed } from './problems.ts';
import type { Routes } from './routes.ts';

/** The gateway's own endpoints. */
export interface Endpoints {
  readonly states: () => readonly State[];
  readonly connections: Connections;
  readonly observability: Observability | undefined;
  readonly documents: Router;
  readonly isOwnHost: (host: string | undefined) => boolean;
  readonly routes: Routes;
}

/** Endpoints that are no API. */
export type OwnEndpoint = 'health' | 'simulation plane' | 'metrics';

export function ownEndpointAt({ observability }: Endpoints, path: string): OwnEndpoint | undefined {
  if (path === '/healthz' || path === '/readyz') return 'health';
  if (path === '/_sim' || path.startsWith('/_sim/')) return 'simulation plane';
  return path === '/metrics' && observability ? 'metrics' : undefined;
}

export function answerHealth({ states, connections }: Endpoints, path: string, response: Response): void {
  const { status, body } =
    path === '/healthz' ? { status: 200, body: { status: 'ok' } } : readinessAnswer(states(), connections.draining());
  response.status(status).json(body);
}

/** @throws Problem method_not_allowed */
export async function answerMetrics({ observability }: Endpoints, request: Request, response: Response): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method, ['GET', 'HEAD']);
  await observability?.answerMetrics(request, response);
}

/**
 * Answers all paths that are neither an API's nor an endpoint's.
 * @throws Problem misdirected_request for a foreign host name, method_not_allowed when an API has the path, not_found
 */
export function answerDocuments(
  { documents, routes, isOwnHost }: Endpoints,
  path: string,
  request: Request,
  response: Response,
): Promise<void> {
  requireOwnHost(request, isOwnHost);
  const allowed = routes.methodsAt(path);
  if (allowed.length > 0) throw methodNotAllowed(request.method, allowed);
  return handOver(documents, request, response);
}

/** Resolves when the router has answered. @throws Problem not_found when it has no route */
export function handOver(router: Router, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', resolve);
    router(request, response, (error?: unknown) => {
      reject(error ?? new Problem('not_found', `Nothing is at ${request.path}.`));
    });
  });
}
