import { answerProblem, asProblem } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, JournaledJob } from '../job.ts';
import { CallerLeft } from '../unit/interruptions.ts';
import type { Step } from './step.ts';

/** Answers an error with its problem. A client that has left gets no answer. */
export const answerProblems =
  <J extends JournaledJob>({ log }: ApplicationParts): Step<J, J, Answered> =>
  async (job, rest) => {
    try {
      return await rest(job);
    } catch (error) {
      if (error instanceof CallerLeft) return undefined;
      return answerProblem(asProblem(error, log, job.context), job.path);
    }
  };
