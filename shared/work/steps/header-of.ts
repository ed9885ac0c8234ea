import type { IncomingHttpHeaders } from 'node:http';

/** A header that is sent once. @param name in lower case */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
