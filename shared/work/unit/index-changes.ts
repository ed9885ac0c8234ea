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
    const before = new Set(storedObject && indexValues(valuesOf(storedObject)));
    const after = new Set(indexValues(valuesOf(next)));
    const entry = { collection: of.name, name, id: next.id };
    return [
      ...[...before.difference(after)].map((was) => ({ ...entry, value: null, was })),
      ...[...after.difference(before)].map((value) => ({ ...entry, value, was: null })),
    ];
  });
}
