import { nameOf } from '../../catalog/event-names.ts';
import { Problem } from '../../catalog/problems.ts';
import { type Answer, answerProblem, jsonIn } from '../../transport/answer.ts';
import type { Elsewhere } from '../../work/elsewhere.ts';
import type { Answered } from '../../work/job.ts';
import type { ClaimedRequest } from '../../work/steps/claim-key.ts';
import type { ElsewhereParts } from '../parts.ts';
import { outsideRequestOf } from '../swap/forward.ts';
import { keepAnswer } from '../swap/keep.ts';
import { NoReply } from '../swap/outside-call.ts';
import { eventRequestOf, isAccepted, refusedEvent } from '../swap/post-event.ts';
import { readAnswer, Violation, withoutReply } from '../swap/read-answer.ts';
import type { StoredSwap } from '../swap/stored-swap.ts';
import { logAnswer } from '../swap/swap-log.ts';
import { type Difference, differencesOf } from './compare.ts';
import { openIds } from './ids.ts';

/** Sends each request also to the real system in the mode shadow. Its answer changes nothing. */
export const shadowRequest =
  (parts: ElsewhereParts, swap: StoredSwap): Elsewhere['answer'] =>
  async (job, rest) => {
    const { bound, context, path } = job;
    if (swap.shadow === 'reads' && bound.api.method !== 'GET') return rest(job);
    const add = (answer: Answer): Promise<void> =>
      parts.shadows.add(context, bound.api.id, () => differencesAt(parts, { job, swap, answer }));
    let answer: Answered;
    try {
      answer = await rest(job);
    } catch (error) {
      // When a dependency of ours did not answer, the answer of the real system cannot be compared with ours.
      if (error instanceof Problem && error.status < 500) await add(answerProblem(error, path));
      throw error;
    }
    if (answer && answer.status < 500) await add(answer);
    return answer;
  };

interface Shadowed {
  readonly job: ClaimedRequest;
  readonly swap: StoredSwap;
  /** Ours. */
  readonly answer: Answer;
}

async function differencesAt(parts: ElsewhereParts, { job, swap, answer }: Shadowed): Promise<readonly Difference[]> {
  const { bound, context, input, unit } = job;
  const { api } = bound;
  const ids = openIds(parts, context);
  const translated = await ids.translated(input);
  const request = outsideRequestOf({ ...job, input: translated }, unit.key, parts);
  const log = (status: number, durationMs: number, violation?: Violation): Promise<void> =>
    logAnswer(parts, context, {
      api: api.id,
      status,
      durationMs,
      violation: violation && { name: violation.violation, detail: violation.message },
    });
  const ours = jsonIn(answer.body.toString());
  try {
    const reply = await parts.callOutside(context.world, swap, { ...request, withinMs: swap.timeoutMs });
    await keepAnswer(parts, context, { swap, api, input: translated, reply });
    try {
      const theirs = readAnswer(api, reply);
      await log(reply.status, reply.durationMs);
      if (answer.status >= 300) return [otherOutcome(answer, String(reply.status))];
      const known = await ids.known(input, ours);
      const found = differencesOf(api.response, ours, theirs, { ids: known, named: new Set(swap.compare) });
      await ids.keep();
      return found;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await log(reply.status, reply.durationMs, error instanceof Violation ? error : undefined);
      if (error instanceof Violation) return [{ pointer: '', ours: textOf(answer), theirs: `${reply.status} ${error.violation}` }];
      const isSame = answer.status === error.status && codeOf(answer) === error.code;
      return isSame ? [] : [otherOutcome(answer, `${error.status} ${error.code}`)];
    }
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
    const problem = withoutReply(api, error);
    await log(0, error.durationMs, problem instanceof Violation ? problem : undefined);
    return [{ pointer: '', ours: textOf(answer), theirs: `no answer: ${error.why}` }];
  }
}

const codeOf = ({ body }: Answer): unknown => (jsonIn(body.toString()) as { readonly code?: unknown } | undefined)?.code;
const textOf = (answer: Answer): string => (answer.status < 300 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`);
const otherOutcome = (answer: Answer, theirs: string): Difference => ({ pointer: '', ours: textOf(answer), theirs });

/** Posts each event that the application consumes also to the real system in the mode shadow. */
export const shadowDelivery =
  (parts: ElsewhereParts, swap: StoredSwap): Elsewhere['deliver'] =>
  async (job, rest) => {
    await rest(job);
    const { event, context } = job;
    if (swap.shadow !== 'all' || swap.events === 'none') return;
    const api = `event:${nameOf(event.type)}`;
    await parts.shadows.add(context, api, async () => {
      const { status, durationMs } = await parts
        .callOutside(context.world, swap, {
          ...eventRequestOf({ ...job, event: await openIds(parts, context).translated(event) }),
          withinMs: swap.timeoutMs,
        })
        .catch((error: unknown) => {
          if (error instanceof NoReply) return { status: 0, durationMs: error.durationMs };
          throw error;
        });
      await logAnswer(parts, context, { api, status, durationMs, violation: refusedEvent(api, status) });
      return isAccepted(status) ? [] : [{ pointer: '', ours: 'accepted', theirs: status === 0 ? 'no answer' : String(status) }];
    });
  };
