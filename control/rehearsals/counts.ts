import type { World } from '../../shared/domain/world.ts';
import { countTypes } from '../objects/types.ts';
import type { ControlParts } from '../operate.ts';

type Reading = Pick<ControlParts, 'worlds' | 'control' | 'objects'>;

/** What a world contains. No number costs a pass over the things that it counts. */
export async function countContents({ worlds, control, objects }: Reading, world: World, events: number) {
  const [journal, { rules }, { counts }, types] = await Promise.all([
    worlds.journalSize(world),
    control.faults(world),
    // The numbers count all work, whatever the length of the lists.
    worlds.ledger(world, 1),
    countTypes(worlds, world, objects),
  ]);
  return {
    traces: journal.traces,
    hops: journal.hops,
    events,
    faults: rules.length,
    parked: counts.parked,
    objects: Object.fromEntries(types.flatMap(({ type, states }) => (Object.keys(states).length > 0 ? [[type, states]] : []))),
  };
}
