import type { z } from 'zod';
import type { compareWorlds } from '../../shared/catalog/control/operations/snapshots.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { withEqualAddresses } from '../../shared/control/world-addresses.ts';
import type { ApplicationDump, WorldData } from '../../shared/store/ports/world-data.ts';
import { labelOf } from '../objects/label.ts';
import type { EstateObjects } from '../verify/world-records.ts';

type Comparison = z.output<(typeof compareWorlds)['response']>;
type ChangedObject = Comparison['objects'][number];
type ChangedCounter = Comparison['counters'][number];
type ChangedMember = ChangedObject['members'][number];

/** Limit of the objects of an answer, and of its counters. */
const MOST_CHANGES = 1_000;

/** Members that every change of an object updates. */
const ALWAYS = new Set(['version', 'updatedAt']);

/** The business objects and counters that differ between two worlds. */
export function compare(from: Pick<WorldData, 'applications'>, to: Pick<WorldData, 'applications'>, objects: EstateObjects) {
  const changedObjects = Object.entries(objects).flatMap(([type, { application, collection, definition }]) =>
    changesOf(type, definition, rowsOf(from.applications[application], collection), rowsOf(to.applications[application], collection)),
  );
  const applications = [
    ...new Set([...Object.keys(from.applications), ...Object.keys(to.applications)]),
  ] as (keyof WorldData['applications'])[];
  const counters = applications.flatMap((application) =>
    countersOf(application, from.applications[application]?.counters ?? {}, to.applications[application]?.counters ?? {}),
  );
  const omitted = Math.max(0, changedObjects.length - MOST_CHANGES) + Math.max(0, counters.length - MOST_CHANGES);
  return { objects: changedObjects.slice(0, MOST_CHANGES), counters: counters.slice(0, MOST_CHANGES), omitted };
}

const rowsOf = (dump: ApplicationDump | undefined, collection: string): ReadonlyMap<string, string> =>
  new Map((dump?.objects[collection] ?? []).map(({ id, json }) => [id, json]));

type Rows = ReadonlyMap<string, string>;

function changesOf(type: string, definition: ObjectDefinition, from: Rows, to: Rows): ChangedObject[] {
  const published = (json: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(withEqualAddresses(JSON.parse(json) as object)).filter(
        ([name]) => Object.hasOwn(definition.schema.shape, name) && !ALWAYS.has(name),
      ),
    );
  const found: ChangedObject[] = [];
  for (const id of new Set([...from.keys(), ...to.keys()])) {
    const [before, after] = [from.get(id), to.get(id)];
    if (before === after) continue;
    const [old, fresh] = [before === undefined ? undefined : published(before), after === undefined ? undefined : published(after)];
    const members = old && fresh ? changedMembers(old, fresh).toSorted(stateFirst) : stateOf(old, fresh);
    if (old && fresh && members.length === 0) continue;
    const change = !old ? 'added' : !fresh ? 'removed' : 'changed';
    found.push({ type, id, label: labelOf(definition, fresh ?? old ?? {}), change, members });
  }
  return found;
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

function countersOf(application: string, from: Counters, to: Counters): ChangedCounter[] {
  const names = (a: object = {}, b: object = {}): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names(from, to).flatMap((counter) =>
    names(from[counter], to[counter]).flatMap((key) =>
      names(from[counter]?.[key], to[counter]?.[key]).flatMap((field) => {
        const change = { from: from[counter]?.[key]?.[field] ?? 0, to: to[counter]?.[key]?.[field] ?? 0 };
        return change.from === change.to ? [] : [{ application, counter, key, field, ...change }];
      }),
    ),
  );
}
