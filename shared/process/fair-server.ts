import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait for the one before them on their connection, over all connections of a server: about 20 MB. */
const WAITING_MOST = 10_000;
/** Wall time after which a client that takes nothing of what is sent to it is cut off. */
const UNREAD_MS = 5_000;
const LOOK_MS = 1_000;
/** Wall time after which it is asked whether a client that has ended its side is still there; then again, later each time. */
const FIRST_PROBE_MS = 200;
const SECOND_PROBE_MS = 50;

export interface FairServerOptions extends ServerOptions {
  /** Milliseconds. */
  readonly unread?: { readonly afterMs: number; readonly lookMs: number };
  readonly waitingMost?: number;
  /** Which of Node's events for `Expect` the listener answers as well, instead of Node. */
  readonly expectations?: readonly ('checkContinue' | 'checkExpectation')[];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Line {
  current: Exchange | undefined;
  readonly waiting: Exchange[];
}

/**
 * A server on which no connection costs much more than another, whatever its client does:
 *
 * - Its requests are answered one after the other. Node would begin all that one read brings, and one read may bring two thousand; here
 *   they wait, nothing more is read meanwhile, and other connections have their turn in between.
 * - A client that does not take its answer is cut off.
 * - A client that has ended its side, as `nc -N` does, still gets what it has asked for in full.
 */
export function createFairServer(
  { unread = { afterMs: UNREAD_MS, lookMs: LOOK_MS }, waitingMost = WAITING_MOST, expectations = [], ...options }: FairServerOptions,
  listener: RequestListener,
): Server {
  const server = createServer(options);
  // Not among the options: without it, Node ends its side together with the client.
  Object.assign(server, { httpAllowHalfOpen: true });
  const lines = new Map<Socket, Line>();
  let waiting = 0;

  server.on('connection', (socket: Socket) => {
    const line: Line = { current: undefined, waiting: [] };
    lines.set(socket, line);
    socket.on('resume', () => {
      if (line.waiting.length > 0) socket.pause();
    });
    socket.once('end', () => clientEnded(line, socket));
    socket.once('close', () => {
      lines.delete(socket);
      waiting -= line.waiting.length;
      line.waiting.length = 0;
    });
  });

  for (const event of ['request', ...expectations]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const line = lines.get(request.socket);
      if (!line?.current) {
        if (line) begin(line, { request, response });
        return;
      }
      line.waiting.push({ request, response });
      waiting += 1;
      if (waiting > waitingMost) request.socket.destroy();
      else request.socket.pause();
    });
  }

  function begin(line: Line, exchange: Exchange): void {
    line.current = exchange;
    const { request, response } = exchange;
    response.once('close', () => {
      line.current = undefined;
      // Not at once: a client with many requests must not delay the others.
      if (line.waiting.length > 0) setImmediate(next, line, request.socket);
    });
    if (request.socket.readableEnded) probe(exchange, FIRST_PROBE_MS);
    listener(request, response);
  }

  function next(line: Line, socket: Socket): void {
    // The last answer has said that it is the last; what came after it is for another connection.
    if (!socket.writable) return;
    const exchange = line.waiting.shift();
    if (!exchange) return;
    waiting -= 1;
    if (line.waiting.length === 0) socket.resume();
    begin(line, exchange);
  }

  const looking = setInterval(() => {
    for (const socket of lines.keys()) limitUnread(socket, unread.afterMs);
  }, unread.lookMs);
  looking.unref();
  server.once('close', () => clearInterval(looking));
  return server;
}

/** While something waits to be taken, the connection may idle for so long only; the system's own progress counts as taking. */
function limitUnread(socket: Socket, afterMs: number): void {
  const isLimited = socket.timeout === afterMs;
  if (socket.writableLength > 0 && !isLimited) socket.setTimeout(afterMs);
  else if (socket.writableLength === 0 && isLimited) socket.setTimeout(0);
}

/**
 * The client has ended its side: it has left, or it has only said that nothing more comes. Who has not sent all of a request has left.
 * The others are answered, and an interim answer every now and then finds out: a client that has left refuses it.
 */
function clientEnded({ current, waiting }: Line, socket: Socket): void {
  const unanswered = [...(current && !current.response.writableEnded ? [current] : []), ...waiting];
  if (unanswered.some(({ request }) => !request.complete)) socket.destroy();
  else if (current) probe(current, FIRST_PROBE_MS);
}

function probe(exchange: Exchange, afterMs: number): void {
  const { request, response } = exchange;
  // Older clients know no interim answers.
  if (request.httpVersion !== '1.1') return;
  const timer = setTimeout(() => {
    if (response.headersSent || response.destroyed) return;
    response.writeContinue();
    probe(exchange, afterMs === FIRST_PROBE_MS ? SECOND_PROBE_MS : afterMs * 2);
  }, afterMs);
  response.once('close', () => clearTimeout(timer));
}
