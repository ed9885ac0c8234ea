import { notFound } from '../../shared/catalog/problems.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EventReader } from '../../shared/store/ports/inspection.ts';
import type { LedgerStore, Parked, Redriven } from '../../shared/store/ports/ledger.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';

type Named = Pick<Parked, 'what' | 'key'>;

const CHUNK = 1_000;

/**
 * Drives parked work again: what has this key, or everything. A delivery goes to its subscriber with the event as it is listed.
 * @throws Problem `not_found` when nothing of this key is parked
 */
export async function redriveParked(
  worlds: LedgerStore & EventReader,
  world: World,
  key?: string,
): Promise<{ redriven: Named[]; left: Named[] }> {
  const parked = (await worlds.ledger(world)).parked.filter((one) => key === undefined || one.key === key);
  if (key !== undefined && parked.length === 0) throw notFound('parked work', key);
  const events = await eventsNamed(
    worlds,
    world,
    new Set(parked.flatMap(({ what, key }) => (what === 'delivery' ? [eventIdOf(key)] : []))),
  );
  const again = parked.flatMap(({ what, key }): Redriven[] => {
    if (what === 'due') return [{ what, key }];
    const event = events.get(eventIdOf(key));
    return event ? [{ what, key, event }] : [];
  });
  const redriven = await worlds.redrive(world, again);
  const known = new Set(again.map(nameOf));
  return { redriven: redriven.map(named), left: parked.filter((one) => !known.has(nameOf(one))).map(named) };
}

const named = ({ what, key }: Named): Named => ({ what, key });
const nameOf = ({ what, key }: Named): string => `${what}|${key}`;
const eventIdOf = (delivery: string): string => delivery.slice(delivery.indexOf('|') + 1);

async function eventsNamed(worlds: EventReader, world: World, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, OutboxEntry>> {
  const found = new Map<string, OutboxEntry>();
  for (let after = 0; found.size < ids.size; ) {
    const chunk = await worlds.events(world, after, CHUNK);
    for (const { order, ...event } of chunk) {
      after = order;
      if (ids.has(event.id)) found.set(event.id, event);
    }
    if (chunk.length < CHUNK) break;
  }
  return found;
}
