import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** The address under which a server was asked. */
export interface OwnAddress {
  /** `http://localhost:8080` */
  readonly origin: string;
  /** `localhost:8080` */
  readonly host: string;
}

/** Names and addresses that JSON, YAML and a URL have as they are. A host name has at most 253 characters. */
const PLAIN_HOST = /^(?:[a-z\d][a-z\d._-]{0,252}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * The address in the header `Host`, or the address of the connection when the header is missing or has other characters. A proxy that
 * terminates TLS names the scheme of its client in `X-Forwarded-Proto`.
 */
export function ownAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): OwnAddress {
  const asked = headers.host?.toLowerCase();
  const host = asked !== undefined && PLAIN_HOST.test(asked) ? asked : hostOf(socket);
  const forwarded = /^https?(?=,|$)/.exec(String(headers['x-forwarded-proto'] ?? ''));
  return { origin: `${forwarded?.[0] ?? 'http'}://${host}`, host };
}

function hostOf({ localAddress = '127.0.0.1', localPort = 80 }: IncomingMessage['socket']): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}
