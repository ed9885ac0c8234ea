import type { ApiDefinition } from '../../catalog/define.ts';
import type { Context } from '../../control/context.ts';
import { rehearsalOf } from '../../domain/world.ts';
import type { SpanStart } from '../../observability/observer.ts';
import { withoutFailing } from '../../process/harmless.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, ApiRequest, JournaledJob, LeasedItem } from '../job.ts';
import type { Step } from './step.ts';

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

function serverSpan({ id, method, path }: ApiDefinition, { traceparent, correlationId, requestId, world }: Context): SpanStart {
  return {
    kind: 'server',
    name: `${method} ${path}`,
    parent: traceparent,
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'url.scheme': 'http',
      'uc.api': id,
      'uc.correlation_id': correlationId,
      'uc.request_id': requestId,
      'uc.rehearsal': rehearsalOf(world),
    },
  };
}
