import type { ItemLease } from '../../store/ports/due-work.ts';
import type { Plan } from '../../store/ports/plan.ts';

/** The effects of a request's commits so far. All runs of the request share them, because committed changes stay committed. */
export interface CommitState {
  readonly dueBeforeReply: ItemLease[];
  /** New events in the outbox that no commit has passed to the relay. */
  hasUnsentEvents: boolean;
  /** A commit here or a call elsewhere has done something: the request runs to its end, even without a client. */
  hasBegun?: boolean;
  /** A commit has changed something in the world. */
  hasChanged?: boolean;
  /** Whether the client left before anything was done. */
  isGivenUp?: boolean;
}

/** The answer that an idempotency record keeps. */
export type Outcome = NonNullable<Plan['outcome']>;
