import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Parses the server-sent events of a body. Skips comments. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage, void> {
  const decoder = new TextDecoder();
  const read: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void read.push(event) });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* read.splice(0);
  }
}
