import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from './waiting.ts';

/** Time for clients of kept connections to hear `Connection: close` before the connections are closed. */
const FAREWELL_MS = 200;
/**
 * A connection that is older ends with its next answer. Which replica a client talks to is chosen with its connection, so a replica that
 * has just started would get nothing from clients that are busy on the connections they have.
 */
const OLDEST_MS = 10_000;
/** What still runs after this long is cut. */
const CLOSE_WITHIN_MS = 10_000;

/** Answers on a socket what Node cannot read as a request; `response` is what is being answered there. */
export type RefuseOnSocket = (error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined) => void;

export interface Connections {
  draining(): boolean;
  /** From now on every answer asks the client to come back on another connection. */
  drain(): void;
  /** Stops accepting, finishes what runs, and closes what idles. */
  close(): Promise<void>;
}

export interface Watching {
  readonly refuseOnSocket?: RefuseOnSocket;
  /** Milliseconds. */
  readonly oldest?: number;
}

/**
 * Watches a server's connections, so that stopping fails no request: once it drains, every answer closes its connection, and when it
 * closes, those that idle are known. It also sees to it that none of them stays for ever.
 */
export function watchConnections(server: Server, { refuseOnSocket = hangUp, oldest = OLDEST_MS }: Watching = {}): Connections {
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
      if (drainedAt !== undefined || age > oldest) response.setHeader('Connection', 'close');
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
    const said = Date.now() - (drainedAt ?? 0);
    if (open.size > 0) await pause(Math.max(0, FAREWELL_MS - said));
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    closeWhere((response) => response !== undefined && !isAnswering(response));
    // A connection that has not spoken yet may be the one with which somebody just came back.
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

/** An event stream has no end of its own to wait for. */
function isAnswering(response: ServerResponse | undefined): boolean {
  if (!response || response.writableFinished) return false;
  return !String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

const hangUp: RefuseOnSocket = (_error, socket) => void socket.destroy();
