import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that answers. */
export interface Listening {
  /** Where to reach it from the same machine, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** From now on `/readyz` answers 503, so that a load balancer looks elsewhere; requests are still answered. */
  drain(): void;
  /** Stops accepting, lets running answers out, and is done in well under a second whatever the clients do. */
  close(): Promise<void>;
}

/** Answers take microseconds; whoever still holds a connection after this long is idle or slow. */
const CLOSE_GRACE_MS = 250;

/** Limits against clients that send slowly or never finish; the same figures as at the gateway of the estate. */
export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
} as const;

/**
 * @param port 0 for a free one
 * @throws the system's error when the port is taken: `code` EADDRINUSE, and `port`
 */
export async function listen({
  server,
  host,
  port,
  drain,
}: {
  server: Server;
  host: string;
  port: number;
  drain: () => void;
}): Promise<Listening> {
  server.listen({ host, port });
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${urlHost(host)}:${address.port}`,
    port: address.port,
    drain,
    async close() {
      drain();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

/** The wildcard addresses cannot be called; loopback reaches the same server. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
