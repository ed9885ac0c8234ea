import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../catalog/problems.ts';
import type { ReadinessAnswer } from '../process/readiness.ts';

/** The text of an answer that was made in pieces. */
export class JsonText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** Answers with JSON and its weak `ETag`. A client that already has this version gets 304. */
export function sendJson(request: IncomingMessage, response: ServerResponse, { status, body }: { status: number; body: unknown }): void {
  const bytes = body instanceof JsonText ? body.bytes : Buffer.from(JSON.stringify(body));
  const etag = weakEtag(bytes);
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

const ALIVE = { status: 200, body: { status: 'ok' } };

/** Answers `/healthz`, and `/readyz` with the readiness. */
export function sendHealth(response: ServerResponse, path: string, readiness: () => ReadinessAnswer): void {
  const { status, body } = path === '/healthz' ? ALIVE : readiness();
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const weakEtag = (bytes: Buffer): string =>
  `W/"${bytes.length.toString(16)}-${createHash('sha1').update(bytes).digest('base64').slice(0, 27)}"`;

/** Whether `If-None-Match` of a read names this ETag. The comparison is weak (RFC 9110 §13.1.2). The answer is then 304, without a body. */
export function hasVersion(headers: Pick<IncomingHttpHeaders, 'if-none-match' | 'cache-control'>, etag: string): boolean {
  const sent = headers['if-none-match'];
  if (sent === undefined || /(?:^|,)\s*no-cache\s*(?:,|$)/.test(headers['cache-control'] ?? '')) return false;
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
