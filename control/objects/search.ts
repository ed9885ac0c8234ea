import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import { customersWith, describeObject, type Listed, listObjectsOf } from './list.ts';
import { listedTypes } from './types.ts';

type FoundObject = Listed & { readonly type: string };

/** The objects with a text: first the object with this id, even if it is old, then the newest objects of each type. */
export async function findObjects(
  worlds: ObjectReader,
  { world, objects }: { readonly world: World; readonly objects: EstateObjects },
  { q, limit }: { readonly q: string; readonly limit: number },
  breathe: Breathe,
): Promise<FoundObject[]> {
  const customers = await customersWith(worlds, world, q, breathe);
  const exact: FoundObject[] = [];
  const others: FoundObject[] = [];
  for (const type of listedTypes(objects)) {
    const { application, collection, definition } = type;
    const named = definition === inventoryItem ? undefined : await worlds.object(world, application, collection, q.trim());
    const { items } = await listObjectsOf(worlds, world, type, { q, limit, customers }, breathe);
    const typed = (one: Listed): FoundObject => ({ ...one, type: definition.type });
    if (named) exact.push(typed(describeObject(type, named)));
    others.push(...items.filter(({ id }) => id !== named?.id).map(typed));
  }
  return [...exact, ...others];
}
