import type { z } from 'zod';
import type { OutputOf } from '../../shared/catalog/define.ts';
import {
  type CollectableAt,
  type CollectionSource,
  listCollectionPoints as listCollectionPointsApi,
  MOST_SKUS,
  noCollectionAt,
} from '../../shared/catalog/inventory/collection.ts';
import {
  getCollectionPoint as getCollectionPointCall,
  listCollectable as listCollectableCall,
} from '../../shared/catalog/inventory/internal.ts';
import { afterOpenTime } from '../../shared/catalog/inventory/opening-hours.ts';
import { collectionHoursOf, type Position } from '../../shared/catalog/inventory/reference-data.ts';
import { linesBySku, type SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import { type Breathe, breathing, inOneSlice } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { locations, type StoredLocation, TRANSFER, transferTimes } from './collections.ts';
import { type LevelsBySku, listNodes, listSources, listWarehouses, nodesWithAll, readLevels, requireSku } from './levels.ts';

/**
 * The stores that can hand out every unit, from their shelf or by transfer, nearest or first by priority. The opening hours of a store are
 * looked at only until enough stores are found, and in turns: a retailer may have many stores that are closed for long.
 */
export const listCollectionPoints = handle(listCollectionPointsApi)(async ({ query: { sku, qty, near, limit } }, { work, breathe }) => {
  const wanted = sku === undefined ? [] : unitsOf(sku, qty);
  if (sku === undefined && qty !== undefined) throw invalid('?qty', 'needs_sku', 'Name the SKUs in sku, or leave qty out.');
  const from = near === undefined ? undefined : placeOf(near);
  for (const one of wanted) await requireSku(work, one.sku);
  const sources = await sourcesOf(work, wanted, breathe);
  const stores = (await work.all(locations)).items
    .map((location) => ({ location, distanceKm: from && location.position && kilometresBetween(from, location.position) }))
    .toSorted((one, other) => (one.distanceKm ?? FAR) - (other.distanceKm ?? FAR) || one.location.priority - other.location.priority);
  const items: OutputOf<typeof listCollectionPointsApi>['items'] = [];
  for (const { location, distanceKm } of stores) {
    if (items.length === limit) break;
    await breathe();
    const source = sources(location.id);
    const hours = collectionHoursOf(location, work.figures);
    const readyBy = source && (await readyByAt(location, source, work));
    if (!hours || readyBy === undefined) continue;
    const { id: locationId, name, address, position } = location;
    items.push({ locationId, name, address, position, distanceKm, ...hours, readyBy, ...(wanted.length > 0 && { from: source }) });
  }
  return { items, asOf: instant(work.now) };
});

/** Stores without a position come last. */
const FAR = 100_000;

function unitsOf(sku: string, qty: string | undefined): SkuUnits[] {
  const skus = sku.split(',');
  if (skus.length > MOST_SKUS) throw invalid('?sku', 'too_many', `Name at most ${MOST_SKUS} SKUs.`);
  const units = qty?.split(',').map(Number) ?? skus.map(() => 1);
  if (units.length !== skus.length) {
    throw invalid('?qty', 'other_length', `sku has ${skus.length} entries and qty has ${units.length}; give one number for each SKU.`);
  }
  return linesBySku(
    skus.map((one, place) => ({ sku: one, qty: units[place] ?? 1 })),
    '?sku',
  );
}

/**
 * Where a checkout would take the goods from, for each store.
 * @returns a function from a store; its result is undefined if neither the store nor one warehouse has all units
 */
export async function sourcesOf(
  work: UnitOfWork,
  wanted: readonly SkuUnits[],
  breathe: Breathe = inOneSlice,
): Promise<(store: string) => CollectionSource | undefined> {
  const skus = wanted.map(({ sku }) => sku);
  const nodes = await listNodes(work);
  return sourcesIn({ nodes, warehouses: await listWarehouses(work) }, wanted, await readLevels(work, skus, nodes, breathe));
}

interface Places {
  /** The locations whose levels are known. */
  readonly nodes: readonly string[];
  readonly warehouses: readonly string[];
}

function sourcesIn(
  { nodes, warehouses }: Places,
  wanted: readonly SkuUnits[],
  levels: LevelsBySku,
): (store: string) => CollectionSource | undefined {
  const able = nodesWithAll(wanted, levels, nodes);
  const isSendable = warehouses.some((warehouse) => able.has(warehouse));
  return (store) => (able.has(store) ? 'shelf' : isSendable ? 'transfer' : undefined);
}

type Place = z.output<typeof Position>;

/** @throws Problem `validation_failed` for a place that is not on the earth */
function placeOf(near: string): Place {
  const [latitude = Number.NaN, longitude = Number.NaN] = near.split(',').map(Number);
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
    throw invalid('?near', 'out_of_range', 'A latitude is from -90 to 90 degrees, and a longitude from -180 to 180.');
  }
  return { latitude, longitude };
}

const EARTH_KM = 6_371;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The distance on the surface of the earth, with one digit. */
function kilometresBetween(one: Place, other: Place): number {
  const [north, south] = [radians(one.latitude), radians(other.latitude)];
  const half = (a: number): number => Math.sin(a / 2) ** 2;
  const share = half(south - north) + Math.cos(north) * Math.cos(south) * half(radians(other.longitude - one.longitude));
  return Math.round(2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(share))) * 10) / 10;
}

/** When an order that is placed now is ready in a store; undefined for a location without collection, or one that stays closed. */
export async function readyByAt(location: StoredLocation, from: CollectionSource, work: UnitOfWork): Promise<string | undefined> {
  const { figures, now } = work;
  const hours = collectionHoursOf(location, figures);
  if (!hours) return undefined;
  const transferMs = from === 'shelf' ? 0 : ((await work.get(transferTimes, TRANSFER))?.afterMs ?? 0);
  const at = afterOpenTime(hours, now + transferMs, figures.collection.preparationMs);
  return at === undefined ? undefined : instant(at);
}

/** How each of some goods can be collected in a store; without entries for goods that cannot. */
export async function collectableAt(
  work: UnitOfWork,
  point: StoredLocation,
  wanted: readonly SkuUnits[],
  breathe: Breathe = inOneSlice,
): Promise<ReadonlyMap<string, z.output<typeof CollectableAt>>> {
  const skus = wanted.map(({ sku }) => sku);
  const places = { nodes: await listSources(work, point.id), warehouses: await listWarehouses(work) };
  const levels = await readLevels(work, skus, places.nodes, breathe);
  const found = new Map<string, z.output<typeof CollectableAt>>();
  const readyBy = new Map<CollectionSource, string | undefined>();
  for await (const one of breathing(wanted, breathe)) {
    const from = sourcesIn(places, [one], levels)(point.id);
    if (from === undefined) continue;
    if (!readyBy.has(from)) readyBy.set(from, await readyByAt(point, from, work));
    const at = readyBy.get(from);
    if (at !== undefined) found.set(one.sku, { locationId: point.id, from, readyBy: at });
  }
  return found;
}

export const listCollectable = handle(listCollectableCall)(async ({ params: { id }, body: { skus } }, { work, breathe }) => {
  const point = await work.get(locations, id);
  if (!point?.collection) throw notFound('collection-point', id);
  const found = await collectableAt(
    work,
    point,
    skus.map((sku) => ({ sku, qty: 1 })),
    breathe,
  );
  return { items: [...found].map(([sku, collection]) => ({ sku, collection })) };
});

/** @throws Problem `not_found` for an unknown location, `validation_failed` for one without collection */
export async function requireCollectionPoint(work: UnitOfWork, id: string): Promise<StoredLocation> {
  const location = await work.get(locations, id);
  if (!location) throw notFound('location', id);
  if (location.collection) return location;
  throw noCollectionAt('?collectAt', id);
}

export const getCollectionPoint = handle(getCollectionPointCall)(async ({ params: { id } }, { work }) => {
  const location = await work.get(locations, id);
  const readyBy = location && (await readyByAt(location, 'shelf', work));
  if (!location || readyBy === undefined) throw notFound('collection-point', id);
  return { locationId: id, readyBy, transferReadyBy: await readyByAt(location, 'transfer', work) };
});
