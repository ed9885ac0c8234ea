import type { ApplicationParts } from '../application-parts.ts';
import type { Job, RetailerJob } from '../job.ts';
import type { Step } from './step.ts';

/** Adds the figures of the retailer of this world. */
export const findRetailer =
  <J extends Job, Result>({ retailerOf }: ApplicationParts): Step<J, J & RetailerJob, Result> =>
  async (job, rest) =>
    rest({ ...job, retailer: await retailerOf(job.context.world) });
