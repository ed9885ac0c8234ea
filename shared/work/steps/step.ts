/** The steps after a step, ending with the one that does the job. */
type Rest<Job, Result> = (job: Job) => Promise<Result>;

/**
 * One step of a job: it may refuse the job, do something before and after the rest, and add facts for the rest. `Given` is what the step
 * needs of the job, `Passed` what it passes on.
 */
export type Step<Given, Passed, Result> = (job: Given, rest: Rest<Passed, Result>) => Promise<Result>;

/**
 * The steps of a job, in sequence. Each finds in the job what it needs, or the list does not compile. `Begun` is the job before the first
 * step, `Reached` the job behind the last one.
 */
interface Steps<Begun, Reached, Result> {
  step<Passed>(step: Step<Reached, Passed, Result>): Steps<Begun, Passed, Result>;
  end(last: Rest<Reached, Result>): Rest<Begun, Result>;
}

/** Begins a list: `steps<ApiRequest, Answer>().step(parseBody).end(answerRequest)`. */
export const steps = <Begun, Result>(): Steps<Begun, Begun, Result> => stepsSoFar((rest) => rest);

/** @param before adds the earlier steps to the given rest */
function stepsSoFar<Begun, Reached, Result>(before: (rest: Rest<Reached, Result>) => Rest<Begun, Result>): Steps<Begun, Reached, Result> {
  return { step: (step) => stepsSoFar((rest) => before((job) => step(job, rest))), end: before };
}
