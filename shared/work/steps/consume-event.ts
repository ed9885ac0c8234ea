import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob } from '../job.ts';
import { isNewest } from '../newest-versions.ts';
import { RunScope } from '../scope.ts';
import type { FencedDelivery } from './fence-delivery.ts';

/**
 * Runs the handler of an event once. A subscription that copies state (`latest`) skips versions older than the newest it has seen of
 * that aggregate; one that reacts (`each`) takes every event.
 */
export const consumeEvent =
  (parts: ApplicationParts) =>
  async (job: FencedDelivery & CommittingJob): Promise<void> => {
    const { event, handler, mode } = job;
    const scope = new RunScope(parts, job);
    if (mode === 'each' || (await isNewest(scope.work, event))) await handler(event, scope);
    await scope.work.finish();
  };
