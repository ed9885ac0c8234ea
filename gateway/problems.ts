import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, type ProblemCode, type ProblemContext } from '../shared/catalog/problems.ts';
import { BODY_BYTES } from '../shared/contract/body-limit.ts';
import type { RequestIds } from './request-ids.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** Wall time for a client that is still sending to read the refusal, before its connection is closed. */
const LINGER_MS = 500;

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

interface HeadersOfProblem {
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly context?: ProblemContext;
  readonly fault?: string | undefined;
}

/** A problem whose refusal needs more headers, such as the challenge of a 401. */
export class ProblemWithHeaders extends Problem {
  readonly headers: Readonly<Record<string, string>>;
  /** The fault that caused the refusal, for the journal. */
  readonly fault: string | undefined;

  constructor(code: ProblemCode, { detail, headers, context, fault }: HeadersOfProblem) {
    super(code, detail, context);
    this.headers = headers;
    this.fault = fault;
  }
}

export const methodNotAllowed = (method: string, allow: readonly string[]): Problem =>
  new Problem('method_not_allowed', `${method} is not possible here; ${allow.join(', ')} is.`, { allow });

/** The headers of every refusal. Neither headers nor body repeat a credential. */
export function headersOfProblem(problem: Problem, { requestId, correlationId }: RequestIds): Record<string, string> {
  const {
    retryAfter,
    context: { allow },
  } = problem;
  return {
    'Content-Type': PROBLEM_TYPE,
    'Cache-Control': 'no-store',
    'X-Correlation-Id': correlationId,
    'X-Request-Id': requestId,
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(allow && { Allow: allow.join(', ') }),
    ...(problem instanceof ProblemWithHeaders && problem.headers),
  };
}

export interface Refusal {
  readonly problem: Problem;
  readonly ids: RequestIds;
  readonly path: string;
}

/** Answers with a problem. If an answer has begun, the connection is cut instead, so that the client recognises it as incomplete. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, { problem, ids, path }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  setSecurityHeaders(response);
  const body = Buffer.from(problem.json(path));
  const sending = isStillSending(request);
  response.writeHead(problem.status, {
    ...headersOfProblem(problem, ids),
    'Content-Length': body.length,
    ...(sending && { Connection: 'close' }),
  });
  if (!sending) {
    response.end(body);
    return;
  }
  response.write(body);
  const end = setTimeout(() => response.end(), LINGER_MS);
  request.once('close', () => {
    clearTimeout(end);
    response.end();
  });
}

/** Whether the client may still send more than a body of permitted size. A client that waits for `100 Continue` sends no body. */
function isStillSending({ complete, headers }: IncomingMessage): boolean {
  if (complete || headers.expect !== undefined) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES;
}
