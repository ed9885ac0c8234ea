import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Exchange } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';

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
  if (BROKEN_ENCODING.test(target)) throw ambiguous('"%" without two hexadecimal digits');
  for (const [encoded] of target.matchAll(ENCODED)) {
    if (!isUtf8(Buffer.from(encoded.replaceAll('%', ''), 'hex'))) throw ambiguous(`"${encoded}", which encodes no UTF-8`);
  }
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
