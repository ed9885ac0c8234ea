import { journalHop } from '../../control/journal.ts';
import type { Answer } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, JournaledJob } from '../job.ts';
import type { Step } from './step.ts';

export const recordHop =
  <J extends JournaledJob>({ application, control, log }: ApplicationParts): Step<J, J, Answered> =>
  async (job, rest) => {
    const { context, notes, hop } = job;
    const record = (status: number, answer?: Answer): void =>
      journalHop(
        { control, log },
        {
          ids: context,
          world: context.world,
          now: context.now,
          principal: notes.principal ?? context.principal,
          caller: context.chain.at(-1),
          application,
          api: hop.api,
          method: hop.method,
          path: hop.path,
          status,
          started: hop.started,
          calls: notes.calls,
          faults: notes.faults,
          unchanged: notes.unchanged,
          request: notes.request,
          requestText: notes.requestText,
          response: hop.answersData || status >= 400 ? textOf(answer) : undefined,
        },
      );
    try {
      const answer = await rest(job);
      record(answer?.status ?? 0, answer);
      return answer;
    } catch (error) {
      record(500);
      throw error;
    }
  };

/** Documents are not journaled. */
const textOf = (answer: Answer | undefined): string | undefined => (typeof answer?.body === 'string' ? answer.body : undefined);
