import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { rehearsalOf } from '../shared/domain/world.ts';
import type { Observer, Span, Tracer } from '../shared/observability/observer.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import type { OwnEndpoint } from './endpoints.ts';
import type { RequestIds } from './request-ids.ts';

/** Label of a request that no API answers, in metrics; `none` before its target is known. */
export type TargetLabel = OwnEndpoint | 'documents' | 'none';

/** The facts about a request when it is over. */
export interface ObservedRequest {
  readonly started: number;
  readonly target: TargetLabel;
  readonly api?: ApiDefinition | undefined;
  readonly view?: WorldView | undefined;
  readonly ids?: RequestIds | undefined;
  readonly span?: Span | undefined;
  readonly traceparent?: string | undefined;
}

/** Counts, logs and traces a request that was answered, or whose client has disconnected. */
export function observeRequest(observer: Observer, observed: ObservedRequest, request: IncomingMessage, response: ServerResponse): void {
  const { started, api, view, ids, span, traceparent } = observed;
  const isStream = String(response.getHeader('content-type')).startsWith('text/event-stream');
  // Its duration is that of a visit. Its client ends it.
  const target = isStream ? 'stream' : observed.target;
  // Probes come every few seconds and would drown the requests of clients.
  if (target === 'health') return;
  const isBrokenOff = response.destroyed && !response.writableFinished && !isStream;
  const status = isBrokenOff ? 0 : response.statusCode;
  observer.answered({
    ids: { requestId: ids?.requestId ?? '', correlationId: ids?.correlationId ?? '', world: view?.world, traceparent },
    api: api?.id ?? target,
    method: request.method ?? '',
    route: api?.path ?? target,
    status,
    ms: performance.now() - started,
  });
  span?.end(status >= 500 || status === 0 ? String(status) : undefined, {
    'http.response.status_code': status,
    ...(ids && { 'uc.correlation_id': ids.correlationId, 'uc.request_id': ids.requestId }),
    ...(view && { 'uc.rehearsal': rehearsalOf(view.world) }),
  });
}

/** The span of a request at the edge; it continues the trace of the client's `traceparent`. */
export function startEdgeSpan(tracer: Tracer, method: string, api: ApiDefinition | undefined, parent: string | undefined): Span {
  const route = api?.path ?? '/_control';
  const attributes = { 'http.request.method': method, 'http.route': route, 'url.scheme': 'http', ...(api && { 'uc.api': api.id }) };
  return tracer.start({ kind: 'server', name: `${method} ${route}`, parent, attributes });
}

/** The span of the call to the application. */
export function startCallSpan(tracer: Tracer, { id, method, path, application }: ApiDefinition, parent: string | undefined): Span {
  const attributes = { 'http.request.method': method, 'url.template': path, 'server.address': application, 'uc.api': id };
  return tracer.start({ kind: 'client', name: `${method} ${path}`, parent, attributes });
}
