import { LRUCache } from 'lru-cache';
import type { World } from '../../domain/world.ts';
import { type AnyCollection, type Collection, type Counters, indexValues, type Stored } from '../../store/collections.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Found } from '../../store/ports/objects.ts';
import type { IndexChange, Plan } from '../../store/ports/plan.ts';

/** A collection of a shape, with any uniques, indexes and verbs. */
// biome-ignore lint/suspicious/noExplicitAny: a life cycle is invariant in its verbs; only `any` stands for all of them
export type CollectionOf<T extends Stored> = Collection<T, string, string, any>;

/** One object in a unit of work. */
interface LoadedObject {
  readonly of: AnyCollection;
  /** The stored object; undefined if there is none. */
  readonly stored: Found | undefined;
  readonly storedObject: Stored | undefined;
  /** The object as this unit writes it. */
  readonly next: Stored | undefined;
}

interface WrittenObject extends LoadedObject {
  readonly next: Stored;
}

const isWritten = (loaded: LoadedObject): loaded is WrittenObject => loaded.next !== undefined;

/** The objects that a unit of work has read or written. The first read of an object counts, so reads are repeatable. */
export class LoadedObjects {
  readonly #parse: ParseStored;
  readonly #loaded = new Map<string, LoadedObject>();

  constructor(parse: ParseStored) {
    this.#parse = parse;
  }

  load(of: AnyCollection, id: string, found: Found | undefined): LoadedObject {
    const known = this.loaded(of, id);
    if (known) return known;
    const storedObject = found && this.#parse(found.json);
    const fresh: LoadedObject = { of, stored: found, storedObject, next: undefined };
    this.#loaded.set(keyOf(of, id), fresh);
    return fresh;
  }

  loaded(of: AnyCollection, id: string): LoadedObject | undefined {
    return this.#loaded.get(keyOf(of, id));
  }

  /** The object as this unit sees it: as it writes it, or otherwise as it is stored. */
  current<T extends Stored>(of: CollectionOf<T>, { next, storedObject }: LoadedObject): T | undefined {
    const object = next ?? storedObject;
    return object && typed(of, object);
  }

  write<T extends Stored>(of: CollectionOf<T>, next: Stored): T {
    const { stored, storedObject } = this.load(of, next.id, undefined);
    this.#loaded.set(keyOf(of, next.id), { of, stored, storedObject, next });
    return typed(of, next);
  }

  written(): readonly WrittenObject[] {
    return [...this.#loaded.values()].filter(isWritten);
  }

  hasWritten(): boolean {
    for (const { next } of this.#loaded.values()) if (next) return true;
    return false;
  }

  /** The first object that fits, as this unit sees it. */
  find<T extends Stored>(of: CollectionOf<T>, fits: (object: T) => boolean): LoadedObject | undefined {
    for (const one of this.#loaded.values()) {
      const object = one.of === of ? (one.next ?? one.storedObject) : undefined;
      if (object && fits(typed(of, object))) return one;
    }
    return undefined;
  }

  writtenIn<T extends Stored>(of: CollectionOf<T>): readonly { readonly object: T; readonly isNew: boolean }[] {
    return [...this.#loaded.values()].flatMap((one) =>
      one.of === of && one.next ? [{ object: typed(of, one.next), isNew: one.stored === undefined }] : [],
    );
  }

  /** After a commit, everything written is stored. @param put what the plan wrote: every written object */
  settle(put: Plan['put']): void {
    for (const { collection, id, version, json } of put) {
      const written = this.#loaded.get(`${collection}/${id}`);
      if (!written) continue;
      const { of, stored, next } = written;
      const now = { id, version, order: stored?.order ?? 0, json };
      this.#loaded.set(keyOf(of, id), { of, stored: now, storedObject: next, next: undefined });
    }
  }

  clear(): void {
    this.#loaded.clear();
  }
}

const keyOf = (of: AnyCollection, id: string): string => `${of.name}/${id}`;

/** All objects under the name of a collection have its shape. */
const typed = <T extends Stored>(_of: CollectionOf<T>, object: Stored): T => object as T;

/** The unique values that a written object takes, changes or gives up. */
export function uniqueChanges({ of, storedObject, next }: WrittenObject): IndexChange[] {
  const changes: IndexChange[] = [];
  for (const name in of.unique) {
    const uniqueOf = of.unique[name];
    const was = (storedObject && uniqueOf?.(storedObject)) ?? null;
    const value = uniqueOf?.(next) ?? null;
    if (was !== value) changes.push({ collection: of.name, name, id: next.id, value, was });
  }
  return changes;
}

/** The changes of a written object's index entries: first the removed entries, then the new ones. */
export function indexChanges({ of, storedObject, next }: WrittenObject): IndexChange[] {
  const changes: IndexChange[] = [];
  for (const name in of.index) {
    const valuesOf = of.index[name];
    const [stored, written] = [storedObject && valuesOf?.(storedObject), valuesOf?.(next)];
    // Most changes of an object keep most of its values.
    if (stored === written) continue;
    const [before, after] = [indexValues(stored), indexValues(written)];
    const entry = { collection: of.name, name, id: next.id };
    for (const was of without(before, after)) changes.push({ ...entry, value: null, was });
    for (const value of without(after, before)) changes.push({ ...entry, value, was: null });
  }
  return changes;
}

/** The values of one list that another does not have, each once. Most lists have one value: sets would cost more than they save. */
const without = (values: readonly string[], others: readonly string[]): readonly string[] =>
  values.filter((value, place) => !others.includes(value) && values.indexOf(value) === place);

/** Maximum number of texts in an application's cache. */
const MOST_TEXTS = 256;
/** Total size of the cached texts, in characters. */
const MOST_CHARACTERS = 512 * 1_024;

/** The object in a stored text. */
export type ParseStored = (json: string) => Stored;

export const parseStored: ParseStored = (json) => JSON.parse(json);

/**
 * Parses each stored text once while it is in use, so that units share the object.
 * @param frozen set in tests, so that a handler that changes the object fails
 */
export function createParsedObjects({ frozen }: { readonly frozen: boolean }): ParseStored {
  const parsed = new LRUCache<string, Stored>({
    max: MOST_TEXTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_object, json) => json.length,
    memoMethod: (json) => (frozen ? deepFrozen(parseStored(json)) : parseStored(json)),
  });
  return (json) => parsed.memo(json);
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}

interface Move {
  readonly of: Counters;
  readonly key: string;
  readonly field: string;
  readonly by: number;
}

/** Reads and moves of counters. Reads are repeatable while others move the counters. */
export class CounterMoves {
  readonly #store: Store;
  readonly #world: World;
  #moves: Move[] = [];
  /** The values of the first reads, by counter and key. Most units read no counter. */
  #found: Map<string, Readonly<Record<string, number>>> | undefined;

  constructor(store: Store, world: World) {
    this.#store = store;
    this.#world = world;
  }

  async read<F extends string>(of: Counters<F>, keys: readonly string[]): Promise<readonly Readonly<Record<F, number>>[]> {
    this.#found ??= new Map();
    const found = this.#found;
    const missing = [...new Set(keys)].filter((key) => !found.has(pathOf(of, key)));
    const stored = missing.length === 0 ? [] : await this.#store.counters(this.#world, of.name, missing);
    for (const [position, key] of missing.entries()) {
      const path = pathOf(of, key);
      if (!found.has(path)) found.set(path, stored[position] ?? {});
    }
    return keys.map((key) => {
      const fields = {} as Record<F, number>;
      for (const field of of.fields) fields[field] = (found.get(pathOf(of, key))?.[field] ?? 0) + this.#moved(of, key, field);
      return fields;
    });
  }

  move<F extends string>(of: Counters<F>, key: string, by: Partial<Record<F, number>>): void {
    for (const [field, amount] of Object.entries<number | undefined>(by)) {
      if (amount === undefined || amount === 0) continue;
      if (!Number.isSafeInteger(amount)) throw new Error(`A counter moves by integers, not by ${amount}.`);
      this.#moves.push({ of, key, field, by: amount });
    }
  }

  planned(): Pick<Plan, 'move' | 'guard'> {
    return { move: this.#moves.map(({ of, key, field, by }) => ({ counter: of.name, key, field, by })), guard: guardsOf(this.#moves) };
  }

  hasMoves(): boolean {
    return this.#moves.length > 0;
  }

  clear(): void {
    this.#moves = [];
    this.#found = undefined;
  }

  #moved(of: Counters, key: string, field: string): number {
    let sum = 0;
    for (const move of this.#moves) if (move.of.name === of.name && move.key === key && move.field === field) sum += move.by;
    return sum;
  }
}

const pathOf = (of: Counters, key: string): string => `${of.name}/${key}`;

/** Every guard of every counter key that moved. The store checks a guard only if a move lowers it. */
function guardsOf(moves: readonly Move[]): Plan['guard'] {
  if (moves.length === 0) return [];
  const moved = new Map(moves.map(({ of, key }) => [`${of.name}/${key}`, { of, key }]));
  return [...moved.values()].flatMap(({ of, key }) =>
    Object.values(of.guards).map((terms) => ({ counter: of.name, key, terms: terms as Record<string, 1 | -1> })),
  );
}
