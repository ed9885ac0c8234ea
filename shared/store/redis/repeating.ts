import { Problem } from '../../catalog/problems.ts';
import { WorldGone } from '../ports/rehearsals.ts';
import { type Refusal, refusalIn } from './refused.ts';

/** Pauses before the second and each further attempt. After the last attempt the caller gets an error. */
const PAUSES_MS = [15, 40, 80, 160, 320] as const;
/** No new attempt starts after this time. */
const LAST_ATTEMPT_MS = 3_000;
/**
 * `Retry-After` of a store that waits for a person. For a full store it is longer, because deleted rehearsals are dropped only after a
 * minute.
 */
const HELP_RETRY_SECONDS = 10;

/** Errors that allow another attempt: no reply, or a redirection. */
const PASSING =
  /^(TRYAGAIN|MOVED|ASK) |Connection is closed|Stream isn't writeable|isn't ready|Command timed out|Command aborted|max retries per request|Failed to refresh slots|None of startup nodes|Too many Cluster redirections|Socket timeout|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH/;

/**
 * Repeats a command while the connection fails, or while Redis refuses it for a moment.
 * @param attempt is harmless when executed twice
 * @throws Problem `dependency_unavailable` when Redis does not answer or refuses the command, `store_full` when it is full; WorldGone when the world was dropped
 */
export async function repeating<T>(attempt: () => Promise<T>): Promise<T> {
  const until = Date.now() + LAST_ATTEMPT_MS;
  // A refusal by a replica ends the connection, so that later attempts may find none.
  let seen: Refusal | undefined;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const { message } = error as Error;
      if (message.includes('WORLDGONE')) throw new WorldGone('This world is gone.');
      if (message.includes('OTHERFORMATS')) throw causedBy(otherFormats(), error);
      const pause = PAUSES_MS[tries];
      if (message.startsWith('OOM ')) throw causedBy(storeFull(), error);
      const refusal = refusalIn(error as Error, 'The Redis of the store');
      if (refusal && refusal.passes !== 'soon') throw causedBy(refused(refusal), error);
      if (!refusal && !PASSING.test(message)) throw bareError(error);
      seen = refusal ?? seen;
      if (pause === undefined || Date.now() + pause > until) throw causedBy(seen ? refused(seen) : noAnswer(), error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Errors of ioredis carry the command with its arguments, or the password. Logs must have neither. */
export const bareError = (error: unknown): Error => new Error((error as Error).message);

const noAnswer = (): Problem => new Problem('dependency_unavailable', 'The store does not answer.', { dependency: 'store', retryAfter: 1 });

const otherFormats = (): Problem =>
  new Problem('dependency_unavailable', 'Another release of the estate wrote or converted this world. Repeat the request.', {
    dependency: 'store',
    retryAfter: 1,
  });

const refused = ({ sentence, passes }: Refusal): Problem =>
  new Problem('dependency_unavailable', sentence, { dependency: 'store', retryAfter: passes === 'soon' ? 1 : HELP_RETRY_SECONDS });

const storeFull = (): Problem =>
  new Problem('store_full', 'The store is full: its Redis has no memory left. Delete unused rehearsals, or give it more memory.', {
    dependency: 'store',
    retryAfter: HELP_RETRY_SECONDS,
  });

function causedBy(problem: Problem, cause: unknown): Problem {
  problem.cause = bareError(cause);
  return problem;
}
