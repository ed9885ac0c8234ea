import { apis } from '../../shared/catalog/apis.ts';
import * as declared from '../../shared/catalog/control/operations/traces.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { eventHead } from '../../shared/domain/event-head.ts';
import { instant } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { readEach } from '../../shared/process/slices.ts';
import type { StoredTrace } from '../../shared/store/ports/journal.ts';
import type { EventReader } from '../../shared/store/ports/objects.ts';
import { requireObject } from '../events/known-event.ts';
import { findTraces } from '../journal/traces.ts';
import { operate } from '../operate.ts';

export const listTraces = operate(declared.listTraces)(async ({ query }, { world, worlds, inSlices, gone }) => {
  if (query.api !== undefined) requireKnownApi(query.api);
  if (query.object !== undefined) requireObject(query.object, '?object');
  const { discarded } = await worlds.journalSize(world);
  const read = ({ correlationId }: StoredTrace): Promise<EventsOfTrace> => eventsOfTrace(worlds, world, correlationId);
  const { traces, next, events } = await inSlices(gone, async (breathe) => {
    const found = await findTraces(worlds, world, query, breathe);
    return { ...found, events: await readEach(found.traces, read, breathe) };
  });
  const items = traces.map((trace, position) => traceOf(trace, events[position] ?? { events: 0, objects: [] }));
  return { items, next, discarded };
});

function traceOf({ applications: _applications, apis: _apis, ...trace }: StoredTrace, { events, objects }: EventsOfTrace) {
  const { startedAt, lastAt, at, faults } = trace;
  return { ...trace, startedAt: instant(startedAt), lastAt: instant(lastAt), at: instant(at), events, faults: [...faults], objects };
}

/** Kinds of due work are private, so any kind is accepted. @throws Problem validation_failed for an API that no hop can have */
function requireKnownApi(api: string): void {
  const ids: readonly string[] = [...Object.values(apis), ...Object.values(internalCalls)].map(({ id }) => id);
  if (ids.includes(api) || api.startsWith('due:') || allEvents.some(({ name }) => api === `event:${name}`)) return;
  throw invalid(
    '?api',
    'unknown_api',
    `No hop has the API "${api}"; choose one of ${ids.join(', ')}, event:<name> for deliveries, or due:<kind> for due work.`,
  );
}

/** Maximum number of events that are read: a client may use one correlation id for thousands of events. */
const EVENTS_READ = 100;
const MOST_OBJECTS = 50;

interface EventsOfTrace {
  readonly events: number;
  readonly objects: { readonly type: string; readonly id: string }[];
}

/** Counts the events of a correlation id, and names the business objects that the first of them are about. */
async function eventsOfTrace(worlds: EventReader, world: World, correlationId: string): Promise<EventsOfTrace> {
  const { events, count } = await worlds.eventsAbout(world, { by: 'correlation', value: correlationId }, 0, EVENTS_READ);
  const subjects = new Set(events.map(({ json }) => eventHead(json).subject ?? ''));
  return { events: count, objects: [...subjects].slice(0, MOST_OBJECTS).map(objectNamed) };
}

function objectNamed(subject: string): { readonly type: string; readonly id: string } {
  const slash = subject.indexOf('/');
  return { type: subject.slice(0, slash), id: subject.slice(slash + 1) };
}
