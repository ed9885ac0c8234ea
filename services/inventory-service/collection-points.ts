import type { z } from 'zod';
import {
  type CollectionSource,
  listCollectionPoints as listCollectionPointsApi,
  MOST_SKUS,
} from '../../shared/catalog/inventory/collection.ts';
import { getCollectionPoint as getCollectionPointCall } from '../../shared/catalog/inventory/internal.ts';
import { afterOpenTime } from '../../shared/catalog/inventory/opening-hours.ts';
import { collectionHoursOf, type Position } from '../../shared/catalog/inventory/reference-data.ts';
import { linesBySku, type SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import { type Breathe, inOneSlice } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { locations, type StoredLocation, TRANSFER, transferTimes } from './collections.ts';
import { listNodes, listWarehouses, nodesWithAll, readLevels, requireSku } from './levels.ts';

/** The stores that can hand out every unit, from their shelf or by transfer, nearest or first by priority. */
export const listCollectionPoints = handle(listCollectionPointsApi)(async ({ query: { sku, qty, near, limit } }, { work, breathe }) => {
  const wanted = sku === undefined ? [] : unitsOf(sku, qty);
  if (sku === undefined && qty !== undefined) throw invalid('?qty', 'needs_sku', 'Name the SKUs in sku, or leave qty out.');
  for (const one of wanted) await requireSku(work, one.sku);
  const { items } = await work.all(locations);
  const sources = await sourcesOf(work, wanted, breathe);
  const from = near === undefined ? undefined : placeOf(near);
  const promises = items.map(async (location) => {
    const source = sources(location.id);
    const readyBy = source && (await readyByAt(location, source, work));
    return readyBy === undefined ? [] : [{ location, source, readyBy }];
  });
  const found = (await Promise.all(promises))
    .flat()
    .map(({ location, source, readyBy }) => {
      const hours = collectionHoursOf(location, work.figures);
      if (!hours) throw new Error(`The store ${location.id} has no opening hours.`);
      const { id: locationId, name, address, position, priority } = location;
      const distanceKm = from && position && kilometresBetween(from, position);
      const point = { locationId, name, address, position, distanceKm, ...hours, readyBy };
      return { priority, point: wanted.length > 0 ? { ...point, from: source } : point };
    })
    .toSorted((one, other) => (one.point.distanceKm ?? FAR) - (other.point.distanceKm ?? FAR) || one.priority - other.priority);
  return { items: found.slice(0, limit).map(({ point }) => point), asOf: instant(work.now) };
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
  const able = nodesWithAll(wanted, await readLevels(work, skus, nodes, breathe), nodes);
  const isSendable = (await listWarehouses(work)).some((warehouse) => able.has(warehouse));
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

/** @throws Problem `not_found` for an unknown location, `validation_failed` for one without collection */
export async function requireCollectionPoint(work: UnitOfWork, id: string): Promise<StoredLocation> {
  const location = await work.get(locations, id);
  if (!location) throw notFound('location', id);
  if (location.collection) return location;
  throw invalid('?collectAt', 'no_collection', `Customers cannot collect orders at "${id}". GET /collection-points lists the stores.`);
}

export const getCollectionPoint = handle(getCollectionPointCall)(async ({ params: { id } }, { work }) => {
  const location = await work.get(locations, id);
  const readyBy = location && (await readyByAt(location, 'shelf', work));
  if (!location || readyBy === undefined) throw notFound('collection-point', id);
  return { locationId: id, readyBy, transferReadyBy: await readyByAt(location, 'transfer', work) };
});
