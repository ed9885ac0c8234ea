import { randomUUID } from 'node:crypto';
import type { ObjectDefinition } from '../catalog/define-object.ts';
import { extensionEvent } from '../catalog/event-names.ts';
import { rowFor } from '../catalog/life-cycle.ts';
import { Problem } from '../catalog/problems.ts';
import { derivedUlid, digest, type IdPrefix } from '../domain/ids.ts';
import { instant, type Ms } from '../domain/time.ts';
import { envelope } from '../events/envelope.ts';
import type { Context } from '../simulation/context.ts';
import { type AnyCollection, type Collection, type Counters, indexValues, type Stored } from '../store/collections.ts';
import type { PlannedDue } from '../store/ports/due-work.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { Found, PageRequest } from '../store/ports/objects.ts';
import type { Fence, IndexChange, Plan, PlannedEvent } from '../store/ports/plan.ts';
import type { DueWork } from './due-work.ts';

/** Seconds after which a request that was refused because too many events wait may be sent again. */
const FULL_RETRY_S = 5;

/** A commit was refused because somebody else was faster. The pipeline runs the handler again; a handler must not catch it. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly why: string;
  constructor(why: string, at: string) {
    super(`${why}: ${at}`);
    this.why = why;
  }
}

/** The client has left, and nothing was done yet: the request ends without an answer, and a handler that goes on commits nothing. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string | undefined;
  /** Against the order of creation; a cursor goes on in the order in which it was given. */
  readonly newestFirst?: boolean;
}

/** Members of an object that may be changed; undefined takes a member out. */
export type Patch<T> = { readonly [K in Exclude<keyof T, 'id' | 'version' | 'state' | 'createdAt' | 'updatedAt'>]?: T[K] | undefined };
export type Fresh<T> = Omit<T, 'version' | 'state' | 'createdAt' | 'updatedAt'>;

interface Aggregate extends Stored {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DueOptions {
  /** Run by this process after the commit and before the reply: what the answer must already show. If that fails, it stays due. */
  readonly beforeReply?: boolean;
  /** The fault that keeps it until its instant; when the fault goes, it is due at once. */
  readonly withheldBy?: string | undefined;
  /** Whose story it goes on with; that of this unit, unless another is named. */
  readonly correlationId?: string;
}

/**
 * A handler's only way to read and change the world. Reads are repeatable within a unit; nothing is written before a checkpoint
 * or the pipeline's last commit, and then everything or nothing.
 */
export interface UnitOfWork {
  /** The rehearsal's clock, frozen for this unit. */
  readonly now: Ms;
  /** An id that every rerun of this request mints again; `label` tells several ids of one prefix apart. */
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
  /** In order of creation, unless the newest are to come first. */
  find<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    index: NoInfer<I>,
    value: string,
    page?: PageOptions,
  ): Promise<Page<T>>;
  /** How many objects an index has under each of these values, as it was before this unit. */
  count<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    index: NoInfer<I>,
    values: readonly string[],
  ): Promise<readonly number[]>;
  all<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    page?: PageOptions,
  ): Promise<Page<T>>;
  /** Counter fields of several keys, moves of this unit included; a field that never moved is 0. */
  counters<F extends string>(of: Counters<F>, keys: readonly string[]): Promise<readonly Readonly<Record<F, number>>[]>;
  /** Creates a business object by a verb of its life cycle, and its event. `to` chooses where the row leaves a choice. */
  create<T extends Aggregate & { state: string }, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    verb: NoInfer<V>,
    fields: Omit<NoInfer<T>, 'version' | 'state' | 'createdAt' | 'updatedAt'>,
    to?: NoInfer<T>['state'],
  ): T;
  /**
   * Moves a business object by a verb of its life cycle: state, version, `updatedAt` and event together.
   * @throws Problem `invalid_state_transition` when the table has no row, or only a natural repeat, for verb and state
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
    fields: Omit<NoInfer<T>, 'version' | 'createdAt' | 'updatedAt'>,
  ): T;
  /** Writes an object that is no business object: no event. Its version is counted for it. */
  put<T extends Stored, U extends string, I extends string, V extends string>(
    of: Collection<T, U, I, V>,
    next: Omit<NoInfer<T>, 'version'> & { readonly version?: number },
  ): T;
  /** The commit is refused unless this object still has the version that was read: it was decided on, not changed. */
  expect<T extends Stored, U extends string, I extends string, V extends string>(of: Collection<T, U, I, V>, read: NoInfer<T>): void;
  move<F extends string>(of: Counters<F>, key: string, by: Partial<Record<F, number>>): void;
  /** Work for later, on the rehearsal's clock. The same kind and key replaces what was due. */
  schedule<Payload>(due: DueWork<Payload>, key: string, at: Ms, payload: NoInfer<Payload>, options?: DueOptions): void;
  schedule(due: string, key: string, at: Ms, payload: unknown, options?: DueOptions): void;
  cancel(due: string | DueWork, key: string): void;
  /** Commits what there is, before the first effect elsewhere: intent, and the due work that finishes or undoes it. */
  checkpoint(): Promise<void>;
}

export interface InlineDue {
  readonly kind: string;
  readonly key: string;
  readonly token: string;
}

/** What commits leave to be done: gathered one by one, for as many of them as a request makes. */
export interface Commits {
  /** Due work that is to run before the reply. */
  readonly inline: InlineDue[];
  /** Whether there are new events in the outbox. */
  events: boolean;
  /** Whether something was done, here by a commit or elsewhere by a call: then the rest follows, with or without a client. */
  begun?: boolean;
  /** Whether it was given up because its caller had left. */
  givenUp?: boolean;
}

/** What the pipeline holds besides the handler's view. */
export interface OpenUnit extends UnitOfWork {
  /** The last commit. */
  finish(outcome?: { readonly json: string; readonly keepUntil: Ms }): Promise<void>;
  /** Ends a claim, delivery or due item with an outcome but without any change. */
  discard(outcome: { readonly json: string; readonly keepUntil: Ms }): Promise<void>;
}

/** `If-Match` of a request, and the id that it is about. */
export interface Precondition {
  readonly id: string;
  readonly version: number;
  /** It was so in a commit of this request: what has changed since, the request has done itself, or comes after it has begun. */
  held: boolean;
}

export interface UnitOptions {
  readonly store: Store;
  readonly context: Context;
  readonly fence?: Fence | undefined;
  /** From it ids and call keys are derived; equal for every rerun of one request. */
  readonly key: string;
  /** The time part of ids. */
  readonly since: Ms;
  /** One for all reruns of a request. */
  readonly precondition?: Precondition | undefined;
  readonly causation: string;
  /** Wall time for which due work that runs before the reply is kept from others. */
  readonly inlineLeaseMs: number;
  /** One for all reruns of a request: what an earlier one committed stays committed. */
  readonly commits: Commits;
}

interface Entry {
  readonly of: AnyCollection;
  /** As stored; undefined: not there. */
  base: Found | undefined;
  baseObject: Stored | undefined;
  next: Stored | undefined;
}

export function openUnitOfWork(options: UnitOptions): OpenUnit {
  const { store, context, precondition } = options;
  const { world, now } = context;
  const at = instant(now);
  const entries = new Map<string, Entry>();
  const expected: { collection: string; id: string; version: number }[] = [];
  /** What the precondition was found to hold for. */
  let matched: { collection: string; id: string; version: number } | undefined;
  let moves: { of: Counters; key: string; field: string; by: number }[] = [];
  let events: PlannedEvent[] = [];
  let dues: PlannedDue[] = [];
  let taken: InlineDue[] = [];

  const entryOf = (of: AnyCollection, id: string): Entry | undefined => entries.get(`${of.name}/${id}`);
  const remember = (of: AnyCollection, id: string, found: Found | undefined): Entry => {
    const known = entryOf(of, id);
    if (known) return known;
    const entry: Entry = { of, base: found, baseObject: found && (JSON.parse(found.json) as Stored), next: undefined };
    entries.set(`${of.name}/${id}`, entry);
    return entry;
  };
  const current = (entry: Entry): Stored | undefined => entry.next ?? entry.baseObject;
  /** A version is about the object that the path names, not about a record of the service's own under the same id. */
  const checkPrecondition = (of: AnyCollection, object: Stored | undefined): void => {
    if (!precondition || precondition.held || !of.etag || object?.id !== precondition.id) return;
    if (object.version === precondition.version) {
      matched = { collection: of.name, id: object.id, version: object.version };
      return;
    }
    throw new Problem('version_mismatch', `"${object.id}" has version ${object.version}, not ${precondition.version}.`, {
      id: object.id,
      currentVersion: object.version,
    });
  };
  const read = async (of: AnyCollection, id: string): Promise<Stored | undefined> => {
    const entry = entryOf(of, id) ?? remember(of, id, await store.object(world, of.name, id));
    if (!entry.next) checkPrecondition(of, entry.baseObject);
    return current(entry);
  };
  const write = (of: AnyCollection, next: Stored): void => {
    const entry = entryOf(of, next.id) ?? remember(of, next.id, undefined);
    entry.next = next;
  };
  /** What was found, as this unit has changed it. */
  const merged = (of: AnyCollection, found: readonly Found[], belongs: (object: Stored) => boolean): Stored[] =>
    found.map((one) => current(remember(of, one.id, one))).filter((object) => object !== undefined && belongs(object)) as Stored[];
  /** What this unit has created itself: the newest of all. */
  const createdHere = (of: AnyCollection, found: readonly Found[], belongs: (object: Stored) => boolean): Stored[] => {
    const ids = new Set(found.map(({ id }) => id));
    return [...entries.values()].flatMap((entry) =>
      entry.of === of && entry.next && !entry.base && !ids.has(entry.next.id) && belongs(entry.next) ? [entry.next] : [],
    );
  };
  const page = async (
    of: AnyCollection,
    fetch: (request: PageRequest) => Promise<readonly Found[]>,
    belongs: (object: Stored) => boolean,
    { limit = 1_000, cursor, newestFirst = false }: PageOptions = {},
  ): Promise<Page<Stored>> => {
    const found = await fetch({ after: cursorOrder(cursor), limit: limit + 1, newestFirst });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const items = merged(of, shown, belongs);
    if (newestFirst && cursor === undefined) items.unshift(...createdHere(of, shown, belongs).reverse());
    if (!newestFirst && found.length <= limit) items.push(...createdHere(of, shown, belongs));
    return found.length > limit && last ? { items, nextCursor: Buffer.from(String(last.order)).toString('base64url') } : { items };
  };
  const emit = (definition: ObjectDefinition, type: string, object: Stored, previousState: string | undefined): void => {
    events.push(
      envelope({ application: store.application, definition, type, object, previousState, context, causation: options.causation }),
    );
  };
  const definitionOf = (of: AnyCollection): ObjectDefinition => {
    if (!of.object) throw new Error(`${of.name} is not a collection of business objects.`);
    return of.object;
  };
  const step = (of: AnyCollection, found: (Stored & { state: string }) | undefined, verb: string, to: string | undefined) => {
    const definition = definitionOf(of);
    if (!definition.lifeCycle) throw new Error(`${definition.type} has no life cycle.`);
    const row = rowFor(definition.lifeCycle, found, verb);
    if (row.again) throw new Error(`${definition.type} × ${verb} in ${found?.state} is a natural repeat: check isAgain first.`);
    const state = to ?? (row.to.length > 0 ? row.to[0] : found?.state);
    if (state === undefined || (row.to.length > 0 ? !row.to.includes(state) : state !== found?.state)) {
      throw new Error(`${definition.type} × ${verb} does not lead to ${state}.`);
    }
    if (to === undefined && row.to.length > 1)
      throw new Error(`${definition.type} × ${verb} may lead to ${row.to.join(' or ')}: say which.`);
    return { definition, state, types: row.events.length > 0 ? row.events : [extensionEvent(definition.type)] };
  };
  const inUnique = (of: AnyCollection, name: string, object: Stored): string | undefined => of.unique[name]?.(object);

  const unit = {
    now,
    id: (prefix: IdPrefix, label = '') => `${prefix}_${derivedUlid(digest(world, options.key, prefix, label), options.since)}`,
    get: (of: AnyCollection, id: string) => read(of, id),
    findUnique: async (of: AnyCollection, unique: string, value: string) => {
      for (const entry of entries.values()) {
        if (entry.of === of && entry.next && inUnique(of, unique, entry.next) === value) return entry.next;
      }
      const found = await store.unique(world, of.name, unique, value);
      if (!found) return undefined;
      const object = current(remember(of, found.id, found));
      if (!object || inUnique(of, unique, object) !== value) return undefined;
      checkPrecondition(of, object);
      return object;
    },
    find: (of: AnyCollection, index: string, value: string, pageOptions?: PageOptions) =>
      page(
        of,
        (request) => store.index(world, of.name, index, value, request),
        (object) => indexValues(of.index[index]?.(object)).includes(value),
        pageOptions,
      ),
    count: (of: AnyCollection, index: string, values: readonly string[]) => store.count(world, of.name, index, values),
    all: (of: AnyCollection, pageOptions?: PageOptions) =>
      page(
        of,
        (request) => store.all(world, of.name, request),
        () => true,
        pageOptions,
      ),
    counters: async (of: Counters, keys: readonly string[]) => {
      const stored = await store.counters(world, of.name, keys);
      return keys.map((key, position) => {
        const fields: Record<string, number> = {};
        for (const field of of.fields) fields[field] = stored[position]?.[field] ?? 0;
        for (const move of moves)
          if (move.of.name === of.name && move.key === key) fields[move.field] = (fields[move.field] ?? 0) + move.by;
        return fields;
      });
    },
    create: (of: AnyCollection, verb: string, fields: Record<string, unknown> & { id: string }, to?: string) => {
      const { definition, state, types } = step(of, undefined, verb, to);
      // Somebody created it since this handler decided to: it runs again and finds it.
      if (entryOf(of, fields.id)?.base) throw new Conflict('version', `${of.name}/${fields.id}`);
      const object = { ...fields, state, version: 1, createdAt: at, updatedAt: at };
      write(of, object);
      for (const type of types) emit(definition, type, object, undefined);
      return object;
    },
    transition: (of: AnyCollection, found: Stored & { state: string }, verb: string, patch: Record<string, unknown> = {}, to?: string) => {
      const { definition, state, types } = step(of, found, verb, to);
      const object = { ...found, ...patch, state, version: found.version + 1, updatedAt: at };
      write(of, object);
      for (const type of types) emit(definition, type, object, found.state);
      return object;
    },
    revise: (of: AnyCollection, found: (Stored & { createdAt: string }) | undefined, fields: Record<string, unknown> & { id: string }) => {
      const definition = definitionOf(of);
      const object = { ...fields, version: (found?.version ?? 0) + 1, createdAt: found?.createdAt ?? at, updatedAt: at };
      write(of, object);
      emit(definition, extensionEvent(definition.type), object, undefined);
      return object;
    },
    put: (of: AnyCollection, next: Record<string, unknown> & { id: string }) => {
      if (of.object) throw new Error(`${of.name} holds business objects: their changes have events.`);
      const entry = entryOf(of, next.id);
      const object = { ...next, version: ((entry && current(entry)?.version) ?? 0) + 1 };
      write(of, object);
      return object;
    },
    expect: (of: AnyCollection, { id, version }: Stored) => {
      expected.push({ collection: of.name, id, version });
    },
    move: (of: Counters, key: string, by: Partial<Record<string, number>>) => {
      for (const [field, amount] of Object.entries(by)) {
        if (amount === undefined || amount === 0) continue;
        if (!Number.isSafeInteger(amount)) throw new Error(`A counter moves by integers, not by ${amount}.`);
        moves.push({ of, key, field, by: amount });
      }
    },
    schedule: (
      due: string | DueWork,
      key: string,
      when: Ms,
      payload: unknown,
      { beforeReply = false, withheldBy, correlationId = context.correlationId }: DueOptions = {},
    ) => {
      const kind = typeof due === 'string' ? due : due.kind;
      const token = randomUUID();
      const lease = beforeReply ? { token, until: Date.now() + options.inlineLeaseMs } : undefined;
      dues = [
        ...dues.filter((due) => due.kind !== kind || due.key !== key),
        {
          ...{ kind, key, at: when, payload: JSON.stringify(payload ?? null), correlationId, traceparent: context.traceparent },
          ...{ lease, withheldBy, withheldAt: context.faults },
        },
      ];
      taken = taken.filter((due) => due.kind !== kind || due.key !== key);
      if (beforeReply) taken.push({ kind, key, token });
    },
    cancel: (due: string | DueWork, key: string) => {
      const kind = typeof due === 'string' ? due : due.kind;
      dues = [
        ...dues.filter((due) => due.kind !== kind || due.key !== key),
        { kind, key, at: null, payload: 'null', correlationId: context.correlationId },
      ];
      taken = taken.filter((due) => due.kind !== kind || due.key !== key);
    },
    checkpoint: async () => {
      await commit(false);
    },
  };

  function plan(last: boolean, outcome: { json: string; keepUntil: Ms } | undefined): Plan {
    const written = [...entries.values()].filter((entry) => entry.next !== undefined);
    return {
      operation: randomUUID(),
      last,
      now,
      fence: options.fence,
      expect: matched ? [...expected, matched] : expected,
      put: written.map(({ of, base, next }) => ({
        collection: of.name,
        id: next?.id ?? '',
        read: base?.version ?? 0,
        version: next?.version ?? 0,
        json: JSON.stringify(next),
      })),
      unique: written.flatMap(uniqueChanges),
      index: written.flatMap(indexChanges),
      move: moves.map(({ of, key, field, by }) => ({ counter: of.name, key, field, by })),
      guard: guardsOf(moves),
      events,
      due: dues,
      preconditionHeld: matched !== undefined,
      outcome,
    };
  }

  /** Whether there is nothing to say to the store: a query, which holds nothing and changed nothing. */
  const idle = (): boolean =>
    options.fence === undefined &&
    moves.length === 0 &&
    events.length === 0 &&
    dues.length === 0 &&
    ![...entries.values()].some(({ next }) => next);

  async function commit(last: boolean, outcome?: { json: string; keepUntil: Ms }): Promise<void> {
    // A handler may have taken the call that was not made for one that failed.
    if (options.commits.givenUp) throw new CallerLeft();
    if (idle()) return;
    const result = await store.commit(world, plan(last, outcome));
    if (!result.ok) throw result.why === 'full' ? tooManyUnsent(store.application, result.at) : new Conflict(result.why, result.at);
    options.commits.begun = true;
    for (const entry of entries.values()) {
      if (!entry.next) continue;
      entry.base = { id: entry.next.id, version: entry.next.version, order: entry.base?.order ?? 0, json: JSON.stringify(entry.next) };
      entry.baseObject = entry.next;
      entry.next = undefined;
    }
    expected.length = 0;
    if (matched && precondition) precondition.held = true;
    matched = undefined;
    if (events.length > 0) options.commits.events = true;
    moves = [];
    events = [];
    dues = [];
    options.commits.inline.push(...taken);
    taken = [];
  }

  return {
    ...unit,
    finish: (outcome?: { json: string; keepUntil: Ms }) => commit(true, outcome),
    discard: async (outcome: { json: string; keepUntil: Ms }) => {
      entries.clear();
      expected.length = 0;
      matched = undefined;
      moves = [];
      events = [];
      dues = [];
      taken = [];
      await commit(true, outcome);
    },
  } as unknown as OpenUnit;
}

/** Whoever asks for more only makes it worse; what is committed already still goes out, in order. */
const tooManyUnsent = (application: string, events: string): Problem =>
  new Problem(
    'dependency_unavailable',
    `${events} events of ${application} wait for the event bus: until they are sent, nothing is changed.`,
    {
      dependency: 'event-bus',
      retryAfter: FULL_RETRY_S,
    },
  );

function cursorOrder(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const order = Number(Buffer.from(cursor, 'base64url').toString());
  if (Number.isSafeInteger(order) && order > 0) return order;
  throw new Problem('validation_failed', 'The cursor is not one that this API gave.', {
    errors: [{ pointer: '?cursor', code: 'invalid_cursor', detail: 'Use the nextCursor of the page before.' }],
  });
}

function uniqueChanges({ of, baseObject, next }: Entry): IndexChange[] {
  return Object.entries(of.unique).flatMap(([name, value]) => {
    const was = (baseObject && value(baseObject)) ?? null;
    const is = (next && value(next)) ?? null;
    return was === is ? [] : [{ collection: of.name, name, id: next?.id ?? '', value: is, was }];
  });
}

function indexChanges({ of, baseObject, next }: Entry): IndexChange[] {
  return Object.entries(of.index).flatMap(([name, values]) => {
    const was = new Set(baseObject && indexValues(values(baseObject)));
    const is = new Set(next && indexValues(values(next)));
    const change = (value: string | null, before: string | null): IndexChange => ({
      ...{ collection: of.name, name, id: next?.id ?? '' },
      value,
      was: before,
    });
    return [...[...was.difference(is)].map((value) => change(null, value)), ...[...is.difference(was)].map((value) => change(value, null))];
  });
}

/** Every guard of every counter key that moved: the adapter checks those that a move lowers. */
function guardsOf(moves: readonly { of: Counters; key: string }[]): Plan['guard'] {
  const keys = new Map<string, { of: Counters; key: string }>();
  for (const { of, key } of moves) keys.set(`${of.name}/${key}`, { of, key });
  return [...keys.values()].flatMap(({ of, key }) =>
    Object.values(of.guards).map((terms) => ({ counter: of.name, key, terms: terms as Record<string, 1 | -1> })),
  );
}
