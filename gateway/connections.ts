import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode, problems } from '../shared/catalog/problems.ts';
import { identify } from './edge-context.ts';
import { headersOfProblem } from './problems.ts';

/** How long clients may take, in wall time. */
export interface ClientTimes {
  readonly headersMs: number;
  readonly requestMs: number;
  /** How often the two are checked. */
  readonly checkMs: number;
}

export const CLIENT_TIMES: ClientTimes = { headersMs: 10_000, requestMs: 30_000, checkMs: 5_000 };

const HEADER_BYTES = 16_384;
/** Longer than the usual idle time of load balancers, so that it is they who close. */
const IDLE_MS = 65_000;
/** Time for clients of kept connections to hear `Connection: close` before the connections are closed. */
const FAREWELL_MS = 200;
const LINGER_MS = 500;
/** What still runs after this long is cut. */
const CLOSE_WITHIN_MS = 10_000;

export const serverOptions = ({ headersMs, requestMs, checkMs }: ClientTimes): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkMs,
  maxHeaderSize: HEADER_BYTES,
  keepAliveTimeout: IDLE_MS,
  requireHostHeader: false,
});

export interface Connections {
  draining(): boolean;
  /** From now on every answer asks the client to come back on another connection. */
  drain(): void;
  /** Stops accepting, finishes what runs, and closes what idles. */
  close(): Promise<void>;
}

/** Watches a server's connections: refuses what is no HTTP request, and knows which of them idle when it is time to stop. */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, ServerResponse | undefined>();
  let drainedAt: number | undefined;
  let closing = false;

  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, (request: IncomingMessage, response: ServerResponse) => {
      open.set(request.socket, response);
      response.once('close', () => {
        if (closing) request.socket.destroySoon();
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
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, FAREWELL_MS - said)));
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

const CODES: Readonly<Record<string, { readonly code: ProblemCode; readonly detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'The request did not come in time.' },
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: `The headers have more than ${HEADER_BYTES} bytes.` },
};

/** What Node cannot read as a request never becomes one: the answer is written to the socket. */
function refuseOnSocket(error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined): void {
  const answered = response?.headersSent === true && !response.writableFinished;
  if (!socket.writable || answered || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { code, detail } = CODES[error.code ?? ''] ?? { code: 'malformed_request', detail: 'This is not a readable HTTP request.' };
  const problem = new Problem(code, detail);
  const body = JSON.stringify(problem.body(''));
  const headers = {
    ...headersOfProblem(problem, identify({}, Date.now())),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${problem.status} ${problems[code].title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
