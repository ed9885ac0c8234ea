import { type ApiDefinition, isMutating } from '../../catalog/define.ts';
import { Problem } from '../../catalog/problems.ts';
import { filterResponse } from '../../contract/validation.ts';
import { hasVersion } from '../../http/json-answer.ts';
import { type Answer, answerProblem } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { PlacedRequest } from '../elsewhere.ts';
import { Unchanged } from '../handler.ts';
import type { CommittingJob } from '../job.ts';
import { RunScope } from '../scope.ts';
import { type CommitState, discard, finish, type Outcome } from '../unit/commit.ts';
import { CallerLeft } from '../unit/interruptions.ts';

/** Lifetime of an idempotency record, on the rehearsal's clock. The store keeps it for a day of wall time too. */
const KEEP_MS = 24 * 60 * 60 * 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Runs the handler of an API once, and commits its changes together with the answer to repeat. */
export const answerRequest =
  (parts: ApplicationParts) =>
  async (job: PlacedRequest & CommittingJob): Promise<Answer> => {
    const { bound, input, context, path } = job;
    const isClaimed = job.unit.fence !== undefined;
    const outcomeOf = (answer: Answer): Outcome => ({ json: JSON.stringify(answer), keepUntil: context.now + KEEP_MS });
    const scope = new RunScope(parts, job, { webhookId: job.webhookId, beforeCall: refuseWhenLeft(job.hasLeft, job.commits) });
    try {
      const result = await (job.instead ? job.instead(scope) : bound.handler(input as never, scope));
      const answer =
        result instanceof Problem ? answerProblem(result, path) : answerOutput(bound.api, result, { strict: parts.strictResponses });
      // A refusal that a handler returns is committed with its changes, such as the count of a wrong code: a repeat must not count again.
      const isRepeated = isClaimed && !(result instanceof Problem && result.retryable);
      await finish(scope.work, isRepeated ? outcomeOf(answer) : undefined);
      if (isMutating(bound.api) && !(result instanceof Problem)) job.notes.unchanged = whyUnchanged(job, result);
      const { etag } = answer;
      const isKnown = bound.api.method === 'GET' && etag !== undefined && hasVersion(job.received.headers, etag);
      return isKnown ? { ...answer, status: 304, body: '' } : answer;
    } catch (error) {
      if (!(error instanceof Problem) || !isClaimed || !isDefinite(error)) throw error;
      const answer = answerProblem(error, path);
      await discard(scope.work, outcomeOf(answer));
      return answer;
    }
  };

/** Definite refusals: a repeat with the same key gets the same answer. */
const isDefinite = (problem: Problem): boolean => [402, 409, 422].includes(problem.status) && !problem.retryable;

/** A request whose client has left makes no first call. If anything is done already, here or elsewhere, it runs to its end. */
function refuseWhenLeft(hasLeft: () => boolean, commits: CommitState): (changesSomething: boolean) => void {
  return (changesSomething) => {
    if (!commits.hasBegun && hasLeft()) {
      commits.isGivenUp = true;
      throw new CallerLeft();
    }
    if (changesSomething) commits.hasBegun = true;
  };
}

/** The answer to what a handler returned. */
export function answerOutput(api: ApiDefinition, result: unknown, strictness: { readonly strict: boolean }): Answer {
  const isUnchanged = result instanceof Unchanged;
  const output = filterResponse(api, isUnchanged ? result.output : result, strictness);
  if (api.status === 204) return { status: 204, body: '', contentType: JSON_TYPE };
  if (api.produces !== 'application/json') {
    return { status: api.status, body: Buffer.from(String(output), 'base64'), contentType: api.produces, fileName: api.fileName };
  }
  const version = (output as { version?: unknown } | null)?.version;
  return {
    status: isUnchanged ? 200 : api.status,
    body: JSON.stringify(output),
    contentType: JSON_TYPE,
    etag: typeof version === 'number' ? `"${version}"` : undefined,
  };
}

const REPEAT = 'It is a repeat: an earlier request had this effect.';
const NOTHING = 'Nothing had to be changed.';

/** The reason in the hop of a job that may change the world but changed nothing; undefined when it changed something, here or by a call. */
export function whyUnchanged({ commits, notes }: Pick<CommittingJob, 'commits' | 'notes'>, result: unknown): string | undefined {
  const isUnchanged = result instanceof Unchanged;
  if (isUnchanged && result.reason !== undefined) return result.reason;
  if (commits.hasChanged) return undefined;
  if (isUnchanged) return REPEAT;
  return notes.calls.length === 0 ? NOTHING : undefined;
}
