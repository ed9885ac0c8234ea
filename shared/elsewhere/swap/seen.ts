import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { extensionEvent } from '../../catalog/event-names.ts';
import type { LifeCycle } from '../../catalog/life-cycle.ts';
import { objects } from '../../catalog/objects.ts';
import { changedFact, currenciesIn, implausible, lackOf } from '../../catalog/plausible.ts';
import { mintedAt } from '../../domain/ids.ts';
import { CLOCK_TOLERANCE_MS } from '../../domain/time.ts';
import { idOf, type World } from '../../domain/world.ts';
import { type AnyCollection, publishedBy } from '../../store/collections.ts';
import type { Unit } from '../../work/unit/unit.ts';
import type { Aggregate } from '../../work/unit-of-work.ts';
import { type Called, unacceptable } from './read-answer.ts';

/** An object as a real system shows it. */
export interface SeenObject extends Aggregate, Readonly<Record<string, unknown>> {
  readonly state?: string;
  /** The version that the real system gave it. `version` counts the changes that the estate has seen. */
  readonly outsideVersion?: number;
}

/** A collection of an application, with the definition of its objects. */
export interface SeenCollection {
  readonly of: AnyCollection;
  readonly definition: ObjectDefinition;
}

/** An object of an answer, with its collection. */
export interface Seen {
  readonly collection: SeenCollection;
  readonly object: SeenObject;
}

/**
 * The collections of the business objects of an application. In a real system two objects may share a value that is unique in ours, so
 * these collections have no unique values.
 */
export const seenCollections = (collections: readonly AnyCollection[]): readonly SeenCollection[] =>
  collections.flatMap((of) =>
    of.object && 'version' in of.object.schema.shape ? [{ of: { ...of, unique: {} }, definition: of.object as ObjectDefinition }] : [],
  );

/** All business objects with a version. */
export const businessObjects = objects.filter(({ schema }) => 'version' in schema.shape).map((definition) => ({ definition }));

/** The objects of some collections in a value, each with its collection. */
export function* objectsIn<Collection extends Pick<SeenCollection, 'definition'>>(
  schema: z.core.$ZodType,
  value: unknown,
  collections: readonly Collection[],
): Generator<{ readonly collection: Collection; readonly object: SeenObject }, void> {
  if (value === null || value === undefined) return;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    yield* objectsIn(schema.unwrap(), value, collections);
  } else if (schema instanceof z.ZodArray) {
    for (const item of value as unknown[]) yield* objectsIn(schema.element, item, collections);
  } else if (schema instanceof z.ZodObject) {
    const collection = collections.find(({ definition }) => hasMembersOf(schema, definition.schema));
    if (collection) yield { collection, object: value as SeenObject };
    else {
      for (const [name, member] of Object.entries<z.core.$ZodType>(schema.shape)) {
        yield* objectsIn(member, (value as Readonly<Record<string, unknown>>)[name], collections);
      }
    }
  }
}

/** Replaces some objects of a JSON value. */
export function withObjects(value: unknown, others: ReadonlyMap<object, object>): unknown {
  if (typeof value !== 'object' || value === null || others.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withObjects(item, others));
  return others.get(value) ?? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withObjects(member, others)]));
}

/** Whether a schema is the schema of an object, or extends it. */
const hasMembersOf = ({ shape }: z.ZodObject, of: z.ZodObject): boolean =>
  Object.entries(of.shape).every(([name, member]) => shape[name] === member);

/** The part of a scope that keeps what a real system shows. */
interface SeeingScope {
  readonly work: Unit;
  readonly context: { readonly world: World };
}

/**
 * Keeps an object as a real system shows it, with the events of its changes. The object gets the version under which it is kept.
 * @returns the object as it is known now, without members that its definition lacks
 * @throws Violation for an object that cannot be true
 */
export async function keepSeen(
  { work, context: { world } }: SeeingScope,
  api: Called,
  { collection: { of, definition }, object }: Seen,
): Promise<SeenObject> {
  const current = (await work.get(of, object.id)) as SeenObject | undefined;
  const published = publishedBy(definition.schema);
  const shown = published(object) as SeenObject;
  const known = current && (published(current) as SeenObject);
  // A slow answer may arrive after a later one.
  if (known && object.version < (current.outsideVersion ?? 0)) return known;
  if (known && isDeepStrictEqual(withoutVersion(known), withoutVersion(shown))) return known;
  const named = `${definition.type}/${object.id}`;
  const moves = movesBetween(definition.lifeCycle, known?.state, shown.state);
  if (!moves) {
    const from = known ? `was ${known.state}` : 'was never seen';
    throw unacceptable('unreachable_state', api, `claims that ${named} is ${shown.state}. It ${from}, and no move leads from there.`);
  }
  refuseForeignMoney(api, shown, [work.figures.currency], named);
  const lie = implausible(definition.type, shown, known);
  if (lie !== undefined) throw unacceptable('money', api, `claims that ${named} ${lie}.`);
  const lack = lackOf(definition.type, shown);
  if (lack) {
    const detail = `${named} ${lack.words}.`;
    throw unacceptable('wrong_shape', api, `claims that ${detail}`, [{ pointer: `/${lack.member}`, code: 'required', detail }]);
  }
  const changed = known && changedFact(definition.type, shown, known);
  if (changed !== undefined) throw unacceptable('changed_fact', api, `claims that ${named} ${changed}.`);
  const noticed = !known && existedBefore(world, shown) ? [{ state: shown.state, events: [] }] : moves;
  const seen = { ...shown, outsideVersion: object.version };
  return published(observe(work, { of, definition }, { current, seen, moves: noticed })) as SeenObject;
}

/** A move of an object that the estate did not make itself. */
interface ObservedMove {
  /** The state that it leads to; undefined for an object without states. */
  readonly state: string | undefined;
  /** Names of the events; an empty list means the additional event. */
  readonly events: readonly string[];
}

interface Observed {
  readonly current: SeenObject | undefined;
  readonly seen: SeenObject;
  readonly moves: readonly ObservedMove[];
}

/** Writes an object as the real system shows it, through the moves. The last one leads to the object. Each has its events and its version. */
function observe({ objects: loaded, drafts }: Unit, { of, definition }: SeenCollection, { current, seen, moves }: Observed): SeenObject {
  let version = current?.version ?? 0;
  let previous = current?.state;
  let object = seen;
  for (const { state, events } of moves) {
    version += 1;
    object = loaded.write(of, { ...seen, ...(state !== undefined && { state }), version });
    for (const event of events.length > 0 ? events : [extensionEvent(definition.type)]) drafts.add(definition, event, object, previous);
    previous = state;
  }
  return object;
}

/** @throws Violation `money` for an amount in another currency */
export function refuseForeignMoney(api: Called, value: unknown, currencies: readonly string[], named: string): void {
  const foreign = [...currenciesIn(value)].find((one) => !currencies.includes(one));
  if (foreign === undefined) return;
  throw unacceptable('money', api, `claims that ${named} has an amount in ${foreign}, and the rehearsal is in ${currencies[0]}.`);
}

/** Whether an object is older than the rehearsal. Its events happened before. */
const existedBefore = (world: World, { createdAt }: SeenObject): boolean =>
  Date.parse(createdAt) < mintedAt(idOf(world)) - CLOCK_TOLERANCE_MS;

/** The estate counts versions itself, and the instant of a change means nothing without a change. */
const withoutVersion = ({ version: _version, updatedAt: _updatedAt, ...facts }: SeenObject): object => JSON.parse(JSON.stringify(facts));

/**
 * The shortest way between two states of a life cycle: a real system may move an object several times between two answers.
 * @param from undefined: the object was never seen @returns undefined when no way exists
 */
function movesBetween(
  lifeCycle: LifeCycle | undefined,
  from: string | undefined,
  to: string | undefined,
): readonly ObservedMove[] | undefined {
  // No row creates what exists from the beginning, such as a product.
  const isCreated = lifeCycle?.rows.some((row) => row.from.includes(null));
  if (!lifeCycle || (from === undefined ? !isCreated : from === to)) return [{ state: to, events: [] }];
  const ways: { readonly at: string | null; readonly moves: readonly ObservedMove[] }[] = [{ at: from ?? null, moves: [] }];
  const visited = new Set<string | null>([from ?? null]);
  for (const { at, moves } of ways) {
    for (const row of lifeCycle.rows) {
      if (row.again || !row.from.includes(at)) continue;
      for (const state of row.to) {
        const way = [...moves, { state, events: row.events }];
        if (state === to) return way;
        if (!visited.has(state)) ways.push({ at: state, moves: way });
        visited.add(state);
      }
    }
  }
  return undefined;
}
