import type { RequestListener } from 'node:http';
import type { Express, Request, Response } from 'express';
import { ADDRESS_UNREADABLE, FAILED, send } from './contract/answers.ts';

/** Serves an Express application with JSON bodies for failed and unroutable requests, which Express answers with HTML. */
export function withJsonErrors(app: Express): RequestListener {
  return (request, response) => {
    app(request as Request, response as Response, (error?: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, error === undefined || isRefusal(error) ? ADDRESS_UNREADABLE : FAILED);
    });
  };
}

/** Whether Express could not read the request. */
function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}
