import { indexValues } from '../../store/collections.ts';
import type { IndexChange } from '../../store/ports/plan.ts';
import type { WrittenObject } from './loaded-objects.ts';

/** The unique values that a written object takes, changes or gives up. */
export function uniqueChanges({ of, storedObject, next }: WrittenObject): IndexChange[] {
  return Object.entries(of.unique).flatMap(([name, uniqueOf]) => {
    const was = (storedObject && uniqueOf(storedObject)) ?? null;
    const value = uniqueOf(next) ?? null;
    return was === value ? [] : [{ collection: of.name, name, id: next.id, value, was }];
  });
}

/** The index entries that a written object leaves, then those that it gets. */
export function indexChanges({ of, storedObject, next }: WrittenObject): IndexChange[] {
  return Object.entries(of.index).flatMap(([name, valuesOf]) => {
    const before = storedObject ? indexValues(valuesOf(storedObject)) : [];
    const after = indexValues(valuesOf(next));
    const entry = { collection: of.name, name, id: next.id };
    return [
      ...without(before, after).map((was) => ({ ...entry, value: null, was })),
      ...without(after, before).map((value) => ({ ...entry, value, was: null })),
    ];
  });
}

/** The values of one list that another does not have, each once. Most lists have one value: sets would cost more than they save. */
const without = (values: readonly string[], others: readonly string[]): readonly string[] =>
  values.filter((value, place) => !others.includes(value) && values.indexOf(value) === place);
