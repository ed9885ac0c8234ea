import type { ReadFigures } from '../figures.ts';
import type { Job, WithFigures } from '../job.ts';
import type { Step } from './step.ts';

/** Adds the figures of the retailer, and the part of a real system. */
export const addFigures =
  <J extends Job, Result>({ figuresOf: read }: { readonly figuresOf: ReadFigures }): Step<J, J & WithFigures, Result> =>
  async (job, rest) => {
    const facts = read(job.context.world);
    return rest({ ...job, ...(facts instanceof Promise ? await facts : facts) });
  };
