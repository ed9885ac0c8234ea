import { listEvents as operation } from '../../shared/catalog/control/operations/events.ts';
import { requireKnownEvent, requireObject, requireSubjectOf } from '../events/known-event.ts';
import { readEvents } from '../events/reader.ts';
import { operate } from '../operate.ts';
import { requireReached } from '../position.ts';

export const listEvents = operate(operation)(async ({ query }, { world, worlds }) => {
  const { type, subject } = query;
  if (type !== undefined) requireKnownEvent(type, '?type');
  if (subject !== undefined) requireObject(subject, '?subject');
  if (type !== undefined && subject !== undefined) requireSubjectOf(type, subject, '?subject');
  const read = await readEvents(worlds, world, { ...query, ext: query.ext === 'true' });
  if (read.items.length === 0) await requireReached(worlds, world, { after: query.after, pointer: '?after' });
  return read;
});
