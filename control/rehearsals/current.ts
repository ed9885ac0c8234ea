import { Problem } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';

/**
 * Unfinished work of a replaced world stays unfinished. So a conclusion from several reads holds only if their world is current afterwards.
 * @throws Problem unknown_rehearsal
 */
export async function requireCurrent(worlds: Pick<Directory, 'current'>, world: World): Promise<WorldView> {
  const view = await worlds.current(world);
  if (view) return view;
  throw resetOrDeleted();
}

export const resetOrDeleted = (): Problem => new Problem('unknown_rehearsal', 'This rehearsal has been reset or deleted.');
