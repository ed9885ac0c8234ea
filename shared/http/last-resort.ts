import type { ServerResponse } from 'node:http';
import { Problem } from '../catalog/problems.ts';

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
