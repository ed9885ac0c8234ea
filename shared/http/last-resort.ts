import type { RequestListener, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { Problem } from '../catalog/problems.ts';

/**
 * Serves an Express application, but replaces Express' final HTML page or error text with a problem. Express gets there when an error
 * handler fails, or when it cannot parse the address.
 */
export function withoutHtml(app: Express): RequestListener {
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    app(request, response, (error?: unknown) => {
      if (error === undefined) refuseAddress(response);
      else endAnyhow(response);
    });
  };
}

const refuseAddress = (response: ServerResponse): void =>
  endWith(response, new Problem('malformed_request', 'The address of the request cannot be parsed.'));

/** Answers with an internal error, or breaks the connection off if a response has begun. */
export function endAnyhow(response: ServerResponse): void {
  endWith(response, new Problem('internal_error', 'The estate failed while it answered.'));
}

function endWith(response: ServerResponse, problem: Problem): void {
  try {
    if (response.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const body = problem.json('');
    const headers = { 'Content-Type': 'application/problem+json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(problem.status, { ...headers, 'Cache-Control': 'no-store', Connection: 'close' });
    response.end(body);
  } catch {
    response.destroy();
  }
}
