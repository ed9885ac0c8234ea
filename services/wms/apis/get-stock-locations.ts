import { getStockLocations as getStockLocationsApi } from '../../../shared/catalog/inventory/apis.ts';
import { getStock } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { warehouses } from '../collections.ts';

/** The Inventory Service counts the stock; the WMS stores which locations are warehouses. */
export const getStockLocations = handle(getStockLocationsApi)(async ({ params }, { work, call }) => {
  const { items } = await work.all(warehouses);
  const ours = new Set(items.map(({ id }) => id));
  const { sku, locations } = await call(getStock, { params });
  return { sku, locations: locations.filter(({ locationId, onHand }) => ours.has(locationId) && onHand > 0) };
});
