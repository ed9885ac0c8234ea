import { invalid } from '../../../shared/catalog/problems.ts';
import type { World } from '../../../shared/domain/world.ts';
import type { EventReader } from '../../../shared/store/ports/inspection.ts';

/**
 * A position behind the last event is of a world that was reset. Reading from there would miss the events of the new one, in silence.
 * @throws Problem validation_failed
 */
export async function requireReached(
  events: EventReader,
  world: World,
  { after, pointer }: { after: number; pointer: string },
): Promise<void> {
  if (after === 0) return;
  const { last } = await events.eventsAbout(world, { by: 'named' }, after, 1);
  if (after <= last) return;
  throw invalid(pointer, 'beyond_the_end', `The last event of the rehearsal is ${last}: it was reset since ${after}. Begin with 0.`);
}
