import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { collectionStatusOf, mayBeUnpaid } from '../../shared/catalog/fulfillment/counter.ts';
import { fulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { BusinessObject } from '../../shared/catalog/objects.ts';
import { order } from '../../shared/catalog/order/objects.ts';
import { leftToPay, paymentStatusOf, requiredFor } from '../../shared/catalog/payment/cover.ts';
import { payment } from '../../shared/catalog/payment/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { progressKinds } from '../../shared/catalog/state-kinds.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import type { World } from '../../shared/domain/world.ts';
import { readEach } from '../../shared/process/slices.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import type { ListedType } from './types.ts';

/** The columns of an object that follow from objects of other applications: the payment and the goods of an order, the collection of goods. */
export type Progress = Readonly<Record<string, string>>;

/** Maximum number of payments, and of fulfillment orders, that are read for an order. */
const MOST = 100;

interface Place {
  readonly world: World;
  readonly objects: EstateObjects;
}

/** @throws Problem validation_failed for a filter that the type does not have, or a value that the filter does not have */
export function requireProgress({ type, progress = {} }: ObjectDefinition, wanted: Progress): void {
  for (const [name, value] of Object.entries(wanted)) {
    const values = progress[name];
    if (!values) throw invalid(`?${name}`, 'unknown_filter', `Objects of type ${type} have no ${name}: leave the filter out.`);
    if (!values.includes(value)) {
      throw invalid(
        `?${name}`,
        'unknown_value',
        `Objects of type ${type} cannot have the ${name} "${value}"; choose one of ${values.join(', ')}.`,
      );
    }
  }
}

/** Empty for an object without progress. */
export async function progressOf(worlds: ObjectReader, place: Place, definition: ObjectDefinition, object: unknown): Promise<Progress> {
  if (definition === fulfillmentOrder) {
    const goods = object as StoredGoods;
    return goods.collection ? { collection: collectionStatusOf(goods) } : {};
  }
  if (definition !== order) return {};
  const found = object as BusinessObject<'order'>;
  const [payments, goods] = await Promise.all([
    ofOrder<BusinessObject<'payment'>>(worlds, place, payment, found.id),
    ofOrder<BusinessObject<'fulfillment-order'>>(worlds, place, fulfillmentOrder, found.id),
  ]);
  return Object.fromEntries(
    [['payment', paymentOf(found, payments)] as const, ['goods', goodsOf(goods)] as const].filter(([, value]) => value !== undefined),
  ) as Progress;
}

/** Adds the columns that follow from objects of other applications. */
export const withProgress = <One extends { readonly id: string; readonly columns: Progress }>(
  worlds: ObjectReader,
  place: Place,
  { application, collection, definition }: ListedType,
  items: readonly One[],
  breathe: Breathe,
): Promise<One[]> =>
  readEach(
    items,
    async (item) => {
      if (!definition.progress) return item;
      const found = await worlds.object(place.world, application, collection, item.id);
      if (!found) return item;
      const object: unknown = JSON.parse(found.json);
      const progress = await progressOf(worlds, place, definition, object);
      const toPay = definition === fulfillmentOrder ? await toPayFor(worlds, place, object as StoredGoods) : undefined;
      return { ...item, columns: { ...item.columns, ...progress, ...(toPay !== undefined && { 'to pay': toPay }) } };
    },
    breathe,
  );

/** The FMS stores whether the goods replace delivered ones, and whether lost goods are refunded or replaced. */
type StoredGoods = BusinessObject<'fulfillment-order'> & { readonly free?: true; readonly givenUp?: true };

/** What the customer still pays before the goods are handed over, as List Collections shows it; undefined if nobody has to pay for them. */
async function toPayFor(worlds: ObjectReader, place: Place, goods: StoredGoods): Promise<string | undefined> {
  const kept = place.objects[order.type];
  if (!goods.collection || !mayBeUnpaid(goods) || !kept) return undefined;
  const found = await worlds.object(place.world, kept.application, kept.collection, goods.orderId);
  if (!found) return undefined;
  const ordered = JSON.parse(found.json) as BusinessObject<'order'>;
  const payments = await ofOrder<BusinessObject<'payment'>>(worlds, place, payment, goods.orderId);
  return moneyInWords(leftToPay(ordered, payments));
}

async function ofOrder<T>(worlds: ObjectReader, { world, objects }: Place, definition: ObjectDefinition, id: string): Promise<T[]> {
  const kept = objects[definition.type];
  if (!kept) return [];
  const { application, collection } = kept;
  const page = { after: 0, limit: MOST, newestFirst: true };
  const found = await worlds.indexed(world, { application, collection, name: order.type }, id, page);
  return found.map(({ json }) => JSON.parse(json) as T);
}

/** As the OMS derives it. A cancelled order that nobody paid waits for no payment. */
function paymentOf(found: BusinessObject<'order'>, payments: readonly BusinessObject<'payment'>[]): string | undefined {
  const total = found.totals.total.amount;
  const isCancelled = found.state === 'cancelled';
  const status = paymentStatusOf(total, payments, isCancelled ? total : requiredFor(found));
  return isCancelled && status === 'unpaid' ? undefined : status;
}

/** The goods that are furthest behind; then goods that were lost or came back; then delivered ones. */
function goodsOf(all: readonly BusinessObject<'fulfillment-order'>[]): string | undefined {
  const left = all.filter(({ state }) => state !== 'cancelled');
  const states = (left.length > 0 ? left : all).flatMap(({ state, shipments }) =>
    state === 'dispatched' && shipments.length > 0 ? shipments.map((parcel) => parcel.state) : [state],
  );
  const places = order.progress?.['goods'] ?? [];
  const rank = (state: string): number => {
    const kind = progressKinds['goods']?.[state];
    return (kind === 'done' ? 2 : kind === 'failed' ? 1 : 0) * places.length + places.indexOf(state);
  };
  return states.toSorted((one, other) => rank(one) - rank(other))[0];
}
