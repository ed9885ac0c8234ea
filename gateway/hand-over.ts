import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response, type Router } from 'express';
import { Problem } from '../shared/catalog/problems.ts';
import { untilClosed } from './until-closed.ts';

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
