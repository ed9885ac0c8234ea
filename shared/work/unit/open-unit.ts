import type { Owner } from '../../catalog/applications.ts';
import { Problem } from '../../catalog/problems.ts';
import type { Figures } from '../../catalog/retailer.ts';
import { rehearsalFull } from '../../control/rehearsal-full.ts';
import { derivedUlid, digest, type IdPrefix, randomToken } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import { idSource, rehearsalOf, type World } from '../../domain/world.ts';
import type { Relay } from '../../events/relay.ts';
import type { ItemLease } from '../../store/ports/due-work.ts';
import type { Committed, Fence, Plan } from '../../store/ports/plan.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { CallerLeft, Conflict } from './interruptions.ts';
import { indexChanges, uniqueChanges } from './loaded-objects.ts';
import { type WriteParts, Writes } from './writes.ts';

/** `Retry-After` in seconds of a request that is refused because too many events wait. */
const FULL_RETRY_S = 5;

/** A unit of work as the pipeline holds it. */
export interface OpenUnit extends UnitOfWork {
  /** Writes a business object as a real system shows it. */
  observe: Writes['observe'];
  /** The last commit. */
  finish(outcome?: Outcome): Promise<void>;
  /** Ends a claim with its outcome and without any change. */
  discard(outcome: Outcome): Promise<void>;
}

export interface UnitParts extends WriteParts {
  readonly figures: Figures;
  readonly fence?: Fence;
  /** New ids derive from this key, which is equal for all runs of a request. */
  readonly key: string;
  /** The time part of ids. */
  readonly since: Ms;
  /** Shared by all runs of a request. */
  readonly commits: CommitState;
  /** Gets the events of the last commit. Without it they stay in the outbox. */
  readonly relay?: Pick<Relay, 'token' | 'kick'>;
}

interface Ending {
  readonly isLast: boolean;
  /** The answer that the last commit of a claimed request stores. */
  readonly outcome?: Outcome;
}

/** Opens a unit of work: one run of one handler. */
export const openUnit = (parts: UnitParts): OpenUnit => new Unit(parts);

/**
 * Turns the changes of a run into plans and commits them. It is a class, because each exchange opens a unit and unused closures would cost
 * memory.
 */
class Unit extends Writes implements OpenUnit {
  readonly now: Ms;
  readonly figures: Figures;
  readonly #parts: UnitParts;

  constructor(parts: UnitParts) {
    super(parts);
    this.#parts = parts;
    this.now = parts.context.now;
    this.figures = parts.figures;
  }

  id(prefix: IdPrefix, label = ''): string {
    const { context, key, since } = this.#parts;
    return `${prefix}_${derivedUlid(digest(idSource(context), key, prefix, label), since)}`;
  }

  checkpoint(): Promise<void> {
    return this.#commit({ isLast: false });
  }

  finish(outcome?: Outcome): Promise<void> {
    return this.#commit({ isLast: true, outcome });
  }

  discard(outcome: Outcome): Promise<void> {
    this.objects.clear();
    this.expectedVersions.clear();
    this.#clearDrafts();
    return this.#commit({ isLast: true, outcome });
  }

  async #commit(ending: Ending): Promise<void> {
    const { objects, drafts, dueWork } = this;
    const { store, context, commits, relay } = this.#parts;
    // The handler may have caught the error that refused its call.
    if (commits.isGivenUp) throw new CallerLeft();
    if (this.#hasNothingToCommit()) return;
    const plan = this.#plan(ending);
    const result = await store.commit(context.world, plan);
    if (!result.ok) throw refusalOf(result, context.world, store.application);
    commits.hasBegun = true;
    if ([plan.put, plan.move, plan.events, plan.due].some(({ length }) => length > 0)) commits.hasChanged = true;
    commits.hasUnsentEvents = !result.batch && (commits.hasUnsentEvents || drafts.planned().length > 0);
    if (result.batch) relay?.kick(context.world, result.batch);
    const isReplaced = (item: ItemLease): boolean => dueWork.planned().some(({ kind, key }) => kind === item.kind && key === item.key);
    commits.dueBeforeReply.splice(
      0,
      commits.dueBeforeReply.length,
      ...commits.dueBeforeReply.filter((item) => !isReplaced(item)),
      ...dueWork.beforeReply(),
    );
    objects.settle(plan.put);
    this.expectedVersions.settle();
    this.#clearDrafts();
  }

  #plan({ isLast, outcome }: Ending): Plan {
    const { expectedVersions, drafts } = this;
    const { fence, commits, relay } = this.#parts;
    const written = this.objects.written();
    const { move, guard } = this.counterMoves.planned();
    return {
      operation: randomToken(),
      last: isLast,
      now: this.now,
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
      due: this.dueWork.planned(),
      preconditionHeld: expectedVersions.meetsIfMatch(),
      outcome,
      relay: isLast && (commits.hasUnsentEvents || drafts.planned().length > 0) ? relay?.token : undefined,
    };
  }

  /** A query has no claim and no changes, so it ends without a commit. */
  #hasNothingToCommit(): boolean {
    const { counterMoves, drafts, dueWork, objects } = this;
    const changesNothing = !counterMoves.hasMoves() && !objects.hasWritten();
    return this.#parts.fence === undefined && changesNothing && drafts.planned().length === 0 && dueWork.planned().length === 0;
  }

  #clearDrafts(): void {
    this.drafts.clear();
    this.counterMoves.clear();
    this.dueWork.clear();
  }
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
