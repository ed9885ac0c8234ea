import type { Application } from '../shared/catalog/applications.ts';
import type { Problem } from '../shared/catalog/problems.ts';
import { didNotConnect } from '../shared/process/connection-trouble.ts';
import { brokenOff, timedOut, unreachable } from '../shared/transport/transport.ts';

/** The application did not answer within the time limit. */
export class AnswerTimeout extends Error {}

/** The problem for a request that reached no application or got no answer. */
export function dependencyProblem(application: Application, error: Error): Problem {
  if (error instanceof AnswerTimeout || (error as NodeJS.ErrnoException).code === 'ETIMEDOUT') return timedOut(application);
  return didNotConnect(error) ? unreachable(application) : brokenOff(application);
}
