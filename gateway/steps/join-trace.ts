import type { ApiDefinition } from '../../shared/catalog/define.ts';
import type { Span, Tracer } from '../../shared/observability/observer.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { traceparentOf } from '../request-ids.ts';
import type { Targeted } from './find-target.ts';

export interface Traced {
  readonly span?: Span | undefined;
  readonly traceparent: string | undefined;
}

/** Takes over the trace context of the client. */
export const continueTrace = ({ request }: Targeted): Traced => ({ traceparent: traceparentOf(request.headers) });

/** Starts the span of the request. It continues the client's trace. */
export const startSpan =
  ({ observer: { tracer } }: GatewayParts) =>
  ({ request, api }: Targeted): Traced => {
    const sent = traceparentOf(request.headers);
    const span = tracer && startEdgeSpan(tracer, request.method ?? '', api, sent);
    return { span, traceparent: span?.traceparent ?? sent };
  };

function startEdgeSpan(tracer: Tracer, method: string, api: ApiDefinition | undefined, parent: string | undefined): Span {
  const route = api?.path ?? '/_control';
  const attributes = { 'http.request.method': method, 'http.route': route, 'url.scheme': 'http', ...(api && { 'uc.api': api.id }) };
  return tracer.start({ kind: 'server', name: `${method} ${route}`, parent, attributes });
}
