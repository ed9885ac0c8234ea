import type { StreamTopic } from '../../shared/catalog/control/operations/stream.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { pause } from '../../shared/process/waiting.ts';
import { isSameRehearsal } from '../../shared/store/ports/rehearsals.ts';
import type { ChangeWaits, NextChange } from '../clock/change-waits.ts';
import type { OperationScope } from '../operate.ts';
import type { Cursor } from './cursor.ts';
import { FrameMaker } from './frame-maker.ts';
import { endOf, isWithin } from './logs.ts';
import type { Frame } from './send-frames.ts';

/** Wall time between two frames of a topic: ten a second. */
const APART_MS: Ms = 100;
/** Wall time after which the world is read without a change notification: a hop that changes nothing sends none. */
const POLL_MS: Ms = 250;
/** Wall time without a frame after which a comment is sent to keep the connection open. */
const ALIVE_MS: Ms = 15_000;

/**
 * Follows a rehearsal from a cursor, or from now. Each frame is read after the client has received the previous one.
 * Ends when the rehearsal is deleted, the client has disconnected, or the process stops.
 */
export async function* follow(
  scope: OperationScope,
  { topics, cursor }: { readonly topics: ReadonlySet<StreamTopic>; readonly cursor: Cursor | undefined },
): AsyncGenerator<Frame, void> {
  const { rehearsal, world, worlds, driver, stopping, gone } = scope;
  const end = await endOf(worlds, world);
  const isUsable = cursor === undefined || isWithin(cursor, end);
  const make = new FrameMaker(scope, topics, cursor && isUsable ? { world, hops: cursor.hops, events: cursor.events } : end);
  const over = AbortSignal.any([stopping, gone]);
  using changes = changesUntil(over, driver.changes);
  let isFirst = true;
  while (!over.aborted) {
    using change = changes.next(make.world);
    const view = await worlds.current(make.world);
    if (!view) {
      const replaced = await worlds.resolve(rehearsal);
      if (!replaced || !isSameRehearsal(replaced.credentials, scope.view.credentials)) {
        yield make.gap('deleted');
        return;
      }
      await make.moveTo(replaced.world);
      yield make.gap('reset');
      continue;
    }
    yield* make.presentFrames(view);
    // The answer begins with the first frame, which marks the start of the stream for the client.
    if (isFirst) yield isUsable ? 'alive' : make.gap('reset');
    isFirst = false;
    const hasMore = yield* make.logFrames();
    if (make.silentMs >= ALIVE_MS) yield make.alive();
    await Promise.all([pause(APART_MS, over), hasMore || change.happened]);
  }
}

/** Changes of the worlds that a stream follows. When the stream ends, its wait for a change ends too. */
function changesUntil(over: AbortSignal, changes: ChangeWaits) {
  let waiting: NextChange | undefined;
  const stopWaiting = (): void => waiting?.[Symbol.dispose]();
  over.addEventListener('abort', stopWaiting);
  return {
    next(world: World): NextChange {
      waiting = changes.next(world, POLL_MS);
      return waiting;
    },
    // The signal of the process outlives the stream.
    [Symbol.dispose]: () => over.removeEventListener('abort', stopWaiting),
  };
}
