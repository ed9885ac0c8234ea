import { customer } from '../../shared/catalog/customer/objects.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { fulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { returnObject } from '../../shared/catalog/fulfillment/returns.ts';
import { shipment } from '../../shared/catalog/fulfillment/shipments.ts';
import type { BusinessObject } from '../../shared/catalog/objects.ts';
import { order } from '../../shared/catalog/order/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { type Breathe, inOneSlice } from '../../shared/domain/breathe.ts';
import { searchForm } from '../../shared/domain/text.ts';
import type { World } from '../../shared/domain/world.ts';
import { readEach } from '../../shared/process/slices.ts';
import { STATE_INDEX } from '../../shared/store/collections.ts';
import type { Found, ObjectReader, PageRequest } from '../../shared/store/ports/objects.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import { columnsOf, labelOf, textsOf } from './label.ts';
import { type Progress, requireProgress } from './progress.ts';
import { relatedOf } from './related.ts';
import { CUSTOMERS, type ListedType, statesOf } from './types.ts';

/** Maximum number of customers whose objects a text search includes. */
const MOST_CUSTOMERS = 20;
/** Maximum number of orders, and of returns, of one customer whose parcels a text search includes: the newest ones. */
const MOST_ORDERS = 50;
/** Maximum number of fulfillment orders of one order. */
const MOST_FULFILLMENTS = 20;

/** Maximum number of objects that one request reads. If few match, the answer is short, and `next` continues. */
const MOST_READ = 1_000;
/** Objects per read when some of them may not match. */
const CHUNK = 200;

interface ObjectFilter {
  readonly state?: string;
  /** Text to find in the object, or in the customer that it refers to. */
  readonly q?: string;
  /** The store where the goods of a fulfillment order are collected. */
  readonly collectAt?: string;
  /** Values of the columns that follow from objects of other applications. */
  readonly progress?: { readonly wanted: Progress; readonly of: (object: Published) => Promise<Progress> };
  /** Position (`order`) of the last object of the previous page. */
  readonly before?: number;
  readonly limit: number;
  /** The ids of the customers with the text, if they are known. */
  readonly customers?: ReadonlySet<string>;
}

export interface ObjectPlace {
  readonly world: World;
  readonly objects: EstateObjects;
}

export type Listed = ReturnType<typeof describe>;

/**
 * A page of the objects of a type, newest first.
 * @param breathe lets other requests run while a text is sought in many objects
 * @throws Problem validation_failed for a state that the type does not have
 */
export async function listObjectsOf(
  worlds: ObjectReader,
  place: ObjectPlace,
  type: ListedType,
  { state, q, collectAt, progress, before = 0, limit, customers }: ObjectFilter,
  breathe: Breathe = inOneSlice,
): Promise<{ items: Listed[]; next?: number }> {
  if (state !== undefined) requireState(type, state);
  if (progress) requireProgress(type.definition, progress.wanted);
  const { application, collection } = type;
  const { world } = place;
  const read = (page: PageRequest): Promise<readonly Found[]> =>
    state === undefined
      ? worlds.all(world, application, collection, page)
      : worlds.indexed(world, { application, collection, name: STATE_INDEX }, state, page);
  const matches = q === undefined ? undefined : await matcher(worlds, place, type, { q, customers }, breathe);
  const isFiltered = matches !== undefined || collectAt !== undefined || progress !== undefined;
  const items: Listed[] = [];
  let next = before;
  for (let left = MOST_READ; left > 0; ) {
    const size = Math.min(left, isFiltered ? CHUNK : limit - items.length);
    // One object more than needed shows whether there are older ones.
    const found = await read({ after: next, limit: size + 1, newestFirst: true });
    for (const [position, one] of found.slice(0, size).entries()) {
      await breathe();
      next = one.order;
      const object = publishedOf(type, one);
      if (isCollectedAt(object, collectAt) && (matches?.(object) ?? true) && (await isThatFar(object, progress)))
        items.push(describe(type, one, object));
      if (items.length === limit) return position + 1 < found.length ? { items, next } : { items };
    }
    if (found.length <= size) return { items };
    left -= size;
  }
  return { items, next };
}

const isCollectedAt = (object: Published, store: string | undefined): boolean =>
  store === undefined || (object as Partial<BusinessObject<'fulfillment-order'>>).collection?.locationId === store;

async function isThatFar(object: Published, filter: ObjectFilter['progress']): Promise<boolean> {
  if (!filter) return true;
  const found = await filter.of(object);
  return Object.entries(filter.wanted).every(([name, value]) => found[name] === value);
}

function requireState({ definition }: ListedType, state: string): void {
  const { type } = definition;
  const states = statesOf(definition);
  if (states.includes(state)) return;
  const remedy =
    states.length > 0
      ? `No ${type} can be "${state}"; the states are ${states.join(', ')}.`
      : `Objects of type ${type} have no state: leave the filter out.`;
  throw invalid('?state', 'unknown_state', remedy);
}

type Matches = (object: Published) => boolean;

/** Amounts are written with a point. */
const DECIMAL_COMMA = /^(\d+),(\d{2,3})$/;

/** What a list shows of the object, and its members. */
const wordsOf = (definition: ObjectDefinition, object: Published): string =>
  [labelOf(definition, object) ?? '', ...Object.values(columnsOf(definition, object)), textsOf(object)].join('\n');

/** Whether the text is in the object or in one of its customers: an order and its parcels are found by the e-mail of the customer. */
async function matcher(
  worlds: ObjectReader,
  place: ObjectPlace,
  { definition }: ListedType,
  { q, customers }: Required<Pick<ObjectFilter, 'q'>> & Pick<ObjectFilter, 'customers'>,
  breathe: Breathe,
): Promise<Matches> {
  const text = searchForm(q).replace(DECIMAL_COMMA, '$1.$2');
  const isIn: Matches = (object) => searchForm(wordsOf(definition, object)).includes(text);
  if (definition === customer || !(definition === shipment || 'customerId' in definition.schema.shape)) return isIn;
  const found = customers ?? (await customersWith(worlds, place, q, breathe));
  if (definition !== shipment) return (object) => isIn(object) || found.has(String(object['customerId']));
  const sent = await sentFor(worlds, place, [...found], breathe);
  return (object) => isIn(object) || sent.has(object['fulfillmentOrderId']) || sent.has(object['returnId']);
}

/** The ids of the newest customers with a text. */
export async function customersWith(worlds: ObjectReader, place: ObjectPlace, q: string, breathe: Breathe): Promise<ReadonlySet<string>> {
  const { items } = await listObjectsOf(worlds, place, CUSTOMERS, { q, limit: MOST_CUSTOMERS }, breathe);
  return new Set(items.map(({ id }) => id));
}

/** The ids of the fulfillment orders and returns of customers: a parcel has only one of these ids. */
async function sentFor(
  worlds: ObjectReader,
  { world, objects }: ObjectPlace,
  customers: readonly string[],
  breathe: Breathe,
): Promise<ReadonlySet<unknown>> {
  const idsBy = async (name: string, values: readonly string[], of: ObjectDefinition, limit: number): Promise<readonly string[]> => {
    const type = objects[of.type];
    if (!type?.indexes.includes(name)) return [];
    const { application, collection } = type;
    const page = { after: 0, limit, newestFirst: true };
    const found = await readEach(values, (value) => worlds.indexed(world, { application, collection, name }, value, page), breathe);
    return found.flat().map(({ id }) => id);
  };
  const orders = await idsBy('customer', customers, order, MOST_ORDERS);
  const returns = await idsBy('customer', customers, returnObject, MOST_ORDERS);
  return new Set([...(await idsBy('order', orders, fulfillmentOrder, MOST_FULFILLMENTS)), ...returns]);
}

/** The object as a list shows it. */
export const describeObject = (type: ListedType, found: Found): Listed => describe(type, found, publishedOf(type, found));

export type Published = Readonly<Record<string, unknown>>;

/** The members that APIs and events show. */
export function publishedOf({ definition }: ListedType, { id, json }: Found): Published {
  // A SKU stands for its inventory item.
  if (!('version' in definition.schema.shape)) return { sku: id };
  const stored = JSON.parse(json) as Published;
  return Object.fromEntries(Object.keys(definition.schema.shape).map((name) => [name, stored[name]]));
}

function describe({ definition }: ListedType, { id, order, version }: Found, object: Published) {
  const text = (name: string): Readonly<Record<string, string>> => (typeof object[name] === 'string' ? { [name]: object[name] } : {});
  const label = labelOf(definition, object);
  return {
    id,
    order,
    version,
    ...text('state'),
    ...text('createdAt'),
    ...text('updatedAt'),
    label,
    columns: columnsOf(definition, object),
    related: [...relatedOf(definition, object)],
  };
}
