import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { EventReader } from '../../shared/store/ports/inspection.ts';

/** Most events read: a client may use one correlation id for thousands of events. */
const EVENTS_READ = 100;
const MOST_OBJECTS = 50;

export interface EventsOfTrace {
  readonly events: number;
  readonly objects: { readonly type: string; readonly id: string }[];
}

/** Counts the events of a correlation id, and names the business objects that the first of them are about. */
export async function eventsOfTrace(worlds: EventReader, world: World, correlationId: string): Promise<EventsOfTrace> {
  const { events, count } = await worlds.eventsAbout(world, { by: 'correlation', value: correlationId }, 0, EVENTS_READ);
  const subjects = new Set(events.map(({ json }) => (JSON.parse(json) as EstateEvent).subject));
  return { events: count, objects: [...subjects].slice(0, MOST_OBJECTS).map(objectNamed) };
}

function objectNamed(subject: string): { readonly type: string; readonly id: string } {
  const slash = subject.indexOf('/');
  return { type: subject.slice(0, slash), id: subject.slice(slash + 1) };
}
