import { DEFAULT_FIGURES, figuresOf, type Retailer } from '../../shared/catalog/retailer.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';

/** What a loyalty point pays at the retailer of a world, in minor units. */
export async function pointWorthOf(worlds: Pick<ObjectReader, 'object'>, world: World): Promise<number> {
  const found = await worlds.object(world, 'loyalty-platform', 'retailer', 'retailer');
  const { loyalty } = found ? figuresOf(JSON.parse(found.json) as Retailer) : DEFAULT_FIGURES;
  return loyalty.pointWorth;
}
