import type { StreamTopic } from '../../../shared/catalog/simulation/operations/stream.ts';
import type { Ms } from '../../../shared/domain/time.ts';
import { pause } from '../../../shared/process/waiting.ts';
import type { WorldView } from '../../../shared/store/ports/directory.ts';
import type { OperationScope } from '../operate.ts';
import { type Cursor, cursorOf, type Place } from './cursor.ts';
import { endOf, eventsAfter, hopsAfter, isWithin, MOST_RECORDS } from './logs.ts';
import { createPresent, PRESENT_TOPICS } from './present.ts';
import type { Frame } from './send-frames.ts';

/** Wall time between two frames of a topic: ten a second. */
const APART_MS: Ms = 100;
/** Wall time after which the world is read without a change notification: there is none of a hop that changes nothing. */
const POLL_MS: Ms = 250;
/** Wall time without a frame after which the connection is kept open by a comment. */
const ALIVE_MS: Ms = 15_000;

/**
 * Follows a rehearsal from a cursor, or from now. It queues nothing: each frame is read when the reader has taken the previous one.
 * Ends when the rehearsal is deleted, the client has disconnected, or the process stops.
 */
export async function* follow(
  { rehearsal, world, worlds, driver, stopping, gone, ...parts }: OperationScope,
  { topics, cursor }: { readonly topics: ReadonlySet<StreamTopic>; readonly cursor: Cursor | undefined },
): AsyncGenerator<Frame, void> {
  const end = await endOf(worlds, world);
  const over = AbortSignal.any([stopping, gone]);
  let place: Place = cursor && isWithin(cursor, end) ? { world, hops: cursor.hops, events: cursor.events } : end;
  let present = createPresent(parts);
  let sentAt = Date.now();
  const frame = (event: string, data: unknown): Frame => {
    sentAt = Date.now();
    return { event, id: cursorOf(place), data };
  };

  async function* tellPresent(view: WorldView): AsyncGenerator<Frame, void> {
    for (const topic of PRESENT_TOPICS) {
      const data = topics.has(topic) ? await present[topic](view) : undefined;
      if (data !== undefined) yield frame(topic, data);
    }
  }

  /** @returns whether there is more */
  async function* tellLogs(): AsyncGenerator<Frame, boolean> {
    const hops = topics.has('hops') ? await hopsAfter(worlds, place) : { data: [], last: place.hops };
    if (!hops) {
      place = await endOf(worlds, place.world);
      yield frame('gap', { reason: 'discarded' });
      return true;
    }
    if (hops.data.length > 0) {
      place = { ...place, hops: hops.last };
      yield frame('hops', hops.data);
    }
    const events = topics.has('events') ? await eventsAfter(worlds, place) : { data: [], last: place.events };
    if (events.data.length > 0) {
      place = { ...place, events: events.last };
      yield frame('events', events.data);
    }
    return hops.data.length === MOST_RECORDS || events.data.length === MOST_RECORDS;
  }

  let waiting: Disposable | undefined;
  const stopWaiting = (): void => waiting?.[Symbol.dispose]();
  const isUnusable = cursor && !isWithin(cursor, end);
  let isFirst = true;
  over.addEventListener('abort', stopWaiting);
  try {
    while (!over.aborted) {
      using change = driver.changes.next(place.world, POLL_MS);
      waiting = change;
      const view = await worlds.current(place.world);
      if (!view) {
        const replaced = await worlds.resolve(rehearsal);
        if (!replaced) {
          yield frame('gap', { reason: 'deleted' });
          return;
        }
        place = await endOf(worlds, replaced.world);
        present = createPresent(parts);
        yield frame('gap', { reason: 'reset' });
        continue;
      }
      yield* tellPresent(view);
      if (isFirst && isUnusable) yield frame('gap', { reason: 'reset' });
      // The answer begins with the first frame, and tells a client from when on it follows.
      else if (isFirst) yield 'alive';
      isFirst = false;
      const hasMore = yield* tellLogs();
      if (Date.now() - sentAt >= ALIVE_MS) {
        sentAt = Date.now();
        yield 'alive';
      }
      await Promise.all([pause(APART_MS, over), hasMore || change.happened]);
    }
  } finally {
    // The signal of the process outlives this stream.
    over.removeEventListener('abort', stopWaiting);
  }
}
