import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob } from '../job.ts';
import { openScope } from '../scope.ts';
import type { FencedItem } from './fence-item.ts';

/** Runs the handler of due work once. */
export const runItem =
  (parts: ApplicationParts) =>
  async (job: FencedItem & CommittingJob): Promise<void> => {
    const { work, scope } = openScope(parts, job);
    await job.handler(job.item, scope);
    await work.finish();
  };
