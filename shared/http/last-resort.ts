import type { RequestListener, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { Problem } from '../catalog/problems.ts';

/**
 * Serves an Express application whose own last word is a page of HTML, or the text of an error: here its last word is a problem. It comes
 * to that when a handler of errors fails itself, or when Express cannot read the address.
 * @param unrouted answers what Express could not route to any handler
 */
export function withoutHtml(app: Express, unrouted: (request: Request, response: Response) => void = refuseAddress): RequestListener {
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    app(request, response, (error?: unknown) => {
      if (error === undefined) unrouted(request, response);
      else endAnyhow(response);
    });
  };
}

const refuseAddress = (_request: Request, response: Response): void =>
  endWith(response, new Problem('malformed_request', 'The address of the request cannot be read.'));

/** Ends what cannot be answered any better: with a problem, or, after the first byte of an answer, by breaking off. */
export function endAnyhow(response: ServerResponse): void {
  endWith(response, new Problem('internal_error', 'Something went wrong in the estate itself, while it answered.'));
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
