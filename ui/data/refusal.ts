import { retryAfterIn } from '../../shared/domain/retry-after.ts';

/** What is wrong with one part of a request. */
export interface FieldError {
  /** A JSON pointer into the body, or the name of a part of the path. */
  readonly pointer: string;
  readonly detail: string;
}

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly correlationId?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly errors?: readonly FieldError[];
  readonly isOfCredential?: boolean;
}

/** Why an operation has no result: the problem that the gateway answered, or its absence. */
export class Refusal extends Error implements Problem {
  override readonly name = 'Refusal';
  declare readonly status: number;
  declare readonly code: string;
  declare readonly title: string;
  declare readonly detail: string;
  declare readonly correlationId?: string;
  declare readonly retryAfter?: number;
  declare readonly errors: readonly FieldError[];
  /** Another credential is needed: this one is unknown, lacks a scope, or belongs to another rehearsal. */
  declare readonly isOfCredential: boolean;

  constructor(problem: Problem) {
    super(problem.detail);
    Object.assign(this, { errors: [], isOfCredential: false, ...problem });
  }
}

/** A mistake that a page finds itself, at a part of the request. */
export const mistakeAt = (pointer: string, detail: string): Refusal =>
  new Refusal({ status: 422, code: 'validation_failed', title: 'Refused', detail, errors: [{ pointer, detail }] });

export async function refusalOf(answer: Response): Promise<Refusal> {
  const body = (await answer.json().catch(() => ({}))) as Partial<Problem> & { readonly scope?: string; readonly rehearsal?: string };
  return new Refusal({
    status: answer.status,
    code: body.code ?? `status ${answer.status}`,
    title: body.title ?? 'Refused',
    detail: body.detail ?? `The gateway answered ${answer.status}.`,
    correlationId: answer.headers.get('X-Correlation-Id') ?? undefined,
    retryAfter: retryAfterIn(answer.headers.get('Retry-After')),
    errors: body.errors ?? [],
    isOfCredential: answer.status === 401 || (answer.status === 403 && (body.scope ?? body.rehearsal) !== undefined),
  });
}

/** An aborted request stays an AbortError: nobody waits for it. */
export function unreachable(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new Refusal({ status: 0, code: 'unreachable', title: 'No answer', detail: 'The gateway does not answer. Is the estate running?' });
}

export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal({ status: 0, code: 'broken', title: 'This page failed', detail: String(error) });
