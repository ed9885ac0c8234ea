import { search as operation } from '../../shared/catalog/control/operations/objects.ts';
import { instant } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { findObjects } from '../objects/search.ts';
import { operate } from '../operate.ts';
import { findTraces } from '../traces/reader.ts';

export const search = operate(operation)(async ({ query: { q, limit } }, { world, worlds, objects }) => {
  const [items, { traces }, { events }] = await Promise.all([
    findObjects(worlds, { world, objects }, { q, limit }),
    findTraces(worlds, world, { q, limit }),
    worlds.eventsAbout(world, { by: 'id', value: q.trim() }, 0, 1),
  ]);
  return {
    items,
    traces: traces.map(({ correlationId, startedAt, method, path, status }) => ({
      correlationId,
      startedAt: instant(startedAt),
      method,
      path,
      status,
    })),
    events: events.map(({ json }) => {
      const { id, type, subject } = JSON.parse(json) as EstateEvent;
      return { id, type, subject };
    }),
  };
});
