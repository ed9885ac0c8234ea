import { listEvents as operation } from '../../../shared/catalog/simulation/operations/events.ts';
import { requireKnownEvent } from '../events/known-event.ts';
import { readEvents } from '../events/reader.ts';
import { operate } from '../operate.ts';

export const listEvents = operate(operation)(async ({ query }, { world, worlds }) => {
  if (query.type !== undefined) requireKnownEvent(query.type, '?type');
  return readEvents(worlds, world, { ...query, ext: query.ext === 'true' });
});
