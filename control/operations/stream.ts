import * as declared from '../../shared/catalog/control/operations/stream.ts';
import { operateStream } from '../operate.ts';
import { parseCursor, parseTopics } from '../stream/cursor.ts';
import { follow } from '../stream/follow.ts';

export const readStream = operateStream(declared.readStream)(async function* ({ query, lastEventId }, scope) {
  const topics = parseTopics(query.topics);
  const cursor =
    lastEventId !== undefined
      ? parseCursor('Last-Event-ID', lastEventId)
      : query.from === undefined
        ? undefined
        : parseCursor('?from', query.from);
  using _place = scope.streams.take(scope.rehearsal);
  yield* follow(scope, { topics, cursor });
});
