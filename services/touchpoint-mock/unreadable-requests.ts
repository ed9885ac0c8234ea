import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, HEADERS_TOO_LARGE, REQUEST_TOO_SLOW, REQUEST_UNREADABLE } from './contract/answers.ts';

/** How long the client may read the answer before the connection is cut. */
const LINGER_MS = 500;

const ANSWERS: Readonly<Record<string, Answer>> = { ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TOO_SLOW, HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE };

/** Answers bytes that Node cannot read as a request with a JSON body. Node alone answers with an empty one. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, current: ServerResponse | undefined): void {
  // An answer that has begun cannot be replaced.
  const isAnswering = current?.headersSent === true;
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') socket.destroy();
  else refuse(socket, ANSWERS[error.code ?? ''] ?? REQUEST_UNREADABLE);
}

/** There is no response object, so the answer is written to the socket. */
function refuse(socket: Socket, { status, headers, body }: Answer): void {
  const pairs = [...headers, 'Connection', 'close'];
  const lines = pairs.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${pairs[index + 1]}`] : []));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
