import type { ApplicationParts } from '../application-parts.ts';
import type { LeasedItem } from '../job.ts';
import type { Step } from './step.ts';

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
