import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { JSON_KINDS, JSON_LEVELS, JSON_MEMBERS, JSON_VALUES } from '../../../shared/domain/json-limits.ts';
import { STATUS_CODES } from '../../../shared/process/node-http.ts';

/** An answer, ready to be sent. */
export interface Answer {
  readonly status: number;
  /** Alternating names and values, with `Content-Length`. Node only reads the list, although its types require a mutable one. */
  readonly headers: string[];
  readonly body: string;
}

function fixedAnswer(status: number, error: string, headers: readonly string[] = []): Answer {
  const body = JSON.stringify({ error });
  return { status, body, headers: ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...headers] };
}

export const AUTHORIZATION_DENIED = fixedAnswer(403, 'Touchpoint authorization denied');
export const SELECTOR_REFUSED = fixedAnswer(400, 'MOCK_ONLY: missing, unknown or incompatible X-Mock-Case selector');
export const NOT_FOUND = fixedAnswer(404, 'Unknown path');
export const POST_ONLY = fixedAnswer(405, 'This path answers POST only', ['Allow', 'POST']);
export const GET_ONLY = fixedAnswer(405, 'This path answers GET only', ['Allow', 'GET, HEAD']);
export const MOCK_UNREACHABLE = fixedAnswer(502, 'The touchpoint mock cannot be reached');
const ADDRESS_UNREADABLE = fixedAnswer(400, 'The address cannot be read');
const FAILED = fixedAnswer(500, 'Something went wrong in the server itself');
export const AUTHORIZATION_TWICE = fixedAnswer(400, 'The request has more than one Authorization header; send one');
export const HOST_TWICE = fixedAnswer(400, 'The request has more than one Host header; send one');
export const NESTED_TOO_DEEPLY = fixedAnswer(400, `The body nests deeper than ${JSON_LEVELS} levels`);
export const TOO_MANY_MEMBERS = fixedAnswer(
  400,
  `The body has more than ${JSON_MEMBERS.toLocaleString('en')} members in one object, or ${JSON_KINDS.toLocaleString('en')} different names or sequences of members`,
);
export const TOO_MANY_VALUES = fixedAnswer(400, `The body has more than ${JSON_VALUES.toLocaleString('en')} values in all`);
export const FOREIGN_HOST = fixedAnswer(
  421,
  'Pages and documents answer only under localhost, IP addresses, names without a dot, and names in ALLOWED_HOSTS',
);
export const BODY_TOO_LARGE = fixedAnswer(413, 'The body is larger than 1 MiB');

const REQUEST_UNREADABLE = fixedAnswer(400, 'This is not a readable HTTP request');
const REQUEST_TOO_SLOW = fixedAnswer(408, 'The request took too long to arrive');
const HEADERS_TOO_LARGE = fixedAnswer(431, 'The headers are larger than 16 KiB');

/** How long a client may continue to send an ignored body before the connection is cut. */
const LINGER_MS = 1000;

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  response.end(body);
}

/**
 * Answers a request whose body is still arriving. Closing immediately would reset the connection of a client that is still sending, and it
 * would lose the answer. So the answer is sent first, and the rest of the body is discarded for a moment.
 */
export function sendUnread({ request, response, answer }: { request: IncomingMessage; response: ServerResponse; answer: Answer }): void {
  response.writeHead(answer.status, [...answer.headers, 'Connection', 'close']);
  response.write(answer.body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.once('end', finish).once('close', finish).resume();
}

/** Serves an Express application with JSON bodies for failed and unroutable requests, which Express answers with HTML. */
export function withJsonErrors(app: Express): RequestListener {
  return (request, response) => {
    app(request as Request, response as Response, (error?: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, error === undefined || isRefusal(error) ? ADDRESS_UNREADABLE : FAILED);
    });
  };
}

/** Whether Express could not read the request. */
function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}

/** How long the client may read the answer before the connection is cut. */
const READING_MS = 500;

const ANSWERS: Readonly<Record<string, Answer>> = { ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TOO_SLOW, HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE };

/** Answers bytes that Node cannot read as a request with a JSON body. Node alone answers with an empty one. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, current: ServerResponse | undefined): void {
  // An answer that has begun cannot be replaced.
  const isAnswering = current?.headersSent === true;
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, ANSWERS[error.code ?? ''] ?? REQUEST_UNREADABLE);
}

/** Writes the answer to the socket, because Node has no response object for unreadable bytes. */
function refuse(socket: Socket, { status, headers, body }: Answer): void {
  const pairs = [...headers, 'Connection', 'close'];
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${pairs[index + 1]}`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), READING_MS).unref();
}
