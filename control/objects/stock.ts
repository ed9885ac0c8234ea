import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { Location } from '../../shared/catalog/inventory/reference-data.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';

/** Every estate has fewer. */
const MOST_LOCATIONS = 10_000;

const { owner } = inventoryItem;

/** Other members of a stored location are private. */
export const PublicLocation = Location.strip();

/** All locations, by priority. */
export async function locationsOf(worlds: ObjectReader, world: World): Promise<readonly Location[]> {
  const found = await worlds.all(world, owner, 'locations', { after: 0, limit: MOST_LOCATIONS });
  const locations = found.map(({ json }) => PublicLocation.parse(JSON.parse(json)));
  return locations.toSorted((a, b) => a.priority - b.priority);
}

export interface StockPlace {
  readonly sku: string;
  readonly locationId: string;
}

/** The stock of SKUs at locations, in the given order. */
export async function stockAt(worlds: ObjectReader, world: World, places: readonly StockPlace[]) {
  const keys = places.map(({ sku, locationId }) => `${sku}|${locationId}`);
  const levels = await worlds.counters(world, owner, 'stock', keys);
  return places.map((place, position) => {
    const { onHand = 0, reserved = 0, safetyStock = 0 } = levels[position] ?? {};
    return { ...place, onHand, reserved, safetyStock, atp: onHand - reserved - safetyStock };
  });
}

/** The position of a SKU among the SKUs; undefined for an unknown SKU. */
export const orderOfSku = async (worlds: ObjectReader, world: World, sku: string): Promise<number | undefined> =>
  (await worlds.object(world, owner, 'skus', sku))?.order;

export const skusAfter = async (worlds: ObjectReader, world: World, after: number, limit: number): Promise<readonly string[]> =>
  (await worlds.all(world, owner, 'skus', { after, limit })).map(({ id }) => id);
