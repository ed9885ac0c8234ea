import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, type ProblemCode, type ProblemContext } from '../shared/catalog/problems.ts';
import { BODY_BYTES } from '../shared/http/request-body.ts';
import type { RequestIds } from './request-ids.ts';

/** Wall time for which a client that is still sending may read why it was refused, before its connection is cut. */
const LINGER_MS = 500;

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A refusal that says more in headers: the challenge of a 401. */
export class EdgeProblem extends Problem {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, refusal: { readonly detail: string; readonly headers: Readonly<Record<string, string>> }) {
    super(code, refusal.detail);
    this.headers = refusal.headers;
  }
}

export const methodNotAllowed = (method: string, allow: readonly string[]): Problem =>
  new Problem('method_not_allowed', `${method} is not possible here; ${allow.join(', ')} is.`, { allow });

/** The headers of every refusal; nothing that was sent as a credential is in them or in the body. */
export function headersOfProblem(problem: Problem, { requestId, correlationId }: RequestIds): Record<string, string> {
  const { retryAfter, allow }: ProblemContext = problem.context;
  return {
    'Content-Type': PROBLEM_TYPE,
    'Cache-Control': 'no-store',
    'X-Correlation-Id': correlationId,
    'X-Request-Id': requestId,
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(allow && { Allow: allow.join(', ') }),
    ...(problem instanceof EdgeProblem && problem.headers),
  };
}

export interface Refusal {
  readonly problem: Problem;
  readonly ids: RequestIds;
  readonly path: string;
}

/** Answers with a problem, unless an answer is already on its way; then its connection is cut, so that nobody takes half of it for all. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, { problem, ids, path }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(problem.json(path));
  const sending = leavesBodyUnread(request);
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

/** Whether more than a body of permitted size may still come. (A body that waits for "100 Continue" is not coming, and Node closes.) */
function leavesBodyUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete || headers.expect !== undefined) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES;
}
