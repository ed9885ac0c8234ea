import type { Application } from '../../catalog/applications.ts';
import { Problem } from '../../catalog/problems.ts';
import { randomToken } from '../../domain/ids.ts';
import type { Relay } from '../../events/relay.ts';
import type { Context } from '../../simulation/context.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Fence, Plan } from '../../store/ports/plan.ts';
import type { MovedCounters } from './counters.ts';
import type { EventDrafts } from './event-drafts.ts';
import { indexChanges, uniqueChanges } from './index-changes.ts';
import { CallerLeft, Conflict } from './interruptions.ts';
import type { LoadedObjects } from './loaded-objects.ts';
import type { HeldPrecondition } from './precondition.ts';
import type { InlineDue, Schedule } from './schedule.ts';

/** Seconds after which a request that was refused because too many events wait may be sent again. */
const FULL_RETRY_S = 5;

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

interface CommitParts {
  readonly store: Store;
  readonly context: Context;
  readonly fence: Fence | undefined;
  readonly commits: Commits;
  readonly relay: Pick<Relay, 'token' | 'kick'> | undefined;
}

interface Changes {
  readonly objects: LoadedObjects;
  readonly precondition: HeldPrecondition;
  readonly drafts: EventDrafts;
  readonly counters: MovedCounters;
  readonly schedule: Schedule;
}

/** Turns the changes of a unit into plans and commits them. */
export function createCommits({ store, context, fence, commits, relay }: CommitParts, changes: Changes) {
  const { objects, precondition, drafts, counters, schedule } = changes;
  const { world, now } = context;

  function planOf(last: boolean, outcome: Outcome | undefined): Plan {
    const written = objects.written();
    return {
      operation: randomToken(),
      last,
      now,
      fence,
      expect: precondition.planned(),
      put: written.map(({ of, stored, next }) => ({
        collection: of.name,
        id: next.id,
        read: stored?.version ?? 0,
        version: next.version,
        json: JSON.stringify(next),
      })),
      unique: written.flatMap(uniqueChanges),
      index: written.flatMap(indexChanges),
      ...counters.planned(),
      events: drafts.planned(),
      due: schedule.planned(),
      preconditionHeld: precondition.isMatched(),
      outcome,
      relay: last && (commits.events || drafts.planned().length > 0) ? relay?.token : undefined,
    };
  }

  /** A query holds nothing and changes nothing: its end costs no commit. */
  const hasNothingToCommit = (): boolean =>
    fence === undefined &&
    !counters.hasMoves() &&
    drafts.planned().length === 0 &&
    schedule.planned().length === 0 &&
    objects.written().length === 0;

  async function commit(last: boolean, outcome?: Outcome): Promise<void> {
    // The handler may have caught the error that refused its call, and gone on.
    if (commits.givenUp) throw new CallerLeft();
    if (hasNothingToCommit()) return;
    const plan = planOf(last, outcome);
    const result = await store.commit(world, plan);
    if (!result.ok) throw result.why === 'full' ? tooManyUnsent(store.application, result.at) : new Conflict(result.why, result.at);
    commits.begun = true;
    commits.events = !result.batch && (commits.events || drafts.planned().length > 0);
    if (result.batch) relay?.kick(world, result.batch);
    const isReplaced = (item: InlineDue): boolean => schedule.planned().some(({ kind, key }) => kind === item.kind && key === item.key);
    commits.inline.splice(0, commits.inline.length, ...commits.inline.filter((item) => !isReplaced(item)), ...schedule.inline());
    objects.settle(plan.put);
    precondition.settle();
    clearDrafts();
  }

  function clearDrafts(): void {
    drafts.clear();
    counters.clear();
    schedule.clear();
  }

  return {
    checkpoint: () => commit(false),
    /** The last commit of a unit. */
    finish: (outcome?: Outcome) => commit(true, outcome),
    /** Ends a claim, delivery or due item with an outcome and without any change. */
    discard(outcome: Outcome): Promise<void> {
      objects.clear();
      precondition.clear();
      clearDrafts();
      return commit(true, outcome);
    },
  };
}

/** More requests would only fill the outbox further. Committed events are still sent, in order. */
const tooManyUnsent = (application: Application, events: string): Problem =>
  new Problem(
    'dependency_unavailable',
    `${events} events of ${application} wait for the event bus: until they are sent, nothing is changed.`,
    { dependency: 'event-bus', retryAfter: FULL_RETRY_S },
  );
