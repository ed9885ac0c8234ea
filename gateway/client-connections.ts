import type { ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemCode, problems } from '../shared/catalog/problems.ts';
import { newId } from '../shared/domain/ids.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { headersOfProblem } from './problems.ts';
import { identify } from './request-ids.ts';

/** Limits, in wall time, for slow clients. */
export interface ClientTimes {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Interval of the checks of both limits. */
  readonly checkMs: number;
}

export const CLIENT_TIMES: ClientTimes = { headersMs: 10_000, requestMs: 30_000, checkMs: 5_000 };

const HEADER_BYTES = 16_384;
/** Longer than the usual idle time of load balancers, so that they close idle connections. */
const IDLE_MS = 65_000;
/** Wall time for reading the answer before the connection is closed. */
const LINGER_MS = 500;

export const serverOptions = ({ headersMs, requestMs, checkMs }: ClientTimes): ServerOptions => ({
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  connectionsCheckingInterval: checkMs,
  maxHeaderSize: HEADER_BYTES,
  keepAliveTimeout: IDLE_MS,
  requireHostHeader: false,
});

const CODES: Readonly<Record<string, { readonly code: ProblemCode; readonly detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: `The headers have more than ${HEADER_BYTES} bytes.` },
};

interface UnreadableRequest extends NodeJS.ErrnoException {
  /** The bytes that Node.js has read last. */
  readonly rawPacket?: Buffer;
}

interface OnSocket {
  readonly response: ServerResponse | undefined;
  readonly crossOrigin: CrossOrigin;
}

/** The origin of a page, if the last bytes have it: without it, the page cannot read the refusal. */
const originIn = (bytes: Buffer | undefined): string | undefined =>
  /^origin:[ \t]*([^\r\n]*?)[ \t]*\r?$/im.exec(bytes?.toString('latin1') ?? '')?.[1];

/** Answers bytes that Node.js cannot parse as a request: there is no response object, so the answer is written to the socket. */
export function refuseOnSocket(error: UnreadableRequest, socket: Socket, { response, crossOrigin }: OnSocket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    endUnlessUsed(socket);
    return;
  }
  const answered = response?.headersSent === true && !response.writableFinished;
  if (!socket.writable || answered || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { code, detail } = CODES[error.code ?? ''] ?? { code: 'malformed_request', detail: 'This is not a readable HTTP request.' };
  const problem = new Problem(code, detail);
  const body = problem.json('');
  const headers = {
    ...headersOfProblem(problem, identify({}, newId('req', Date.now()))),
    ...crossOrigin.headersFor(originIn(error.rawPacket)),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${problem.status} ${problems[code].title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Browsers open connections ahead of their requests. Refusing such a connection could make a request fail that the browser is just sending, and
 * browsers do not repeat it. So a connection without a first byte is not an error.
 */
function endUnlessUsed(socket: Socket): void {
  const end = setTimeout(() => socket.bytesRead === 0 && socket.destroy(), IDLE_MS).unref();
  socket.once('close', () => clearTimeout(end));
}
