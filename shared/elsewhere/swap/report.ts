import { invalid, notFound } from '../../catalog/problems.ts';
import type { Answer } from '../../transport/answer.ts';
import type { Elsewhere, ReportJob } from '../../work/elsewhere.ts';
import type { Answered, CommittingJob, UnitJob, WithFigures } from '../../work/job.ts';
import { RunScope } from '../../work/scope.ts';
import { addFigures } from '../../work/steps/add-figures.ts';
import { answerProblems } from '../../work/steps/answer-problems.ts';
import { followUp } from '../../work/steps/follow-up.ts';
import { recordHop } from '../../work/steps/observe.ts';
import { rerunOnConflict } from '../../work/steps/rerun-on-conflict.ts';
import { type Step, steps } from '../../work/steps/step.ts';
import { finish } from '../../work/unit/commit.ts';
import type { ElsewhereParts } from '../parts.ts';
import { refuseUnsafe, Violation } from './read-answer.ts';
import { keepSeen, type SeenObject } from './seen.ts';
import { logAnswer } from './swap-log.ts';

/** Keeps what a real system reports without being called. An observed object schedules no due work. */
export const answerReport = (parts: ElsewhereParts): Elsewhere['report'] =>
  steps<ReportJob, Answered>()
    .step(recordHop(parts))
    .step(answerProblems(parts))
    .step(addFigures(parts))
    .step(openUnit)
    .step(followUp(parts, async () => {}))
    .step(rerunOnConflict(parts))
    .end(keepReport(parts));

/** A report is idempotent: a known object changes nothing. */
const openUnit: Step<ReportJob & WithFigures, ReportJob & UnitJob, Answered> = async (job, rest) => {
  const { requestId, now } = job.context;
  return rest({ ...job, unit: { key: requestId, since: now } });
};

/** Keeps a reported object as an answer about it would be kept. */
function keepReport(parts: ElsewhereParts) {
  return async (job: ReportJob & CommittingJob): Promise<Answer> => {
    const { type, data } = job.reported;
    const collection = parts.collections.find(({ definition }) => definition.type === type);
    if (!collection) throw notFound('object type', type);
    const api = `report:${type}`;
    const scope = new RunScope(parts, job);
    const called = { id: api, application: parts.application };
    try {
      refuseUnsafe(called, data);
      const kept = await keepSeen(scope, called, { collection, object: data as SeenObject });
      await finish(scope.work);
      if (!job.commits.hasChanged) job.notes.unchanged = 'The estate has this object already.';
      return {
        status: 200,
        body: JSON.stringify({ object: kept, changed: job.commits.hasChanged === true }),
        contentType: 'application/json',
      };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      const violation = { name: error.violation, detail: error.message };
      await logAnswer(parts, job.context, { api, status: 0, durationMs: 0, violation });
      throw invalid('/data', error.violation, error.message);
    }
  };
}
