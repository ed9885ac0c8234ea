import type { Owner } from '../../catalog/applications.ts';
import { Problem } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { rehearsalFull } from '../../control/rehearsal-full.ts';
import { randomToken } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import { rehearsalOf, type World } from '../../domain/world.ts';
import type { Relay } from '../../events/relay.ts';
import type { PlannedDue } from '../../store/ports/due-work.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Committed, Fence, Plan } from '../../store/ports/plan.ts';
import type { ReferenceData } from '../reference-data.ts';
import type { EventDrafts } from './event-drafts.ts';
import { CallerLeft, Conflict } from './interruptions.ts';
import { type CounterMoves, indexChanges, type LoadedObjects, uniqueChanges } from './loaded-objects.ts';
import type { ExpectedVersions } from './reads.ts';
import type { DueBeforeReply, Schedule } from './schedule.ts';

/** `Retry-After` in seconds of a request that is refused because too many events wait. */
const FULL_RETRY_S = 5;

/** The effects of a request's commits so far. All runs of the request share them, because committed changes stay committed. */
export interface CommitState {
  readonly dueBeforeReply: DueBeforeReply[];
  /** New events in the outbox that no commit has passed to the relay. */
  hasUnsentEvents: boolean;
  /** A commit here or a call elsewhere has done something: the request runs to its end, even without a client. */
  hasBegun?: boolean;
  /** A commit has changed something in the world. */
  hasChanged?: boolean;
  /** Whether the client left before anything was done. */
  isGivenUp?: boolean;
}

export interface CommitParts {
  readonly store: Store;
  readonly context: Context;
  readonly fence?: Fence;
  /** Shared by all runs of a request. */
  readonly commits: CommitState;
  /** Gets the events of the last commit. Without it they stay in the outbox. */
  readonly relay?: Pick<Relay, 'token' | 'kick' | 'holds' | 'committed'>;
}

/** What a unit of work has changed since its last commit. */
interface Changes {
  readonly now: Ms;
  readonly parts: CommitParts;
  readonly objects: LoadedObjects;
  readonly expectedVersions: ExpectedVersions;
  readonly counterMoves: CounterMoves;
  readonly drafts: EventDrafts;
  readonly dueWork: Schedule;
  readonly reference: Pick<ReferenceData, 'forget'> | undefined;
}

/** The answer that an idempotency record keeps. */
export type Outcome = NonNullable<Plan['outcome']>;

interface Ending {
  readonly isLast: boolean;
  /** The answer that the last commit of a claimed request stores. */
  readonly outcome?: Outcome;
}

/** Ends a unit with its last commit. */
export const finish = (unit: Changes, outcome?: Outcome): Promise<void> => commit(unit, { isLast: true, outcome });

/** Ends a claim with its outcome, without the changes since the last commit. */
export function discard(unit: Changes, outcome: Outcome): Promise<void> {
  unit.objects.clear();
  unit.expectedVersions.clear();
  clearDrafts(unit);
  return commit(unit, { isLast: true, outcome });
}

/** The result of each commit of a dry run. Its unit then shows the changes, so that the handler reaches the calls behind the commit. */
const STORED_NOTHING: Committed = { ok: true, seq: 0 };

/** Turns the changes of a unit into a plan, and commits it. */
export async function commit(unit: Changes, ending: Ending): Promise<void> {
  const { objects, drafts, dueWork, expectedVersions } = unit;
  const { store, context, commits, relay } = unit.parts;
  // The handler may have caught the error that refused its call.
  if (commits.isGivenUp) throw new CallerLeft();
  if (hasNothingToCommit(unit)) return;
  const plan = planOf(unit, ending);
  const result = context.dryRun ? STORED_NOTHING : await store.commit(context.world, plan);
  if (!result.ok) {
    if (plan.changesReference) unit.reference?.forget();
    throw refusalOf(result, context.world, store.application);
  }
  commits.hasBegun = true;
  if ([plan.put, plan.move, plan.events, plan.due].some(({ length }) => length > 0)) commits.hasChanged = true;
  commits.hasUnsentEvents = !result.batch && (commits.hasUnsentEvents || drafts.planned().length > 0);
  if (!context.dryRun) relay?.committed(context.world, plan, result);
  const isReplaced = (item: PlannedDue): boolean => dueWork.planned().some(({ kind, key }) => kind === item.kind && key === item.key);
  commits.dueBeforeReply.splice(
    0,
    commits.dueBeforeReply.length,
    ...commits.dueBeforeReply.filter((item) => !isReplaced(item)),
    ...dueWork.beforeReply(),
  );
  objects.settle(plan.put);
  expectedVersions.settle();
  clearDrafts(unit);
}

function planOf({ now, objects, expectedVersions, drafts, counterMoves, dueWork, parts }: Changes, { isLast, outcome }: Ending): Plan {
  const { fence, commits, relay, context } = parts;
  const written = objects.written();
  const { move, guard } = counterMoves.planned();
  return {
    operation: randomToken(),
    last: isLast,
    now: now,
    fence,
    expect: expectedVersions.planned(),
    put: written.map(({ of, stored, next }) => ({
      collection: of.name,
      id: next.id,
      read: stored?.version ?? 0,
      version: next.version,
      json: JSON.stringify(next),
    })),
    unique: written.flatMap(uniqueChanges),
    index: written.flatMap(indexChanges),
    move,
    guard,
    events: drafts.planned(),
    due: dueWork.planned(),
    changesReference: written.some(({ of }) => of.reference) || undefined,
    preconditionHeld: expectedVersions.meetsIfMatch(),
    outcome,
    relay:
      relay && isLast && (commits.hasUnsentEvents || drafts.planned().length > 0)
        ? { token: relay.token, holds: relay.holds(context.world) }
        : undefined,
  };
}

/** A query has no claim and no changes, so it ends without a commit. */
function hasNothingToCommit({ parts, counterMoves, drafts, dueWork, objects }: Changes): boolean {
  const changesNothing = !counterMoves.hasMoves() && !objects.hasWritten();
  return parts.fence === undefined && changesNothing && drafts.planned().length === 0 && dueWork.planned().length === 0;
}

function clearDrafts({ drafts, counterMoves, dueWork }: Changes): void {
  drafts.clear();
  counterMoves.clear();
  dueWork.clear();
}

function refusalOf({ why, at }: Extract<Committed, { ok: false }>, world: World, application: Owner): Error {
  if (why === 'full') return tooManyUnsent(application, at);
  return why === 'space' ? rehearsalFull(rehearsalOf(world), Number(at)) : new Conflict(why, at);
}

/** Refuses requests while the outbox is full. Committed events are still sent, in order. */
const tooManyUnsent = (application: Owner, events: string): Problem =>
  new Problem(
    'dependency_unavailable',
    `${events} events of ${application} wait for the event bus: until they are sent, nothing is changed.`,
    { dependency: 'event-bus', retryAfter: FULL_RETRY_S },
  );
