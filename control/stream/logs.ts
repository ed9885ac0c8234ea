import { recordOf } from '../../shared/control/journal.ts';
import { idOf, type World } from '../../shared/domain/world.ts';
import type { Worlds } from '../../shared/store/ports/estate-store.ts';
import { jsonForClients } from '../../shared/store/ports/objects.ts';
import type { Cursor, Place } from './cursor.ts';

export const MOST_RECORDS = 200;

export async function endOf(worlds: Worlds, world: World): Promise<Place> {
  const [{ newest }, { last }] = await Promise.all([
    worlds.journalOf(world, { limit: 1, bodies: false }),
    worlds.eventsAbout(world, { by: 'named' }, Number.MAX_SAFE_INTEGER, 1),
  ]);
  return { world, hops: newest, events: last };
}

/** Whether a cursor belongs to this world and is not beyond its end. */
export const isWithin = ({ worldId, hops, events }: Cursor, end: Place): boolean =>
  (worldId === undefined || worldId === idOf(end.world)) && hops <= end.hops && events <= end.events;

/** The hops after a place; undefined when some of them have been discarded. */
export async function hopsAfter(worlds: Worlds, { world, hops }: Place) {
  const { entries, discardedTo } = await worlds.journalOf(world, { after: hops, limit: MOST_RECORDS, bodies: false });
  if (hops < discardedTo) return undefined;
  return { data: entries.map(recordOf), last: entries.at(-1)?.sequence ?? hops };
}

/** The events after a place as clients get them, additional ones too. */
export async function eventsAfter(worlds: Worlds, { world, events }: Place) {
  const found = await worlds.events(world, events, MOST_RECORDS);
  return {
    data: found.flatMap((stored) => {
      const json = jsonForClients(stored);
      return json === undefined ? [] : [{ order: stored.order, event: JSON.parse(json) as Record<string, unknown> }];
    }),
    last: found.at(-1)?.order ?? events,
  };
}
