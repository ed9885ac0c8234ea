import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observability } from '../shared/observability/observability.ts';
import type { Connections } from '../shared/process/connections.ts';
import { readinessAnswer, type State } from '../shared/process/readiness.ts';
import type { HandOver } from './hand-over.ts';
import { requireOwnHost } from './path-safety.ts';
import { methodNotAllowed } from './problems.ts';
import type { Routes } from './routes.ts';

/** The gateway's own endpoints. */
export interface Endpoints {
  readonly states: () => readonly State[];
  readonly connections: Connections;
  readonly observability: Observability | undefined;
  readonly documents: HandOver;
  readonly isOwnHost: (host: string | undefined) => boolean;
  readonly routes: Routes;
}

/** Endpoints that are no API. */
export type OwnEndpoint = 'health' | 'control plane' | 'metrics';

export function ownEndpointAt({ observability }: Endpoints, path: string): OwnEndpoint | undefined {
  if (path === '/healthz' || path === '/readyz') return 'health';
  if (path === '/_control' || path.startsWith('/_control/')) return 'control plane';
  return path === '/metrics' && observability ? 'metrics' : undefined;
}

export function answerHealth({ states, connections }: Endpoints, path: string, response: ServerResponse): void {
  const { status, body } =
    path === '/healthz' ? { status: 200, body: { status: 'ok' } } : readinessAnswer(states(), connections.draining());
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

/** @throws Problem method_not_allowed */
export async function answerMetrics({ observability }: Endpoints, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '' } = request;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ['GET', 'HEAD']);
  await observability?.answerMetrics(request, response);
}

/**
 * Answers all paths that are neither an API's nor an endpoint's.
 * @throws Problem misdirected_request for a foreign host name, method_not_allowed when an API has the path, not_found
 */
export function answerDocuments(
  { documents, routes, isOwnHost }: Endpoints,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  requireOwnHost(request, isOwnHost);
  const allowed = routes.methodsAt(path);
  if (allowed.length > 0) throw methodNotAllowed(request.method ?? '', allowed);
  return documents(request, response);
}
