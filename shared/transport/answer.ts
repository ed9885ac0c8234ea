import type { Problem } from '../catalog/problems.ts';

/** How an answer is sent and how an idempotency record keeps it. */
export interface Answer {
  readonly status: number;
  /** Bytes of a document; those are never kept with an idempotency key, since only queries answer them. */
  readonly body: string | Buffer;
  readonly contentType: string;
  readonly etag?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly replayed?: boolean;
}

export function answerProblem(problem: Problem, path: string): Answer {
  return {
    status: problem.status,
    body: problem.json(path),
    contentType: 'application/problem+json; charset=utf-8',
    retryAfter: problem.context.retryAfter,
  };
}
