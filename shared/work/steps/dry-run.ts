import { type ApiDefinition, changesSomething } from '../../catalog/define.ts';
import { Problem } from '../../catalog/problems.ts';
import { DRY_RUN_TYPE, type DryRun } from '../../contract/dry-run.ts';
import { type Answer, answerProblem, jsonIn } from '../../transport/answer.ts';
import type { Caller, CallOptions } from '../../transport/caller.ts';
import type { ApplicationParts } from '../application-parts.ts';
import { Unchanged } from '../handler.ts';
import type { Answered, CommittingJob, WithFigures } from '../job.ts';
import { RunScope } from '../scope.ts';
import { answerOutput } from './answer.ts';
import { preconditionOf } from './claim-key.ts';
import { acceptOtherTypes, type ValidRequest } from './read-input.ts';
import type { Step } from './step.ts';

/** A real system may not have a dry run, so nothing is sent to it. @throws Problem `swapped` */
export const refuseIfSwapped =
  <J extends WithFigures>({ application }: ApplicationParts): Step<J, J, Answered> =>
  async (job, rest) => {
    if (job.realSystem !== 'instead') return rest(job);
    throw new Problem('swapped', `A real system replaces ${application} in this rehearsal, so there is no dry run.`, { application });
  };

/** As `acceptOtherTypes`, with the answer of a dry run. */
export const tryOtherTypes: typeof acceptOtherTypes = async (job, rest) => {
  let isKnown = false;
  const answer = await acceptOtherTypes(job, (known) => {
    isKnown = true;
    return rest(known);
  });
  return isKnown ? answer : answerPossible({ possible: true, status: answer?.status, unchanged: true });
};

/** A unit without a claim: a dry run takes no key. */
export const openDryUnit: Step<ValidRequest, ValidRequest & CommittingJob, Answered> = async (job, rest) => {
  const { requestId, now } = job.context;
  const unit = { key: requestId, since: now, precondition: preconditionOf(job, { isMet: false }) };
  return rest({ ...job, unit, commits: { dueBeforeReply: [], hasUnsentEvents: false } });
};

/**
 * Runs the handler of an API, and keeps nothing. Its commits change its own unit only, and the applications that it calls run dry, too. The run
 * ends with the handler, or at the first call that would change something elsewhere and that nothing refuses: what follows depends on its effect.
 */
export const answerDryRun =
  (parts: ApplicationParts) =>
  async (job: ValidRequest & CommittingJob): Promise<Answer> => {
    const { api, handler } = job.bound;
    const trial = new Trial();
    const scope = new RunScope(parts, job, { webhookId: job.webhookId, around: trial.around });
    let result: unknown;
    try {
      result = await handler(job.input as never, scope);
    } catch (error) {
      if (!trial.hasEnded) throw error;
    }
    if (trial.hasEnded) return answerPossible({ possible: true, foreseen: trial.foreseen });
    if (result instanceof Problem) return answerProblem(result, job.path);
    const answer = answerOutput(api, result, { strict: parts.strictResponses });
    return changesSomething(api) ? answerPossible(verdictOf(api, answer, result instanceof Unchanged)) : answer;
  };

function verdictOf(api: ApiDefinition, { status, body }: Answer, isUnchanged: boolean): DryRun {
  const answer = api.produces === 'application/json' ? jsonIn(body.toString()) : undefined;
  return { possible: true, status, answer, unchanged: isUnchanged || undefined };
}

const answerPossible = (verdict: DryRun): Answer => ({ status: 200, body: JSON.stringify(verdict), contentType: DRY_RUN_TYPE });

/** Ends the handler of a dry run. A handler must not catch it; if it does, its next call throws it again. */
class TrialEnded extends Error {
  override readonly name = 'TrialEnded';
}

/** How far a dry run has come. */
class Trial {
  /** Whether the run has ended at a call. */
  hasEnded = false;
  /** Certain members of the answer, from the call where the run has ended. */
  foreseen: DryRun['foreseen'];
  /** Whether an earlier call was refused. */
  #isRefused = false;

  readonly around =
    (call: Caller): Caller =>
    async (api, input, options) => {
      if (this.hasEnded) throw new TrialEnded();
      const isChange = changesSomething(api);
      try {
        const answered = await call(api, input, options);
        return isChange ? this.#answerOf(answered as DryRun, options) : answered;
      } catch (error) {
        if (isChange && error instanceof Problem) this.#isRefused = true;
        // Nothing is known about a real system.
        throw error instanceof Problem && error.code === 'swapped' ? this.#end(options) : error;
      }
    };

  /**
   * A run continues with an answer that no effect belongs to. After a refusal, a handler undoes what it has done, or tries something else: a dry run
   * has done nothing, so answers to undoing hold. The run ends as possible at a call that cannot compute its answer.
   */
  #answerOf({ answer, unchanged }: DryRun, options: CallOptions = {}): never {
    if (answer === undefined || !(unchanged || options.isSeparate || this.#isRefused)) throw this.#end(options);
    return answer as never;
  }

  #end({ foreseen }: CallOptions = {}): TrialEnded {
    this.hasEnded = true;
    this.foreseen = foreseen;
    return new TrialEnded();
  }
}
