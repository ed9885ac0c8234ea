import { Problem } from '../../catalog/problems.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { FencedItem } from './fence-item.ts';
import type { Step } from './step.ts';

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
