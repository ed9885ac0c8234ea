import { ProblemWithHeaders } from '../problems.ts';

/** Codes of RFC 6749 §5.2. */
export type OAuthError = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type' | 'invalid_scope';

const UNKNOWN_CLIENT = { 'WWW-Authenticate': 'Basic realm="unified-commerce", charset="UTF-8"' };

/** A refusal of the endpoints for tokens. Its body has the form of RFC 6749 §5.2, which client libraries read. */
export class OAuthRefusal extends ProblemWithHeaders {
  readonly error: OAuthError;

  /** @param description ASCII without `"` and `\`, as the RFC demands */
  constructor(error: OAuthError, description: string) {
    super(error === 'invalid_client' ? 'unauthenticated' : 'malformed_request', {
      detail: description,
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
