import { nameOf } from '../../catalog/event-names.ts';
import { Problem } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { redactText } from '../../domain/redaction.ts';
import { instant } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { ifPossible } from '../../process/harmless.ts';
import type { Logger } from '../../process/logger.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import { type Answer, answerProblem, jsonIn } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, Delivery, WithFigures } from '../job.ts';
import type { ClaimedRequest } from '../steps/claim-key.ts';
import type { Step } from '../steps/step.ts';
import { outsideRequestOf } from '../swap/forward.ts';
import { NoReply } from '../swap/outside-call.ts';
import { eventRequestOf } from '../swap/post-event.ts';
import { readAnswer, Violation, withoutReply } from '../swap/read-answer.ts';
import { recordInWorld } from '../swap/record-in-world.ts';
import type { StoredSwap } from '../swap/stored-swap.ts';
import { logAnswer } from '../swap/swap-log.ts';
import { type Difference, differencesOf } from './compare.ts';
import { openIds } from './ids.ts';
import { EMPTY_FIDELITY, type FidelityLog, fidelityLogs } from './stored-fidelity.ts';

/** Most calls of a world that wait for the real system in the shadow, per application and process. Further ones are counted as skipped. */
const MOST_WAITING = 500;
/** Most different differences that a world keeps, the first ones. */
const MOST_DIFFERENCES = 500;

/** The same call for the real system, after ours has answered. @returns what the fidelity log shows about it */
type ShadowCall = () => Promise<readonly Difference[]>;

/** Makes the calls of a world one after the other, as ours were answered: a call may need the ids of an earlier one. */
export function createShadows(parts: { readonly store: Store; readonly log: Logger }) {
  const running = new Map<World, { last: Promise<void>; waiting: number }>();

  async function compareNow(context: Context, api: string, call: ShadowCall): Promise<void> {
    const found = await call().catch((error: unknown) => {
      parts.log.warn({ err: error, api, world: context.world }, 'comparing with the real system in the shadow failed');
      return undefined;
    });
    await record(context, (log) => (found ? withComparison(log, { context, api, found }) : { ...log, skipped: log.skipped + 1 }));
  }

  const record = (context: Context, change: (log: Omit<FidelityLog, 'version'>) => Omit<FidelityLog, 'version'>): Promise<void> =>
    ifPossible(parts.log, 'recording a comparison with a real system', () =>
      recordInWorld(parts, context, async (work) => {
        work.put(fidelityLogs, change((await work.get(fidelityLogs, 'fidelity')) ?? EMPTY_FIDELITY));
      }),
    );

  return {
    /** Resolves when the call is on record. The comparison follows. */
    async add(context: Context, api: string, call: ShadowCall): Promise<void> {
      const { world } = context;
      const queue = running.get(world) ?? { last: Promise.resolve(), waiting: 0 };
      const isFull = queue.waiting >= MOST_WAITING;
      if (!isFull) {
        running.set(world, queue);
        queue.waiting += 1;
      }
      const begun = record(context, (log) => ({ ...log, begun: log.begun + 1, skipped: log.skipped + (isFull ? 1 : 0) }));
      if (!isFull) {
        queue.last = Promise.all([queue.last, begun])
          .then(() => compareNow(context, api, call))
          .finally(() => {
            queue.waiting -= 1;
            if (queue.waiting === 0) running.delete(world);
          });
      }
      await begun;
    },
  };
}

/** Repeats each request at the real system in the shadow. Its answer changes nothing. */
export const shadowRequest =
  (parts: ApplicationParts): Step<ClaimedRequest, ClaimedRequest, Answered> =>
  async (job, rest) => {
    const { shadow, bound, context, path } = job;
    if (!shadow || (shadow.shadow === 'reads' && bound.api.method !== 'GET')) return rest(job);
    const add = (answer: Answer): Promise<void> =>
      parts.shadows.add(context, bound.api.id, () => differencesAt(parts, { job, swap: shadow, answer }));
    let answer: Answered;
    try {
      answer = await rest(job);
    } catch (error) {
      // A dependency of ours did not answer: the real system has nothing to compare with.
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

async function differencesAt(parts: ApplicationParts, { job, swap, answer }: Shadowed): Promise<readonly Difference[]> {
  const { bound, context, input, unit } = job;
  const { api } = bound;
  const ids = openIds(parts, context);
  const request = outsideRequestOf({ ...job, input: await ids.translated(input) }, unit.key, parts);
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
    try {
      const theirs = readAnswer(api, reply);
      await log(reply.status, reply.durationMs);
      if (answer.status >= 300) return [refusalDiffers(answer, String(reply.status))];
      const known = await ids.known(input, ours);
      const found = differencesOf(api.response, ours, theirs, { ids: known, named: new Set(swap.compare) });
      await ids.keep();
      return found;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await log(reply.status, reply.durationMs, error instanceof Violation ? error : undefined);
      if (error instanceof Violation) return [{ pointer: '', ours: textOf(answer), theirs: `${reply.status} ${error.violation}` }];
      const isSame = answer.status === error.status && codeOf(answer) === error.code;
      return isSame ? [] : [refusalDiffers(answer, `${error.status} ${error.code}`)];
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
const refusalDiffers = (answer: Answer, theirs: string): Difference => ({ pointer: '', ours: textOf(answer), theirs });

/** Posts each event that the application consumes to the real system in the shadow, so that it can keep up. */
export const shadowDelivery =
  (parts: ApplicationParts): Step<Delivery & WithFigures, Delivery & WithFigures, void> =>
  async (job, rest) => {
    await rest(job);
    const { shadow, event, context } = job;
    if (shadow?.shadow !== 'all' || shadow.events === 'none') return;
    const api = `event:${nameOf(event.type)}`;
    await parts.shadows.add(context, api, async () => {
      const { status, durationMs } = await parts
        .callOutside(context.world, shadow, {
          ...eventRequestOf({ ...job, event: await openIds(parts, context).translated(event) }),
          withinMs: shadow.timeoutMs,
        })
        .catch((error: unknown) => {
          if (error instanceof NoReply) return { status: 0, durationMs: error.durationMs };
          throw error;
        });
      const isAccepted = status >= 200 && status < 300;
      const violation = isAccepted ? undefined : { name: 'event_refused', detail: `It answered ${status} to ${api} at /events.` };
      await logAnswer(parts, context, { api, status, durationMs, violation });
      return isAccepted ? [] : [{ pointer: '', ours: 'accepted', theirs: status === 0 ? 'no answer' : String(status) }];
    });
  };

interface Compared {
  readonly context: Context;
  readonly api: string;
  readonly found: readonly Difference[];
}

function withComparison(
  before: Omit<FidelityLog, 'version'>,
  { context: { requestId }, api, found }: Compared,
): Omit<FidelityLog, 'version'> {
  const at = instant(Date.now());
  const differences = [...before.differences];
  for (const { pointer, ours, theirs } of found) {
    const place = differences.findIndex((one) => one.api === api && one.pointer === pointer);
    const same = differences[place];
    const example = same ?? { api, pointer, count: 0, ours: redactText(ours), theirs: redactText(theirs), requestId, at };
    const next = { ...example, count: example.count + 1 };
    if (same) differences[place] = next;
    else if (differences.length < MOST_DIFFERENCES) differences.push(next);
  }
  return { ...before, compared: before.compared + 1, equal: before.equal + (found.length === 0 ? 1 : 0), differences };
}
