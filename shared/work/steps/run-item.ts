import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob } from '../job.ts';
import { RunScope } from '../scope.ts';
import type { FencedItem } from './fence-item.ts';

export const runItem =
  (parts: ApplicationParts) =>
  async (job: FencedItem & CommittingJob): Promise<void> => {
    const scope = new RunScope(parts, job);
    await job.handler(job.item, scope);
    await scope.work.finish();
  };
