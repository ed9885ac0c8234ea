import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from './waiting.ts';

/** Time for responses to announce `Connection: close` before connections are closed. */
const FAREWELL_MS = 200;
/** A connection ends at this age. A load balancer chooses a replica per connection, so new replicas would otherwise get no requests. */
const OLDEST_MS = 10_000;
/** Connections that are still busy after this time are cut. */
const CLOSE_WITHIN_MS = 10_000;

/** Refuses a request that Node cannot parse, on its socket. @param response the response in progress on the socket */
export type RefuseOnSocket = (error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined) => void;

export interface Connections {
  draining(): boolean;
  /** From now on every response closes its connection. */
  drain(): void;
  /** Stops accepting, finishes running requests, and closes idle connections. */
  close(): Promise<void>;
}

export interface Watching {
  readonly refuseOnSocket?: RefuseOnSocket;
  readonly oldestMs?: number;
}

/**
 * Tracks the connections of a server, so that stopping makes no request fail: while it drains, every response closes its connection; then
 * idle connections are closed. It also limits the age of connections.
 */
export function watchConnections(server: Server, { refuseOnSocket = hangUp, oldestMs = OLDEST_MS }: Watching = {}): Connections {
  const open = new Map<Socket, ServerResponse | undefined>();
  const openedAt = new WeakMap<Socket, number>();
  let drainedAt: number | undefined;
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    openedAt.set(socket, performance.now());
    socket.once('close', () => open.delete(socket));
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      open.set(request.socket, response);
      const age = performance.now() - (openedAt.get(request.socket) ?? 0);
      if (drainedAt !== undefined || age > oldestMs) response.setHeader('Connection', 'close');
      response.once('close', () => {
        if (closing && request.socket.writable) request.socket.destroySoon();
      });
    });
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    refuseOnSocket(error, socket, open.get(socket));
  });

  function drain(): void {
    drainedAt ??= Date.now();
  }

  async function close(): Promise<void> {
    drain();
    const drainingMs = Date.now() - (drainedAt ?? 0);
    if (open.size > 0) await pause(Math.max(0, FAREWELL_MS - drainingMs));
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    closeWhere((response) => response !== undefined && !isAnswering(response));
    // A connection without a request may be new: its client may just have reconnected.
    const silent = setTimeout(() => closeWhere((response) => !isAnswering(response)), FAREWELL_MS);
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
    await closed;
    clearTimeout(silent);
    clearTimeout(cut);
  }

  function closeWhere(applies: (response: ServerResponse | undefined) => boolean): void {
    for (const [socket, response] of open) if (applies(response)) socket.destroy();
  }

  return { draining: () => drainedAt !== undefined, drain, close };
}

/** Whether a response is in progress that will end. An event stream does not end. */
function isAnswering(response: ServerResponse | undefined): boolean {
  if (!response || response.writableFinished) return false;
  return !String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

const hangUp: RefuseOnSocket = (_error, socket) => void socket.destroy();
