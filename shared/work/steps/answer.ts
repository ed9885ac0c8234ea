import { type ApiDefinition, isMutating } from '../../catalog/define.ts';
import { Problem } from '../../catalog/problems.ts';
import { filterResponse } from '../../contract/validation.ts';
import { traceIds } from '../../observability/observer.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { ItemLease } from '../../store/ports/due-work.ts';
import { type Answer, answerProblem, asProblem } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import { Unchanged } from '../handler.ts';
import type { Answered, CommittingJob, JournaledJob, LeasedItem, RetailerJob, UnitJob } from '../job.ts';
import { RunScope } from '../scope.ts';
import { CallerLeft } from '../unit/interruptions.ts';
import type { CommitState, Outcome } from '../unit/open-unit.ts';
import type { ClaimedRequest } from './claim-key.ts';
import type { Step } from './step.ts';

/** Answers an error with its problem. A client that has left gets no answer. */
export const answerProblems =
  <J extends JournaledJob>({ log }: ApplicationParts): Step<J, J, Answered> =>
  async (job, rest) => {
    try {
      return await rest(job);
    } catch (error) {
      if (error instanceof CallerLeft) return undefined;
      return answerProblem(asProblem(error, log, job.context), job.path);
    }
  };

/** Lifetime of an idempotency record, on the rehearsal's clock. */
const KEEP_MS = 24 * 60 * 60 * 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Runs the handler of an API once, and commits its changes together with the answer to repeat. */
export const answerRequest =
  (parts: ApplicationParts) =>
  async (job: ClaimedRequest & CommittingJob): Promise<Answer> => {
    const { bound, input, context, path } = job;
    const isClaimed = job.unit.fence !== undefined;
    const outcomeOf = (answer: Answer): Outcome => ({ json: JSON.stringify(answer), keepUntil: context.now + KEEP_MS });
    const scope = new RunScope(parts, job, { webhookId: job.webhookId, beforeCall: refuseWhenLeft(job.hasLeft, job.commits) });
    try {
      const result = await bound.handler(input as never, scope);
      const answer =
        result instanceof Problem ? answerProblem(result, path) : answerOutput(bound.api, result, { strict: parts.strictResponses });
      const isRepeated = isClaimed && (!(result instanceof Problem) || isDefinite(result));
      await scope.work.finish(isRepeated ? outcomeOf(answer) : undefined);
      if (isMutating(bound.api) && !(result instanceof Problem)) job.notes.unchanged = whyUnchanged(job, result);
      return answer;
    } catch (error) {
      if (!(error instanceof Problem) || !isClaimed || !isDefinite(error)) throw error;
      const answer = answerProblem(error, path);
      await scope.work.discard(outcomeOf(answer));
      return answer;
    }
  };

/** Definite refusals: a repeat with the same key gets the same answer. */
const isDefinite = (problem: Problem): boolean => [402, 409, 422].includes(problem.status) && !problem.retryable;

/** A request whose client has left makes no first call. If anything was done before, here or elsewhere, it runs to its end. */
function refuseWhenLeft(hasLeft: () => boolean, commits: CommitState): (changesSomething: boolean) => void {
  return (changesSomething) => {
    if (!commits.hasBegun && hasLeft()) {
      commits.isGivenUp = true;
      throw new CallerLeft();
    }
    if (changesSomething) commits.hasBegun = true;
  };
}

function answerOutput(api: ApiDefinition, result: unknown, strictness: { readonly strict: boolean }): Answer {
  const isUnchanged = result instanceof Unchanged;
  const output = filterResponse(api, isUnchanged ? result.output : result, strictness);
  if (api.status === 204) return { status: 204, body: '', contentType: JSON_TYPE };
  if (api.produces !== 'application/json') {
    return { status: api.status, body: Buffer.from(String(output), 'base64'), contentType: api.produces };
  }
  const version = (output as { version?: unknown } | null)?.version;
  return {
    status: isUnchanged ? 200 : api.status,
    body: JSON.stringify(output),
    contentType: JSON_TYPE,
    etag: typeof version === 'number' ? `"${version}"` : undefined,
  };
}

/** Notifies the relay of committed events, and runs the due work whose effect the answer must show. Work that fails stays due for the clock. */
export const followUp =
  <J extends UnitJob & RetailerJob, Result>(
    parts: ApplicationParts,
    runBeforeReply: (item: LeasedItem) => Promise<void>,
  ): Step<J, J & CommittingJob, Result> =>
  async (job, rest) => {
    const { store, relay, log } = parts;
    const { world } = job.context;
    const commits: CommitState = { dueBeforeReply: [], hasUnsentEvents: false };
    const release = (lease: ItemLease): Promise<void> => ifPossible(log, 'giving back due work', () => store.releaseDue(world, lease));
    let result: Result;
    try {
      result = await rest({ ...job, commits });
    } catch (error) {
      for (const lease of commits.dueBeforeReply) await release(lease);
      throw error;
    } finally {
      if (commits.hasUnsentEvents) relay.kick(world);
    }
    for (const lease of commits.dueBeforeReply) {
      const { kind, key, token } = lease;
      const context = { ...job.context, requestId: `${job.context.requestId}.${kind}` };
      try {
        await runBeforeReply({ item: { kind, key }, token, context, notes: job.notes });
      } catch (error) {
        warn(parts, job, { err: error, kind, key });
        await release(lease);
      }
    }
    return result;
  };

function warn(
  { log }: ApplicationParts,
  { context }: UnitJob,
  about: { readonly err: unknown; readonly kind: string; readonly key: string },
): void {
  const { requestId, correlationId, world, traceparent } = context;
  log.warn({ ...about, requestId, correlationId, world, ...traceIds(traceparent) }, 'due work before the reply failed; it stays due');
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
