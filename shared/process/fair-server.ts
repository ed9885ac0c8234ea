import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from './node-http.ts';
import { closeOtherLoopback, listenAtOtherLoopback } from './other-loopback.ts';
import { pause } from './waiting.ts';

/** Requests that wait for the previous one on their connection, over all connections of a server: about 20 MB. */
const MOST_WAITING = 10_000;
/** Wall time after which a client that does not read its response is disconnected. */
const UNREAD_MS = 5_000;
/** Wall time after which a client that reads its response slowly is disconnected, because the response takes memory until it is read. */
const SLOWLY_READ_MS = 120_000;
const CHECK_MS = 1_000;
/** Wall time until the first and second probe of a client that has half-closed its connection. Later intervals double. */
const FIRST_PROBE_MS = 200;
const SECOND_PROBE_MS = 50;

export interface FairServerOptions extends ServerOptions {
  readonly unread?: { readonly afterMs: number; readonly slowlyMs: number; readonly checkMs: number };
  readonly mostWaiting?: number;
  /** Node's events for the header `Expect` that the listener answers instead of Node. */
  readonly expectations?: readonly ('checkContinue' | 'checkExpectation')[];
  /** Answers bytes that Node cannot read as a request. @param current the response that the connection waits for */
  readonly unreadable?: (error: NodeJS.ErrnoException, socket: Socket, current: ServerResponse | undefined) => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface ConnectionQueue {
  current: Exchange | undefined;
  readonly waiting: Exchange[];
  /** When the connection first had the unread data that it still has, in wall time. */
  unreadSince: number | undefined;
}

/**
 * A server that limits what a single connection can cost:
 * - It answers the requests of a connection one after the other. Node would start all requests of one read, which may be two thousand. Here
 *   they wait, and the connection is not read until they are answered, so that other connections have their turn.
 * - It disconnects a client that does not read its response, or reads it for very long.
 * - A client that half-closes its connection, as `nc -N` does, still gets all responses.
 *
 * A request for a whole address, as clients of a proxy send it, is passed on as a request for its path (RFC 9112 §3.2.2).
 */
export function createFairServer(
  {
    unread = { afterMs: UNREAD_MS, slowlyMs: SLOWLY_READ_MS, checkMs: CHECK_MS },
    mostWaiting = MOST_WAITING,
    expectations = [],
    unreadable,
    ...options
  }: FairServerOptions,
  listener: RequestListener,
): Server {
  const server = createServer(options);
  // There is no option for this. Without it, Node closes its side when the client half-closes the connection.
  Object.assign(server, { httpAllowHalfOpen: true });
  const queues = new Map<Socket, ConnectionQueue>();
  let waiting = 0;

  server.on('connection', (socket: Socket) => {
    const queue: ConnectionQueue = { current: undefined, waiting: [], unreadSince: undefined };
    queues.set(socket, queue);
    socket.on('resume', () => {
      if (queue.waiting.length > 0) socket.pause();
    });
    socket.once('end', () => clientEnded(queue, socket));
    socket.once('close', () => {
      queues.delete(socket);
      waiting -= queue.waiting.length;
      queue.waiting.length = 0;
    });
  });

  for (const event of ['request', ...expectations]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const queue = queues.get(request.socket);
      if (!queue) return;
      acceptAbsoluteForm(request);
      const exchange = { request, response };
      if (!queue.current) {
        begin(queue, exchange);
        return;
      }
      queue.waiting.push(exchange);
      waiting += 1;
      if (waiting > mostWaiting) request.socket.destroy();
      else request.socket.pause();
    });
  }

  if (unreadable) {
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      unreadable(error, socket, queues.get(socket)?.current?.response);
    });
  }

  function begin(queue: ConnectionQueue, exchange: Exchange): void {
    queue.current = exchange;
    const { request, response } = exchange;
    response.on('close', () => {
      queue.current = undefined;
      // Deferred, so that a client with many requests does not delay others.
      if (queue.waiting.length > 0) setImmediate(next, queue, request.socket);
    });
    if (request.socket.readableEnded) probe(exchange, FIRST_PROBE_MS);
    listener(request, response);
  }

  function next(queue: ConnectionQueue, socket: Socket): void {
    // The last response closed the connection. Its client repeats later requests on another one.
    if (!socket.writable) return;
    const exchange = queue.waiting.shift();
    if (!exchange) return;
    waiting -= 1;
    if (queue.waiting.length === 0) socket.resume();
    begin(queue, exchange);
  }

  const checking = setInterval(() => {
    for (const [socket, queue] of queues) {
      limitUnread(socket, unread.afterMs);
      queue.unreadSince = socket.writableLength === 0 ? undefined : (queue.unreadSince ?? performance.now());
      if (queue.unreadSince !== undefined && performance.now() - queue.unreadSince > unread.slowlyMs) socket.destroy();
    }
  }, unread.checkMs);
  checking.unref();
  server.once('close', () => clearInterval(checking));
  return server;
}

/** Scheme, authority without user information, and the rest. */
const ABSOLUTE_FORM = /^https?:\/\/((?:\[[\da-f:.]+\]|[^\s/?#@\\[\]:]+)(?::\d*)?)(?=[/?]|$)/i;

/** Replaces a whole address by its path, and `Host` by its host. A request without `Host` stays without it, unless its version has none. */
function acceptAbsoluteForm(request: IncomingMessage): void {
  const { url = '', headers, httpVersion } = request;
  if (url.startsWith('/')) return;
  const [written, authority] = ABSOLUTE_FORM.exec(url) ?? [];
  if (written === undefined || authority === undefined) return;
  const rest = url.slice(written.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  if (headers.host !== undefined || httpVersion === '1.0') headers.host = authority;
}

/** Limits the idle time of a connection while it has unread data. Progress in the buffers of the system counts as activity. */
function limitUnread(socket: Socket, afterMs: number): void {
  const isLimited = socket.timeout === afterMs;
  if (socket.writableLength > 0 && !isLimited) socket.setTimeout(afterMs);
  else if (socket.writableLength === 0 && isLimited) socket.setTimeout(0);
}

/**
 * The client has half-closed the connection: it has left, or it has no further request. A client with an incomplete request has left.
 * Others are answered. Repeated interim responses probe them: the host of a client that has left resets the connection.
 */
function clientEnded({ current, waiting }: ConnectionQueue, socket: Socket): void {
  const unanswered = [...(current && !current.response.writableEnded ? [current] : []), ...waiting];
  if (unanswered.some(({ request }) => !request.complete)) socket.destroy();
  else if (current) probe(current, FIRST_PROBE_MS);
}

function probe(exchange: Exchange, afterMs: number): void {
  const { request, response } = exchange;
  // HTTP/1.0 has no interim responses.
  if (request.httpVersion !== '1.1') return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed) return;
    response.writeContinue();
    probe(exchange, afterMs === FIRST_PROBE_MS ? SECOND_PROBE_MS : afterMs * 2);
  }, afterMs);
  response.once('close', () => clearTimeout(timer));
}

/** Time for responses to announce `Connection: close` before connections are closed. */
const FAREWELL_MS = 200;
/** A connection ends at this age. A load balancer chooses a replica per connection, so new replicas would otherwise get no requests. */
const OLDEST_MS = 10_000;
/** Connections that are still busy after this time are cut. */
const CLOSE_WITHIN_MS = 10_000;

/** Refuses a request that Node cannot parse, on its socket. @param response the response in progress on the socket */
type RefuseOnSocket = (error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined) => void;

export interface Connections {
  draining(): boolean;
  /** From now on every response closes its connection. */
  drain(): void;
  /** Stops accepting, finishes running requests, and closes idle connections. */
  close(): Promise<void>;
}

interface Watching {
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
    const closed = Promise.all([closeOtherLoopback(server), new Promise<void>((resolve) => server.close(() => resolve()))]);
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

/** Listens, at both loopback addresses if `host` is one. @returns the address that the server listens on. @throws Error with code EADDRINUSE when the port is in use */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  await listenAtOtherLoopback(server, host);
  const { port: bound } = server.address() as AddressInfo;
  return `http://${urlHost(host)}:${bound}`;
}

/** The host of a URL. Wildcard addresses cannot be called; loopback reaches the same server. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
