import { readObject as operation } from '../../shared/catalog/control/operations/objects.ts';
import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/inspection.ts';
import { locationsOf, orderOfSku, stockAt } from '../objects/stock.ts';
import { listedType } from '../objects/types.ts';
import { operate } from '../operate.ts';

/** Reads a business object as its owner stores it. */
export const readObject = operate(operation)(async ({ params: { type, id } }, { world, worlds, objects }) => {
  const { application, collection, definition } = listedType(objects, type);
  if (definition === inventoryItem) return readInventoryItem(worlds, world, id);
  const found = await worlds.object(world, application, collection, id);
  if (!found) throw notFound(type, id);
  return definition.schema.parse(JSON.parse(found.json));
});

/** An inventory item has no record: the owner keeps counters per location. Shows all locations, by priority. */
async function readInventoryItem(worlds: ObjectReader, world: World, sku: string): Promise<Record<string, unknown>> {
  if ((await orderOfSku(worlds, world, sku)) === undefined) throw notFound(inventoryItem.type, sku);
  const locations = await locationsOf(worlds, world);
  const levels = await stockAt(
    worlds,
    world,
    locations.map((locationId) => ({ sku, locationId })),
  );
  return { sku, locations: levels.map(({ sku: _sku, ...level }) => level) };
}
