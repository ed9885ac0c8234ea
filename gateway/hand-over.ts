import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response, type Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';

/**
 * Resolves when the router has answered, or the client has disconnected.
 * @param locals facts for the router, in `response.locals`
 * @throws Problem not_found when the router has no route for the request
 */
export type HandOver = (request: IncomingMessage, response: ServerResponse, locals?: Readonly<Record<string, unknown>>) => Promise<void>;

/** Express serves documents, console and control plane. Requests to the APIs pass without it, which saves them its cost. */
export function createHandOver(router: Router): HandOver {
  const app = express().disable('x-powered-by').use(router);
  return (incoming, outgoing, locals = {}) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    return new Promise((resolve, reject) => {
      response.once('close', resolve);
      response.locals = { ...locals };
      app(request, response, (error?: unknown) => {
        reject(error ?? new Problem('not_found', `Nothing is at ${request.path}.`));
      });
    });
  };
}
