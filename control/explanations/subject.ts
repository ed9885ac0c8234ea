import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import type { Nearby } from '../../shared/catalog/nearby.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import type { InSlices } from '../../shared/process/slices.ts';
import type { ControlStore, Worlds } from '../../shared/store/ports/estate-store.ts';
import type { Found } from '../../shared/store/ports/objects.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { pointWorthOf } from '../objects/figures.ts';
import { describeObject, type Published, publishedOf } from '../objects/list.ts';
import { relatedObjects } from '../objects/related-objects.ts';
import { PublicLocation } from '../objects/stock.ts';
import type { ListedType } from '../objects/types.ts';
import type { DryCall } from '../outside-call.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import type { Registrations } from '../webhooks/registrations.ts';
import { objectName } from './words.ts';

/** What explanations read. */
export interface ExplainScope {
  readonly worlds: Worlds;
  readonly control: ControlStore;
  readonly webhooks: Registrations;
  readonly objects: EstateObjects;
  readonly view: WorldView;
  /** The rehearsal that the credential of the request is bound to: no refusal names another one. */
  readonly bound?: string | undefined;
  readonly inSlices: InSlices;
  readonly callDry: DryCall;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
}

/** An object with all that belongs to it. */
export interface Subject {
  readonly type: string;
  readonly id: string;
  /** As events name it: `order/ord_…`. */
  readonly subject: string;
  readonly of: ListedType;
  readonly object: Published;
  readonly state: string | undefined;
  readonly version: number;
  readonly name: string;
  readonly near: Nearby;
  /** Name of an object that belongs to it. */
  readonly nameOf: (type: string, id: string) => string;
  /** `the store Quay Street`: the location that serves it. */
  readonly location: string;
  /** State of the sale of a basket at a till, as the till has it. */
  readonly sale: string | undefined;
}

export async function readSubject({ worlds, objects, view, inSlices, gone }: ExplainScope, of: ListedType, found: Found): Promise<Subject> {
  const { type } = of.definition;
  const { id, version } = found;
  const object = publishedOf(of, found);
  const related = await inSlices(gone, (breathe) => relatedTo({ worlds, objects, view }, of, found, breathe));
  const ofType = (name: string) => related.filter((one) => one.type === name);
  const near = {
    pointWorth: await pointWorthOf(worlds, view.world),
    of: ofType,
    get: (name: string, wanted: string | undefined) => ofType(name).find((one) => one.id === wanted)?.object,
  } as unknown as Nearby;
  return {
    type,
    id,
    subject: `${type}/${id}`,
    of,
    object,
    state: typeof object['state'] === 'string' ? object['state'] : undefined,
    version,
    name: objectName(type, id, describeObject(of, found).label),
    near,
    location: await locationIn(worlds, view, placeOf(object)),
    sale: await saleState(worlds, view, object['transactionId']),
    nameOf: (name, wanted) => objectName(name, wanted, ofType(name).find((one) => one.id === wanted)?.label),
  };
}

type Scope = Pick<ExplainScope, 'worlds' | 'objects' | 'view'>;

/**
 * The objects that belong to an object. A payment waits for the returns and payments of its order, and goods at a counter for its payments. Only
 * the order refers to them.
 */
async function relatedTo({ worlds, objects, view: { world } }: Scope, type: ListedType, found: Found, breathe: Breathe) {
  // No state waits for a product, and an order may have hundreds.
  const place = { world, objects, products: false };
  const own = await relatedObjects(worlds, place, { type, found }, breathe);
  const { orderId, collection } = publishedOf(type, found);
  const waitsForPayments = type.definition.type === 'payment' || collection !== undefined;
  const orders = objects['order'];
  if (!waitsForPayments || typeof orderId !== 'string' || !orders) return own;
  const order = await worlds.object(world, orders.application, orders.collection, orderId);
  const ofOrder = order ? await relatedObjects(worlds, place, { type: orders, found: order }, breathe) : [];
  const isNew = ({ type: name, id }: (typeof ofOrder)[number]): boolean => !own.some((one) => one.type === name && one.id === id);
  return [...own, ...ofOrder.filter((one) => (one.type === 'return' || one.type === 'payment') && isNew(one))];
}

/** Goods at a counter are in the store, wherever they came from. */
function placeOf({ locationId, collection }: Readonly<Record<string, unknown>>): unknown {
  const { readyAt, locationId: store } = (collection ?? {}) as { readonly readyAt?: string; readonly locationId?: string };
  return readyAt === undefined ? locationId : store;
}

async function locationIn(worlds: Worlds, { world }: WorldView, id: unknown): Promise<string> {
  if (typeof id !== 'string') return 'the location';
  const found = await worlds.object(world, inventoryItem.owner, 'locations', id);
  if (!found) return `the location ${id}`;
  const { type, name } = PublicLocation.parse(JSON.parse(found.json));
  return `the ${type} ${name}`;
}

async function saleState(worlds: Worlds, { world }: WorldView, id: unknown): Promise<string | undefined> {
  const found = typeof id === 'string' ? await worlds.object(world, 'pos', 'transactions', id) : undefined;
  return found && (JSON.parse(found.json) as { readonly state: string }).state;
}
