import { inventoryItem } from '../../shared/catalog/inventory/objects.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { EstateObjects } from '../verify/world-records.ts';
import { describeObject, type Listed, listObjectsOf } from './list.ts';
import { listedTypes } from './types.ts';

type FoundObject = Listed & { readonly type: string };

/** The objects with a text: first the object with this id, even if it is old, then the newest objects of each type. */
export async function findObjects(
  worlds: ObjectReader,
  { world, objects }: { readonly world: World; readonly objects: EstateObjects },
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<FoundObject[]> {
  const found = await Promise.all(
    listedTypes(objects).map(async (type): Promise<{ readonly exact: FoundObject[]; readonly others: FoundObject[] }> => {
      const { application, collection, definition } = type;
      const named = definition === inventoryItem ? undefined : await worlds.object(world, application, collection, q.trim());
      const { items } = await listObjectsOf(worlds, world, type, { q, limit });
      const typed = (one: Listed): FoundObject => ({ ...one, type: definition.type });
      const exact = named ? [typed(describeObject(type, named))] : [];
      return { exact, others: items.filter(({ id }) => id !== named?.id).map(typed) };
    }),
  );
  return [...found.flatMap(({ exact }) => exact), ...found.flatMap(({ others }) => others)];
}
