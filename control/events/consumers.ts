import type { Application } from '../../shared/catalog/applications.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { subscribersOf } from '../../shared/catalog/subscriptions.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { DELIVER_AGAIN } from '../../shared/store/ports/due-work.ts';
import type { EventReader } from '../../shared/store/ports/inspection.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { EventWork, LedgerStore } from '../../shared/store/ports/ledger.ts';

/** An event with the progress of each subscriber. @throws Problem not_found */
export async function readEventWithConsumers(worlds: EventReader & LedgerStore & JournalReader, world: World, id: string) {
  // The outbox first: an event that leaves it in between is found on the bus.
  const work = await worlds.eventWork(world, id);
  const { events } = await worlds.eventsAbout(world, { by: 'id', value: id }, 0, 1);
  const [published] = events;
  const found = published ?? work.entry;
  if (!found) throw notFound('event', id);
  const event = JSON.parse(found.json) as EstateEvent;
  const name = nameOf(event.type);
  const { entries } = await worlds.journalOf(world, { correlationId: event.correlationid, bodies: false });
  const hops = entries.map(recordOf);
  return {
    order: published?.order,
    topic: found.topic,
    event: { ...event },
    consumers: subscribersOf(name).map((application) => {
      const attempts = hops.filter((hop) => hop.application === application && isDelivery(hop, name, id));
      const last = attempts.at(-1);
      return { application, ...stateOf(work, application), attempts: attempts.length, requestId: last?.requestId, status: last?.status };
    }),
  };
}

/** A first delivery is named after its event; a later one is due work with the event's id as key. */
const isDelivery = ({ api, requestId, path }: JournalRecord, name: string, id: string): boolean =>
  (api === `event:${name}` && requestId.startsWith(`${id}.`)) || (api === `due:${DELIVER_AGAIN}` && path === id);

function stateOf({ parked, pending, withheldBy }: EventWork, application: Application) {
  const parking = parked.find((one) => one.application === application);
  if (parking) return { state: 'parked' as const, error: parking.error };
  if (!pending.includes(application)) return { state: 'consumed' as const };
  return { state: withheldBy === undefined ? ('pending' as const) : ('withheld' as const) };
}
