import type { Application } from '../../shared/catalog/applications.ts';
import * as declared from '../../shared/catalog/control/operations/events.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { subscribersOf } from '../../shared/catalog/subscriptions.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { type Breathe, eachBreathing } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { readEach } from '../../shared/process/slices.ts';
import { DELIVER_AGAIN } from '../../shared/store/ports/due-work.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import type { EventWork, LedgerStore, Parked, Redriven } from '../../shared/store/ports/ledger.ts';
import { type EventReader, jsonForClients } from '../../shared/store/ports/objects.ts';
import { type OutboxEntry, partsOfDelivery } from '../../shared/store/ports/outbox.ts';
import { requireKnownEvent, requireObject, requireSubjectOf } from '../events/known-event.ts';
import { type ListedEvent, readEvents } from '../events/reader.ts';
import { operate } from '../operate.ts';
import { requireReached } from '../position.ts';
import { requireCurrent } from '../rehearsals/current.ts';

export const listParked = operate(declared.listParked)(async (_input, { world, worlds }) => {
  const { parked } = await worlds.ledger(world);
  return { items: parked.map((one) => ({ ...one, at: instant(one.at) })) };
});

export const redriveParked = operate(declared.redriveParked)(({ body }, { world, worlds, inSlices, gone }) =>
  redrive(worlds, world, { key: body.key, eventsOf: (ids) => inSlices(gone, (breathe) => findEvents(worlds, world, ids, breathe)) }),
);

export const listEvents = operate(declared.listEvents)(async ({ query }, { world, worlds, inSlices, gone }) => {
  const { type, subject } = query;
  if (type !== undefined) requireKnownEvent(type, '?type');
  if (subject !== undefined) requireObject(subject, '?subject');
  if (type !== undefined && subject !== undefined) requireSubjectOf(type, subject, '?subject');
  const filter = { ...query, ext: query.ext === 'true' };
  const read = await inSlices(gone, (breathe) => readEvents(worlds, world, filter, breathe));
  if (read.items.length === 0) await requireReached(worlds, world, { after: query.after, pointer: '?after' });
  return read;
});

export const readEvent = operate(declared.readEvent)(({ params: { id } }, { world, worlds, inSlices, gone }) =>
  inSlices(gone, (breathe) => readEventWithConsumers(worlds, world, id, breathe)),
);

/** Wall time after which the events are read again without a change notification. */
const POLL_MS = 250;

export const waitForEvents = operate(declared.waitForEvents)(async ({ body }, { world, worlds, driver, inSlices, stopping, gone }) => {
  const { type, subject, count, timeoutMs } = body;
  requireKnownEvent(type, '/type');
  if (subject !== undefined) requireSubjectOf(type, subject, '/subject');
  await requireReached(worlds, world, { after: body.after, pointer: '/after' });
  const until = Date.now() + timeoutMs;
  const items: ListedEvent[] = [];
  let next = body.after;
  for (;;) {
    using change = driver.changes.next(world, Math.min(POLL_MS, Math.max(0, until - Date.now())));
    const filter = { type, subject, after: next, limit: count - items.length, ext: true };
    const read = await inSlices(gone, (breathe) => readEvents(worlds, world, filter, breathe));
    items.push(...read.items);
    next = read.next;
    await requireCurrent(worlds, world);
    const found = items.length >= count;
    if (found || Date.now() >= until || stopping.aborted || gone.aborted) return { found, items, next };
    await change.happened;
  }
});

type ParkedName = Pick<Parked, 'what' | 'key'>;

type EventsById = ReadonlyMap<string, OutboxEntry>;

/** Makes parked work due: one item by its key, or all. A delivery whose event is not on the bus stays parked. @throws Problem not_found */
async function redrive(
  worlds: LedgerStore,
  world: World,
  { key, eventsOf }: { readonly key: string | undefined; readonly eventsOf: (ids: readonly string[]) => Promise<EventsById> },
): Promise<{ redriven: ParkedName[]; left: ParkedName[] }> {
  const parked = (await worlds.ledger(world)).parked.filter((one) => key === undefined || one.key === key);
  if (key !== undefined && parked.length === 0) throw notFound('parked work', key);
  const eventIds = new Set(parked.flatMap(({ what, key }) => (what === 'delivery' ? [eventIdOf(key)] : [])));
  const events = await eventsOf([...eventIds]);
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
const eventIdOf = (delivery: string): string => partsOfDelivery(delivery).eventId;

async function findEvents(worlds: EventReader, world: World, ids: readonly string[], breathe: Breathe): Promise<EventsById> {
  const found = await readEach(ids, (value) => worlds.eventsAbout(world, { by: 'id', value }, 0, 1), breathe);
  return new Map(found.flatMap(({ events }) => events.map(({ order: _order, ...event }) => [event.id, event])));
}

/** An event with the progress of each subscriber. @throws Problem not_found */
export async function readEventWithConsumers(
  worlds: EventReader & LedgerStore & JournalReader,
  world: World,
  id: string,
  breathe: Breathe,
) {
  // The outbox is read first: if the event moves to the bus between the two reads, the second read finds it.
  const work = await worlds.eventWork(world, id);
  const { events } = await worlds.eventsAbout(world, { by: 'id', value: id }, 0, 1);
  const [published] = events;
  const found = published ?? work.entry;
  if (!found) throw notFound('event', id);
  const event = JSON.parse(jsonForClients(found) ?? found.json) as EstateEvent;
  const name = nameOf(event.type);
  const { entries } = await worlds.journalOf(world, { correlationId: event.correlationid, bodies: false });
  const hops = await eachBreathing(entries, breathe, recordOf);
  const deliveries = hops.filter((hop) => isDelivery(hop, name, id));
  return {
    order: published?.order,
    topic: found.topic,
    event: { ...event },
    consumers: subscribersOf(name).map((application) => {
      const attempts = deliveries.filter((hop) => hop.application === application);
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
