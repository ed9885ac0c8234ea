import type { z } from 'zod';
import type { compareWorlds } from '../../shared/catalog/control/operations/snapshots.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { withEqualAddresses } from '../../shared/control/world-addresses.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import type { ApplicationDump, WorldData } from '../../shared/store/ports/world-data.ts';
import { type BookedWorld, booksOf, comparedBooks } from '../books/books.ts';
import { labelOf } from '../objects/label.ts';
import type { EstateObjects } from '../verify/world-records.ts';

type Comparison = z.output<(typeof compareWorlds)['response']>;
type ChangedObject = Comparison['objects'][number];
type ChangedCounter = Comparison['counters'][number];
type ChangedMember = ChangedObject['members'][number];

/** Limit of the objects of an answer, of its counters, and of its entries of books. */
const MOST_CHANGES = 1_000;

/** Members that every change of an object updates. */
const ALWAYS = new Set(['version', 'updatedAt']);

/** The books, business objects and counters that differ between two worlds. */
export async function compare(
  from: BookedWorld,
  to: BookedWorld,
  { objects, breathe }: { readonly objects: EstateObjects; readonly breathe: Breathe },
): Promise<Pick<Comparison, 'books' | 'objects' | 'counters' | 'omitted'>> {
  const changedObjects: ChangedObject[] = [];
  for (const [type, { application, collection, definition }] of Object.entries(objects)) {
    const rows = [rowsOf(from.applications[application], collection), rowsOf(to.applications[application], collection)] as const;
    for await (const id of breathing(new Set([...rows[0].keys(), ...rows[1].keys()]), breathe)) {
      const change = changeOf({ type, id, definition }, rows[0].get(id), rows[1].get(id));
      if (change) changedObjects.push(change);
    }
  }
  const applications = [
    ...new Set([...Object.keys(from.applications), ...Object.keys(to.applications)]),
  ] as (keyof WorldData['applications'])[];
  const counters: ChangedCounter[] = [];
  for (const application of applications) {
    const both = [from.applications[application]?.counters ?? {}, to.applications[application]?.counters ?? {}] as const;
    for await (const changed of breathing(changedCounters(application, ...both), breathe)) counters.push(...changed);
  }
  const books = await comparedBooks(await booksOf(from, objects, breathe), await booksOf(to, objects, breathe), breathe);
  const lists = { books, objects: changedObjects, counters };
  const omitted = Object.values(lists).reduce((sum, { length }) => sum + Math.max(0, length - MOST_CHANGES), 0);
  return {
    books: books.slice(0, MOST_CHANGES),
    objects: changedObjects.slice(0, MOST_CHANGES),
    counters: counters.slice(0, MOST_CHANGES),
    omitted,
  };
}

const rowsOf = (dump: ApplicationDump | undefined, collection: string): ReadonlyMap<string, string> =>
  new Map((dump?.objects[collection] ?? []).map(({ id, json }) => [id, json]));

interface ComparedObject {
  readonly type: string;
  readonly id: string;
  readonly definition: ObjectDefinition;
}

/** @param before JSON of the object @param after JSON of the object */
function changeOf(
  { type, id, definition }: ComparedObject,
  before: string | undefined,
  after: string | undefined,
): ChangedObject | undefined {
  if (before === after) return undefined;
  const published = (json: string | undefined): Record<string, unknown> | undefined =>
    json === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(withEqualAddresses(JSON.parse(json) as object)).filter(
            ([name]) => Object.hasOwn(definition.schema.shape, name) && !ALWAYS.has(name),
          ),
        );
  const [old, fresh] = [published(before), published(after)];
  const members = old && fresh ? changedMembers(old, fresh).toSorted(stateFirst) : stateOf(old, fresh);
  if (old && fresh && members.length === 0) return undefined;
  const change = !old ? 'added' : !fresh ? 'removed' : 'changed';
  return { type, id, label: labelOf(definition, fresh ?? old ?? {}), change, members };
}

const stateFirst = (a: ChangedMember, b: ChangedMember): number => Number(b.member === 'state') - Number(a.member === 'state');

function stateOf(from: Readonly<Record<string, unknown>> | undefined, to: Readonly<Record<string, unknown>> | undefined): ChangedMember[] {
  const state = (to ?? from)?.['state'];
  return state === undefined ? [] : [{ member: 'state', ...(from ? { from: state } : { to: state }) }];
}

function changedMembers(from: unknown, to: unknown, path = ''): ChangedMember[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isComposed(from) || !isComposed(to)) return [{ member: path, from, to }];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) =>
    changedMembers((from as Record<string, unknown>)[name], (to as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`),
  );
}

/** An amount of money is one value. */
const isComposed = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('amount' in value && 'currency' in value);

type Counters = ApplicationDump['counters'];

/** The changes of each key. */
function* changedCounters(application: string, from: Counters, to: Counters): Generator<ChangedCounter[], void> {
  const names = (a: object = {}, b: object = {}): ReadonlySet<string> => new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const counter of names(from, to)) {
    for (const key of names(from[counter], to[counter])) {
      const [old, fresh] = [from[counter]?.[key], to[counter]?.[key]];
      yield [...names(old, fresh)].flatMap((field) => {
        const change = { from: old?.[field] ?? 0, to: fresh?.[field] ?? 0 };
        return change.from === change.to ? [] : [{ application, counter, key, field, ...change }];
      });
    }
  }
}
