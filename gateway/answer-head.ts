import type { IncomingHttpHeaders, OutgoingHttpHeader } from 'node:http';
import { namedByConnection } from './application-headers.ts';

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
 * The headers of an answer, as alternating names and values: the gateway's headers, which headers of the application may replace.
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
    const isReplaced = headers[lowerCase] !== undefined && isPassed(lowerCase);
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
