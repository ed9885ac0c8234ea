import type { Problem } from '../../shared/catalog/problems.ts';
import { ProblemWithHeaders } from '../problems.ts';

/** Codes of RFC 6749 §5.2, and one of §4.1.2.1 for a refusal that may pass later. */
type OAuthError =
  | 'temporarily_unavailable'
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope';

const UNKNOWN_CLIENT = { 'WWW-Authenticate': 'Basic realm="unified-commerce", charset="UTF-8"' };

/** A refusal of the endpoints for tokens. Its body has the form of RFC 6749 §5.2, which client libraries read. */
export class OAuthRefusal extends ProblemWithHeaders {
  readonly error: OAuthError;

  /** @param description ASCII without `"` and `\`, as the RFC demands @param problem has the status; default: the status of the RFC */
  constructor(error: OAuthError, description: string, problem?: Problem) {
    super(problem?.code ?? (error === 'invalid_client' ? 'unauthenticated' : 'malformed_request'), {
      detail: description,
      context: problem?.context ?? {},
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        Pragma: 'no-cache',
        ...(error === 'invalid_client' && UNKNOWN_CLIENT),
      },
    });
    this.error = error;
  }

  override body(): Record<string, unknown> {
    return { error: this.error, error_description: this.message };
  }

  override json(): string {
    return JSON.stringify(this.body());
  }
}

/** A refusal that any part of the gateway may make, in the form of the RFC. Status and headers stay. */
export function inOAuthForm(problem: Problem): OAuthRefusal {
  if (problem instanceof OAuthRefusal) return problem;
  const description = problem.message.replaceAll(/["\\]|[^\x20-\x7e]/g, "'");
  return new OAuthRefusal(problem.retryable ? 'temporarily_unavailable' : 'invalid_request', description, problem);
}
