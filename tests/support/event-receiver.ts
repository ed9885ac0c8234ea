import type { IncomingHttpHeaders } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { serving } from '../conform/serving.ts';

export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly version: number;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Wall time before the answer. */
  readonly afterMs?: number;
}

/** A receiver of events. @param answer gives the answer to each request, counted from 1 per event */
export async function receiveEvents(
  answer: (received: ReceivedEvent, attempt: number) => Answer | Promise<Answer> = () => ({ status: 204 }),
) {
  const received: ReceivedEvent[] = [];
  const server = await serving(async (request, response) => {
    const text = await textOf(request);
    const { id, type, subject, aggregateversion: version } = JSON.parse(text);
    const one = { headers: request.headers, text, id, type: type.replace('com.unified-commerce.', ''), subject, version };
    received.push(one);
    const { status, headers = {}, body, afterMs = 0 } = await answer(one, received.filter((other) => other.id === id).length);
    setTimeout(() => response.writeHead(status, headers).end(body), afterMs);
  });
  return { ...server, url: `${server.url}/events`, received, types: (): readonly string[] => received.map(({ type }) => type) };
}
