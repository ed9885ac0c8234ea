import type { Plan } from '../../store/ports/plan.ts';
import type { InlineDue } from './schedule.ts';

/** Results of the commits of a request so far. All runs of the request share them: committed changes stay committed. */
export interface Commits {
  /** Due work that is to run before the reply. */
  readonly inline: InlineDue[];
  /** Whether there are new events in the outbox that no commit has handed over to the relay. */
  events: boolean;
  /** Whether something was done, by a commit here or by a call elsewhere. The request then goes on to its end, even without a client. */
  begun?: boolean;
  /** Whether the request was given up because its client had left. */
  givenUp?: boolean;
}

/** The answer that an idempotency record keeps. */
export type Outcome = NonNullable<Plan['outcome']>;
