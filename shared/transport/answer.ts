import type { Application } from '../catalog/applications.ts';
import { Problem, type ProblemCode, problems } from '../catalog/problems.ts';
import { retryAfterIn } from '../domain/retry-after.ts';
import { type Ids, traceIds } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { BROKEN_OFF_HEADER } from './estate-headers.ts';
import { PathRefused } from './path.ts';
import type { Reply } from './transport.ts';

/** An answer as it is sent, and as an idempotency record keeps it. */
export interface Answer {
  readonly status: number;
  /** Text, or bytes for documents. No idempotency record keeps bytes, because only queries answer them. */
  readonly body: string | Buffer;
  readonly contentType: string;
  readonly etag?: string | undefined;
  /** Name under which a client saves a document. */
  readonly fileName?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  /** Replaces the header Retry-After, if there is one. */
  readonly retryAfterDate?: string;
  readonly replayed?: boolean;
  /** Whether a fault made a body that is not JSON. The journal keeps it as text. */
  readonly isText?: true;
  /** The body, compressed with gzip, if it is sent so. */
  readonly gzipped?: Buffer;
  /** Whether the body is sent in chunks, without its length. */
  readonly isChunked?: true;
  /** Whether the client gets half of the body, and then a broken connection. */
  readonly isBrokenOff?: true;
}

export const hasBody = ({ status }: Answer): boolean => status !== 204 && status !== 304;

/** What is sent of the body of an answer. */
export const bodySentOf = ({ status, body, gzipped }: Answer): string | Buffer | undefined =>
  status === 204 ? undefined : (gzipped ?? body);

export function answerProblem(problem: Problem, path: string): Answer {
  return {
    status: problem.status,
    body: problem.json(path),
    contentType: 'application/problem+json; charset=utf-8',
    retryAfter: problem.retryAfter,
  };
}

/** The headers of an answer of an application, with names in lower case. */
export function headersOfAnswer(
  answer: Answer,
  { correlationId, requestId }: Pick<Ids, 'correlationId' | 'requestId'>,
): Record<string, string> {
  const { status, contentType, etag, fileName, retryAfter, retryAfterDate, replayed, gzipped, isChunked, isBrokenOff } = answer;
  const sent = status === 304 ? undefined : bodySentOf(answer);
  return {
    'x-correlation-id': correlationId,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...(etag !== undefined && { etag }),
    ...(fileName !== undefined && { 'content-disposition': `inline; filename="${fileName}"` }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfterDate ?? String(retryAfter) }),
    // The gateway checks credentials; an application itself refuses only signatures.
    ...(status === 401 && { 'www-authenticate': 'StandardWebhooks realm="unified-commerce"' }),
    ...(replayed === true && { 'idempotent-replayed': 'true' }),
    ...(sent !== undefined && { 'content-type': contentType }),
    ...(sent !== undefined && gzipped && { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
    ...(isBrokenOff && { [BROKEN_OFF_HEADER]: 'true' }),
    ...(sent !== undefined && !isChunked && { 'content-length': String(Buffer.byteLength(sent)) }),
  };
}

/** The problem that answers an error. An unexpected error is logged and becomes `internal_error`. */
export function asProblem(error: unknown, log: Pick<Logger, 'error'>, ids: Partial<Ids>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof PathRefused) return refusedPath(error);
  const { status, name } = (error ?? {}) as { status?: number; name?: string };
  if (name === 'WorldGone') return new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted during the request.');
  // Express throws such an error for a request that it cannot read.
  if (status !== undefined && status >= 400 && status < 500) return new Problem('malformed_request', 'The request cannot be read.');
  const { requestId, correlationId, world, traceparent } = ids;
  log.error({ err: error, requestId, correlationId, world, ...traceIds(traceparent) }, 'unexpected error');
  return new Problem('internal_error', 'Something went wrong in the estate itself; its log has the details under the correlation id.');
}

/** For a call whose path takes a value of the request. */
function refusedPath({ message: detail, parameter = '' }: PathRefused): Problem {
  return new Problem('validation_failed', detail, { errors: [{ pointer: `{${parameter}}`, code: 'not_a_segment', detail }] });
}

/** The problem that a body describes; undefined when it has no code of ours. */
export function problemIn(body: unknown, fallbackDetail: string): Problem | undefined {
  const { type: _type, title: _title, status: _status, instance: _instance, code, detail, ...context } = membersOf(body);
  return isCode(code) ? new Problem(code, typeof detail === 'string' ? detail : fallbackDetail, context) : undefined;
}

/** Problems about the original request. They are passed to its caller unchanged. */
const PASSED_ON: ReadonlySet<number> = new Set([402, 404, 409, 412]);

/** The output in the reply of another application. @throws Problem what the other application refused with, or `dependency_*` */
export function readReply(dependency: Application, { status, text, retryAfter }: Reply): unknown {
  const body = jsonIn(text);
  const answered = `${dependency} answered ${status}`;
  if (status < 300) {
    if (body === undefined && text !== '')
      throw new Problem('dependency_error', `${answered} with a body that is not JSON.`, { dependency });
    return body;
  }
  const problem = PASSED_ON.has(status) ? problemIn(body, `${answered}.`) : undefined;
  if (problem) throw problem;
  const members = membersOf(body);
  const detail = typeof members['detail'] === 'string' ? members['detail'] : `${answered}.`;
  // The failed dependency may be one that this application called.
  const failed = typeof members['dependency'] === 'string' ? members['dependency'] : dependency;
  const outside = members['outside'] === true || undefined;
  if (status === 504) throw new Problem('dependency_timeout', detail, { dependency: failed, outside });
  // The rehearsal is full, and nothing was done.
  if (status === 507) throw new Problem('dependency_unavailable', detail, { dependency: failed });
  if (status === 503) {
    if (problemIn(body, detail)?.code === 'contention') throw new Problem('contention', detail, { dependency: failed, retryAfter: 1 });
    throw new Problem('dependency_unavailable', detail, { dependency: failed, outside, retryAfter: retryAfterIn(retryAfter) ?? 1 });
  }
  const isUndecided = members['undecided'] === true || problemIn(body, detail) === undefined;
  throw new Problem('dependency_error', `${answered}: ${detail}`, {
    dependency: failed,
    outside,
    ...(isUndecided && { undecided: true }),
  });
}

const membersOf = (body: unknown): Readonly<Record<string, unknown>> => (typeof body === 'object' && body !== null ? { ...body } : {});

const isCode = (code: unknown): code is ProblemCode => typeof code === 'string' && Object.hasOwn(problems, code);

/** @returns undefined for an empty text, and for one that is not JSON */
export function jsonIn(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
