import type { Application } from '../catalog/applications.ts';
import type { IdPrefix } from '../domain/ids.ts';
import type { Ms } from '../domain/time.ts';
import type { Collection, Counters, Stored } from '../store/collections.ts';
import type { DueWork } from './due-work.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
  /** Reverses the order of creation. A cursor continues in the order of the page that gave it. */
  readonly newestFirst?: boolean;
}

/** Members of an object that may be changed; undefined removes a member. */
export type Patch<T> = { readonly [K in Exclude<keyof T, 'id' | 'version' | 'state' | 'createdAt' | 'updatedAt'>]?: T[K] | undefined };
export type Fresh<T> = Omit<T, 'version' | 'state' | 'createdAt' | 'updatedAt'>;

export type Identified = Pick<Stored, 'id'>;

/** A stored business object. */
export interface Aggregate extends Stored {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface HasState {
  readonly state: string;
}

export interface DueOptions {
  /** This process runs it after the commit and before the reply, so that the answer shows its effect. If it fails, it stays due. */
  readonly beforeReply?: boolean;
  /** The fault that withholds it until its instant; when the fault is removed, it is due at once. */
  readonly withheldBy?: string;
  /** Defaults to the correlation id of this unit. */
  readonly correlationId?: string;
  /** The application that was away, as `absentApplication` finds it. The work is due at once when the application is back. */
  readonly awaits?: Application;
  /** When the next run fails, the work is parked. */
  readonly isLastAttempt?: boolean;
}

/**
 * A handler's only way to read and change the world. Reads are repeatable within a unit. Changes are written by a checkpoint or by
 * the pipeline's last commit, each entirely or not at all.
 */
export interface UnitOfWork {
  /** The rehearsal's clock, frozen for this unit. */
  readonly now: Ms;
  /** An id that every rerun of this request mints again; `label` distinguishes several ids of one prefix. */
  id(prefix: IdPrefix, label?: string): string;
  get<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    id: string,
  ): Promise<Shape | undefined>;
  findUnique<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    unique: NoInfer<Unique>,
    value: string,
  ): Promise<Shape | undefined>;
  /** In order of creation, or the newest first. */
  find<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    index: NoInfer<Index>,
    value: string,
    page?: PageOptions,
  ): Promise<Page<Shape>>;
  /** How many objects an index has under each of these values, without the changes of this unit. */
  count<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    index: NoInfer<Index>,
    values: readonly string[],
  ): Promise<readonly number[]>;
  /** In order of creation, or the newest first. */
  all<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    page?: PageOptions,
  ): Promise<Page<Shape>>;
  /** Counter fields of several keys, moves of this unit included; a field that never moved is 0. */
  counters<Field extends string>(of: Counters<Field>, keys: readonly string[]): Promise<readonly Readonly<Record<Field, number>>[]>;
  /** Creates a business object and its events by a verb of its life cycle. `to` chooses among several states of the row. */
  create<Shape extends Aggregate & HasState, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    verb: NoInfer<Verb>,
    fields: Fresh<NoInfer<Shape>> & Identified,
    to?: NoInfer<Shape>['state'],
  ): Shape;
  /**
   * Moves a business object by a verb of its life cycle: state, version, `updatedAt` and events together.
   * @throws Problem `invalid_state_transition` when the table has no row for verb and state
   */
  transition<Shape extends Aggregate & HasState, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    current: Shape,
    verb: NoInfer<Verb>,
    patch?: Patch<NoInfer<Shape>>,
    to?: NoInfer<Shape>['state'],
  ): Shape;
  /** Creates (`current` undefined) or changes a business object without states, and its event. */
  revise<Shape extends Aggregate, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    current: Shape | undefined,
    fields: Omit<NoInfer<Shape>, 'version' | 'createdAt' | 'updatedAt'> & Identified,
  ): Shape;
  /** Writes an object that is no business object, without an event. The unit counts its version. */
  put<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    next: Omit<NoInfer<Shape>, 'version'> & Identified & { readonly version?: number },
  ): Shape;
  /** Refuses the commit unless this object, which the unit read but does not change, still has the version that was read. */
  expect<Shape extends Stored, Unique extends string, Index extends string, Verb extends string>(
    of: Collection<Shape, Unique, Index, Verb>,
    read: NoInfer<Shape>,
  ): void;
  move<Field extends string>(of: Counters<Field>, key: string, by: Partial<Record<Field, number>>): void;
  /** Schedules work on the rehearsal's clock. It replaces work of the same kind and key. */
  schedule<Payload>(due: DueWork<Payload>, key: string, at: Ms, payload: NoInfer<Payload>, options?: DueOptions): void;
  cancel(due: DueWork, key: string): void;
  /** Commits the changes so far before the first effect elsewhere: the intent, and the due work that finishes or undoes it. */
  checkpoint(): Promise<void>;
}
