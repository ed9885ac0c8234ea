import * as declared from '../../shared/catalog/control/operations/objects.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { extensionEvent } from '../../shared/catalog/event-names.ts';
import { fulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import { withOwnAddresses } from '../../shared/control/world-addresses.ts';
import { instant } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import { findTraces } from '../journal/traces.ts';
import { pointWorthOf } from '../objects/figures.ts';
import { listObjectsOf, type Published } from '../objects/list.ts';
import { readNames } from '../objects/names.ts';
import { playedBy } from '../objects/played.ts';
import { progressOf, withProgress } from '../objects/progress.ts';
import { productNames, relatedObjects, withNames } from '../objects/related-objects.ts';
import { findObjects } from '../objects/search.ts';
import { locationsOf, orderOfSku, type StockPlace, skusAfter, stockAt } from '../objects/stock.ts';
import { countTypes, listedType } from '../objects/types.ts';
import { operate } from '../operate.ts';
import type { EstateObjects } from '../verify/world-records.ts';

export const listObjectTypes = operate(declared.listObjectTypes)(async (_input, { world, worlds, objects }) => ({
  items: await countTypes(worlds, world, objects),
}));

export const listObjects = operate(declared.listObjects)(async ({ params, query }, { world, worlds, objects, inSlices, gone }) => {
  const type = listedType(objects, params.type);
  const place = { world, objects };
  const { payment, goods, collection, collectAt, ...filter } = query;
  if (collectAt !== undefined) await requireStore(worlds, world, { type: type.definition, collectAt });
  const wanted = Object.fromEntries(
    Object.entries({ payment, goods, collection }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const of = (object: Published) => progressOf(worlds, place, type.definition, object);
  const progress = Object.keys(wanted).length > 0 ? { wanted, of } : undefined;
  return inSlices(gone, async (breathe) => {
    const { items, next } = await listObjectsOf(worlds, place, type, { ...filter, collectAt, progress }, breathe);
    const whole = await withProgress(worlds, place, type, items, breathe);
    return { items: await withNames(worlds, place, type, whole, breathe), next };
  });
});

/** @throws Problem validation_failed for a type that nobody collects, or an unknown location */
async function requireStore(
  worlds: ObjectReader,
  world: World,
  { type, collectAt }: { readonly type: ObjectDefinition; readonly collectAt: string },
): Promise<void> {
  if (type !== fulfillmentOrder) {
    throw invalid('?collectAt', 'unknown_filter', `Nobody collects objects of type ${type.type}: leave the filter out.`);
  }
  await requireLocation(worlds, world, { name: 'collectAt', location: collectAt });
}

/** @returns the locations @throws Problem validation_failed for another location */
async function requireLocation(
  worlds: ObjectReader,
  world: World,
  { name, location }: { readonly name: string; readonly location: string | undefined },
) {
  const locations = await locationsOf(worlds, world);
  if (location === undefined || locations.some(({ id }) => id === location)) return locations;
  const known = locations.map(({ id }) => id).join(', ');
  throw invalid(`?${name}`, 'unknown_location', `There is no location "${location}"; choose one of ${known}.`);
}

export const search = operate(declared.search)(async ({ query: { q, limit } }, { world, worlds, objects, inSlices, gone }) => {
  const [items, { traces }, { events }] = await Promise.all([
    inSlices(gone, (breathe) => findObjects(worlds, { world, objects }, { q, limit }, breathe)),
    inSlices(gone, (breathe) => findTraces(worlds, world, { q, limit }, breathe)),
    worlds.eventsAbout(world, { by: 'id', value: q.trim() }, 0, 1),
  ]);
  return {
    items,
    traces: traces.map(({ correlationId, startedAt, method, path, status }) => ({
      correlationId,
      startedAt: instant(startedAt),
      method,
      path,
      status,
    })),
    events: events.map(({ json }) => {
      const { id, type, subject } = JSON.parse(json) as EstateEvent;
      return { id, type, subject };
    }),
  };
});

/** Reads a business object as its owner stores it. */
export const readObject = operate(declared.readObject)(async ({ params: { type, id } }, { world, view, worlds, objects }) => {
  const { application, collection, definition } = listedType(objects, type);
  if (definition === inventoryItem) return readInventoryItem(worlds, world, id);
  const found = await worlds.object(world, application, collection, id);
  if (!found) throw notFound(type, id);
  const object = definition.schema.parse(JSON.parse(found.json)) as Record<string, unknown>;
  return withOwnAddresses(object, { ...view, secret: async () => view.credentials.webhookSecret });
});

export const listRelatedObjects = operate(declared.listRelatedObjects)(
  async ({ params: { type: name, id } }, { world, worlds, objects, inSlices, gone }) => {
    const type = listedType(objects, name);
    const found = await worlds.object(world, type.application, type.collection, id);
    if (!found) throw notFound(name, id);
    const items = await inSlices(gone, (breathe) => relatedObjects(worlds, { world, objects, products: true }, { type, found }, breathe));
    return { items, pointWorth: await pointWorthOf(worlds, world) };
  },
);

export const listNames = operate(declared.listNames)((_input, { world, worlds }) => readNames(worlds, world));

/** An inventory item has no record: the owner keeps counters per location. Shows all locations, by priority. */
async function readInventoryItem(worlds: ObjectReader, world: World, sku: string): Promise<Record<string, unknown>> {
  if ((await orderOfSku(worlds, world, sku)) === undefined) throw notFound(inventoryItem.type, sku);
  const places = (await locationsOf(worlds, world)).map(({ id: locationId }) => ({ sku, locationId }));
  const levels = await stockAt(worlds, world, places);
  return { sku, locations: levels.map(({ sku: _sku, ...level }) => level) };
}

export const listLifeCycles = operate(declared.listLifeCycles)(async () => ({ items: objects.flatMap(describeLifeCycle) }));

export const listStock = operate(declared.listStock)(({ query }, { world, worlds, objects }) =>
  listStockOf(worlds, { world, objects }, query),
);

/** A life cycle with one move per state before and after. Natural repeats are left out. */
export function describeLifeCycle({ type, lifeCycle }: ObjectDefinition) {
  if (!lifeCycle) return [];
  const moves = lifeCycle.rows
    .filter(({ again }) => !again)
    .flatMap(({ verb, from, to, events, trigger }) => {
      const control = playedBy(type, verb);
      const move = { verb, events: events.length > 0 ? [...events] : [extensionEvent(type)], trigger };
      return from.flatMap((before) =>
        statesAfter(before, to).map((after) => ({ ...move, from: before, to: after, control: before === null ? undefined : control })),
      );
    });
  return [{ type, states: [...lifeCycle.states], moves }];
}

/** A row that lists no states after it keeps the state. */
const statesAfter = (before: string | null, to: readonly string[]): readonly string[] => (to.length > 0 || before === null ? to : [before]);

interface StockFilter {
  readonly sku?: string;
  readonly location?: string;
  /** `<sku>|<location>` of the last item of the previous page. */
  readonly after?: string;
  readonly limit: number;
}

/** Stock sorted by creation of the SKU, then by priority of the location. @throws Problem validation_failed */
async function listStockOf(
  worlds: ObjectReader,
  { world, objects }: { readonly world: World; readonly objects: EstateObjects },
  { sku, location, after, limit }: StockFilter,
) {
  const named = new Map((await requireLocation(worlds, world, { name: 'location', location })).map(({ id, name }) => [id, name]));
  const known = [...named.keys()];
  if (sku !== undefined && (await orderOfSku(worlds, world, sku)) === undefined) {
    throw invalid('?sku', 'unknown_sku', `SKU "${sku}" has no stock records. GET /_control/stock without sku lists the SKUs.`);
  }
  const locations = location === undefined ? known : [location];
  const [lastSku, lastLocation = ''] = after?.split('|') ?? [];
  const lastOrder = lastSku === undefined ? 0 : await orderOfSku(worlds, world, lastSku);
  const isInList = after === undefined || (locations.includes(lastLocation) && (sku ?? lastSku) === lastSku);
  if (lastOrder === undefined || !isInList) {
    throw invalid('?after', 'unknown_place', `"${after}" is not a position in this list; give the member "next" of the previous answer.`);
  }
  const more = (of: string | undefined): readonly StockPlace[] =>
    of === undefined ? [] : locations.map((locationId) => ({ sku: of, locationId }));
  const rest = more(lastSku).slice(locations.indexOf(lastLocation) + 1);
  // One item more than needed shows whether there is another page.
  const skus = Math.ceil((limit + 1) / Math.max(1, locations.length));
  const others = sku === undefined ? await skusAfter(worlds, world, lastOrder, skus) : lastSku === undefined ? [sku] : [];
  const places = [...rest, ...others.flatMap(more)];
  const levels = await stockAt(worlds, world, places.slice(0, limit));
  const shown = levels.map((level) => level.sku);
  const names = await productNames(worlds, world, objects, shown);
  const items = levels.map((level) => ({ ...level, name: names.get(level.sku), locationName: named.get(level.locationId) }));
  const last = items.at(-1);
  return { items, next: last && places.length > limit ? `${last.sku}|${last.locationId}` : undefined };
}
