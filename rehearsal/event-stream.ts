import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { BodyTooLong } from '../shared/process/bounded-body.ts';
import { GIVEN_BYTES } from '../shared/process/bounded-file.ts';

/** Parses the server-sent events of a body. Skips comments. @param most bytes of one event @throws BodyTooLong */
export async function* eventsOf(body: AsyncIterable<Uint8Array>, most = GIVEN_BYTES): AsyncGenerator<EventSourceMessage, void> {
  const decoder = new TextDecoder();
  const read: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: most,
    onEvent: (event) => void read.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new BodyTooLong(most);
    },
  });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* read.splice(0);
  }
}
