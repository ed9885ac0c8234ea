import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { urlHost } from '../../shared/process/fair-server.ts';
import { closeOtherLoopback, listenAtOtherLoopback } from '../../shared/process/other-loopback.ts';

export interface Listening {
  /** URL of the server on the same machine, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Makes `/readyz` answer 503, so that load balancers choose another server. Requests are still answered. */
  drain(): void;
  /** Stops accepting, finishes running answers, and ends in less than a second whatever the clients do. */
  close(): Promise<void>;
}

/** While stopping, the server accepts connections until none has arrived for this time, … */
const CALM_MS = 10;

/** … and at most for this time. */
const LAST_CALL_MS = 250;

/** A request that was in flight when accepting ended arrives within this time. After it, a quiet connection counts as idle. */
const QUIET_MS = 100;

/** Answers take microseconds, so a connection that is still open after this time has a slow client. */
const CLOSE_GRACE_MS = 300;

/** Limits against slow clients, in milliseconds and bytes; the same as at the gateway of the estate. */
export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** @param port 0 for a free one @throws the system's error when the port is taken: `code` EADDRINUSE, and `port` */
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
  await listenAtOtherLoopback(server, host);
  const address = server.address() as AddressInfo;
  let draining = false;
  let closing: Promise<void> | undefined;
  const startDraining = () => {
    if (draining) return;
    draining = true;
    drain();
    // The next answer makes clients with a kept connection open another one elsewhere.
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
    await waitForLastConnections(server);
    const closed = Promise.all([once(server, 'close'), closeOtherLoopback(server)]);
    // Node's own close for HTTP servers would cut quiet connections immediately, along with requests in flight.
    NetServer.prototype.close.call(server);
    const idle = setTimeout(() => server.closeIdleConnections(), QUIET_MS);
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await closed;
    clearTimeout(idle);
    clearTimeout(cut);
    // This ends Node's own timer for slow requests.
    server.close();
  }
}

/** The system passes accepted connections to Node one per turn of the event loop. Stopping immediately would reset the remaining ones. */
async function waitForLastConnections(server: Server): Promise<void> {
  let came = true;
  server.on('connection', () => {
    came = true;
  });
  for (const until = performance.now() + LAST_CALL_MS; came && performance.now() < until; ) {
    came = false;
    await sleep(CALM_MS);
    // After this turn, all connections that were waiting are accepted, even if the timer was late.
    await nextTurn();
  }
}
