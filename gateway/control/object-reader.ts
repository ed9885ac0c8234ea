import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { Location } from '../../shared/catalog/inventory/reference-data.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/inspection.ts';
import type { EstateObjects } from './verify/held-world.ts';

/** More than any estate has. */
const MOST_LOCATIONS = 10_000;

/**
 * Any business object as its owner stores it.
 * @throws Problem `validation_failed` for an unknown type, `not_found`
 */
export async function readObject(
  worlds: ObjectReader,
  world: World,
  { objects, type, id }: { readonly objects: EstateObjects; readonly type: string; readonly id: string },
): Promise<Record<string, unknown>> {
  if (type === inventoryItem.type) return readInventoryItem(worlds, world, id);
  const at = objects[type];
  if (!at) {
    const known = [...Object.keys(objects), inventoryItem.type];
    throw invalid('type', 'unknown_type', `There are no objects of type "${type}"; there are ${known.join(', ')}.`);
  }
  const found = await worlds.object(world, at.application, at.collection, id);
  if (!found) throw notFound(type, id);
  return at.definition.schema.parse(JSON.parse(found.json)) as Record<string, unknown>;
}

/** It is no record but counters per location, all of which are shown, by priority. */
async function readInventoryItem(worlds: ObjectReader, world: World, sku: string): Promise<Record<string, unknown>> {
  const { owner } = inventoryItem;
  if (!(await worlds.object(world, owner, 'skus', sku))) throw notFound(inventoryItem.type, sku);
  const found = await worlds.all(world, owner, 'locations', { after: 0, limit: MOST_LOCATIONS });
  const locations = found.map(({ json }) => Location.strip().parse(JSON.parse(json))).toSorted((a, b) => a.priority - b.priority);
  const levels = await worlds.counters(
    world,
    owner,
    'stock',
    locations.map(({ id }) => `${sku}|${id}`),
  );
  return {
    sku,
    locations: locations.map(({ id: locationId }, position) => {
      const { onHand = 0, reserved = 0, safetyStock = 0 } = levels[position] ?? {};
      return { locationId, onHand, reserved, safetyStock, atp: onHand - reserved - safetyStock };
    }),
  };
}
