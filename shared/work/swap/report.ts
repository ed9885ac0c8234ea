import { invalid, notFound } from '../../catalog/problems.ts';
import type { Answer } from '../../transport/answer.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { CommittingJob, JournaledJob, UnitJob, WithFigures } from '../job.ts';
import { RunScope } from '../scope.ts';
import type { Step } from '../steps/step.ts';
import { finish } from '../unit/commit.ts';
import { refuseUnsafe, Violation } from './read-answer.ts';
import { keepSeen, type SeenObject, seenCollections } from './seen.ts';
import { logAnswer } from './swap-log.ts';

/** A change that a real system reports without being called. */
export interface ReportedObject {
  readonly type: string;
  /** Fits the schema of the type. */
  readonly data: unknown;
}

export interface ReportJob extends JournaledJob {
  readonly reported: ReportedObject;
}

/** A report is idempotent: a known object changes nothing. */
export const unitOfReport: Step<ReportJob & WithFigures, ReportJob & UnitJob, Answer | undefined> = async (job, rest) => {
  const { requestId, now } = job.context;
  return rest({ ...job, unit: { key: requestId, since: now } });
};

/** Keeps a reported object as an answer about it would be kept. */
export function keepReport(parts: ApplicationParts) {
  const collections = seenCollections(parts.service.collections);
  return async (job: ReportJob & CommittingJob): Promise<Answer> => {
    const { type, data } = job.reported;
    const collection = collections.find(({ definition }) => definition.type === type);
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
