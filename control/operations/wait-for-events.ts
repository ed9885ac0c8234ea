import { waitForEvents as operation } from '../../shared/catalog/control/operations/events.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { requireKnownEvent, requireSubjectOf } from '../events/known-event.ts';
import { type ListedEvent, readEvents } from '../events/reader.ts';
import { operate } from '../operate.ts';
import { requireReached } from '../position.ts';

/** Wall time after which the events are read again without a change notification. */
const POLL_MS = 250;

export const waitForEvents = operate(operation)(async ({ body }, { world, worlds, driver, stopping, gone }) => {
  const { type, subject, count, timeoutMs } = body;
  requireKnownEvent(type, '/type');
  if (subject !== undefined) requireSubjectOf(type, subject, '/subject');
  await requireReached(worlds, world, { after: body.after, pointer: '/after' });
  const until = Date.now() + timeoutMs;
  const items: ListedEvent[] = [];
  let next = body.after;
  for (;;) {
    using change = driver.changes.next(world, Math.min(POLL_MS, Math.max(0, until - Date.now())));
    const read = await readEvents(worlds, world, { type, subject, after: next, limit: count - items.length, ext: true });
    items.push(...read.items);
    next = read.next;
    const found = items.length >= count;
    if (found || Date.now() >= until || stopping.aborted || gone.aborted) return { found, items, next };
    if (!(await worlds.current(world))) throw new Problem('unknown_rehearsal', 'This rehearsal has been reset or deleted.');
    await change.happened;
  }
});
