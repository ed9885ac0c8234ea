import { customer } from '../../shared/catalog/customer/objects.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { objects as definitions } from '../../shared/catalog/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { EstateObjects, KeptObjects } from '../verify/world-records.ts';

/** A type of business object, and the collection that lists its objects. */
export type ListedType = KeptObjects;

/** An inventory item has no record: a SKU stands for it. */
const INVENTORY_ITEMS: ListedType = { application: inventoryItem.owner, collection: 'skus', definition: inventoryItem, indexes: [] };

export const CUSTOMERS: ListedType = { application: customer.owner, collection: 'customers', definition: customer, indexes: [] };

/** All types, sorted as in the catalog. */
export const listedTypes = (objects: EstateObjects): readonly ListedType[] =>
  definitions.flatMap((definition) => (definition === inventoryItem ? INVENTORY_ITEMS : (objects[definition.type] ?? [])));

/** @throws Problem validation_failed that lists the types */
export function listedType(objects: EstateObjects, type: string): ListedType {
  const types = listedTypes(objects);
  const found = types.find(({ definition }) => definition.type === type);
  if (found) return found;
  const known = types.map(({ definition }) => definition.type);
  throw invalid('{type}', 'unknown_type', `There are no objects of type "${type}"; choose one of ${known.join(', ')}.`);
}

export const statesOf = ({ lifeCycle }: ObjectDefinition): readonly string[] => lifeCycle?.states ?? [];

/** The number of objects of each type, in total and by state. States without objects are left out. */
export async function countTypes(worlds: ObjectReader, world: World, objects: EstateObjects) {
  const types = listedTypes(objects);
  const counts = await worlds.countObjects(
    world,
    types.map(({ application, collection, definition }) => ({ application, collection, states: statesOf(definition) })),
  );
  return types.map(({ definition }, position) => {
    const { count = 0, states = [] } = counts[position] ?? {};
    const byState = statesOf(definition).map((state, place): [string, number] => [state, states[place] ?? 0]);
    return {
      type: definition.type,
      owner: definition.owner,
      count,
      states: Object.fromEntries(byState.filter(([, number]) => number > 0)),
    };
  });
}
