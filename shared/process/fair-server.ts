import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait for the previous one on their connection, over all connections of a server: about 20 MB. */
const MOST_WAITING = 10_000;
/** Wall time after which a client that does not read its response is disconnected. */
const UNREAD_MS = 5_000;
const CHECK_MS = 1_000;
/** Wall time until the first and second probe of a client that has half-closed its connection. Later intervals double. */
const FIRST_PROBE_MS = 200;
const SECOND_PROBE_MS = 50;

export interface FairServerOptions extends ServerOptions {
  readonly unread?: { readonly afterMs: number; readonly checkMs: number };
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
}

/**
 * A server that limits what a single connection can cost:
 * - It answers the requests of a connection one after the other. Node would start all requests of one read, which may be two thousand. Here
 *   they wait, and the connection is not read until they are answered, so that other connections have their turn.
 * - It disconnects a client that does not read its response.
 * - A client that half-closes its connection, as `nc -N` does, still gets all responses.
 */
export function createFairServer(
  {
    unread = { afterMs: UNREAD_MS, checkMs: CHECK_MS },
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
    const queue: ConnectionQueue = { current: undefined, waiting: [] };
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
    for (const socket of queues.keys()) limitUnread(socket, unread.afterMs);
  }, unread.checkMs);
  checking.unref();
  server.once('close', () => clearInterval(checking));
  return server;
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
