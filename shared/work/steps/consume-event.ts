import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob } from '../job.ts';
import { RunScope } from '../scope.ts';
import type { FencedDelivery } from './fence-delivery.ts';
import { whyUnchanged } from './why-unchanged.ts';

export const consumeEvent =
  (parts: ApplicationParts) =>
  async (job: FencedDelivery & CommittingJob): Promise<void> => {
    const { event, handler } = job;
    const scope = new RunScope(parts, job);
    const result = await handler(event, scope);
    await scope.work.finish();
    job.notes.unchanged = whyUnchanged(job, result);
  };
