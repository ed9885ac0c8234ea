import type { Application } from '../shared/catalog/applications.ts';
import { Problem } from '../shared/catalog/problems.ts';

/** The application did not answer within the time limit. */
export class AnswerTimeout extends Error {}

/** No connection to the application was made. All other errors break an existing connection. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** The problem for a request that reached no application or got no answer. */
export function dependencyProblem(application: Application, error: Error): Problem {
  const { code } = error as NodeJS.ErrnoException;
  const dependency = application;
  if (error instanceof AnswerTimeout || code === 'ETIMEDOUT') {
    return new Problem('dependency_timeout', `${application} did not answer in time; whether it acted is not known.`, { dependency });
  }
  if (UNREACHABLE.has(code)) {
    return new Problem('dependency_unavailable', `${application} cannot be reached.`, { dependency, retryAfter: 1 });
  }
  return new Problem('dependency_error', `The connection to ${application} broke before it answered; whether it acted is not known.`, {
    dependency,
  });
}
