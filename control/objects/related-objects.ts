import { basket, product } from '../../shared/catalog/commerce/objects.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { returnObject } from '../../shared/catalog/fulfillment/returns.ts';
import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import { order } from '../../shared/catalog/order/objects.ts';
import { type Breathe, eachBreathing } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import { readEach } from '../../shared/process/slices.ts';
import type { Found, ObjectReader } from '../../shared/store/ports/objects.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import { describeObject, type Listed, type Published, publishedOf } from './list.ts';
import { type Reference, relatedOf } from './related.ts';
import { locationsOf } from './stock.ts';
import { type ListedType, listedTypes } from './types.ts';

/** Maximum number of objects of one type that refer to the object. */
const MOST_REFERRING = 20;
/** Maximum number of steps to a referenced object: a parcel, its fulfillment order, the order, the customer. */
const MOST_STEPS = 3;
/** References are followed further as long as there are fewer objects. */
const ENOUGH = 40;
/** Maximum number of objects in an answer, without products. */
const MOST = 100;
const MOST_PRODUCTS = 100;
/** Types whose references are not followed: many objects refer to an object of these types, and its references lead to nothing new. */
const ENDS: ReadonlySet<string> = new Set(['customer', 'loyalty-account']);

type Related = Listed & { readonly type: string; readonly object: Published };

interface Read {
  readonly type: ListedType;
  readonly found: Found;
}

interface Place {
  readonly world: World;
  readonly objects: EstateObjects;
  /** Whether the products of all SKUs belong to the answer. */
  readonly products: boolean;
}

/** The objects that an object refers to, the objects that refer to it, and the objects that all of them refer to in a few steps. */
export async function relatedObjects(
  worlds: ObjectReader,
  { world, objects, products: wantsProducts }: Place,
  start: Read,
  breathe: Breathe,
): Promise<Related[]> {
  const types = new Map(listedTypes(objects).map((type) => [type.definition.type, type]));
  const read = async ({ type: name, id }: Reference): Promise<Read | undefined> => {
    const type = types.get(name);
    if (!type || type.definition === inventoryItem) return undefined;
    const found = await worlds.object(world, type.application, type.collection, id);
    return found && { type, found };
  };
  const known = new Map([[keyOf(start), start]]);
  const add = (all: readonly (Read | undefined)[]): Read[] => {
    const fresh = all.filter((one) => one !== undefined).filter((one) => !known.has(keyOf(one)));
    for (const one of fresh.slice(0, MOST - known.size)) known.set(keyOf(one), one);
    return fresh;
  };
  let latest = add(await Promise.all(referencesOf(start).map(read)));
  latest.push(...add(await referringTo(worlds, world, types, start)));
  latest.push(...add(await exchangeOrders(worlds, world, types, [...known.values()])));
  for (let step = 1; step < MOST_STEPS && latest.length > 0 && known.size < ENOUGH; step += 1) {
    const references = latest.filter(({ type }) => !ENDS.has(type.definition.type)).flatMap(referencesOf);
    const unknown = new Map(references.map((one) => [`${one.type}/${one.id}`, one]));
    for (const key of known.keys()) unknown.delete(key);
    latest = add(await readEach([...unknown.values()], read, breathe));
  }
  const all = [...known.values()];
  const products = wantsProducts ? await productsOf(worlds, world, types, all) : [];
  known.delete(keyOf(start));
  const shown = [...known.values(), ...products.filter((one) => keyOf(one) !== keyOf(start))];
  return eachBreathing(shown, breathe, ({ type, found }) => ({
    ...describeObject(type, found),
    type: type.definition.type,
    object: publishedOf(type, found),
  }));
}

const keyOf = ({ type, found }: Read): string => `${type.definition.type}/${found.id}`;

const referencesOf = ({ type, found }: Read): readonly Reference[] => relatedOf(type.definition, publishedOf(type, found));

/** The newest objects of each type that refer to the object. An index with the name of its type lists them. */
async function referringTo(
  worlds: ObjectReader,
  world: World,
  types: ReadonlyMap<string, ListedType>,
  { type, found: { id, json } }: Read,
): Promise<Read[]> {
  const { transactionId } = JSON.parse(json) as { readonly transactionId?: string };
  const names = [[type.definition.type, id] as const];
  // The payments of a sale at a till refer to its order, which gets the id of the transaction.
  if (type.definition === basket && transactionId !== undefined) names.push(['order', transactionId]);
  const page = { after: 0, limit: MOST_REFERRING, newestFirst: true };
  const pages = await Promise.all(
    names.flatMap(([name, value]) =>
      [...types.values()]
        .filter(({ indexes }) => indexes.includes(name))
        .map(async (referring) => {
          const { application, collection } = referring;
          const found = await worlds.indexed(world, { application, collection, name }, value, page);
          return found.map((one) => ({ type: referring, found: one }));
        }),
    ),
  );
  return pages.flat();
}

/** The orders that returns pay for. A return names its order only when it is confirmed. */
async function exchangeOrders(
  worlds: ObjectReader,
  world: World,
  types: ReadonlyMap<string, ListedType>,
  all: readonly Read[],
): Promise<(Read | undefined)[]> {
  const type = types.get(order.type);
  const returns = all.filter((one) => one.type.definition === returnObject);
  if (!type || returns.length === 0) return [];
  const { application, collection } = type;
  return Promise.all(
    returns.map(async ({ found: { id } }) => {
      const found = await worlds.unique(world, { application, collection, name: 'exchangeFor' }, id);
      return found && { type, found };
    }),
  );
}

async function productsOf(
  worlds: ObjectReader,
  world: World,
  types: ReadonlyMap<string, ListedType>,
  all: readonly Read[],
): Promise<Read[]> {
  const type = types.get(product.type);
  if (!type) return [];
  const skus = new Set(all.flatMap((one) => skusIn(publishedOf(one.type, one.found))));
  const found = await Promise.all([...skus].slice(0, MOST_PRODUCTS).map((sku) => productWith(worlds, world, type, sku)));
  return found.flatMap((one) => (one ? [{ type, found: one }] : []));
}

const productWith = (
  worlds: ObjectReader,
  world: World,
  { application, collection }: ListedType,
  sku: string,
): Promise<Found | undefined> => worlds.unique(world, { application, collection, name: 'sku' }, sku);

function skusIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === 'sku' && typeof member === 'string' ? [member] : skusIn(member)));
}

/** Names of the products with these SKUs. A SKU without a product has none. */
export async function productNames(
  worlds: ObjectReader,
  world: World,
  objects: EstateObjects,
  skus: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const type = objects[product.type];
  const found = type ? await Promise.all([...new Set(skus)].map((sku) => productWith(worlds, world, type, sku))) : [];
  const products = found.flatMap((one) => (one ? [JSON.parse(one.json) as { readonly sku: string; readonly name: string }] : []));
  return new Map(products.map(({ sku, name }) => [sku, name]));
}

const isNamedBySku = ({ label = [] }: ObjectDefinition): boolean => label.some((template) => template.includes('sku}'));

const WORD = /(: |, )/;

const namesLocations = ({ label = [], columns = {}, moreColumns = {} }: ObjectDefinition): boolean =>
  [...label, ...Object.values(columns), ...Object.values(moreColumns)].some((template) => template.includes('{locationId}'));

/** Adds the names of what labels and columns name by id or SKU: objects, products and locations. */
export async function withNames(
  worlds: ObjectReader,
  { world, objects }: { readonly world: World; readonly objects: EstateObjects },
  { definition }: ListedType,
  items: readonly Listed[],
  breathe: Breathe,
): Promise<(Listed & { readonly names: Readonly<Record<string, string>> })[]> {
  const wordsOf = ({ id, label = '', columns }: Listed): readonly string[] =>
    [id, label, ...Object.values(columns)].flatMap((text) => text.split(WORD));
  const referencesIn = (item: Listed) => item.related.filter(({ id }) => wordsOf(item).includes(id));
  const references = new Map<string, Reference>();
  for (const item of items) {
    await breathe();
    for (const one of referencesIn(item)) references.set(one.id, one);
  }
  const labelled = async ({ type, id }: Reference) => {
    const kept = objects[type];
    const found = kept && (await worlds.object(world, kept.application, kept.collection, id));
    const label = found && describeObject(kept, found).label;
    return label === undefined ? [] : [{ id, label, definition: kept?.definition ?? definition }];
  };
  const labels = (await readEach([...references.values()], labelled, breathe)).flat();
  const skus = [
    ...items.flatMap((item) => [...(isNamedBySku(definition) ? wordsOf(item) : []), ...(item.columns['what']?.split(', ') ?? [])]),
    ...labels.flatMap((one) => (isNamedBySku(one.definition) ? one.label.split(WORD) : [])),
  ];
  const [products, locations] = await Promise.all([
    productNames(worlds, world, objects, skus),
    [definition, ...labels.map((one) => one.definition)].some(namesLocations) ? locationsOf(worlds, world) : [],
  ]);
  const known = new Map([...products, ...locations.map(({ id, name }) => [id, name] as const)]);
  // The label of a referenced object may consist of ids and SKUs too: a parcel names its fulfillment order.
  const named = labels.map(
    ({ id, label }) =>
      [
        id,
        label
          .split(WORD)
          .map((word) => known.get(word) ?? word)
          .join(''),
      ] as const,
  );
  for (const [id, label] of named) known.set(id, label);
  return items.map((item) => ({
    ...item,
    names: Object.fromEntries(
      wordsOf(item).flatMap((text) => {
        const name = known.get(text);
        return name === undefined ? [] : [[text, name]];
      }),
    ),
  }));
}
