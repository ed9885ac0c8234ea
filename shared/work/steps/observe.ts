import { nameOf } from '../../catalog/event-names.ts';
import { Problem } from '../../catalog/problems.ts';
import { journalHop } from '../../control/journal.ts';
import { processSpan, serverSpan } from '../../observability/spans.ts';
import { withoutFailing } from '../../process/harmless.ts';
import type { Answer } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, ApiRequest, Delivery, JournaledJob, LeasedItem } from '../job.ts';
import type { FencedItem } from './run-work.ts';
import type { Step } from './step.ts';

export const recordHop =
  <J extends JournaledJob>({ application, control, log }: ApplicationParts): Step<J, J, Answered> =>
  async (job, rest) => {
    const { context, notes, hop } = job;
    const record = (status: number, answer?: Answer): void =>
      journalHop(
        { control, log },
        {
          ids: context,
          world: context.world,
          now: context.now,
          principal: notes.principal ?? context.principal,
          caller: context.chain.at(-1),
          application,
          api: hop.api,
          method: hop.method,
          path: hop.path,
          status,
          started: hop.started,
          calls: notes.calls,
          faults: notes.faults,
          unchanged: notes.unchanged,
          ignored: notes.ignored,
          headers: notes.headers,
          outside: notes.outside,
          request: notes.request,
          requestText: notes.requestText,
          response: hop.answersData || status >= 400 ? textOf(answer) : undefined,
        },
      );
    try {
      const answer = await rest(job);
      record(answer?.status ?? 0, answer);
      return answer;
    } catch (error) {
      record(500);
      throw error;
    }
  };

/** Documents are not journaled. */
function textOf(answer: Answer | undefined): string | undefined {
  if (typeof answer?.body !== 'string') return undefined;
  if (answer.isBrokenOff) return JSON.stringify(answer.body.slice(0, answer.body.length >> 1));
  return answer.isText ? JSON.stringify(answer.body) : answer.body;
}

export const observeRequest =
  ({ observer, log }: ApplicationParts): Step<ApiRequest, ApiRequest, Answered> =>
  async (job, rest) => {
    const { api } = job.bound;
    const span = observer.tracer?.start(serverSpan(api, job.context));
    const context = span ? { ...job.context, traceparent: span.traceparent } : job.context;
    const answer = await rest({ ...job, context });
    const status = answer?.status ?? 0;
    withoutFailing(log, 'observing a request', () => {
      const { method, started } = job.hop;
      observer.answered({ ids: context, api: api.id, method, route: api.path, status, ms: performance.now() - started });
      span?.end(status >= 500 || status === 0 ? String(status) : undefined, { 'http.response.status_code': status });
    });
    return answer;
  };

/** Counts and logs a request of the clock's driver; the work itself has a separate span. */
export const observeDueRequest =
  ({ observer, log }: ApplicationParts): Step<LeasedItem & JournaledJob, LeasedItem & JournaledJob, Answered> =>
  async (job, rest) => {
    const answer = await rest(job);
    withoutFailing(log, 'observing due work', () => {
      const { context, path, hop } = job;
      const status = answer?.status ?? 0;
      observer.answered({ ids: context, api: 'due-work', method: 'POST', route: path, status, ms: performance.now() - hop.started });
    });
    return answer;
  };

export const observeDelivery =
  ({ application, observer, log }: ApplicationParts): Step<Delivery & JournaledJob, Delivery & JournaledJob, Answered> =>
  async (job, rest) => {
    const { event, hop } = job;
    const span = observer.tracer?.start(processSpan(application, event));
    const context = span ? { ...job.context, traceparent: span.traceparent } : job.context;
    let done = false;
    try {
      const answer = await rest({ ...job, context });
      done = true;
      return answer;
    } finally {
      withoutFailing(log, 'observing an event', () => {
        span?.end(done ? undefined : 'failed');
        observer.consumed({ type: nameOf(event.type), done, ms: performance.now() - hop.started });
      });
    }
  };

export const traceItem =
  ({ observer }: ApplicationParts): Step<FencedItem, FencedItem, void> =>
  async (job, rest) => {
    const { kind, key, correlationId } = job.item;
    const span = observer.tracer?.start({
      kind: 'internal',
      name: `due ${kind}`,
      parent: job.context.traceparent,
      attributes: { 'uc.due_kind': kind, 'uc.due_key': key, 'uc.correlation_id': correlationId },
    });
    if (!span) return rest(job);
    try {
      await rest({ ...job, context: { ...job.context, traceparent: span.traceparent } });
      span.end();
    } catch (error) {
      span.end(error instanceof Problem ? error.code : 'failed');
      throw error;
    }
  };

export const countWork =
  ({ observer }: ApplicationParts): Step<LeasedItem, LeasedItem, void> =>
  async (job, rest) => {
    const started = performance.now();
    let done = false;
    try {
      await rest(job);
      done = true;
    } finally {
      observer.worked({ kind: job.item.kind, done, ms: performance.now() - started });
    }
  };
