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
  readonly cursor?: string | undefined;
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
  readonly withheldBy?: string | undefined;
  /** Defaults to the correlation id of this unit. */
  readonly correlationId?: string;
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
  get<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    id: string,
  ): Promise<T | undefined>;
  findUnique<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    unique: NoInfer<U>,
    value: string,
  ): Promise<T | undefined>;
  /** In order of creation, or the newest first. */
  find<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    index: NoInfer<I>,
    value: string,
    page?: PageOptions,
  ): Promise<Page<T>>;
  /** How many objects an index has under each of these values, without the changes of this unit. */
  count<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    index: NoInfer<I>,
    values: readonly string[],
  ): Promise<readonly number[]>;
  /** In order of creation, or the newest first. */
  all<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    page?: PageOptions,
  ): Promise<Page<T>>;
  /** Counter fields of several keys, moves of this unit included; a field that never moved is 0. */
  counters<F extends string>(of: Counters<F>, keys: readonly string[]): Promise<readonly Readonly<Record<F, number>>[]>;
  /** Creates a business object and its events by a verb of its life cycle. `to` chooses among several states of the row. */
  create<T extends Aggregate & { state: string }, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    verb: NoInfer<V>,
    fields: Fresh<NoInfer<T>> & Identified,
    to?: NoInfer<T>['state'],
  ): T;
  /**
   * Moves a business object by a verb of its life cycle: state, version, `updatedAt` and events together.
   * @throws Problem `invalid_state_transition` when the table has no row for verb and state
   */
  transition<T extends Aggregate & { state: string }, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    current: T,
    verb: NoInfer<V>,
    patch?: Patch<NoInfer<T>>,
    to?: NoInfer<T>['state'],
  ): T;
  /** Creates (`current` undefined) or changes a business object without states, and its event. */
  revise<T extends Aggregate, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    current: T | undefined,
    fields: Omit<NoInfer<T>, 'version' | 'createdAt' | 'updatedAt'> & Identified,
  ): T;
  /** Writes an object that is no business object, without an event. The unit counts its version. */
  put<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    next: Omit<NoInfer<T>, 'version'> & Identified & { readonly version?: number },
  ): T;
  /** Refuses the commit unless this object, which the unit read but does not change, still has the version that was read. */
  expect<T extends Stored, U extends string, I extends string, V extends string>(of: Collection<T, U, I, V>, read: NoInfer<T>): void;
  move<F extends string>(of: Counters<F>, key: string, by: Partial<Record<F, number>>): void;
  /** Schedules work on the rehearsal's clock. It replaces work of the same kind and key. */
  schedule<Payload>(due: DueWork<Payload>, key: string, at: Ms, payload: NoInfer<Payload>, options?: DueOptions): void;
  cancel(due: DueWork, key: string): void;
  /** Commits the changes so far before the first effect elsewhere: the intent, and the due work that finishes or undoes it. */
  checkpoint(): Promise<void>;
}
