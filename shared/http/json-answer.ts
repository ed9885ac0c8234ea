import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../catalog/problems.ts';
import { type Breathe, inOneSlice } from '../domain/breathe.ts';
import { jsonPieces } from '../domain/json-pieces.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';
import type { InSlices } from '../process/slices.ts';

/** The text of an answer that was made in pieces. */
export class JsonText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How a long text is made. */
interface Making {
  readonly inSlices: InSlices;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

/**
 * Answers with JSON and its weak `ETag`. A client that already has this version gets 304.
 * @throws the reason of `gone` when nobody waits for a long text any more
 */
export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: JsonAnswer,
  making: Making,
): Promise<void> {
  const { bytes, etag } = await textOf(body, making);
  if (isRead(request) && hasVersion(request.headers, etag)) {
    response.statusCode = 304;
    response.setHeader('ETag', etag);
    response.end();
    return;
  }
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.setHeader('ETag', etag);
  response.end(bytes);
}

/** Bytes of an answer that are made and digested together. A text of this length takes one turn. */
const PIECE_BYTES = 65_536;

/** The JSON of a body, and its weak `ETag`. Only a text that is longer than a piece waits for its turn among the long computations. */
async function textOf(body: unknown, { inSlices, gone }: Making): Promise<{ readonly bytes: Buffer; readonly etag: string }> {
  const chunks: Buffer[] = [];
  const sha = createHash('sha1');
  const pieces = body instanceof JsonText ? piecesOf(body.bytes) : chunksOf(jsonPieces(body));
  const take = (): boolean => {
    const { done, value } = pieces.next();
    if (done) return false;
    sha.update(value);
    chunks.push(value);
    return true;
  };
  const takeAll = async (breathe: Breathe): Promise<void> => {
    while (take()) await breathe();
  };
  if (take()) await ((chunks[0]?.length ?? 0) < PIECE_BYTES ? takeAll(inOneSlice) : inSlices(gone, takeAll));
  const bytes = body instanceof JsonText ? body.bytes : Buffer.concat(chunks);
  return { bytes, etag: `W/"${bytes.length.toString(16)}-${sha.digest('base64').slice(0, 27)}"` };
}

/** Gathers short texts. */
function* chunksOf(texts: Iterable<string>): Generator<Buffer, void> {
  let gathered: string[] = [];
  let length = 0;
  for (const text of texts) {
    gathered.push(text);
    length += text.length;
    if (length < PIECE_BYTES) continue;
    yield Buffer.from(gathered.join(''));
    gathered = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(gathered.join(''));
}

function* piecesOf(bytes: Buffer): Generator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

const ALIVE = { status: 200, body: { status: 'ok' } };

/** Answers `/healthz`, and `/readyz` with the readiness. */
export function sendHealth(response: ServerResponse, path: string, readiness: () => ReadinessAnswer): void {
  const { status, body } = path === '/healthz' ? ALIVE : readiness();
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether `If-None-Match` of a read names this ETag. The comparison is weak (RFC 9110 §13.1.2). The answer is then 304, without a body.
 * `Cache-Control: no-cache` is for caches on the way (RFC 9111 §5.2.1.4), and fetch sends it with each `If-None-Match`.
 */
export function hasVersion(headers: Pick<IncomingHttpHeaders, 'if-none-match'>, etag: string): boolean {
  const sent = headers['if-none-match'];
  if (sent === undefined) return false;
  const plain = (tag: string): string => tag.replace(/^W\//, '');
  return sent.trim() === '*' || sent.split(',').some((one) => plain(one.trim()) === plain(etag));
}

/** Answers with an internal error, or breaks the connection off if a response has begun. */
export function endAnyhow(response: ServerResponse): void {
  try {
    if (response.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const problem = new Problem('internal_error', 'The estate failed while it answered.');
    const body = problem.json('');
    const headers = { 'Content-Type': 'application/problem+json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(problem.status, { ...headers, 'Cache-Control': 'no-store', Connection: 'close' });
    response.end(body);
  } catch {
    response.destroy();
  }
}
