import { notFound } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EventReader } from '../../shared/store/ports/inspection.ts';
import type { LedgerStore, Parked, Redriven } from '../../shared/store/ports/ledger.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';

type ParkedName = Pick<Parked, 'what' | 'key'>;

/** Makes parked work due: one item by its key, or all. A delivery whose event is not on the bus is left. @throws Problem not_found */
export async function redrive(
  worlds: LedgerStore & EventReader,
  world: World,
  key?: string,
): Promise<{ redriven: ParkedName[]; left: ParkedName[] }> {
  const parked = (await worlds.ledger(world)).parked.filter((one) => key === undefined || one.key === key);
  if (key !== undefined && parked.length === 0) throw notFound('parked work', key);
  const eventIds = new Set(parked.flatMap(({ what, key }) => (what === 'delivery' ? [eventIdOf(key)] : [])));
  const events = await findEvents(worlds, world, [...eventIds]);
  const drivable = parked.flatMap(({ what, key }): Redriven[] => {
    if (what === 'due') return [{ what, key }];
    const event = events.get(eventIdOf(key));
    return event ? [{ what, key, event }] : [];
  });
  const redriven = await worlds.redrive(world, drivable);
  const known = new Set(drivable.map(labelOf));
  return { redriven: redriven.map(pickName), left: parked.filter((one) => !known.has(labelOf(one))).map(pickName) };
}

const pickName = ({ what, key }: ParkedName): ParkedName => ({ what, key });
const labelOf = ({ what, key }: ParkedName): string => `${what}|${key}`;
const eventIdOf = (delivery: string): string => delivery.slice(delivery.indexOf('|') + 1);

async function findEvents(worlds: EventReader, world: World, ids: readonly string[]): Promise<ReadonlyMap<string, OutboxEntry>> {
  const found = await Promise.all(ids.map((value) => worlds.eventsAbout(world, { by: 'id', value }, 0, 1)));
  return new Map(found.flatMap(({ events }) => events.map(({ order: _order, ...event }) => [event.id, event])));
}
