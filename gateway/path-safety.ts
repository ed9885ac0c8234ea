import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../shared/catalog/problems.ts';

/** `.`, `/`, `\` and NUL in percent-encoding, in either case. */
const ENCODED_STRUCTURE = /%(?:2e|2f|5c|00)/i;
const BROKEN_ENCODING = /%(?![0-9a-f]{2})/i;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** Percent-encoding that is complete, and stands for no UTF-8. */
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
const NOT_PRINTABLE_ASCII = /[^\x21-\x7e]/;

/**
 * What can be read in two ways might be authorised in one way and served in the other, so it is refused before anything is decoded.
 * The gateway routes, authorises and forwards this very string.
 * @returns the path without the query
 * @throws Problem malformed_request
 */
export function unambiguousPath(target: string): string {
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

/** In the query too: who decodes it would have to guess. */
function refuseBadEncoding(target: string): void {
  if (BROKEN_ENCODING.test(target)) throw ambiguous('"%" without two hexadecimal digits');
  for (const [encoded] of target.matchAll(ENCODED)) {
    if (!isUtf8(Buffer.from(encoded.replaceAll('%', ''), 'hex'))) throw ambiguous(`"${encoded}", which encodes no UTF-8`);
  }
}

const ambiguous = (what: string): Problem => new Problem('malformed_request', `The address is ambiguous: it has ${what}.`);

/** Node would refuse the first itself, but not with a problem; of several it takes the first, and others take the last. @throws Problem malformed_request */
export function requireHost({ headers, headersDistinct, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw new Problem('malformed_request', 'The request has no Host header.');
  if ((headersDistinct['host']?.length ?? 0) > 1)
    throw new Problem('malformed_request', 'The request has more than one Host header; send one.');
}

/** A caller without a credential is answered only under our own names. @throws Problem misdirected_request */
export function requireOwnHost({ headers }: IncomingMessage, isOwn: (host: string | undefined) => boolean): void {
  if (isOwn(headers.host)) return;
  throw new Problem(
    'misdirected_request',
    'This is shown under the names of this machine only: localhost, an address, a name without a dot, or one that ALLOWED_HOSTS lists.',
  );
}

/**
 * The estate speaks HTTP only. Other upgrades (`h2c`, which some clients offer with every first request) are offers that may be ignored.
 * @throws Problem malformed_request
 */
export function refuseWebSocket({ headers }: IncomingMessage): void {
  if (headers.upgrade !== undefined && /\bwebsocket\b/i.test(headers.upgrade)) {
    throw new Problem('malformed_request', 'There are no WebSockets here; this estate speaks HTTP only.');
  }
}
