import type { z } from 'zod';
import type { Application } from '../catalog/applications.ts';
import type { IdPrefix } from '../catalog/objects.ts';
import type { Figures } from '../catalog/retailer.ts';
import type { Breathe } from '../domain/breathe.ts';
import type { Ms } from '../domain/time.ts';
import type { AnyCollection, Counters, IndexOf, ShapeOf, STATE_INDEX, Stored, UniqueOf, VerbOf } from '../store/collections.ts';
import type { DueWork } from './due-work.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
  /** Lists the newest object first. A cursor continues in the direction of its page. */
  readonly newestFirst?: boolean;
  /**
   * Without a cursor, the list begins with the business objects of this time. Concurrent requests may store objects out of sequence, so a few
   * older objects come first.
   */
  readonly createdFrom?: Ms;
  /** Permits a pause before each object is parsed: large objects take long. */
  readonly breathe?: Breathe;
}

/** The most objects that concurrent requests store out of sequence. */
export const OUT_OF_SEQUENCE = 50;

/** New values for members of an object; undefined removes a member. */
export type Patch<T> = { readonly [K in Exclude<keyof T, 'id' | 'version' | 'state' | 'createdAt' | 'updatedAt'>]?: T[K] };
export type Fresh<T> = Omit<T, 'version' | 'state' | 'createdAt' | 'updatedAt'>;

export type Identified = Pick<Stored, 'id'>;

export interface Aggregate extends Stored {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface HasState {
  readonly state: string;
}

type BusinessCollection = AnyCollection & { readonly schema: z.ZodType<Aggregate> };
/** A collection of business objects with a life cycle. */
type StatefulCollection = AnyCollection & { readonly schema: z.ZodType<Aggregate & HasState> };

export interface DueOptions {
  /** This process runs the work after the commit and before the reply, so that the answer shows its effect. If it fails, it stays due. */
  readonly beforeReply?: boolean;
  /** The fault that withholds the work until its instant. The work is due as soon as the fault is removed. */
  readonly withheldBy?: string;
  /** Defaults to the correlation id of this unit. */
  readonly correlationId?: string;
  /** The absent application, from `absentApplication`. The work is due as soon as the application is back. */
  readonly awaits?: Application;
  /** When the next run fails, the work is parked. */
  readonly isLastAttempt?: boolean;
}

/** A handler's only way to read and change the world. Reads repeat; a checkpoint and the last commit write changes atomically. */
export interface UnitOfWork {
  /** The rehearsal's clock, frozen for this unit. */
  readonly now: Ms;
  /** The figures of the retailer, which are the same for the whole life of a world. */
  readonly figures: Figures;
  /** Creates an id. Every rerun of this request creates the same one. `label` distinguishes several ids with one prefix. */
  id(prefix: IdPrefix, label?: string): string;
  get<C extends AnyCollection>(of: C, id: string): Promise<ShapeOf<C> | undefined>;
  findUnique<C extends AnyCollection>(of: C, unique: UniqueOf<C>, value: string): Promise<ShapeOf<C> | undefined>;
  /** Sorted by creation, oldest first by default. */
  find<C extends AnyCollection>(
    of: C,
    index: IndexOf<C> | typeof STATE_INDEX,
    value: string,
    page?: PageOptions,
  ): Promise<Page<ShapeOf<C>>>;
  /** The number of objects that an index lists under each value, without the changes of this unit. */
  count<C extends AnyCollection>(of: C, index: IndexOf<C>, values: readonly string[]): Promise<readonly number[]>;
  /** Sorted by creation, oldest first by default. */
  all<C extends AnyCollection>(of: C, page?: PageOptions): Promise<Page<ShapeOf<C>>>;
  /** Counter fields of several keys, moves of this unit included; a field that never moved is 0. */
  counters<Field extends string>(of: Counters<Field>, keys: readonly string[]): Promise<readonly Readonly<Record<Field, number>>[]>;
  /** Creates a business object and its events by a verb of its life cycle. `to` chooses among several states of the row. */
  create<C extends StatefulCollection>(
    of: C,
    verb: VerbOf<C>,
    fields: Fresh<ShapeOf<C>> & Identified,
    to?: ShapeOf<C>['state'],
  ): ShapeOf<C>;
  /** Moves a business object by a verb: state, version, `updatedAt`, events. @throws Problem `invalid_state_transition` without a row */
  transition<C extends StatefulCollection>(
    of: C,
    current: ShapeOf<C>,
    verb: VerbOf<C>,
    patch?: Patch<ShapeOf<C>>,
    to?: ShapeOf<C>['state'],
  ): ShapeOf<C>;
  /** Changes a business object without states, or creates it when `current` is undefined. Adds its event. */
  revise<C extends BusinessCollection>(
    of: C,
    current: ShapeOf<C> | undefined,
    fields: Omit<ShapeOf<C>, 'version' | 'createdAt' | 'updatedAt'> & Identified,
  ): ShapeOf<C>;
  /** Writes an object that is not a business object, without an event. The unit increments its version. */
  put<C extends AnyCollection>(of: C, next: Omit<ShapeOf<C>, 'version'> & Identified & { readonly version?: number }): ShapeOf<C>;
  /** Refuses the commit unless this object, which the unit read but does not change, still has the version that was read. */
  expect<C extends AnyCollection>(of: C, read: ShapeOf<C>): void;
  /**
   * For a refusal that rests on the answer of another application: another request may have changed the object before that answer. Then the
   * handler runs again, and refuses with the true reason. Version 0: the unit found no object.
   */
  ensureCurrent<C extends AnyCollection>(of: C, read: Stored): Promise<void>;
  move<Field extends string>(of: Counters<Field>, key: string, by: Partial<Record<Field, number>>): void;
  /** Schedules work on the rehearsal's clock. It replaces work of the same kind and key. */
  schedule<Payload>(due: DueWork<Payload>, key: string, at: Ms, payload: NoInfer<Payload>, options?: DueOptions): void;
  cancel(due: DueWork, key: string): void;
  /** Commits the changes so far before the first effect elsewhere: the intent, and the due work that finishes or undoes it. */
  checkpoint(): Promise<void>;
}
