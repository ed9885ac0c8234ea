import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { AuthScheme } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { requestsDryRun } from '../../shared/contract/dry-run.ts';
import { queryOf } from '../../shared/http/query.ts';
import type { Span, Tracer } from '../../shared/observability/observer.ts';
import type { PresentedKey } from '../credentials.ts';
import type { Exchange, Target } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { traceparentOf } from '../request-ids.ts';
import { setSecurityHeaders } from '../security-headers.ts';

/** Percent-encoded `.`, `/`, `\` and NUL, in upper or lower case. */
const ENCODED_STRUCTURE = /%(?:2e|2f|5c|00)/i;
const BROKEN_ENCODING = /%(?![0-9a-f]{2})/i;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** A run of complete percent-encodings. */
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
const NOT_PRINTABLE_ASCII = /[^\x21-\x7e]/;

export interface Addressed {
  /** The path without the query. */
  readonly path: string;
}

/** Sets the headers for pages of other origins first, so that they can read refusals too. @throws Problem malformed_request */
export const checkAddress =
  ({ crossOrigin }: GatewayParts) =>
  ({ request, response }: Exchange): Addressed => {
    crossOrigin.allow(request, response);
    const path = unambiguousPath(request.url ?? '');
    requireSingleHeaders(request);
    refuseWebSocket(request);
    return { path };
  };

/**
 * Refuses addresses that two parsers may read differently: the gateway could authorise one reading, and an application serve the other. The gateway
 * routes, authorises and forwards the address as it was sent, without decoding it.
 * @returns the path without the query
 * @throws Problem malformed_request
 */
function unambiguousPath(target: string): string {
  if (NOT_PRINTABLE_ASCII.test(target)) throw ambiguous('a character outside printable ASCII');
  if (target.includes('#')) throw ambiguous('"#"');
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  if (!path.startsWith('/')) throw ambiguous('no leading "/"');
  if (path.includes('//')) throw ambiguous('"//"');
  if (path.includes('\\')) throw ambiguous('"\\"');
  if (DOT_SEGMENT.test(path)) throw ambiguous('a segment "." or ".."');
  if (ENCODED_STRUCTURE.test(path)) throw ambiguous('an encoded ".", "/", "\\" or NUL');
  if (target.includes('%')) refuseBadEncoding(target);
  return path;
}

/** Checks the query too: its bytes must decode to UTF-8. */
function refuseBadEncoding(target: string): void {
  try {
    decodeURIComponent(target);
  } catch {
    throw badEncoding(target);
  }
}

/** Names the first mistake of an address that does not decode. */
function badEncoding(target: string): Problem {
  if (BROKEN_ENCODING.test(target)) return ambiguous('"%" without two hexadecimal digits');
  const wrong = target.match(ENCODED)?.find((encoded) => !isUtf8(Buffer.from(encoded.replaceAll('%', ''), 'hex')));
  return ambiguous(`"${wrong}", which encodes no UTF-8`);
}

const ambiguous = (what: string): Problem => new Problem('malformed_request', `The address is ambiguous: it has ${what}.`);

/** Headers that a request may have only once. With two, some parsers use the first and some the last, and Node.js drops one or joins both. */
const SINGLE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host', 'idempotency-key', 'x-api-key', 'x-rehearsal']);
const LENGTHS: ReadonlySet<number> = new Set([...SINGLE].map(({ length }) => length));

/** Requires a Host header, which Node.js refuses without a problem document, and no header twice. @throws Problem malformed_request */
function requireSingleHeaders({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw new Problem('malformed_request', 'The request has no Host header.');
  const seen = new Set<string>();
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!LENGTHS.has(name.length) || !SINGLE.has(name.toLowerCase())) continue;
    if (seen.has(name.toLowerCase())) {
      const detail = `The request has more than one ${name} header; send one.`;
      throw new Problem('malformed_request', detail, { errors: [{ pointer: name, code: 'invalid_header', detail }] });
    }
    seen.add(name.toLowerCase());
  }
}

/** The estate speaks HTTP only. Offers of other protocols, such as `h2c`, are ignored. @throws Problem malformed_request */
function refuseWebSocket({ headers }: IncomingMessage): void {
  if (headers.upgrade !== undefined && /\bwebsocket\b/i.test(headers.upgrade)) {
    throw new Problem('malformed_request', 'There are no WebSockets here; this estate speaks HTTP only.');
  }
}

/** The endpoint that issues access tokens (RFC 6749 §3.2), and the one that revokes them (RFC 7009). */
const TOKEN_PATH = '/oauth/token';
const REVOCATION_PATH = '/oauth/revoke';
export const OAUTH_METHODS: readonly string[] = ['POST'];

export const isOAuthPath = (path: string): boolean => path === TOKEN_PATH || path === REVOCATION_PATH;

/** A request, with the part that answers it. */
export type Targeted = Exchange & Addressed & Target;

/** A request that an API answers. */
export type ForApi = Targeted & { readonly target: 'api' };

/** Finds the API, or the part of the gateway, that answers the request. */
export const findTarget =
  ({ routes, crossOrigin, observability }: GatewayParts) =>
  ({ request, path }: Exchange & Addressed): Target => {
    // A preflight carries no credential, so it is answered before any other check.
    if (crossOrigin.isPreflight(request)) return { target: 'preflight' };
    if (path === '/healthz' || path === '/readyz') return { target: 'health' };
    if (path === '/_control' || path.startsWith('/_control/')) return { target: 'control plane' };
    if (path === '/mcp') return { target: 'agents' };
    if (isOAuthPath(path)) return { target: path === TOKEN_PATH ? 'token' : 'revocation' };
    if (path === '/metrics' && observability) return { target: 'metrics' };
    const api = routes.find(request.method ?? '', path);
    return api ? { target: 'api', api } : { target: 'documents' };
  };

export interface Dry {
  readonly isDryRun: boolean;
}

/** Reads whether the request is a dry run. The application refuses its wrong values. */
export function readDryRun({ api, request: { url = '' }, path }: ForApi): Dry {
  return { isDryRun: url.length > path.length && requestsDryRun(api, queryOf(url, path)) };
}

/** Sets the security headers of the gateway's own answers. An application may replace them in its answers. */
export const secureOwnAnswer = ({ response }: Exchange): void => setSecurityHeaders(response);

export interface Traced {
  readonly span?: Span | undefined;
  readonly traceparent: string | undefined;
}

/** Takes over the trace context of the client. */
export const continueTrace = ({ request }: Targeted): Traced => ({ traceparent: traceparentOf(request.headers) });

/** Starts the span of the request. It continues the client's trace. */
export const startSpan =
  ({ observer: { tracer } }: GatewayParts) =>
  ({ request, ...target }: Targeted): Traced => {
    const sent = traceparentOf(request.headers);
    const span = tracer && startEdgeSpan(tracer, request.method ?? '', target, sent);
    return { span, traceparent: span?.traceparent ?? sent };
  };

function startEdgeSpan(tracer: Tracer, method: string, { target, api }: Target, parent: string | undefined): Span {
  const route = api?.path ?? (target === 'agents' ? '/mcp' : '/_control');
  const attributes = { 'http.request.method': method, 'http.route': route, 'url.scheme': 'http', ...(api && { 'uc.api': api.id }) };
  return tracer.start({ kind: 'server', name: `${method} ${route}`, parent, attributes });
}

export interface Keyed {
  /** The presented key. Undefined for signed requests, and for requests without a key. */
  readonly key: PresentedKey | undefined;
}

/** Counts the request of an address. @throws Problem rate_limited */
export const limitAddress =
  ({ limits }: GatewayParts) =>
  ({ request }: Exchange): void =>
    limits.countAddress(request);

/** Counts the request of a key, known or not. @throws Problem rate_limited */
export const limitKey =
  ({ limits, keyring }: GatewayParts) =>
  ({ request, api }: Targeted): Keyed => {
    const scheme = schemeOf(api);
    const key = scheme === 'signature' ? undefined : keyring.presentedKey(request.headers, scheme);
    if (key) limits.countKey(key.hash);
    return { key };
  };

/** The control plane, agents and the metrics take a bearer token. */
export const schemeOf = (api: Targeted['api']): AuthScheme => api?.auth ?? 'bearer';
