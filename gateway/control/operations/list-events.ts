import { listEvents as operation } from '../../../shared/catalog/simulation/operations/events.ts';
import { requireKnownEvent, requireObject, requireSubjectOf } from '../events/known-event.ts';
import { readEvents } from '../events/reader.ts';
import { operate } from '../operate.ts';

export const listEvents = operate(operation)(async ({ query }, { world, worlds }) => {
  const { type, subject } = query;
  if (type !== undefined) requireKnownEvent(type, '?type');
  if (subject !== undefined) requireObject(subject, '?subject');
  if (type !== undefined && subject !== undefined) requireSubjectOf(type, subject, '?subject');
  return readEvents(worlds, world, { ...query, ext: query.ext === 'true' });
});
