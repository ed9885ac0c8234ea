import type { IncomingHttpHeaders } from 'node:http';
import { CorrelationId } from '../shared/catalog/headers.ts';
import { newId } from '../shared/domain/ids.ts';
import { secretIn } from '../shared/domain/redaction.ts';
import { contextFor } from '../shared/simulation/context.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../shared/transport/estate-headers.ts';

/** Wall time that a request has in the estate. */
export const REQUEST_MS = 15_000;

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Headers that end at the gateway: of the connection, of the client's credential, and those by which the estate or a framework would be told lies. */
const ENDS_HERE = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-api-key',
  'x-correlation-id',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-real-ip',
  'x-rehearsal',
  'x-request-id',
  'x-rewrite-url',
]);
const ENDS_HERE_BY_PREFIX = ['x-estate-', 'x-forwarded-'];

export interface RequestIds {
  readonly requestId: string;
  readonly correlationId: string;
}

/** A correlation id that was not sent, or that must not stand in events, journal and log, is the request's own id. */
export function identify(headers: IncomingHttpHeaders, now: number): RequestIds {
  const requestId = newId('req', now);
  const sent = headers['x-correlation-id'];
  const fits = typeof sent === 'string' && CorrelationId.safeParse(sent).success && secretIn(sent) === undefined;
  return { requestId, correlationId: fits ? sent : requestId };
}

/** The W3C traceparent that a client sent; whatever else stands in that header is none. */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

export interface EdgeRequest {
  readonly headers: IncomingHttpHeaders;
  readonly ids: RequestIds;
  /** The trace it belongs to, if any. */
  readonly traceparent: string | undefined;
  readonly view: WorldView;
  readonly principal: string;
  readonly token: string;
  readonly body: Buffer | undefined;
}

/**
 * The headers that an application gets: what the client sent, without what ends here, and with the estate's own. They are made before
 * the proxy sees the request, because its hook for request headers is skipped for requests with `Expect`.
 */
export function headersForApplication({ headers, ids, traceparent, view, principal, token, body }: EdgeRequest): IncomingHttpHeaders {
  const context = contextFor(view, { ...ids, principal, traceparent, withinMs: REQUEST_MS });
  const passed = passedOn(headers);
  if (traceparent === undefined) {
    delete passed['traceparent'];
    delete passed['tracestate'];
  } else passed['traceparent'] = traceparent;
  passed[CONTEXT_HEADER] = encodeContext(context);
  passed[TOKEN_HEADER] = token;
  passed['x-correlation-id'] = ids.correlationId;
  if (body) passed['content-length'] = String(body.length);
  return passed;
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = namedByConnection(headers.connection);
  const passed: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) {
    if (ENDS_HERE.has(name) || named?.has(name) || ENDS_HERE_BY_PREFIX.some((prefix) => name.startsWith(prefix))) continue;
    passed[name] = headers[name];
  }
  return passed;
}

/** Headers of one connection only, because its `Connection` header says so. */
export function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
