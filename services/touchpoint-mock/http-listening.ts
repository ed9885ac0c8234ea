import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

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

/** Accepting goes on until no client has come for this long … */
const CALM_MS = 10;

/** … or, since under load there is always another, until this long. */
const LAST_CALL_MS = 250;

/** A request that was on its way when we stopped accepting arrives within this time; after it, a quiet connection is idle. */
const QUIET_MS = 100;

/** Answers take microseconds; whoever still holds a connection after this long is slow. */
const CLOSE_GRACE_MS = 300;

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
  let draining = false;
  let closing: Promise<void> | undefined;
  const startDraining = () => {
    if (draining) return;
    draining = true;
    drain();
    // Clients that keep connections learn with their next answer to open another one, somewhere else.
    const lastOfItsConnection: RequestListener = (_request, response) => {
      response.shouldKeepAlive = false;
    };
    server.prependListener('request', lastOfItsConnection).prependListener('checkContinue', lastOfItsConnection);
  };
  return {
    url: `http://${urlHost(host)}:${address.port}`,
    port: address.port,
    drain: startDraining,
    close() {
      closing ??= stop();
      return closing;
    },
  };

  async function stop(): Promise<void> {
    startDraining();
    await noMoreComing(server);
    const closed = once(server, 'close');
    // Not Node's own close for HTTP servers: it cuts quiet connections at once, with requests on their way in them.
    NetServer.prototype.close.call(server);
    const idle = setTimeout(() => server.closeIdleConnections(), QUIET_MS);
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(idle);
    clearTimeout(cut);
    // What is left is Node's own timer that looks for slow requests.
    server.close();
  }
}

/** Connections that the system has taken for us reach us one per turn of the event loop; to stop at once would reset the rest. */
async function noMoreComing(server: Server): Promise<void> {
  let came = true;
  server.on('connection', () => {
    came = true;
  });
  for (const until = performance.now() + LAST_CALL_MS; came && performance.now() < until; ) {
    came = false;
    await sleep(CALM_MS);
    // However late the timer was: between it and here, whoever was waiting has been let in.
    await nextTurn();
  }
}

/** The wildcard addresses cannot be called; loopback reaches the same server. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
