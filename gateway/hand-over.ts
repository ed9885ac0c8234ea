import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response, type Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';

/** Resolves when the router has answered, or the client has disconnected. @throws Problem not_found when the router has no route for it */
export type HandOver = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Express serves the documents and the console, and nothing else. */
export function createHandOver(router: Router): HandOver {
  const app = express().disable('x-powered-by').use(router);
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    return untilClosed(outgoing, (fail) => {
      app(request, response, (error?: unknown) => fail(error ?? new Problem('not_found', `Nothing is at ${request.path}.`)));
    });
  };
}

/** Resolves when the answer was sent, or the client has disconnected. Rejects when answering fails first. */
export const untilClosed = (response: ServerResponse, answer: (fail: (error: unknown) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    response.once('close', resolve);
    answer(reject);
  });
