import { type EstateEvent, nameOf } from '../../shared/events/envelope.ts';
import type { StoredEvent, World, Worlds } from '../../shared/store/ports.ts';

export interface EventFilter {
  /** With or without prefix; `*` for any. */
  readonly type?: string | undefined;
  readonly subject?: string | undefined;
  readonly correlationId?: string | undefined;
  /** Include the additional events. One that is asked for by name is always included. */
  readonly ext: boolean;
  readonly after: number;
  readonly limit: number;
}

export interface ListedEvent {
  readonly order: number;
  readonly event: EstateEvent;
}

const CHUNK = 1_000;

/** Events on the bus, in order. `next` is where the next reading starts. */
export async function readEvents(worlds: Worlds, world: World, filter: EventFilter): Promise<{ items: ListedEvent[]; next: number }> {
  const items: ListedEvent[] = [];
  let next = filter.after;
  for (;;) {
    const chunk = await worlds.events(world, next, CHUNK);
    for (const stored of chunk) {
      const event = JSON.parse(stored.json) as EstateEvent;
      next = stored.order;
      if (fits(event, filter)) items.push({ order: stored.order, event });
      if (items.length >= filter.limit) return { items, next };
    }
    if (chunk.length < CHUNK) return { items, next };
  }
}

/** Every event of a world. */
export async function allEventsOf(worlds: Worlds, world: World): Promise<EstateEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const chunk = await worlds.events(world, all.length, CHUNK);
    all.push(...chunk);
    if (chunk.length < CHUNK) return all.map(({ json }) => JSON.parse(json) as EstateEvent);
  }
}

function fits(event: EstateEvent, { type, subject, correlationId, ext }: EventFilter): boolean {
  const name = nameOf(event.type);
  if (type !== undefined ? name !== nameOf(type) : !ext && name.startsWith('ext.')) return false;
  if (subject !== undefined && event.subject !== subject) return false;
  return correlationId === undefined || event.correlationid === correlationId;
}
