import { basket } from '../../shared/catalog/commerce/objects.ts';
import { customer } from '../../shared/catalog/customer/objects.ts';
import { inventoryItem, reservation } from '../../shared/catalog/inventory/objects.ts';
import { order } from '../../shared/catalog/order/objects.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { searchForm } from '../../shared/domain/text.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import { customersWith, describeObject, type Listed, listObjectsOf, type ObjectPlace } from './list.ts';
import { withNames } from './related-objects.ts';
import { listedTypes } from './types.ts';

/** The label of a product ends with its SKU. */
const SKU_OF_LABEL = / \([^()]*\)$/;

type FoundObject = Listed & { readonly type: string; readonly names: Readonly<Record<string, string>> };

/** People and orders come first: most searches look for them. Baskets and reservations come last: each order has one with the same text. */
const PLACES: Readonly<Record<string, number>> = { [customer.type]: -2, [order.type]: -1, [basket.type]: 1, [reservation.type]: 1 };
const placeOf = (type: string): number => PLACES[type] ?? 0;

/** The objects with a text: first the object with this id, even if it is old, then objects with this name, then the newest of each type. */
export async function findObjects(
  worlds: ObjectReader,
  place: ObjectPlace,
  { q, limit }: { readonly q: string; readonly limit: number },
  breathe: Breathe,
): Promise<FoundObject[]> {
  const { world, objects } = place;
  const customers = await customersWith(worlds, place, q, breathe);
  const exact: FoundObject[] = [];
  const others: FoundObject[] = [];
  const types = listedTypes(objects).toSorted((one, other) => placeOf(one.definition.type) - placeOf(other.definition.type));
  for (const type of types) {
    const { application, collection, definition } = type;
    const found = definition === inventoryItem ? undefined : await worlds.object(world, application, collection, q.trim());
    const named = found && describeObject(type, found);
    const { items } = await listObjectsOf(worlds, place, type, { q, limit, customers }, breathe);
    const all = [...(named ? [named] : []), ...items.filter(({ id }) => id !== named?.id)];
    for (const one of await withNames(worlds, place, type, all, breathe)) {
      (one.id === named?.id ? exact : others).push({ ...one, type: definition.type });
    }
  }
  const text = searchForm(q.trim());
  const isNamed = ({ label = '' }: FoundObject): boolean =>
    [label, label.replace(SKU_OF_LABEL, '')].some((name) => searchForm(name) === text);
  return [...exact, ...others.filter(isNamed), ...others.filter((one) => !isNamed(one))];
}
