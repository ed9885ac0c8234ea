import { notFound } from '../catalog/problems.ts';
import type { AnyCollection, ShapeOf } from '../store/collections.ts';
import type { UnitOfWork } from '../work/unit-of-work.ts';

/** Reads an object that a request names. @param type of the objects, for a collection without a published object @throws Problem `not_found` */
export async function requireObject<C extends AnyCollection>(
  work: UnitOfWork,
  of: C,
  id: string,
  type: string = of.object?.type ?? of.name,
): Promise<ShapeOf<C>> {
  const found = await work.get(of, id);
  if (!found) throw notFound(type, id);
  return found;
}
