import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { ANONYMOUS } from '../../shared/control/context.ts';
import type { Span, Tracer } from '../../shared/observability/observer.ts';
import { ownHeader } from '../answer-head.ts';
import { applicationHeaders } from '../application-headers.ts';
import type { Exchange } from '../facts.ts';
import type { ForwardedRequest } from '../forwarder.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import type { Authenticated } from './authenticate.ts';
import type { Entered } from './enter-rehearsal.ts';
import type { ForApi } from './find-target.ts';
import type { Traced } from './join-trace.ts';
import type { Identified, Received } from './receive.ts';

export interface Addressee {
  readonly forwarded: ForwardedRequest;
  readonly callSpan: Span | undefined;
}

type Admitted = ForApi & Traced & Authenticated & Entered & Identified & Received;

/** Makes the request for the application. After this step, the application may have received it. */
export const addressApplication =
  ({ observer, token }: GatewayParts) =>
  ({ request, api, traceparent: parent, caller, view, ids, body }: Admitted): Addressee => {
    const callSpan = observer.tracer && startCallSpan(observer.tracer, api, parent);
    const traceparent = callSpan?.traceparent ?? parent;
    const principal = caller?.principal ?? ANONYMOUS;
    request.headers = applicationHeaders({ request, ids, traceparent, view, principal, token, body });
    const ownHeaders = [...SECURITY_HEADERS, ownHeader('X-Correlation-Id', ids.correlationId)];
    return { forwarded: { application: api.application, body, ownHeaders }, callSpan };
  };

/** Forwards the request, and sends the answer of the application. @throws Problem dependency_* */
export const callApplication =
  ({ forwarder, expectHops }: GatewayParts) =>
  async ({ request, response, view, forwarded, callSpan }: Exchange & Entered & Addressee): Promise<void> => {
    try {
      if (!response.destroyed) await forwarder.forward(request, response, forwarded);
      callSpan?.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
    } catch (error) {
      callSpan?.end('no answer');
      throw error;
    } finally {
      expectHops(view.world);
    }
  };

function startCallSpan(tracer: Tracer, { id, method, path, application }: ApiDefinition, parent: string | undefined): Span {
  const attributes = { 'http.request.method': method, 'url.template': path, 'server.address': application, 'uc.api': id };
  return tracer.start({ kind: 'client', name: `${method} ${path}`, parent, attributes });
}
