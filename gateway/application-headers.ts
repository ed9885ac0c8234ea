import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader } from 'node:http';
import { TOKEN_HEADER } from '../shared/transport/estate-headers.ts';
import type { RequestIds } from './request-ids.ts';

/** Wall time until the estate must answer a request. */
export const REQUEST_MS = 15_000;

/**
 * Headers that no application gets: connection headers, the client's secrets, and headers that would override the method, the address or
 * headers of the gateway.
 */
const DROPPED = new Set([
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
const DROPPED_PREFIXES = ['x-estate-', 'x-forwarded-'];

/** A request that passed all checks. */
interface AdmittedRequest {
  readonly request: IncomingMessage;
  readonly ids: RequestIds;
  /** W3C trace context of the request, if it has one. */
  readonly traceparent: string | undefined;
  readonly token: string;
  readonly body: Buffer | undefined;
}

/** The headers that an application gets: the client's headers without the dropped ones, and the estate's own, except for the context. */
export function applicationHeaders({ request, ids, traceparent, token, body }: AdmittedRequest): IncomingHttpHeaders {
  const passed = passedOn(request.headers);
  if (traceparent === undefined) {
    delete passed['traceparent'];
    delete passed['tracestate'];
  } else passed['traceparent'] = traceparent;
  passed[TOKEN_HEADER] = token;
  passed['x-correlation-id'] = ids.correlationId;
  const { host = '' } = request.headers;
  passed['x-forwarded-for'] = request.socket.remoteAddress ?? '';
  passed['x-forwarded-host'] = host;
  passed['x-forwarded-port'] = /:(\d+)/.exec(host)?.[1] ?? '80';
  passed['x-forwarded-proto'] = 'http';
  if (body) passed['content-length'] = String(body.length);
  return passed;
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = namedByConnection(headers.connection);
  const passed: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) {
    if (DROPPED.has(name) || named?.has(name) || DROPPED_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    passed[name] = headers[name];
  }
  return passed;
}

/** The headers that a `Connection` header restricts to its connection. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** A header that the gateway adds to the answer of an application. */
export interface OwnHeader {
  readonly name: string;
  readonly lowerCase: string;
  readonly value: string;
}

export const ownHeader = (name: string, value: string): OwnHeader => ({ name, lowerCase: name.toLowerCase(), value });

/** Headers that belong to the connection between application and gateway, and headers that name the software of an application. */
const STAYS_INSIDE: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-powered-by',
]);

/**
 * The headers of an answer, as alternating names and values: the gateway's headers, which headers of the application may replace. `Vary` is a list,
 * so that both stay.
 * @param connection the header of the connection to the client
 */
export function answerHead(
  own: readonly OwnHeader[],
  headers: IncomingHttpHeaders,
  connection: 'keep-alive' | 'close',
): OutgoingHttpHeader[] {
  const named = namedByConnection(headers.connection);
  const isPassed = (name: string): boolean => !STAYS_INSIDE.has(name) && !named?.has(name) && !name.startsWith('x-estate-');
  const head: OutgoingHttpHeader[] = [];
  for (const { name, lowerCase, value } of own) {
    const isReplaced = lowerCase !== 'vary' && headers[lowerCase] !== undefined && isPassed(lowerCase);
    if (!isReplaced) head.push(name, value);
  }
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name === 'connection') head.push(name, connection);
    else if (value !== undefined && isPassed(name)) head.push(name, value);
  }
  if (headers.connection === undefined) head.push('connection', connection);
  return head;
}
