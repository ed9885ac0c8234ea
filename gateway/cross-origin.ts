import type { IncomingMessage, ServerResponse } from 'node:http';
import cors, { type CorsRequest } from 'cors';
import { Problem } from '../shared/catalog/problems.ts';

/** Headers of an answer that a page may read, in addition to those that the Fetch standard always permits. */
const EXPOSED_HEADERS = [
  ...['Allow', 'Content-Disposition', 'ETag', 'Idempotent-Replayed', 'Location', 'Retry-After', 'WWW-Authenticate'],
  ...['X-Correlation-Id', 'X-Request-Id'],
];

const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Wall time before a browser must repeat a preflight. Browsers have their own maxima. */
const PREFLIGHT_SECONDS = 600;

/** CORS: lets pages of other origins read answers. */
export interface CrossOrigin {
  /** Sets the headers for a page of an allowed origin, before any check, so that the page can read refusals too. */
  allow(request: IncomingMessage, response: ServerResponse): void;
  /** The headers of an answer without a response object. @param origin of the request */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Whether a request is a preflight, as the Fetch standard defines it. */
  isPreflight(request: IncomingMessage): boolean;
  /** @throws Problem forbidden for a page of an origin that is not allowed, even if the page cannot read the answer */
  require(request: IncomingMessage): void;
  /** @throws Problem method_not_allowed for the preflight of an origin that is not allowed */
  answerPreflight(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): void;
}

/** @param allowed origins such as `http://shop.test:5173`; `loopback` stands for every port of this machine */
export function crossOrigin(allowed: readonly string[]): CrossOrigin {
  const origin = allowed.map((one) => (one === 'loopback' ? LOOPBACK : one));
  const allows = (given: string): boolean => origin.some((one) => (typeof one === 'string' ? one === given : one.test(given)));
  const isAllowed = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined && allows(headers.origin);
  const handle = cors<CorsRequest>({ origin, exposedHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS });
  return {
    allow(request, response) {
      if (isPreflight(request) || !isAllowed(request)) return;
      // The package treats every `OPTIONS` request as a preflight and answers it.
      handle({ method: 'GET', headers: request.headers }, response, () => {});
    },
    headersFor(given): Readonly<Record<string, string>> {
      if (given === undefined || !allows(given)) return {};
      return { 'Access-Control-Allow-Origin': given, 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(',') };
    },
    isPreflight,
    require(request) {
      if (request.headers.origin === undefined || isAllowed(request)) return;
      throw new Problem('forbidden', 'Pages of this origin cannot drive the estate; CORS_ORIGINS lists the origins that can.');
    },
    answerPreflight(request, response, methods) {
      if (!isAllowed(request)) {
        throw new Problem('method_not_allowed', 'Pages of this origin cannot call the estate; CORS_ORIGINS lists the origins that can.', {
          allow: methods,
        });
      }
      handle(request, response, () => {});
    },
  };
}

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
