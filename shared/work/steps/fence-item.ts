import { digest } from '../../domain/ids.ts';
import { type DueItem, dueKey } from '../../store/ports/due-work.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { BoundDueWork } from '../handler.ts';
import type { LeasedItem, UnitJob } from '../job.ts';
import type { Step } from './step.ts';

export interface FencedItem extends LeasedItem, UnitJob {
  readonly item: DueItem;
  readonly handler: BoundDueWork['run'];
}

/** Fences the commits with the lease of the item, which the last one removes from the schedule. */
export const fenceItem =
  ({ service, application, store, workDeadlineMs }: ApplicationParts): Step<LeasedItem, FencedItem, void> =>
  async (job, rest) => {
    const { token } = job;
    const { kind, key } = job.item;
    const { world } = job.context;
    const handler = service.due[kind];
    if (!handler) throw new Error(`${application} has no due work of kind ${kind}.`);
    const item = await store.due(world, { kind, key, token });
    // Cancelled, replaced or taken over before it began. It counts as running until its lease is released.
    if (!item) return store.releaseDue(world, { kind, key, token });
    const name = dueKey(application, kind, key);
    const context = {
      ...job.context,
      deadline: Date.now() + workDeadlineMs,
      correlationId: item.correlationId,
      traceparent: job.context.traceparent ?? item.traceparent,
    };
    const unit = { fence: { kind: 'due', key: name, token }, key: digest('due', name, String(item.seq)), since: item.at } as const;
    return rest({ ...job, context, item, handler, unit });
  };
