import { inventoryItem } from '../../../shared/catalog/inventory/objects.ts';
import { Location } from '../../../shared/catalog/inventory/reference-data.ts';
import { invalid, notFound } from '../../../shared/catalog/problems.ts';
import { readObject as operation } from '../../../shared/catalog/simulation/operations/objects.ts';
import type { World } from '../../../shared/domain/world.ts';
import type { ObjectReader } from '../../../shared/store/ports/inspection.ts';
import { operate } from '../operate.ts';

/** More than any estate has. */
const MOST_LOCATIONS = 10_000;

/** Reads a business object as its owner stores it. */
export const readObject = operate(operation)(async ({ params: { type, id } }, { world, worlds, objects }) => {
  if (type === inventoryItem.type) return readInventoryItem(worlds, world, id);
  const stored = objects[type];
  if (!stored) {
    const known = [...Object.keys(objects), inventoryItem.type];
    throw invalid('type', 'unknown_type', `There are no objects of type "${type}"; there are ${known.join(', ')}.`);
  }
  const found = await worlds.object(world, stored.application, stored.collection, id);
  if (!found) throw notFound(type, id);
  return stored.definition.schema.parse(JSON.parse(found.json));
});

/** An inventory item is no record: the owner keeps counters per location. Shows all locations, by priority. */
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
