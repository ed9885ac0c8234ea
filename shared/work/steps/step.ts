/**
 * One step of a job: it may refuse the job, do something before and after the rest, and add to what the rest knows of it.
 * @param rest the steps after this one
 */
export type Step<In, Out, Result> = (job: In, rest: (job: Out) => Promise<Result>) => Promise<Result>;

/** Steps in the order in which a job passes them. Each finds in the job what it needs, or the list does not compile. */
export interface Steps<In, Job, Result> {
  step<Out>(step: Step<Job, Out, Result>): Steps<In, Out, Result>;
  end(last: (job: Job) => Promise<Result>): (job: In) => Promise<Result>;
}

export const steps = <In, Result>(): Steps<In, In, Result> => extended((rest) => rest);

function extended<In, Job, Result>(before: (rest: (job: Job) => Promise<Result>) => (job: In) => Promise<Result>): Steps<In, Job, Result> {
  return {
    step: (step) => extended((rest) => before((job) => step(job, rest))),
    end: before,
  };
}
