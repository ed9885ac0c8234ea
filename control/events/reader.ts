import { nameOf } from '../../shared/catalog/event-names.ts';
import { type Breathe, inOneSlice } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type EventReader, type EventsAbout, jsonForClients } from '../../shared/store/ports/objects.ts';

interface EventFilter {
  /** The type, with or without its prefix. */
  readonly type?: string;
  readonly subject?: string;
  readonly correlationId?: string;
  /** Whether additional events are included. An event type that the request names is always included. */
  readonly ext: boolean;
  readonly after: number;
  readonly limit: number;
}

export interface ListedEvent {
  readonly order: number;
  readonly event: Record<string, unknown>;
}

/** Events per read when some of them may not match. */
const CHUNK = 100;
/** Events per read of a whole world. */
const ALL_CHUNK = 1_000;

/** Matching events on the bus, in order, as clients get them. `next` continues the reading. */
export async function readEvents(
  worlds: EventReader,
  world: World,
  filter: EventFilter,
  breathe: Breathe = inOneSlice,
): Promise<{ items: ListedEvent[]; next: number }> {
  const items: ListedEvent[] = [];
  const [about, ...others] = criteriaOf(filter);
  let next = filter.after;
  for (;;) {
    const missing = filter.limit - items.length;
    const chunk = others.length === 0 ? missing : Math.max(missing, CHUNK);
    const { events, last } = about
      ? await worlds.eventsAbout(world, about, next, chunk)
      : { events: await worlds.events(world, next, chunk), last: 0 };
    for (const stored of events) {
      await breathe();
      next = stored.order;
      const seen = jsonForClients(stored);
      if (seen === undefined) continue;
      const event = JSON.parse(seen) as EstateEvent;
      if (matches(event, filter)) items.push({ order: stored.order, event: { ...event } });
      if (items.length >= filter.limit) return { items, next };
    }
    // The read covered all events up to the last event of the world.
    if (events.length < chunk) return { items, next: Math.max(next, last) };
  }
}

/** Every event of a world. */
export async function allEventsOf(worlds: EventReader, world: World, breathe: Breathe): Promise<EstateEvent[]> {
  const all: EstateEvent[] = [];
  for (;;) {
    const chunk = await worlds.events(world, all.length, ALL_CHUNK);
    for (const { json } of chunk) {
      await breathe();
      all.push(JSON.parse(json) as EstateEvent);
    }
    if (chunk.length < ALL_CHUNK) return all;
  }
}

/** The most selective criterion first: a correlation id usually has fewer events than a subject, and a subject fewer than a type. */
function criteriaOf({ type, subject, correlationId, ext }: EventFilter): readonly EventsAbout[] {
  return [
    ...(correlationId === undefined ? [] : [{ by: 'correlation', value: correlationId } as const]),
    ...(subject === undefined ? [] : [{ by: 'subject', value: subject } as const]),
    ...(type === undefined ? [] : [{ by: 'type', value: nameOf(type) } as const]),
    ...(type === undefined && !ext ? [{ by: 'named' } as const] : []),
  ];
}

function matches(event: EstateEvent, { type, subject, correlationId, ext }: EventFilter): boolean {
  const name = nameOf(event.type);
  if (type !== undefined ? name !== nameOf(type) : !ext && name.startsWith('ext.')) return false;
  if (subject !== undefined && event.subject !== subject) return false;
  return correlationId === undefined || event.correlationid === correlationId;
}
