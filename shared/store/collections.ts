import type { z } from 'zod';
import type { ObjectDefinition } from '../catalog/define-object.ts';
import { inOneTurn, type Steps } from '../domain/breathe.ts';
import type { ApplicationDump } from './ports/world-data.ts';

/** The members of every stored object. */
export interface Stored {
  readonly id: string;
  readonly version: number;
}

/** The values under which an index lists an object: one, several, or none. */
type IndexValues = string | readonly string[] | undefined;

export const indexValues = (values: IndexValues): readonly string[] =>
  values === undefined ? [] : typeof values === 'string' ? [values] : values;

/** The index of every collection whose objects have a life cycle: it counts and lists them by state. */
export const STATE_INDEX = 'state';
const stateIndex = { [STATE_INDEX]: ({ state }: { readonly state?: string }): IndexValues => state };

/**
 * Objects of one kind in an application's store. `unique` and `index` compute the entries of an object; undefined: no entry. A collection
 * of business objects names their definition: changes go through `create`, `transition` and `revise`, so that each has its event.
 */
export interface Collection<
  Shape extends Stored,
  Unique extends string = string,
  Index extends string = string,
  Verb extends string = string,
> {
  readonly name: string;
  /** The stored shape: the published members, and private ones of the owner. */
  readonly schema: z.ZodType<Shape>;
  readonly unique: { readonly [K in Unique]: (object: Shape) => string | undefined };
  readonly index: { readonly [K in Index]: (object: Shape) => IndexValues };
  readonly object?: ObjectDefinition<z.ZodObject, string, Verb>;
  /** Whether clients get the version as `ETag` and may send `If-Match`. True for every business object. */
  readonly etag: boolean;
  /** Whether the objects are reference data: read with most requests, and seldom or never changed. Applications remember them. */
  readonly reference: boolean;
}

export function defineCollection<
  Shape extends Stored,
  const Unique extends string = never,
  const Index extends string = never,
  Verb extends string = never,
>(definition: {
  readonly name: string;
  readonly schema: z.ZodType<Shape>;
  readonly unique?: { readonly [K in Unique]: (object: Shape) => string | undefined };
  readonly index?: { readonly [K in Index]: (object: Shape) => IndexValues };
  readonly object?: ObjectDefinition<z.ZodObject, string, Verb>;
  readonly etag?: true;
  readonly reference?: true;
}): Collection<Shape, Unique, Index, Verb> {
  return {
    name: definition.name,
    schema: definition.schema,
    unique: definition.unique ?? ({} as { [K in Unique]: (object: Shape) => string | undefined }),
    index: {
      ...(definition.object?.lifeCycle && stateIndex),
      ...(definition.index ?? ({} as { [K in Index]: (object: Shape) => IndexValues })),
    },
    object: definition.object,
    etag: definition.etag === true || definition.object !== undefined,
    reference: definition.reference === true,
  };
}

/**
 * The function that leaves the private members out of a stored object. It validates nothing, because the answer of a handler is validated
 * when it is made.
 */
export const publishedBy =
  <Schema extends z.ZodObject>({ shape }: Schema) =>
  (stored: z.output<Schema>): z.output<Schema> =>
    Object.fromEntries(Object.entries(stored).filter(([name]) => Object.hasOwn(shape, name))) as z.output<Schema>;

/** A collection of any shape, for code that iterates over collections. */
// biome-ignore lint/suspicious/noExplicitAny: a collection is invariant in its object; only `any` stands for all of them
export type AnyCollection = Collection<any, string, string, any>;

/** The stored shape of a collection's objects. */
export type ShapeOf<C extends AnyCollection> = z.output<C['schema']>;
export type UniqueOf<C extends AnyCollection> = keyof C['unique'] & string;
export type IndexOf<C extends AnyCollection> = keyof C['index'] & string;
export type VerbOf<C extends AnyCollection> = C extends Collection<infer _Shape, infer _Unique, infer _Index, infer Verb> ? Verb : never;

/** Numbers that concurrent units of work change. A guard is a weighted sum that no change may make negative. */
export interface Counters<Field extends string = string> {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Fields that add up differences, and may be below zero. */
  readonly signed?: readonly Field[];
  readonly guards: { readonly [guard: string]: Partial<Record<Field, 1 | -1>> };
}

export function defineCounters<const Field extends string>(definition: Counters<Field>): Counters<Field> {
  return definition;
}

/** The initial data of a new world, by collection and by counter. */
export interface Seed {
  readonly objects?: readonly { readonly of: AnyCollection; readonly rows: readonly Stored[] }[];
  readonly counters?: readonly { readonly of: Counters; readonly rows: CounterRows }[];
}

type CounterRow = Readonly<Record<string, number>>;
/** By key. Many rows are made one by one. */
type CounterRows = Readonly<Record<string, CounterRow>> | Generator<readonly [key: string, row: CounterRow], void>;

/** Turns seed rows into stored data. @throws Error naming the row that does not fit its schema, or whose unique value is taken */
export const dumpOf = (seed: Seed): ApplicationDump => inOneTurn(dumpSteps(seed));

/** As `dumpOf`, with a pause at each row. */
export function* dumpSteps(seed: Seed): Steps<ApplicationDump> {
  const objects: Record<string, { id: string; version: number; json: string }[]> = {};
  const unique: Record<string, Record<string, string>> = {};
  const index: Record<string, readonly (readonly [string, string])[]> = {};
  for (const { of, rows } of seed.objects ?? []) {
    const stored: { id: string; version: number; json: string }[] = [];
    for (const row of rows) {
      const parsed = of.schema.safeParse(row);
      if (!parsed.success)
        throw new Error(`Seed row ${of.name}/${row.id}: ${parsed.error.issues[0]?.path.join('/')}: ${parsed.error.issues[0]?.message}`);
      stored.push({ id: row.id, version: row.version, json: JSON.stringify(row) });
      yield;
    }
    objects[of.name] = stored;
    const entries = yield* entriesOf(of, rows);
    Object.assign(unique, entries.unique);
    Object.assign(index, entries.index);
  }
  const counters: Record<string, Record<string, CounterRow>> = {};
  for (const { of, rows } of seed.counters ?? []) {
    const stored: Record<string, CounterRow> = {};
    for (const [key, row] of Symbol.iterator in rows ? rows : Object.entries(rows)) {
      stored[key] = row;
      yield;
    }
    counters[of.name] = stored;
  }
  return { objects, unique, index, counters };
}

/** The unique values and indexes of all objects of a collection, with a pause at each entry of an object. @throws Error naming two objects that share a unique value */
export function* entriesOf(of: AnyCollection, rows: readonly Stored[]): Steps<Pick<ApplicationDump, 'unique' | 'index'>> {
  const unique: Record<string, Record<string, string>> = {};
  const index: Record<string, [string, string][]> = {};
  for (const [name, value] of Object.entries(of.unique)) {
    const values = new Map<string, string>();
    for (const row of rows) {
      yield;
      const key = value(row);
      if (key === undefined) continue;
      if (values.has(key)) throw new Error(`${of.name}/${values.get(key)} and ${row.id} share ${name} "${key}".`);
      values.set(key, row.id);
    }
    unique[`${of.name}.${name}`] = Object.fromEntries(values);
  }
  for (const [name, value] of Object.entries(of.index)) {
    const entries: [string, string][] = [];
    for (const row of rows) {
      for (const key of indexValues(value(row))) entries.push([key, row.id]);
      yield;
    }
    index[`${of.name}.${name}`] = entries;
  }
  return { unique, index };
}
