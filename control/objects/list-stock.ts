import { invalid } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/inspection.ts';
import { locationsOf, orderOfSku, type StockPlace, skusAfter, stockAt } from './stock.ts';

export interface StockFilter {
  readonly sku?: string;
  readonly location?: string;
  /** `<sku>|<location>` of the last item of the previous page. */
  readonly after?: string;
  readonly limit: number;
}

/** Stock sorted by creation of the SKU, then by priority of the location. @throws Problem validation_failed */
export async function listStockOf(worlds: ObjectReader, world: World, { sku, location, after, limit }: StockFilter) {
  const known = await locationsOf(worlds, world);
  if (location !== undefined && !known.includes(location)) {
    throw invalid('?location', 'unknown_location', `There is no location "${location}"; there are ${known.join(', ')}.`);
  }
  if (sku !== undefined && (await orderOfSku(worlds, world, sku)) === undefined) {
    throw invalid('?sku', 'unknown_sku', `No stock is kept of SKU "${sku}". GET /_control/stock without sku lists the SKUs.`);
  }
  const locations = location === undefined ? known : [location];
  const [lastSku, lastLocation = ''] = after?.split('|') ?? [];
  const lastOrder = lastSku === undefined ? 0 : await orderOfSku(worlds, world, lastSku);
  const isInList = after === undefined || (locations.includes(lastLocation) && (sku ?? lastSku) === lastSku);
  if (lastOrder === undefined || !isInList) {
    throw invalid('?after', 'unknown_place', `"${after}" is not a position in this list; give the member next of the previous answer.`);
  }
  const more = (of: string | undefined): readonly StockPlace[] =>
    of === undefined ? [] : locations.map((locationId) => ({ sku: of, locationId }));
  const rest = more(lastSku).slice(locations.indexOf(lastLocation) + 1);
  // One more than needed shows whether there is another page.
  const skus = Math.ceil((limit + 1) / Math.max(1, locations.length));
  const others = sku === undefined ? await skusAfter(worlds, world, lastOrder, skus) : lastSku === undefined ? [sku] : [];
  const places = [...rest, ...others.flatMap(more)];
  const items = await stockAt(worlds, world, places.slice(0, limit));
  const last = items.at(-1);
  return { items, next: last && places.length > limit ? `${last.sku}|${last.locationId}` : undefined };
}
