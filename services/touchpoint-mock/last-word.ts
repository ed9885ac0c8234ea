import type { RequestListener } from 'node:http';
import type { Express, Request, Response } from 'express';
import { ADDRESS_UNREADABLE, FAILED, send } from './contract/answers.ts';

/** Serves an Express application. Express itself answers a page of HTML to what fails and to what it cannot route; here that is JSON too. */
export function withLastWord(app: Express): RequestListener {
  return (request, response) => {
    app(request as Request, response as Response, (error?: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, error === undefined || isRefusal(error) ? ADDRESS_UNREADABLE : FAILED);
    });
  };
}

/** What Express says of a request that it cannot read. */
function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}
