import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { BodyTooLong } from '../shared/process/bounded-body.ts';

/** Bytes of one event, with room for a frame of hops with their bodies. */
const MOST_BYTES = 64 * 1_048_576;

/** Parses the server-sent events of a body. Skips comments. @throws BodyTooLong */
export async function* eventsOf(body: AsyncIterable<Uint8Array>, most = MOST_BYTES): AsyncGenerator<EventSourceMessage, void> {
  const decoder = new TextDecoder();
  const read: EventSourceMessage[] = [];
  /** Bytes since the last event or comment. An event of many short lines takes several times its length in memory. */
  let pending = 0;
  const parser = createParser({
    onEvent: (event) => {
      pending = 0;
      read.push(event);
    },
    onComment: () => {
      pending = 0;
    },
  });
  for await (const chunk of body) {
    pending += chunk.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (pending > most) throw new BodyTooLong(most);
    yield* read.splice(0);
  }
}
