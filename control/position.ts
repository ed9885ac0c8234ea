import { invalid, type Problem } from '../shared/catalog/problems.ts';
import type { World } from '../shared/domain/world.ts';
import type { EventReader } from '../shared/store/ports/objects.ts';

/** A position beyond the end belongs to a world that was reset. Reading from there would silently miss the records of the new world. */
export const beyondTheEnd = (
  record: 'event' | 'hop',
  { after, last, pointer }: { after: number; last: number; pointer: string },
): Problem =>
  invalid(pointer, 'beyond_the_end', `The last ${record} of the rehearsal is ${last}: it was reset since ${after}. Begin with 0.`);

/** @throws Problem validation_failed for a position that the events of the rehearsal have not reached */
export async function requireReached(
  events: EventReader,
  world: World,
  { after, pointer }: { after: number; pointer: string },
): Promise<void> {
  if (after === 0) return;
  const { last } = await events.eventsAbout(world, { by: 'named' }, after, 1);
  if (after > last) throw beyondTheEnd('event', { after, last, pointer });
}
