import { listTraces as operation } from '../../shared/catalog/control/operations/traces.ts';
import { instant } from '../../shared/domain/time.ts';
import type { StoredTrace } from '../../shared/store/ports/traces.ts';
import { requireObject } from '../events/known-event.ts';
import { operate } from '../operate.ts';
import { type EventsOfTrace, eventsOfTrace } from '../traces/events-of-trace.ts';
import { requireKnownApi } from '../traces/known-api.ts';
import { findTraces } from '../traces/reader.ts';

export const listTraces = operate(operation)(async ({ query }, { world, worlds }) => {
  if (query.api !== undefined) requireKnownApi(query.api);
  if (query.object !== undefined) requireObject(query.object, '?object');
  const [{ traces, next }, { discarded }] = await Promise.all([findTraces(worlds, world, query), worlds.journalSize(world)]);
  const events = await Promise.all(traces.map(({ correlationId }) => eventsOfTrace(worlds, world, correlationId)));
  const items = traces.map((trace, position) => traceOf(trace, events[position] ?? { events: 0, objects: [] }));
  return { items, next, discarded };
});

function traceOf({ applications: _applications, apis: _apis, ...trace }: StoredTrace, { events, objects }: EventsOfTrace) {
  const { startedAt, lastAt, at, faults } = trace;
  return { ...trace, startedAt: instant(startedAt), lastAt: instant(lastAt), at: instant(at), events, faults: [...faults], objects };
}
