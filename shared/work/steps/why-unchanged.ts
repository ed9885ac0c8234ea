import { Unchanged } from '../handler.ts';
import type { CommittingJob } from '../job.ts';

const REPEAT = 'It is a repeat: an earlier request had this effect.';
const NOTHING = 'Nothing had to be changed.';

/** The reason in the hop of a job that may change the world but changed nothing; undefined when it changed something, here or by a call. */
export function whyUnchanged({ commits, notes }: Pick<CommittingJob, 'commits' | 'notes'>, result: unknown): string | undefined {
  const isUnchanged = result instanceof Unchanged;
  if (isUnchanged && result.reason !== undefined) return result.reason;
  if (commits.hasChanged) return undefined;
  if (isUnchanged) return REPEAT;
  return notes.calls.length === 0 ? NOTHING : undefined;
}
